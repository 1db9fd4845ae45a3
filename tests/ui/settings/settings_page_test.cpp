// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/settings/settings_fixture.h"
#include "ui/settings/disk_table.h"
#include "ui/settings/firewall_box.h"
#include "ui/widgets/value_list.h"

#include <QKeyEvent>
#include <QPlainTextEdit>

using namespace vitrine;
using namespace vitrine::ui;

TEST_F(SettingsPageTest, NothingIsWrittenBeforeApply) {
    spin(QStringLiteral("Processors"))->setValue(2);
    EXPECT_TRUE(m_page->hasUnsavedChanges());
    EXPECT_TRUE(button(QStringLiteral("Apply"))->isEnabled());
    EXPECT_EQ(info().config->cpuCount, 4);
    button(QStringLiteral("Cancel"))->click();
    EXPECT_FALSE(m_page->hasUnsavedChanges());
    EXPECT_EQ(spin(QStringLiteral("Processors"))->value(), 4);
}

TEST_F(SettingsPageTest, ApplyWritesConfigAndSidecar) {
    spin(QStringLiteral("Processors"))->setValue(3);
    m_page->findChild<QPlainTextEdit*>()->setPlainText(
        QStringLiteral("Builds the nightly packages."));
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([this] { return info().config->cpuCount == 3; }, 30000));
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
    const auto sidecar = Sidecar::read(info().directory);
    ASSERT_TRUE(sidecar);
    EXPECT_EQ(sidecar->notes, QStringLiteral("Builds the nightly packages."));
}

TEST_F(SettingsPageTest, EveryPaneShowsAndEveryControlHasAName) {
    const QStringList names{QStringLiteral("general"),
                            QStringLiteral("system"),
                            QStringLiteral("display"),
                            QStringLiteral("disks"),
                            QStringLiteral("network"),
                            QStringLiteral("sharing"),
                            QStringLiteral("input"),
                            QStringLiteral("boot")};
    ASSERT_EQ(m_page->paneCount(), names.size());
    for (int pane = 0; pane < m_page->paneCount(); ++pane) {
        m_page->selectPane(pane);
        test::savePicture(*m_page, QStringLiteral("settings-") + names[pane]);
    }
    EXPECT_TRUE(test::controlsWithoutName(*m_page).isEmpty())
        << test::controlsWithoutName(*m_page).join(u',').toStdString();
}

TEST_F(SettingsPageTest, TheCommandIsCompleteAndFollowsTheDraft) {
    auto* row = m_page->findChild<CommandRow*>();
    ASSERT_TRUE(row);
    EXPECT_FALSE(row->isVisible());
    button(QStringLiteral("Show Command"))->click();
    EXPECT_TRUE(row->isVisible());
    EXPECT_EQ(row->command(), QStringLiteral("vitrinectl run build --plain"));
    check(QStringLiteral("sound card"))->setChecked(false);
    EXPECT_EQ(row->command(), QStringLiteral("vitrinectl run build --plain --no-audio"));
    spin(QStringLiteral("Processors"))->setValue(2);
    EXPECT_EQ(row->command(),
              QStringLiteral("vitrinectl set build --cpu 2 && vitrinectl run build --plain "
                             "--no-audio"));
    for (int pane = 0; pane < m_page->paneCount(); ++pane) {
        m_page->selectPane(pane);
        EXPECT_TRUE(row->isVisible()) << pane;
    }
    test::savePicture(*m_page, QStringLiteral("settings-command"));
}

TEST_F(SettingsPageTest, ForwardsAreAddedRemovedAndStored) {
    spin(QStringLiteral("Port of this computer"))->setValue(8080);
    spin(QStringLiteral("Port of the guest"))->setValue(80);
    button(QStringLiteral("A&dd"), QStringLiteral("Port forwards"))->click();
    EXPECT_TRUE(m_page->hasUnsavedChanges());
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil(
        [this] {
            const auto sidecar = Sidecar::read(info().directory);
            return sidecar && sidecar->run.forwards == QList<PortForward>{{8080, 80}};
        },
        30000));
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
    m_page->selectPane(4);
    test::savePicture(*m_page, QStringLiteral("settings-network-forward"));
    button(QStringLiteral("Re&move"), QStringLiteral("Port forwards"))->click();
    EXPECT_TRUE(m_page->hasUnsavedChanges());
}

TEST_F(SettingsPageTest, ANetworkThatCannotBeHadSaysWhyAndABadListStopsApply) {
    QComboBox* mode = combo(QStringLiteral("Attachment"));
    ASSERT_TRUE(mode);
    mode->setCurrentIndex(3);
    EXPECT_TRUE(mode->accessibleDescription().contains(QStringLiteral("No firewall here.")));
    EXPECT_TRUE(button(QStringLiteral("Apply"))->isEnabled());
    ValueList* allow = firewall()->allowed();
    allow->addValues({QStringLiteral("192.168.178.20")});
    EXPECT_FALSE(button(QStringLiteral("Apply"))->isEnabled());
    EXPECT_TRUE(allow->message().contains(QStringLiteral("/32")));
    m_page->selectPane(SettingsPage::networkPane);
    test::savePicture(*m_page, QStringLiteral("settings-network-softnet"));
    button(QStringLiteral("Use 192.168.178.20/32"))->click();
    EXPECT_TRUE(button(QStringLiteral("Apply"))->isEnabled());
}

TEST_F(SettingsPageTest, ARuleWithADirectionCanBeTypedAndIsStored) {
    combo(QStringLiteral("Attachment"))->setCurrentIndex(3);
    m_page->selectPane(SettingsPage::networkPane);
    ValueList* allow = firewall()->allowed();
    allow->add();
    QLineEdit* editor = nullptr;
    ASSERT_TRUE(test::waitUntil([&] {
        editor = allow->table()->findChild<QLineEdit*>();
        return editor != nullptr;
    }));
    for (const QChar c : QStringLiteral("in 10.0.0.0/8")) {
        QKeyEvent key(QEvent::KeyPress, 0, Qt::NoModifier, QString(c));
        QApplication::sendEvent(editor, &key);
    }
    EXPECT_TRUE(allow->isValid()) << qPrintable(allow->message());
    EXPECT_TRUE(button(QStringLiteral("Apply"))->isEnabled()) << "before Return is pressed";
    QKeyEvent key(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
    QApplication::sendEvent(editor, &key);
    firewall()->blocked()->addValues({QStringLiteral("10.9.0.0/16"), QStringLiteral("out @host")});
    firewall()->exposed()->addValues({QStringLiteral("2222:22")});
    for (const bool dark : {false, true}) {
        applyTheme(dark ? SchemeChoice::Dark : SchemeChoice::Light);
        test::savePicture(*m_page,
                          dark ? QStringLiteral("settings-network-rules-dark")
                               : QStringLiteral("settings-network-rules-light"));
    }
    m_page->resize(636, 460);
    test::savePicture(*m_page, QStringLiteral("settings-network-rules-small"));
    applyTheme(SchemeChoice::Light);
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
    const auto sidecar = Sidecar::read(info().directory);
    ASSERT_TRUE(sidecar);
    EXPECT_EQ(sidecar->run.network.allow, QStringLiteral("in 10.0.0.0/8"));
    EXPECT_EQ(sidecar->run.network.block, QStringLiteral("10.9.0.0/16,out @host"));
    EXPECT_EQ(sidecar->run.network.expose, QStringLiteral("2222:22"));
}

TEST_F(SettingsPageTest, PresetsFillTheLists) {
    combo(QStringLiteral("Attachment"))->setCurrentIndex(3);
    QComboBox* preset = combo(QStringLiteral("Preset"));
    ASSERT_TRUE(preset);
    EXPECT_EQ(preset->currentText(), QStringLiteral("Internet only"));
    firewall()->setNetworks([] { return QStringList{QStringLiteral("192.168.77.0/24")}; });
    firewall()->askNetworks();
    ASSERT_TRUE(test::waitUntil([this] {
        return firewall()->presets().at(1).policy.allow.contains(QStringLiteral("192.168.77.0/24"));
    }));
    const auto choose = [preset](const char* name) {
        const int index = preset->findText(QLatin1String(name));
        preset->setCurrentIndex(index);
        Q_EMIT preset->activated(index);
    };
    choose("This LAN");
    EXPECT_EQ(firewall()->allowed()->values(), QStringList{QStringLiteral("192.168.77.0/24")});
    EXPECT_TRUE(says(QStringLiteral("private networks of this computer: 192.168.77.0/24")));
    choose("Host services");
    EXPECT_EQ(firewall()->allowed()->values(), QStringList{QStringLiteral("@host")});
    choose("Nothing");
    EXPECT_TRUE(firewall()->allowed()->values().isEmpty());
    EXPECT_EQ(firewall()->blocked()->values(), QStringList{QStringLiteral("out 0.0.0.0/0")});
    firewall()->blocked()->addValues({QStringLiteral("10.0.0.0/8")});
    EXPECT_EQ(preset->currentText(), QStringLiteral("Custom"));
    choose("Internet only");
    EXPECT_TRUE(firewall()->blocked()->values().isEmpty());
    EXPECT_EQ(preset->currentText(), QStringLiteral("Internet only"));
}

TEST_F(SettingsPageTest, APresetThatThisComputerCannotFillSaysWhy) {
    combo(QStringLiteral("Attachment"))->setCurrentIndex(3);
    firewall()->setNetworks([] { return QStringList(); });
    firewall()->askNetworks();
    QComboBox* preset = combo(QStringLiteral("Preset"));
    ASSERT_TRUE(test::waitUntil([preset] {
        return preset->itemData(2, Qt::ToolTipRole)
            .toString()
            .contains(QStringLiteral("no private network"));
    }));
    EXPECT_FALSE(preset->model()->flags(preset->model()->index(2, 0)).testFlag(Qt::ItemIsEnabled));
}

TEST_F(SettingsPageTest, ADiskWhoseFlushesAreIgnoredIsCalledRisky) {
    QComboBox* synchronisation = combo(QStringLiteral("Synchronisation"));
    ASSERT_TRUE(synchronisation);
    EXPECT_FALSE(synchronisation->accessibleDescription().contains(QStringLiteral("Risky")));
    synchronisation->setCurrentIndex(2);
    EXPECT_TRUE(synchronisation->accessibleDescription().contains(QStringLiteral("Risky")));
    m_page->selectPane(3);
    test::savePicture(*m_page, QStringLiteral("settings-disks-risky"));
    check(QStringLiteral("Read-&only"))->setChecked(true);
    EXPECT_FALSE(synchronisation->accessibleDescription().contains(QStringLiteral("Risky")));
}

TEST(DiskTable, TheGuestsNamesSkipCds) {
    const QList<ExtraDisk> disks{{QStringLiteral("/a.iso"), {}},
                                 {QStringLiteral("/b.img"), {}},
                                 {QStringLiteral("nbd://h/x.iso"), {}}};
    EXPECT_EQ(guestNames(disks).join(QLatin1Char(' ')), QStringLiteral("vda sr0 vdb vdc"));
    EXPECT_EQ(kindByText(disks.at(2)), ExtraDisk::Kind::NetworkDisk);
    EXPECT_EQ(kindByText({QStringLiteral("/dev/sdb"), {}}), ExtraDisk::Kind::BlockDevice);
    EXPECT_EQ(kindByText({QStringLiteral("ghcr.io/a/b:c"), {}}), ExtraDisk::Kind::CachedImage);
}

TEST_F(SettingsPageTest, TheProgramThatAppliesGetsNoSecrets) {
    const QTemporaryDir folder;
    const QString program = folder.filePath(QStringLiteral("vitrinectl"));
    write(program,
          "#!/bin/sh\nenv > \"${0%/*}/seen.new\"; mv \"${0%/*}/seen.new\" \"${0%/*}/seen\"\n");
    QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", folder.path().toUtf8() + ':' + path);
    qputenv("SOME_TOKEN", "secret");
    qputenv("TART_REGISTRY_PASSWORD", "secret");
    spin(QStringLiteral("Processors"))->setValue(3);
    button(QStringLiteral("Apply"))->click();
    const QString seen = folder.filePath(QStringLiteral("seen"));
    EXPECT_TRUE(test::waitUntil([&] { return QFile::exists(seen); }, 30000));
    qputenv("PATH", path);
    qunsetenv("SOME_TOKEN");
    qunsetenv("TART_REGISTRY_PASSWORD");
    QFile file(seen);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    const QByteArray variables = file.readAll();
    EXPECT_TRUE(variables.contains("VITRINE_HOME="));
    EXPECT_FALSE(variables.contains("secret"));
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
}

TEST_F(SettingsPageTest, AListingThatComesWhileEditingKeepsTheEdit) {
    spin(QStringLiteral("Processors"))->setValue(2);
    MachineInfo changed = info();
    changed.allocated = ByteCount::fromMiB(1);
    m_page->showMachine(changed);
    EXPECT_TRUE(m_page->hasUnsavedChanges());
    EXPECT_EQ(spin(QStringLiteral("Processors"))->value(), 2);
}
