// SPDX-License-Identifier: Apache-2.0
// Whatever is greyed says why: in the tool tip, to assistive technology and, for whole fields, in
// the line below.
#include "tests/ui/settings/settings_fixture.h"

#include <QStackedWidget>

using namespace vitrine;
using namespace vitrine::ui;

namespace {

class SettingsReasonsTest : public SettingsPageTest {
protected:
    // Of every pane: what is greyed and does not say why.
    QStringList silent() {
        QStringList found;
        for (int pane = 0; pane < m_page->paneCount(); ++pane) {
            m_page->selectPane(pane);
            const QWidget* shown = m_page->findChild<QStackedWidget*>()->currentWidget();
            for (const QWidget* input : shown->findChildren<QWidget*>()) {
                if (!input->isVisible() || input->isEnabled() ||
                    input->focusPolicy() == Qt::NoFocus || isPart(*input))
                    continue;
                ++m_greyed;
                const QString name = QStringLiteral("%1, pane %2").arg(nameOf(*input)).arg(pane);
                if (input->toolTip().isEmpty())
                    found << name + QStringLiteral(": no tool tip");
                if (input->accessibleDescription().isEmpty())
                    found << name + QStringLiteral(": no description");
                const SettingsField* field = fieldOf(*input);
                if (field && !field->control()->isEnabled() && !shows(*field))
                    found << name + QStringLiteral(": nothing below it");
            }
        }
        return found;
    }
    void expectReasons(const char* what) {
        m_greyed = 0;
        EXPECT_EQ(silent().join(QLatin1Char('\n')).toStdString(), std::string()) << what;
        EXPECT_GT(m_greyed, 0) << what;
    }
    void show(const MachineInfo& info) {
        m_page->showMachine(info);
        ASSERT_TRUE(test::waitUntil([this, &info] {
            return m_page->findChild<QStackedWidget*>()->isEnabled() &&
                   spin(QStringLiteral("Processors"))->isEnabled() ==
                       (info.state != MachineState::Suspended) &&
                   line(QStringLiteral("Name"))->isEnabled() ==
                       (info.state != MachineState::Running) &&
                   line(QStringLiteral("Name"))->text() == info.name;
        }));
    }
    void choose(const char* box, int index) {
        QComboBox* found = combo(QLatin1String(box));
        ASSERT_TRUE(found) << box;
        found->setCurrentIndex(index);
    }

private:
    static bool isPart(const QWidget& widget) { // of a control of Qt's
        return widget.objectName().startsWith(QLatin1String("qt_")) ||
               qobject_cast<const QComboBox*>(widget.parentWidget()) ||
               qobject_cast<const QAbstractScrollArea*>(widget.parentWidget());
    }
    static QString nameOf(const QWidget& widget) {
        const auto* button = qobject_cast<const QAbstractButton*>(&widget);
        return button ? button->text() : widget.accessibleName();
    }
    static const SettingsField* fieldOf(const QWidget& widget) {
        for (const QWidget* parent = widget.parentWidget(); parent; parent = parent->parentWidget())
            if (const auto* field = qobject_cast<const SettingsField*>(parent))
                return field;
        return nullptr;
    }
    static bool shows(const SettingsField& field) {
        for (const QLabel* label : field.findChildren<QLabel*>())
            if (label->isVisible() && label->text() == field.reason())
                return !field.reason().isEmpty();
        return false;
    }

    int m_greyed = 0;
};

} // namespace

TEST_F(SettingsReasonsTest, EveryGreyedControlOfAStoppedMachineSaysWhy) {
    expectReasons("as it is");
    choose("Attachment", 1);
    expectReasons("bridged");
    choose("Attachment", 3);
    expectReasons("Softnet");
}

TEST_F(SettingsReasonsTest, SoDoesEachWhereTheComputerCanDoNothing) {
    m_hypervisor.change = [](HypervisorInfo& host) {
        for (int feature = 0; feature <= static_cast<int>(Feature::TrackpadChoice); ++feature)
            host.features[static_cast<Feature>(feature)] = {
                false, QStringLiteral("Not with this computer.")};
    };
    makePage();
    expectReasons("nothing");
    MachineInfo mac = machine(QStringLiteral("mac"));
    mac.config->system = GuestSystem::Darwin;
    show(mac);
    expectReasons("a macOS guest");
}

TEST_F(SettingsReasonsTest, SoDoesEachWhileTheMachineRunsOrIsSuspended) {
    MachineInfo shown = info();
    shown.state = MachineState::Running;
    show(shown);
    expectReasons("running");
    shown.state = MachineState::Suspended;
    show(shown);
    expectReasons("suspended");
}

TEST_F(SettingsReasonsTest, ApplyAndCancelSayWhyTheyAreGreyed) {
    for (const char* text : {"Apply", "Cancel"}) {
        EXPECT_FALSE(button(QLatin1String(text))->isEnabled());
        EXPECT_EQ(button(QLatin1String(text))->toolTip(), QStringLiteral("No changes.")) << text;
    }
    spin(QStringLiteral("Processors"))->stepUp();
    EXPECT_TRUE(button(QStringLiteral("Apply"))->toolTip().isEmpty());
}

TEST_F(SettingsReasonsTest, AReasonThatIsGoneLeavesNoToolTip) {
    MachineInfo shown = info();
    shown.state = MachineState::Suspended;
    show(shown);
    EXPECT_FALSE(spin(QStringLiteral("Processors"))->toolTip().isEmpty());
    shown.state = MachineState::Stopped;
    show(shown);
    EXPECT_TRUE(spin(QStringLiteral("Processors"))->isEnabled());
    EXPECT_TRUE(spin(QStringLiteral("Processors"))->toolTip().isEmpty());
}
