// SPDX-License-Identifier: Apache-2.0
// What belongs to a Mac: as host of machines, and as a guest on a computer that is none.
#include "core/machine/mac_options.h"
#include "tests/ui/settings/settings_fixture.h"

using namespace vitrine;
using namespace vitrine::ui;

namespace {

class SettingsMacTest : public SettingsPageTest {
protected:
    void beAMac() {
        m_hypervisor.change = [this](HypervisorInfo& host) {
            for (int feature = 0; feature <= static_cast<int>(Feature::TrackpadChoice); ++feature)
                host.features[static_cast<Feature>(feature)] = {true, {}};
            if (!rosetta)
                host.features[Feature::Rosetta] = {
                    false, QStringLiteral("It is not installed on this Mac."), true};
        };
        m_services.machineHost = &hosting;
        makePage();
    }
    void showMac() {
        MachineInfo mac = info();
        mac.config->system = GuestSystem::Darwin;
        m_page->showMachine(mac);
        openPane(inputPane);
        ASSERT_TRUE(
            test::waitUntil([this] { return check(QStringLiteral("trackpad"))->isVisible(); }));
    }
    void openPane(int pane) {
        m_page->selectPane(pane);
        ASSERT_TRUE(test::waitUntil([this] { return m_page->paneCount() == 8; }));
    }
    class NoMachines final : public MachineHost {
    public:
        void start(const Hypervisor::RunRequest&, Started) override {}
        void wish(const QString&, Wish) override {}
        QStringList machines() const override { return {}; }
    };
    static constexpr int systemPane = 1;
    static constexpr int inputPane = 6;
    static constexpr int bootPane = 7;
    bool rosetta = true;
    NoMachines hosting;
};

} // namespace

TEST_F(SettingsMacTest, SuspendableAndSystemKeysAreStored) {
    beAMac();
    showMac();
    openPane(systemPane);
    QCheckBox* suspendable = check(QStringLiteral("state macOS can save"));
    ASSERT_NE(suspendable, nullptr);
    EXPECT_TRUE(suspendable->isVisible() && suspendable->isEnabled());
    test::savePicture(*m_page, QStringLiteral("settings-mac-system"));
    suspendable->setChecked(true);
    openPane(inputPane);
    QCheckBox* keys = check(QStringLiteral("Keys of macOS"));
    ASSERT_NE(keys, nullptr);
    EXPECT_TRUE(keys->isVisible() && keys->isEnabled());
    keys->setChecked(true);
    test::savePicture(*m_page, QStringLiteral("settings-mac-input"));
    const QString directory = info().directory;
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil([&] {
        const auto sidecar = Sidecar::read(directory);
        return sidecar && MacOptions::of(sidecar->run).captureSystemKeys;
    }));
    EXPECT_TRUE(MacOptions::of(Sidecar::read(directory)->run).suspendable);
}

TEST_F(SettingsMacTest, OnAnotherComputerAMacGuestShowsThemGreyedWithTheReason) {
    m_hypervisor.change = [](HypervisorInfo& host) {
        host.features[Feature::DarwinGuests] = {false, QStringLiteral("macOS needs a Mac.")};
    };
    makePage();
    showMac();
    openPane(systemPane);
    QCheckBox* suspendable = check(QStringLiteral("state macOS can save"));
    ASSERT_TRUE(suspendable != nullptr && suspendable->isVisible());
    EXPECT_FALSE(suspendable->isEnabled());
    EXPECT_TRUE(suspendable->toolTip().contains(QStringLiteral("macOS needs a Mac.")));
    openPane(inputPane);
    QCheckBox* keys = check(QStringLiteral("Keys of macOS"));
    ASSERT_TRUE(keys != nullptr && keys->isVisible());
    EXPECT_FALSE(keys->isEnabled());
    EXPECT_TRUE(keys->toolTip().contains(QStringLiteral("by itself")));
}

TEST_F(SettingsMacTest, ALinuxGuestHasNeither) {
    openPane(systemPane);
    EXPECT_FALSE(check(QStringLiteral("state macOS can save"))->isVisible());
    openPane(inputPane);
    EXPECT_FALSE(check(QStringLiteral("Keys of macOS"))->isVisible());
}

TEST_F(SettingsMacTest, RosettaIsInstalledFromHere) {
    rosetta = false;
    beAMac();
    openPane(bootPane);
    QPushButton* install = button(QStringLiteral("Install Rosetta…"));
    ASSERT_NE(install, nullptr);
    EXPECT_TRUE(install->isVisible() && install->isEnabled());
    EXPECT_FALSE(check(QStringLiteral("Intel programs"))->isEnabled());
    test::savePicture(*m_page, QStringLiteral("settings-mac-rosetta"));
    m_hypervisor.refusal = Error{Error::Kind::Network, QStringLiteral("Apple is away."), {}};
    install->click();
    EXPECT_TRUE(test::waitUntil([this] { return says(QStringLiteral("Apple is away.")); }));
    m_hypervisor.refusal.reset();
    rosetta = true;
    ASSERT_TRUE(test::waitUntil([this] { return !m_host->isChecking(); }));
    install->click();
    EXPECT_TRUE(test::waitUntil([&] {
        return !install->isVisible() && check(QStringLiteral("Intel programs"))->isEnabled();
    }));
    EXPECT_EQ(m_hypervisor.installed, (QList<Feature>{Feature::Rosetta, Feature::Rosetta}));
}

TEST_F(SettingsMacTest, WhereRosettaCannotBeInstalledNoButtonOffersIt) {
    openPane(bootPane);
    EXPECT_FALSE(button(QStringLiteral("Install Rosetta…"))->isVisible());
}
