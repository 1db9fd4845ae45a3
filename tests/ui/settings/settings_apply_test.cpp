// SPDX-License-Identifier: Apache-2.0
#include "core/machine/stored_shares.h"
#include "tests/ui/settings/settings_fixture.h"
#include "ui/widgets/message_bar.h"

using namespace vitrine;
using namespace vitrine::ui;

namespace {

Result<> storeElsewhere(const QString& directory, const std::function<void(RunOptions&)>& change) {
    return Sidecar::update(directory, [&change](Sidecar& sidecar) { change(sidecar.run); });
}

} // namespace

TEST_F(SettingsPageTest, ApplyKeepsWhatOthersStoredMeanwhile) {
    check(QStringLiteral("sound card"))->setChecked(false);
    const QTemporaryDir folder;
    ShareSpec share;
    share.path = folder.path();
    ASSERT_TRUE(addStoredShare(info().directory, share, {m_home.path()}));
    ASSERT_TRUE(storeElsewhere(info().directory, [](RunOptions& run) {
        run.disks.append({QStringLiteral("/tools.iso"), {.readOnly = true}});
        run.clipboard = false;
    }));
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
    const auto sidecar = Sidecar::read(info().directory);
    ASSERT_TRUE(sidecar);
    EXPECT_FALSE(sidecar->run.audio);
    EXPECT_EQ(sidecar->run.shares.size(), 1);
    EXPECT_EQ(sidecar->run.disks.size(), 1);
    EXPECT_FALSE(sidecar->run.clipboard);
}

TEST_F(SettingsPageTest, ListsKeepWhatOthersAddedAndLoseWhatOthersRemoved) {
    ASSERT_TRUE(storeElsewhere(info().directory, [](RunOptions& run) {
        run.forwards = {{8080, 80}, {2222, 22}};
    }));
    m_page->hide();
    m_page->show();
    auto* row = m_page->findChild<CommandRow*>();
    ASSERT_TRUE(test::waitUntil(
        [row] { return row->command().contains(QStringLiteral("--forward=2222:22")); }));
    spin(QStringLiteral("Port of this computer"))->setValue(8443);
    spin(QStringLiteral("Port of the guest"))->setValue(443);
    button(QStringLiteral("A&dd"), QStringLiteral("Port forwards"))->click();
    ASSERT_TRUE(storeElsewhere(info().directory, [](RunOptions& run) {
        run.forwards = {{8080, 80}, {5900, 5900}};
    }));
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
    const auto sidecar = Sidecar::read(info().directory);
    ASSERT_TRUE(sidecar);
    EXPECT_EQ(sidecar->run.forwards, (QList<PortForward>{{8080, 80}, {8443, 443}, {5900, 5900}}));
}

TEST_F(SettingsPageTest, WhatOthersStoredIsReadWhenThePageShowsAgain) {
    m_page->hide();
    ASSERT_TRUE(storeElsewhere(info().directory, [](RunOptions& run) { run.clipboard = false; }));
    m_page->show();
    EXPECT_TRUE(
        test::waitUntil([this] { return !check(QStringLiteral("clipboard"))->isChecked(); }));
    EXPECT_FALSE(m_page->hasUnsavedChanges());
}

TEST_F(SettingsPageTest, ASuspendedMachineKeepsItsHardwareAndTakesRunOptionsAtTheNextStart) {
    write(info().directory + QLatin1String("/state.qemu"), "x");
    ASSERT_EQ(info().state, MachineState::Suspended);
    m_page->showMachine(info());
    ASSERT_TRUE(
        test::waitUntil([this] { return !spin(QStringLiteral("Processors"))->isEnabled(); }));
    for (const char* name : {"Processors", "Memory", "Width", "Unit", "Size", "MAC address"}) {
        QWidget* found = control(QLatin1String(name));
        ASSERT_TRUE(found) << name;
        EXPECT_FALSE(found->isEnabled()) << name;
    }
    EXPECT_TRUE(spin(QStringLiteral("Processors"))
                    ->accessibleDescription()
                    .contains(QStringLiteral("suspended")));
    EXPECT_TRUE(combo(QStringLiteral("Refit"))->isEnabled());
    check(QStringLiteral("sound card"))->setChecked(false);
    EXPECT_TRUE(says(QStringLiteral("At next start: Sound.")));
    EXPECT_TRUE(button(QStringLiteral("Apply"))->isEnabled());
    m_page->selectPane(1);
    test::savePicture(*m_page, QStringLiteral("settings-suspended"));
}

TEST_F(SettingsPageTest, AnEmulatedGuestIsNotOfferedVirtualMachinesOfItsOwn) {
    m_hypervisor.change = [](HypervisorInfo& host) {
        host.features[Feature::NestedVirtualization] = {true, {}};
        host.architecture = Architecture::Amd64;
    };
    makePage(); // the machine is arm64
    QCheckBox* nested = check(QStringLiteral("Virtual machines inside"));
    ASSERT_TRUE(test::waitUntil(
        [nested] { return nested->accessibleDescription().contains(QStringLiteral("arm64")); }));
    EXPECT_FALSE(nested->isEnabled());
    m_hypervisor.change = [](HypervisorInfo& host) {
        host.features[Feature::NestedVirtualization] = {true, {}};
        host.architecture = Architecture::Arm64;
    };
    makePage();
    EXPECT_TRUE(test::waitUntil(
        [this] { return check(QStringLiteral("Virtual machines inside"))->isEnabled(); }));
}

TEST_F(SettingsPageTest, AKernelOfAnotherMachineLeavesNothingBehind) {
    ASSERT_TRUE(storeElsewhere(info().directory, [](RunOptions& run) {
        run.kernel = KernelBoot{QStringLiteral("/k"), QStringLiteral("/i"), QStringLiteral("w")};
    }));
    makePage();
    auto* row = m_page->findChild<CommandRow*>();
    ASSERT_TRUE(
        test::waitUntil([row] { return row->command().contains(QStringLiteral("--initrd=/i")); }));
    const MachineInfo other = machine(QStringLiteral("other"));
    m_page->showMachine(other);
    ASSERT_TRUE(
        test::waitUntil([row] { return row->command().contains(QStringLiteral("run other")); }));
    QLineEdit* kernel = line(QStringLiteral("Choose a Kernel"));
    ASSERT_TRUE(kernel);
    kernel->setText(QStringLiteral("/other"));
    Q_EMIT kernel->textEdited(kernel->text());
    EXPECT_EQ(row->command(), QStringLiteral("vitrinectl run other --plain --kernel=/other"));
}

TEST_F(SettingsPageTest, AMacAddressThatCannotBeReadStopsApply) {
    QLineEdit* mac = line(QStringLiteral("MAC address"));
    ASSERT_TRUE(mac);
    const QString before = mac->text();
    spin(QStringLiteral("Processors"))->setValue(3);
    mac->setText(QStringLiteral("6a:3e"));
    Q_EMIT mac->textEdited(mac->text());
    EXPECT_FALSE(button(QStringLiteral("Apply"))->isEnabled());
    EXPECT_EQ(mac->text(), QStringLiteral("6a:3e"));
    button(QStringLiteral("Cancel"))->click();
    EXPECT_EQ(mac->text(), before);
    // One that is no machine's.
    mac->setText(QStringLiteral("01:00:00:00:00:01"));
    Q_EMIT mac->textEdited(mac->text());
    EXPECT_FALSE(button(QStringLiteral("Apply"))->isEnabled());
}

TEST_F(SettingsPageTest, ADiskThatCannotBeReadIsTold) {
    QAction* add = nullptr;
    for (QAction* action : m_page->findChildren<QAction*>())
        if (action->text() == QStringLiteral("Block Device…"))
            add = action;
    ASSERT_TRUE(add);
    add->trigger();
    auto* dialog = m_page->findChild<QInputDialog*>();
    ASSERT_TRUE(dialog);
    dialog->setTextValue(QStringLiteral("/dev/sdb:sync=often"));
    dialog->accept();
    const auto* bar = m_page->findChild<MessageBar*>();
    EXPECT_TRUE(bar->isShown());
    EXPECT_TRUE(bar->text().contains(QStringLiteral("\"sync=often\"")))
        << bar->text().toStdString();
    EXPECT_FALSE(m_page->hasUnsavedChanges());
}

TEST_F(SettingsPageTest, BridgesAreChosenFromAListWithTheReasonOfEach) {
    m_hypervisor.change = [](HypervisorInfo& host) {
        host.features[Feature::Bridged] = {true, {}};
        host.bridges = {{QStringLiteral("br0"), {}},
                        {QStringLiteral("br1"), QStringLiteral("Not allowed here.")}};
    };
    makePage();
    QComboBox* bridges = combo(QStringLiteral("Interfaces"));
    ASSERT_TRUE(bridges);
    ASSERT_TRUE(test::waitUntil([bridges] { return bridges->count() == 2; }));
    EXPECT_FALSE(bridges->isEnabled());
    combo(QStringLiteral("Attachment"))->setCurrentIndex(1);
    EXPECT_TRUE(bridges->isEnabled());
    const auto choose = [bridges](int index) {
        bridges->setCurrentIndex(index);
        Q_EMIT bridges->activated(index);
    };
    auto* row = m_page->findChild<CommandRow*>();
    choose(1);
    EXPECT_EQ(bridges->currentText(), QStringLiteral("br1"));
    EXPECT_TRUE(bridges->accessibleDescription().contains(QStringLiteral("Not allowed here.")));
    EXPECT_EQ(row->command(), QStringLiteral("vitrinectl run build --plain --net-bridged=br1"));
    m_page->selectPane(4);
    test::savePicture(*m_page, QStringLiteral("settings-network-bridged"));
    choose(0);
    EXPECT_FALSE(bridges->accessibleDescription().contains(QStringLiteral("Not allowed here.")));
    EXPECT_EQ(row->command(), QStringLiteral("vitrinectl run build --plain --net-bridged=br0"));
}

TEST_F(SettingsPageTest, WhatThisComputerCannotDoIsGreyedWithItsReason) {
    m_hypervisor.change = [](HypervisorInfo& host) {
        for (const Feature feature : {Feature::DisplayRefit,
                                      Feature::DiskCaching,
                                      Feature::DiskSynchronisation,
                                      Feature::ReadOnlyRootDisk,
                                      Feature::KernelBoot,
                                      Feature::Serial})
            host.features[feature] = {false, QStringLiteral("Not with this backend.")};
    };
    makePage();
    ASSERT_TRUE(test::waitUntil([this] { return !combo(QStringLiteral("Refit"))->isEnabled(); }));
    for (const char* name :
         {"Refit", "Caching", "Synchronisation", "Choose a Kernel", "Serial line"}) {
        const QWidget* found = control(QLatin1String(name));
        ASSERT_TRUE(found) << name;
        EXPECT_FALSE(found->isEnabled()) << name;
    }
    EXPECT_FALSE(check(QStringLiteral("Read-&only"))->isEnabled());
    EXPECT_TRUE(combo(QStringLiteral("Caching"))
                    ->accessibleDescription()
                    .contains(QStringLiteral("Not with this backend.")));
}

TEST_F(SettingsPageTest, WhatBelongsToAnotherGuestIsHidden) {
    m_page->selectPane(m_page->paneCount() - 1);
    EXPECT_FALSE(check(QStringLiteral("macOS Recovery"))->isVisible());
    EXPECT_TRUE(check(QStringLiteral("Intel programs"))->isVisible());
    MachineInfo mac = info();
    mac.config->system = GuestSystem::Darwin;
    m_page->showMachine(mac);
    ASSERT_TRUE(
        test::waitUntil([this] { return check(QStringLiteral("macOS Recovery"))->isVisible(); }));
    EXPECT_FALSE(check(QStringLiteral("Intel programs"))->isVisible());
    EXPECT_FALSE(check(QStringLiteral("macOS Recovery"))->isEnabled());
    m_page->selectPane(m_page->paneCount() - 2);
    EXPECT_TRUE(check(QStringLiteral("trackpad"))->isVisible());
}

TEST_F(SettingsPageTest, TheScaleIsStoredBesideTheMachineAndNotInItsConfiguration) {
    QFile config(info().directory + QLatin1String("/config.json"));
    ASSERT_TRUE(config.open(QIODevice::ReadOnly));
    const QByteArray before = config.readAll();
    QComboBox* scale = combo(QStringLiteral("Scale"));
    ASSERT_TRUE(scale);
    EXPECT_EQ(scale->currentText(), QStringLiteral("Automatic"));
    EXPECT_TRUE(says(QStringLiteral("in force: 1 ×")));
    scale->setCurrentIndex(scale->findData(200));
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
    EXPECT_EQ(displayScaleOf(*Sidecar::read(info().directory)), 200);
    config.seek(0);
    EXPECT_EQ(config.readAll(), before);
    // One that is not in the list keeps its place.
    ASSERT_TRUE(
        Sidecar::update(info().directory, [](Sidecar& sidecar) { setDisplayScale(sidecar, 125); }));
    m_page->hide();
    m_page->show();
    EXPECT_TRUE(test::waitUntil([scale] { return scale->currentData().toInt() == 125; }));
}

TEST_F(SettingsPageTest, RosettaThatAMacStoredCanBeTakenOff) {
    QCheckBox* rosetta = check(QStringLiteral("Intel programs"));
    EXPECT_FALSE(rosetta->isEnabled());
    EXPECT_TRUE(rosetta->accessibleDescription().contains(QStringLiteral("Apple silicon")));
    ASSERT_TRUE(Sidecar::update(info().directory, [](Sidecar& sidecar) {
        MacOptions{QStringLiteral("intel"), true}.storeIn(sidecar.run);
    }));
    m_page->hide();
    m_page->show();
    ASSERT_TRUE(test::waitUntil([rosetta] { return rosetta->isChecked(); }));
    EXPECT_TRUE(rosetta->isEnabled());
    EXPECT_TRUE(rosetta->accessibleDescription().contains(QStringLiteral("Apple silicon")));
    rosetta->setChecked(false);
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([this] { return !m_page->hasUnsavedChanges(); }, 30000));
    EXPECT_EQ(MacOptions::of(Sidecar::read(info().directory)->run), MacOptions());
    EXPECT_FALSE(rosetta->isEnabled());
}
