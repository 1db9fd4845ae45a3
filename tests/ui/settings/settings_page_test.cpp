// SPDX-License-Identifier: Apache-2.0
#include "ui/settings/settings_page.h"

#include "core/library/library_model.h"
#include "tests/support/gui_support.h"
#include "ui/settings/command_row.h"
#include "ui/settings/disk_table.h"
#include "ui/settings/settings_pane.h"
#include "ui/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

class FakeHypervisor final : public Hypervisor {
public:
    HypervisorInfo info(Refresh) const override {
        HypervisorInfo info;
        info.features[Feature::AcceleratorChoice] = {true, {}};
        for (const Feature feature : {Feature::LinuxGuests,
                                      Feature::PortForwards,
                                      Feature::HostOnly,
                                      Feature::Audio,
                                      Feature::VncServer})
            info.features[feature] = {true, {}};
        for (const Feature feature : {Feature::Clipboard, Feature::Recovery, Feature::Rosetta})
            info.features[feature] = {false, QStringLiteral("Needs a Mac with Apple silicon.")};
        info.features[Feature::Bridged] = {false, QStringLiteral("This computer has no bridge.")};
        info.features[Feature::Softnet] = {false, QStringLiteral("No firewall here.")};
        info.features[Feature::NestedVirtualization] = {false,
                                                        QStringLiteral("This CPU offers no KVM.")};
        return info;
    }
    Result<> validate(const MachineInfo&, const RunOptions&) const override { return {}; }
    int runMachine(const RunRequest&) const override { return 1; }
    std::unique_ptr<vitrine::Display> openDisplay(const QString&) const override { return nullptr; }
};

class SettingsPageTest : public testing::Test {
protected:
    void SetUp() override {
        applyTheme(SchemeChoice::Light);
        qputenv("VITRINE_HOME", m_home.path().toUtf8());
        qputenv("PATH", QByteArray(VITRINE_BIN_DIR) + ':' + qgetenv("PATH"));
        auto library = Library::open(m_home.path());
        ASSERT_TRUE(library);
        const QString folder = library->machinesPath() + QLatin1String("/build");
        ASSERT_TRUE(QDir().mkpath(folder));
        MachineConfig config;
        config.macAddress = MacAddress::random();
        write(folder + QLatin1String("/config.json"), config.toJson());
        write(folder + QLatin1String("/nvram.bin"), "x");
        QFile disk(folder + QLatin1String("/disk.img"));
        ASSERT_TRUE(disk.open(QIODevice::WriteOnly) && disk.resize(20'000'000'000));
        m_model = std::make_unique<LibraryModel>(*library);
        m_services.library = m_model.get();
        m_services.hypervisor = &m_hypervisor;
        m_services.jobs = &m_jobs;
        m_page = std::make_unique<SettingsPage>(m_services);
        m_page->resize(1016, 604);
        m_page->show();
        m_page->showMachine(info());
        ASSERT_TRUE(
            test::waitUntil([this] { return spin(QStringLiteral("Processors"))->value() == 4; }));
    }
    MachineInfo info() const {
        auto machine = m_model->library().machine(*MachineName::fromText(QStringLiteral("build")));
        return machine ? *machine : MachineInfo{};
    }
    QSpinBox* spin(const QString& name) const {
        for (QSpinBox* box : m_page->findChildren<QSpinBox*>())
            if (box->accessibleName() == name)
                return box;
        return nullptr;
    }
    // `beside`: of the pane that has a table of this name.
    QPushButton* button(const QString& text, const QString& beside = {}) const {
        for (QPushButton* candidate : m_page->findChildren<QPushButton*>()) {
            if (candidate->text() != text)
                continue;
            bool fits = beside.isEmpty();
            for (QWidget* pane = candidate; pane && !fits; pane = pane->parentWidget())
                if (qobject_cast<SettingsPane*>(pane))
                    for (const QTableWidget* table : pane->findChildren<QTableWidget*>())
                        fits = fits || table->accessibleName() == beside;
            if (fits)
                return candidate;
        }
        return nullptr;
    }
    QComboBox* combo(const QString& name) const {
        for (QComboBox* box : m_page->findChildren<QComboBox*>())
            if (box->accessibleName() == name)
                return box;
        return nullptr;
    }
    QCheckBox* check(const QString& part) const {
        for (QCheckBox* box : m_page->findChildren<QCheckBox*>())
            if (QString(box->text())
                    .remove(QLatin1Char('&'))
                    .contains(QString(part).remove(QLatin1Char('&'))))
                return box;
        return nullptr;
    }
    static void write(const QString& path, const QByteArray& bytes) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    }
    QTemporaryDir m_home;
    FakeHypervisor m_hypervisor;
    JobListModel m_jobs;
    std::unique_ptr<LibraryModel> m_model;
    Services m_services;
    std::unique_ptr<SettingsPage> m_page;
};

} // namespace

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
    QLineEdit* allow = nullptr;
    for (QLineEdit* field : m_page->findChildren<QLineEdit*>())
        if (field->accessibleName() == QStringLiteral("Allow"))
            allow = field;
    ASSERT_TRUE(allow);
    EXPECT_TRUE(allow->isEnabled());
    Q_EMIT allow->textEdited(QStringLiteral("192.168.178.20"));
    EXPECT_FALSE(button(QStringLiteral("Apply"))->isEnabled());
    EXPECT_TRUE(allow->accessibleDescription().contains(QStringLiteral("/32")));
    m_page->selectPane(4);
    test::savePicture(*m_page, QStringLiteral("settings-network-softnet"));
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
