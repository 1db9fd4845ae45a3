// SPDX-License-Identifier: Apache-2.0
#include "tests/support/layout_misfits.h"
#include "tests/ui/settings/settings_fixture.h"

#include <QListWidget>
#include <QPlainTextEdit>
#include <QStackedWidget>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

// What a window of 1280 x 800 and one of 900 x 600 leave to the page.
constexpr QSize roomy{1016, 604};
constexpr QSize tight{635, 404};

class SettingsLayoutTest : public SettingsPageTest {
protected:
    // Every pane in both windows.
    void expectFits(const QString& what) {
        for (const QSize size : {tight, roomy, tight}) {
            m_page->resize(size);
            for (int pane = 0; pane < m_page->paneCount(); ++pane) {
                m_page->selectPane(pane);
                test::settleLayout(*m_page);
                EXPECT_EQ(test::layoutMisfits(*m_page).join(QLatin1Char('\n')).toStdString(),
                          std::string())
                    << what.toStdString() << ", pane " << pane << ", " << size.width() << " wide";
                test::savePicture(
                    *m_page,
                    QStringLiteral("settings-%1-%2-%3").arg(what).arg(pane).arg(size.width()));
            }
        }
    }
    void changeEverything() {
        for (QCheckBox* box : m_page->findChildren<QCheckBox*>())
            if (box->isEnabled())
                box->toggle();
        for (QComboBox* box : m_page->findChildren<QComboBox*>())
            if (box->isEnabled() && !box->isEditable())
                box->setCurrentIndex(box->count() - 1);
        for (const char* name : {"Processors", "Memory", "Width", "Height"})
            spin(QLatin1String(name))->stepUp();
    }
    [[nodiscard]] bool waitForDraft() {
        return test::waitUntil(
            [this] { return m_page->findChild<QStackedWidget*>()->isEnabled(); });
    }
};

} // namespace

TEST_F(SettingsLayoutTest, EveryPaneFitsItsWindow) {
    expectFits(QStringLiteral("stopped"));
}

TEST_F(SettingsLayoutTest, EveryPaneFitsWithChangesOfARunningMachine) {
    m_hypervisor.change = [](HypervisorInfo& host) {
        for (int feature = 0; feature <= static_cast<int>(Feature::TrackpadChoice); ++feature)
            host.features[static_cast<Feature>(feature)] = {true, {}};
    };
    makePage();
    MachineInfo running = info();
    running.state = MachineState::Running;
    m_page->showMachine(running);
    ASSERT_TRUE(waitForDraft());
    changeEverything();
    ASSERT_TRUE(m_page->hasUnsavedChanges());
    button(QStringLiteral("Show Command"))->click();
    expectFits(QStringLiteral("changed"));
}

TEST_F(SettingsLayoutTest, LongPathsAndMacGuestsFitToo) {
    MachineInfo mac = machine(QStringLiteral("sequoia-") + QString(80, u'x'));
    ASSERT_TRUE(mac.config);
    mac.config->system = GuestSystem::Darwin;
    ASSERT_TRUE(Sidecar::update(mac.directory, [](Sidecar& sidecar) {
        const QString name(90, u'y');
        sidecar.sourceImage = QStringLiteral("registry.example.org/") + name;
        sidecar.run.shares = {*ShareSpec::fromText(QStringLiteral("work:/srv/") + name)};
        sidecar.run.disks = {{QStringLiteral("/srv/") + name, {}}};
    }));
    m_page->showMachine(mac);
    ASSERT_TRUE(waitForDraft());
    ASSERT_TRUE(test::waitUntil([this] {
        for (const QTableWidget* table : m_page->findChildren<QTableWidget*>())
            if (table->accessibleName() == QStringLiteral("Disks of the machine"))
                return table->rowCount() == 2;
        return false;
    }));
    expectFits(QStringLiteral("mac"));
}

TEST_F(SettingsLayoutTest, AnotherWidthKeepsTheFocusAndWhatWasTyped) {
    m_page->resize(roomy);
    m_page->activateWindow();
    m_page->selectPane(0);
    auto* name = line(QStringLiteral("Name"));
    ASSERT_TRUE(name);
    name->setFocus();
    name->selectAll();
    name->insert(QStringLiteral("nightly"));
    ASSERT_TRUE(test::waitUntil([name] { return name->hasFocus(); }));
    const int beside = name->mapTo(m_page.get(), QPoint()).x();
    m_page->resize(tight);
    test::settleLayout(*m_page);
    EXPECT_LT(name->mapTo(m_page.get(), QPoint()).x(), beside); // its label stands above
    EXPECT_TRUE(name->hasFocus());
    EXPECT_EQ(name->text(), QStringLiteral("nightly"));
    EXPECT_TRUE(m_page->hasUnsavedChanges());
}

TEST_F(SettingsLayoutTest, CancelAndApplyLeaveTheKeyboardWhereItWas) {
    m_page->activateWindow();
    m_page->selectPane(1);
    QSpinBox* cpus = spin(QStringLiteral("Processors"));
    cpus->setFocus();
    ASSERT_TRUE(test::waitUntil([cpus] { return cpus->hasFocus(); }));
    cpus->setValue(2);
    button(QStringLiteral("Cancel"))->setFocus();
    button(QStringLiteral("Cancel"))->click();
    EXPECT_TRUE(cpus->hasFocus());
    cpus->setValue(3);
    button(QStringLiteral("Apply"))->setFocus();
    button(QStringLiteral("Apply"))->click();
    EXPECT_FALSE(cpus->isEnabled());
    ASSERT_TRUE(test::waitUntil(
        [this, cpus] { return cpus->isEnabled() && !m_page->hasUnsavedChanges(); }, 30000));
    EXPECT_TRUE(cpus->hasFocus());
    // Apply without having left the control, as with a shortcut.
    cpus->setValue(2);
    button(QStringLiteral("Apply"))->click();
    ASSERT_TRUE(test::waitUntil(
        [this, cpus] { return cpus->isEnabled() && !m_page->hasUnsavedChanges(); }, 30000));
    EXPECT_TRUE(cpus->hasFocus());
}

TEST_F(SettingsLayoutTest, ApplyTakesNoKeyboardThatWentElsewhere) {
    QLineEdit other;
    other.show();
    m_page->activateWindow();
    m_page->selectPane(1);
    QSpinBox* cpus = spin(QStringLiteral("Processors"));
    cpus->setFocus();
    ASSERT_TRUE(test::waitUntil([cpus] { return cpus->hasFocus(); }));
    cpus->setValue(2);
    button(QStringLiteral("Apply"))->click();
    other.activateWindow();
    other.setFocus();
    ASSERT_TRUE(test::waitUntil([&other] { return other.hasFocus(); }));
    ASSERT_TRUE(test::waitUntil(
        [this, cpus] { return cpus->isEnabled() && !m_page->hasUnsavedChanges(); }, 30000));
    EXPECT_TRUE(other.hasFocus());
}

// scripts/docs-pictures.sh takes them from here.
TEST_F(SettingsLayoutTest, PicturesOfTheDocumentation) {
    const QString mac = QStringLiteral("Needs a Mac with Apple silicon.");
    m_hypervisor.change = [&mac](HypervisorInfo& host) {
        for (int feature = 0; feature <= static_cast<int>(Feature::TrackpadChoice); ++feature)
            host.features[static_cast<Feature>(feature)] = {true, {}};
        for (const Feature feature :
             {Feature::Rosetta, Feature::Recovery, Feature::TrackpadChoice, Feature::DarwinGuests})
            host.features[feature] = {false, mac};
    };
    makePage();
    // The same on every computer, as far as it can be.
    MachineInfo shown = info();
    shown.directory = QStringLiteral("/home/me/.local/share/vitrine/vms/build");
    shown.config->macAddress = *MacAddress::fromText(u"52:54:00:7c:1a:36");
    m_page->resize(880, 560);
    m_page->showMachine(shown);
    ASSERT_TRUE(waitForDraft());
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
        test::settleLayout(*m_page);
        test::savePicture(*m_page, QStringLiteral("docs-settings-") + names.at(pane));
        EXPECT_TRUE(QFile::exists(
            QStringLiteral(SOURCE_DIR "/docs/images/settings-%1.png").arg(names.at(pane))));
    }
    applyTheme(SchemeChoice::Dark);
    for (int pane = 0; pane < m_page->paneCount(); ++pane) {
        m_page->selectPane(pane);
        test::settleLayout(*m_page);
        EXPECT_EQ(test::layoutMisfits(*m_page), QStringList());
        test::savePicture(*m_page, QStringLiteral("settings-dark-") + names.at(pane));
    }
    applyTheme(SchemeChoice::Light);
}
