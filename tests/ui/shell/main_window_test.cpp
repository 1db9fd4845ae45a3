// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/main_window.h"

#include "tests/ui/shell/window_fixture.h"
#include "ui/console/console_page.h"
#include "ui/console/console_tool_row.h"
#include "ui/library/library_panel.h"
#include "ui/overview/empty_library_page.h"
#include "ui/overview/machine_problem_page.h"
#include "ui/widgets/copy_button.h"
#include "ui/widgets/message_bar.h"
#include "ui/widgets/text_label.h"

#include <QLineEdit>
#include <QSplitter>

#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

using MainWindowTest = WindowTest;

} // namespace

TEST_F(MainWindowTest, TheSideListTellsStatesInWords) {
    small.add(QStringLiteral("build"));
    small.add(QStringLiteral("web"));
    FakeMachine machine(small.library, QStringLiteral("web"));
    ASSERT_TRUE(machine.start());
    open();
    EXPECT_TRUE(spoken(QStringLiteral("build")).contains(QStringLiteral("Stopped")));
    EXPECT_TRUE(waitUntil(
        [this] { return spoken(QStringLiteral("web")).contains(QStringLiteral("Running")); }));
    savePicture(*window, QStringLiteral("window-states"));
}

TEST_F(MainWindowTest, ABrokenMachineIsShownWithItsReason) {
    const QString directory = small.add(QStringLiteral("bad"));
    SmallLibrary::write(directory + QStringLiteral("/config.json"), "{ not json");
    open();
    EXPECT_TRUE(spoken(QStringLiteral("bad")).contains(QStringLiteral("Broken")));
    select(QStringLiteral("bad"));
    MachinePage* page = window->machinePage();
    ASSERT_TRUE(page->isProblemShown());
    EXPECT_TRUE(page->problem()->title().contains(QStringLiteral("bad")));
    EXPECT_FALSE(page->problem()->reason().isEmpty());
    EXPECT_FALSE(window->actions()->start->isEnabled());
    EXPECT_TRUE(window->actions()->remove->isEnabled());
    savePicture(*window, QStringLiteral("window-broken"));
}

TEST_F(MainWindowTest, FoldersThatNobodyCanNameAreToldBelowTheList) {
    small.add(QStringLiteral("web"));
    open();
    const auto* line = window->findChild<LibraryPanel*>()->leftOut();
    EXPECT_TRUE(line->isHidden());
    const QByteArray machines = QFile::encodeName(small.library.machinesPath());
    ASSERT_EQ(::mkdir((machines + "/caf\xe9").constData(), 0700), 0);
    EXPECT_TRUE(waitUntil([line] { return line->isVisible(); }));
    EXPECT_TRUE(line->text().contains(QStringLiteral("\"caf\\xe9\""))) << qPrintable(line->text());
    EXPECT_TRUE(line->accessibleDescription().contains(small.library.machinesPath()));
    EXPECT_EQ(controlsWithoutName(*window->findChild<LibraryPanel*>()), QStringList());
    for (const SchemeChoice scheme : {SchemeChoice::Dark, SchemeChoice::Light}) {
        applyTheme(scheme);
        window->resize(900, 600);
        savePicture(*window,
                    scheme == SchemeChoice::Dark ? QStringLiteral("window-left-out-dark")
                                                 : QStringLiteral("window-left-out-light"));
    }
    ASSERT_EQ(::mkdir((machines + "/na\xefve").constData(), 0700), 0);
    EXPECT_TRUE(waitUntil([line] { return line->text().startsWith(QStringLiteral("2 folders")); }));
    EXPECT_TRUE(line->accessibleDescription().contains(QStringLiteral("caf\\xe9, na\\xefve")));
    ASSERT_EQ(::rmdir((machines + "/na\xefve").constData()), 0);
    ASSERT_EQ(::rename((machines + "/caf\xe9").constData(), (machines + "/cafe").constData()), 0);
    EXPECT_TRUE(waitUntil([line] { return line->isHidden(); }));
}

TEST_F(MainWindowTest, TheSerialTerminalIsToldAlsoWhenTheMachineOpensItLate) {
    small.add(QStringLiteral("web"));
    FakeMachine machine(small.library, QStringLiteral("web"));
    ASSERT_TRUE(machine.start());
    int asked = 0;
    machine.server().on(
        QStringLiteral("serial.info"),
        [&asked](const QJsonObject&, const ControlServer::Respond& respond) {
            if (++asked == 1) // as one that just starts
                respond(fail(Error::Kind::Busy, QStringLiteral("The machine is just starting.")));
            else
                respond(QJsonObject{{QStringLiteral("pty"),
                                     asked == 2 ? QString() : QStringLiteral("/dev/pts/7")}});
        });
    open();
    select(QStringLiteral("web"));
    window->showMachine(QStringLiteral("web"), MachinePage::Tab::Console);
    ConsoleToolRow* row = window->machinePage()->console()->toolRow();
    ASSERT_TRUE(waitUntil([&] {
        MachineStatus now = machine.status(); // whatever it says
        ++now.sshPort;
        machine.setStatus(now);
        return row->terminalText().contains(QStringLiteral("/dev/pts/7"));
    })) << asked;
    row->setContent(ConsoleToolRow::Content::Serial);
    bool copies = false;
    for (const CopyButton* button : row->findChildren<CopyButton*>())
        copies =
            copies || (button->textToCopy() == QStringLiteral("/dev/pts/7") && !button->isHidden());
    EXPECT_TRUE(copies);
}

TEST_F(MainWindowTest, AMacGuestIsExplained) {
    MachineConfig config = SmallLibrary::smallConfig();
    config.system = GuestSystem::Darwin;
    config.architecture = Architecture::Arm64;
    config.ecid = "identifier";
    config.hardwareModel = "model";
    small.add(QStringLiteral("mac"), config);
    open();
    select(QStringLiteral("mac"));
    EXPECT_TRUE(waitUntil([this] { return window->machinePage()->isProblemShown(); }));
    EXPECT_EQ(window->machinePage()->problem()->reason(),
              QStringLiteral("macOS guests need a Mac with Apple silicon."));
    const MachineActions& actions = *window->actions();
    EXPECT_FALSE(actions.start->isEnabled());
    EXPECT_TRUE(actions.start->toolTip().contains(window->machinePage()->problem()->reason()))
        << actions.start->toolTip().toStdString();
    for (const QAction* action : {actions.clone, actions.rename, actions.remove})
        EXPECT_TRUE(action->isEnabled()) << action->text().toStdString();
    savePicture(*window, QStringLiteral("window-darwin"));
}

TEST_F(MainWindowTest, AMachineOfAnotherProgramIsExplained) {
    const QString directory = small.add(QStringLiteral("other"));
    auto held = ConfigFile::tryLock(directory + QStringLiteral("/config.json"));
    ASSERT_TRUE(held);
    open();
    select(QStringLiteral("other"));
    EXPECT_TRUE(waitUntil([this] { return window->machinePage()->isProblemShown(); }));
    EXPECT_TRUE(
        window->machinePage()->problem()->title().contains(QStringLiteral("Another program")));
    savePicture(*window, QStringLiteral("window-elsewhere"));
}

TEST_F(MainWindowTest, SearchingFiltersAsYouType) {
    for (const char* name : {"alpine", "build", "web"})
        small.add(QLatin1String(name));
    open();
    window->searchField()->setText(QStringLiteral("WE"));
    EXPECT_EQ(list()->shownCount(SideListModel::Section::Machines), 1);
    EXPECT_TRUE(list()->indexOf(QStringLiteral("web"), false).isValid());
    window->searchField()->setText(QStringLiteral("stopped linux"));
    EXPECT_EQ(list()->shownCount(SideListModel::Section::Machines), 3);
    window->searchField()->setText(QStringLiteral("nothing like it"));
    EXPECT_EQ(list()->shownCount(SideListModel::Section::Machines), 0);
    const QModelIndex heading = list()->sectionIndex(SideListModel::Section::Machines);
    EXPECT_EQ(list()->index(0, 0, heading).data().toString(), QStringLiteral("Nothing matches."));
    window->searchField()->clear();
    EXPECT_EQ(list()->shownCount(SideListModel::Section::Machines), 3);
}

TEST_F(MainWindowTest, AnEmptyLibraryOffersTheFirstStep) {
    open();
    ASSERT_NE(window->emptyPage(), nullptr);
    EXPECT_EQ(window->currentPage(), window->emptyPage());
    QStringList buttons;
    for (const QPushButton* button : window->emptyPage()->findChildren<QPushButton*>())
        buttons.append(button->text());
    EXPECT_TRUE(buttons.contains(QStringLiteral("Pull an Image…")));
    EXPECT_TRUE(buttons.contains(QStringLiteral("Check Again")));
    savePicture(*window, QStringLiteral("window-empty"));
}

TEST_F(MainWindowTest, MachinesMadeByOtherProgramsAppearAndGo) {
    open();
    small.add(QStringLiteral("late"));
    EXPECT_TRUE(waitUntil(
        [this] { return window->machinePage()->machineName() == QStringLiteral("late"); }));
    QDir(small.library.machinesPath() + QStringLiteral("/late")).removeRecursively();
    EXPECT_TRUE(waitUntil([this] { return window->currentPage() == window->emptyPage(); }));
}

TEST_F(MainWindowTest, TheSelectionStaysWhileTheLibraryChanges) {
    small.add(QStringLiteral("m"));
    open();
    select(QStringLiteral("m"));
    small.add(QStringLiteral("a"));
    ASSERT_TRUE(
        waitUntil([this] { return list()->indexOf(QStringLiteral("a"), false).isValid(); }));
    settle();
    EXPECT_EQ(window->sideList()->current()->name, QStringLiteral("m"));
    EXPECT_EQ(window->machinePage()->machineName(), QStringLiteral("m"));
}

TEST_F(MainWindowTest, SizesAreRemembered) {
    small.add(QStringLiteral("m"));
    open();
    window->resize(1000, 640);
    auto* splitter = window->findChild<QSplitter*>();
    splitter->setSizes({300, 700});
    settle();
    const int wide = splitter->sizes().at(0);
    window->close();
    MainWindow second(services);
    second.restoreSizes();
    second.show();
    settle();
    EXPECT_EQ(second.size(), QSize(1000, 640));
    EXPECT_EQ(second.findChild<QSplitter*>()->sizes().at(0), wide);
}

TEST_F(MainWindowTest, AMessageOfAMachineWaitsUntilItIsShown) {
    small.add(QStringLiteral("a"));
    small.add(QStringLiteral("b"));
    open();
    select(QStringLiteral("a"));
    Q_EMIT clients->startFailed(QStringLiteral("b"),
                                {QStringLiteral("It failed."), {QStringLiteral("last line")}, {}});
    EXPECT_FALSE(window->machinePage()->message()->isShown());
    select(QStringLiteral("b"));
    EXPECT_TRUE(window->machinePage()->message()->isShown());
    EXPECT_EQ(window->machinePage()->message()->text(),
              QStringLiteral("\"b\" did not start. It failed.\nlast line"));
    savePicture(*window, QStringLiteral("window-start-failed"));
}

TEST_F(MainWindowTest, WhatAMachineChangedByItselfIsTold) {
    small.add(QStringLiteral("a"));
    open();
    select(QStringLiteral("a"));
    Q_EMIT clients->eventHappened(QStringLiteral("a"),
                                  QStringLiteral("remark"),
                                  QStringLiteral("It got a new MAC address."),
                                  QDateTime::currentDateTime());
    EXPECT_EQ(window->machinePage()->message()->text(),
              QStringLiteral("It got a new MAC address."));
}

TEST_F(MainWindowTest, EveryPageCanBeShownByItsWord) {
    small.add(QStringLiteral("m"));
    open();
    for (const char* word : {"overview", "console", "settings", "sharing", "transfers"})
        EXPECT_TRUE(window->showPage(QLatin1String(word))) << word;
    EXPECT_FALSE(window->showPage(QStringLiteral("nonsense")));
}
