// SPDX-License-Identifier: Apache-2.0
// Menus and what their entries say, the split buttons, the dialogues' buttons.
#include "core/machine/sidecar.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/shell/name_dialog.h"
#include "ui/shell/question.h"
#include "ui/shell/shortcuts_dialog.h"
#include "ui/shell/transfer_strip.h"
#include "ui/shell/verb_button.h"

#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMouseEvent>
#include <QPushButton>
#include <QScrollBar>
#include <QTableWidget>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

const QString build = QStringLiteral("build");

class MenusTest : public WindowTest {
protected:
    void openRunning() {
        small.add(build);
        machine = std::make_unique<FakeMachine>(small.library, build);
        ASSERT_TRUE(machine->start());
        open();
        select(build);
        ASSERT_TRUE(waitUntil([this] { return clients->status(build) != nullptr; }));
        settle();
    }
    void collect(QMenu* menu, QList<QMenu*>& menus) const {
        menus.append(menu);
        for (const QAction* action : menu->actions()) {
            if (action->menu() != nullptr)
                collect(action->menu(), menus);
        }
    }
    [[nodiscard]] QList<QMenu*> menus() const {
        QList<QMenu*> all;
        for (const QAction* action : window->menuBar()->actions())
            collect(action->menu(), all);
        return all;
    }
    [[nodiscard]] QAction* entry(const QString& text) const {
        for (const QMenu* menu : menus()) {
            for (QAction* action : menu->actions()) {
                if (QString(action->text()).remove(QLatin1Char('&')) == text)
                    return action;
            }
        }
        return nullptr;
    }
    [[nodiscard]] VerbButton* verb(const QString& text) const {
        for (VerbButton* button : window->findChildren<VerbButton*>()) {
            if (button->text() == text)
                return button;
        }
        return nullptr;
    }
    [[nodiscard]] QString hint() const {
        return window->findChild<TransferStrip*>()->accessibleName();
    }
    std::unique_ptr<FakeMachine> machine;
};

} // namespace

TEST_F(MenusTest, EveryGreyedEntryOfTheMenuBarSaysWhy) {
    openRunning();
    int greyed = 0;
    for (const QMenu* menu : menus()) {
        EXPECT_TRUE(menu->toolTipsVisible() ||
                    menu->title().contains(QStringLiteral("Keys"))) // its entries are never greyed
            << menu->title().toStdString();
        for (const QAction* action : menu->actions()) {
            if (action->isSeparator())
                continue;
            EXPECT_FALSE(action->statusTip().isEmpty()) << action->text().toStdString();
            EXPECT_TRUE(action->toolTip().contains(action->statusTip().toHtmlEscaped()))
                << action->text().toStdString();
            greyed += action->isEnabled() ? 0 : 1;
        }
    }
    EXPECT_GT(greyed, 3); // Start, Clone, Rename, Delete at least
    EXPECT_EQ(entry(QStringLiteral("From the Selected Image…"))->statusTip(),
              QStringLiteral("Select an image in the list first."));
    EXPECT_TRUE(entry(QStringLiteral("Copy of the Selected Machine…"))
                    ->statusTip()
                    .contains(QStringLiteral("in use")));
}

TEST_F(MenusTest, PointingAtAGreyedEntryTellsItsReasonInTheStatusLine) {
    openRunning();
    QMenu* menu = window->menuBar()->actions().at(2)->menu();
    menu->popup(window->mapToGlobal(QPoint(100, 100)));
    ASSERT_TRUE(waitUntil([menu] { return menu->isVisible(); }));
    QAction* clone = window->actions()->clone;
    ASSERT_FALSE(clone->isEnabled());
    const QPointF at = menu->actionGeometry(clone).center();
    QMouseEvent move(
        QEvent::MouseMove, at, menu->mapToGlobal(at), Qt::NoButton, Qt::NoButton, Qt::NoModifier);
    QApplication::sendEvent(menu, &move);
    EXPECT_EQ(hint(), clone->statusTip());
    savePicture(*menu, QStringLiteral("menu-greyed"));
    menu->close();
    settle();
    EXPECT_NE(hint(), clone->statusTip());
}

TEST_F(MenusTest, OfAPausedMachineTheArrowBesideShutDownLeadsToForceOff) {
    openRunning();
    window->actions()->pause->trigger();
    ASSERT_TRUE(waitUntil([this] { return window->actions()->pauseResumes(); }));
    settle();
    VerbButton* button = verb(QStringLiteral("Shut Down"));
    ASSERT_NE(button, nullptr);
    EXPECT_FALSE(window->actions()->shutDown->isEnabled());
    EXPECT_TRUE(window->actions()->forceOff->isEnabled());
    EXPECT_TRUE(button->isEnabled());
    EXPECT_TRUE(button->menu()->actions().contains(window->actions()->forceOff));
    EXPECT_TRUE(button->toolTip().contains(QStringLiteral("Resume it")));
    // A click anywhere on it opens the menu; the greyed verb is not done.
    bool opened = false;
    QObject::connect(button->menu(), &QMenu::aboutToShow, button, [button, &opened] {
        opened = true;
        QTimer::singleShot(0, button->menu(), &QMenu::close);
    });
    button->click();
    button->showMenu();
    EXPECT_TRUE(opened);
    EXPECT_TRUE(machine->isRunning());
    savePicture(*window, QStringLiteral("window-paused"));
    // Start has no entry that could be used.
    ASSERT_NE(verb(QStringLiteral("Start")), nullptr);
    EXPECT_FALSE(verb(QStringLiteral("Start"))->isEnabled());
}

TEST_F(MenusTest, AButtonIsAtRestWhenItsMenuIsClosed) {
    small.add(build);
    open();
    QToolButton* create = nullptr;
    for (QToolButton* button : window->findChildren<QToolButton*>()) {
        if (button->text() == QStringLiteral("New"))
            create = button;
    }
    ASSERT_NE(create, nullptr);
    create->setAttribute(Qt::WA_UnderMouse); // the pointer came, opened the menu and left with it
    QObject::connect(create->menu(), &QMenu::aboutToShow, create, [create] {
        QTimer::singleShot(0, create->menu(), &QMenu::close);
    });
    create->showMenu();
    settle();
    EXPECT_FALSE(create->underMouse());
    EXPECT_FALSE(create->isDown());
}

TEST_F(MenusTest, ButtonsOfDialoguesStandApart) {
    small.add(build);
    open();
    select(build);
    const auto gaps = [](QWidget* dialog) {
        QList<QPushButton*> row = dialog->findChildren<QPushButton*>();
        std::sort(row.begin(), row.end(), [](const QWidget* a, const QWidget* b) {
            return a->mapTo(a->window(), QPoint()).x() < b->mapTo(b->window(), QPoint()).x();
        });
        int least = 1000;
        for (qsizetype i = 1; i < row.size(); ++i) {
            const QPoint left = row.at(i - 1)->mapTo(dialog, QPoint());
            const QPoint right = row.at(i)->mapTo(dialog, QPoint());
            if (left.y() == right.y())
                least = std::min(least, right.x() - left.x() - row.at(i - 1)->width());
        }
        return least;
    };
    window->actions()->clone->trigger();
    auto* ask = dialog<NameDialog>();
    ASSERT_NE(ask, nullptr);
    settle();
    EXPECT_GE(gaps(ask), spacing::grid);
    savePicture(*ask, QStringLiteral("dialog-clone-buttons"));
    ask->close();
    window->actions()->remove->trigger();
    auto* question = dialog<Question>();
    ASSERT_NE(question, nullptr);
    settle();
    EXPECT_GE(gaps(question), spacing::grid);
    question->close();
}

TEST_F(MenusTest, TheAppearanceIsChosenInTheViewMenuAndRemembered) {
    small.add(build);
    open();
    QAction* dark = entry(QStringLiteral("Dark"));
    QAction* follow = entry(QStringLiteral("Follow the System"));
    ASSERT_NE(dark, nullptr);
    ASSERT_NE(follow, nullptr);
    dark->trigger();
    EXPECT_EQ(Theme::current().scheme, Scheme::Dark);
    EXPECT_EQ(schemeChoice(), SchemeChoice::Dark);
    EXPECT_TRUE(waitUntil([] {
        return QSettings().value(QLatin1String(schemeChoiceKey)).toString() ==
               QStringLiteral("dark");
    }));
    savePicture(*window, QStringLiteral("window-dark-chosen"));
    follow->trigger();
    EXPECT_EQ(schemeChoice(), SchemeChoice::Automatic);
    EXPECT_TRUE(waitUntil([] {
        return QSettings().value(QLatin1String(schemeChoiceKey)).toString() ==
               QStringLiteral("auto");
    }));
}

TEST_F(MenusTest, TheShortcutsHaveTheConsolesKeysAndAWordForNoMatch) {
    small.add(build);
    open();
    entry(QStringLiteral("Keyboard Shortcuts"))->trigger();
    auto* keys = dialog<ShortcutsDialog>();
    ASSERT_NE(keys, nullptr);
    auto* table = keys->findChild<QTableWidget*>();
    QStringList all;
    for (int row = 0; row < table->rowCount(); ++row)
        all.append(table->item(row, 0)->text() + QLatin1Char(':') + table->item(row, 2)->text());
    EXPECT_TRUE(all.contains(QStringLiteral("Console:Right Ctrl")));
    EXPECT_TRUE(all.contains(QStringLiteral("Console:Enter")));
    settle();
    const int before = table->columnViewportPosition(2);
    auto* filter = keys->findChild<QLineEdit*>();
    const auto said = [keys] {
        for (const QLabel* label : keys->findChildren<QLabel*>()) {
            if (label->isVisible())
                return label->text();
        }
        return QString();
    };
    filter->setText(QStringLiteral("right ctrl"));
    settle();
    EXPECT_EQ(table->columnViewportPosition(2), before); // columns stay
    EXPECT_TRUE(said().isEmpty());
    filter->setText(QStringLiteral("no such key"));
    settle();
    EXPECT_EQ(said(), QStringLiteral("Nothing matches."));
    savePicture(*keys, QStringLiteral("dialog-shortcuts-none"));
    filter->clear();
    settle();
    savePicture(*keys, QStringLiteral("dialog-shortcuts"));
    keys->close();
}

TEST_F(MenusTest, EscapeClearsTheSearchOnEveryPage) {
    small.add(build);
    open();
    for (const char* page : {"overview", "transfers"}) {
        window->showPage(QLatin1String(page));
        window->searchField()->setText(QStringLiteral("zzz"));
        QKeyEvent escape(QEvent::KeyPress, Qt::Key_Escape, Qt::NoModifier);
        QApplication::sendEvent(window->searchField(), &escape);
        EXPECT_TRUE(window->searchField()->text().isEmpty()) << page;
        EXPECT_EQ(list()->shownCount(SideListModel::Section::Machines), 1) << page;
    }
}

TEST_F(MenusTest, AnotherLibraryIsLookedForBesideThisOneWithoutHiddenFolders) {
    small.add(build);
    open();
    entry(QStringLiteral("Open Another Library…"))->trigger();
    auto* chooser = dialog<QFileDialog>();
    ASSERT_NE(chooser, nullptr);
    EXPECT_EQ(chooser->directory().absolutePath(),
              QFileInfo(small.library.home()).dir().absolutePath());
    EXPECT_FALSE(chooser->filter().testFlag(QDir::Hidden));
    EXPECT_TRUE(chooser->sidebarUrls().contains(QUrl::fromLocalFile(small.library.home())));
    chooser->close();
}
