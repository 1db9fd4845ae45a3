// SPDX-License-Identifier: Apache-2.0
#include "tests/ui/shell/window_fixture.h"
#include "ui/overview/empty_library_page.h"

#include <QAbstractButton>
#include <QApplication>
#include <QFile>
#include <QHash>
#include <QKeyEvent>
#include <QKeySequence>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QSet>

#include <algorithm>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

class AccessibilityTest : public WindowTest {
protected:
    // What Tab leads to from the first widget on, until it comes back.
    QSet<const QWidget*> reached() {
        QSet<const QWidget*> widgets;
        const QWidget* start = window.get();
        const QWidget* next = start->nextInFocusChain();
        for (int guard = 0; next != start && guard < 5000; ++guard) {
            widgets.insert(next);
            next = next->nextInFocusChain();
        }
        return widgets;
    }
    void collect(const QMenu* menu, QList<const QAction*>& actions) const {
        for (const QAction* action : menu->actions()) {
            if (action->menu() != nullptr)
                collect(action->menu(), actions);
            else if (!action->isSeparator())
                actions.append(action);
        }
    }
};

} // namespace

TEST_F(AccessibilityTest, EveryControlHasAName) {
    small.add(QStringLiteral("build"));
    open();
    EXPECT_EQ(controlsWithoutName(*window).join(QLatin1Char(',')).toStdString(), std::string());
    for (const char* page : {"console",
                             "settings",
                             "sharing",
                             "network",
                             "snapshots",
                             "benchmarks",
                             "all-benchmarks",
                             "kernel-runs",
                             "transfers",
                             "create"}) {
        window->showPage(QLatin1String(page));
        settle();
        EXPECT_EQ(controlsWithoutName(*window).join(QLatin1Char(',')).toStdString(), std::string())
            << page;
    }
}

TEST_F(AccessibilityTest, TheShortcutsOfTheReadmeAreTrue) {
    small.add(QStringLiteral("build"));
    open();
    QList<const QAction*> actions;
    for (const QAction* top : window->findChild<QMenuBar*>()->actions())
        collect(top->menu(), actions);
    QFile readme(QStringLiteral(SOURCE_DIR "/README.md"));
    ASSERT_TRUE(readme.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(readme.readAll());
    static const QRegularExpression named(
        QStringLiteral(R"(\*\*([^*]+)\*\*[^*\n]{0,3}\(([A-Z][^)]*)\))"));
    int found = 0;
    for (const QRegularExpressionMatch& match : named.globalMatch(text)) {
        const QString verb = match.captured(1);
        const auto action =
            std::find_if(actions.begin(), actions.end(), [&](const QAction* candidate) {
                return QString(candidate->text()).remove(QLatin1Char('&')).startsWith(verb);
            });
        ASSERT_NE(action, actions.end()) << verb.toStdString();
        EXPECT_EQ((*action)->shortcut().toString(QKeySequence::PortableText), match.captured(2))
            << verb.toStdString();
        ++found;
    }
    EXPECT_GE(found, 2);
}

TEST_F(AccessibilityTest, TheEmptyPageHasNamesToo) {
    open();
    EXPECT_EQ(controlsWithoutName(*window).join(QLatin1Char(',')).toStdString(), std::string());
}

TEST_F(AccessibilityTest, EveryControlIsReachedWithTheTabKey) {
    small.add(QStringLiteral("build"));
    open();
    const QSet<const QWidget*> chain = reached();
    for (const QAbstractButton* button : window->findChildren<QAbstractButton*>()) {
        if (!button->isVisible() || !button->isEnabled())
            continue;
        // Buttons inside fields (clear) are part of the field; a menu has the keyboard by itself.
        if (qobject_cast<const QLineEdit*>(button->parentWidget()) != nullptr ||
            button->objectName() == QStringLiteral("qt_toolbar_ext_button"))
            continue;
        EXPECT_TRUE((button->focusPolicy() & Qt::TabFocus) != 0)
            << button->text().toStdString() << button->accessibleName().toStdString();
        EXPECT_TRUE(chain.contains(button)) << button->text().toStdString();
    }
    EXPECT_TRUE(chain.contains(window->sideList()));
}

TEST_F(AccessibilityTest, EveryActionIsInAMenuAndNoShortcutIsUsedTwice) {
    small.add(QStringLiteral("build"));
    open();
    QList<const QAction*> actions;
    for (const QAction* action : window->menuBar()->actions())
        collect(action->menu(), actions);
    for (const QAction* action : window->actions()->all())
        EXPECT_TRUE(actions.contains(action)) << action->text().toStdString();
    QHash<QKeySequence, const QAction*> keys;
    for (const QAction* action : std::as_const(actions)) {
        if (action->shortcut().isEmpty())
            continue;
        EXPECT_FALSE(keys.contains(action->shortcut()))
            << action->text().toStdString() << " and "
            << keys.value(action->shortcut())->text().toStdString();
        keys.insert(action->shortcut(), action);
    }
}

TEST_F(AccessibilityTest, UpAndDownStepOverHeadings) {
    for (const char* name : {"a", "b"})
        small.add(QLatin1String(name));
    open();
    select(QStringLiteral("a"));
    const auto press = [this](int key) {
        QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
        QApplication::sendEvent(window->sideList(), &event);
    };
    press(Qt::Key_Down);
    EXPECT_EQ(window->sideList()->current()->name, QStringLiteral("b"));
    press(Qt::Key_Down); // below is the heading of the images
    EXPECT_EQ(window->sideList()->current()->name, QStringLiteral("b"));
    press(Qt::Key_Up);
    press(Qt::Key_Up);
    EXPECT_EQ(window->sideList()->current()->name, QStringLiteral("a"));
}
