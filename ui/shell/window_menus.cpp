// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/window_menus.h"

#include "ui/shell/action_reason.h"
#include "ui/shell/machine_actions.h"
#include "ui/shell/quit_question.h"
#include "ui/theme/theme.h"

#include <QActionGroup>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

namespace vitrine::ui {

namespace {

// What becomes of running machines.
QMenu* makeQuitMenu(QWidget* parent, bool endsMachines) {
    using Menus = WindowMenus;
    auto* menu = new QMenu(Menus::tr("&Machines on Quit"), parent);
    menu->setObjectName(QStringLiteral("machinesOnQuit"));
    describe(menu->menuAction(),
             Menus::tr("Chooses what becomes of running machines on quitting."));
    auto* group = new QActionGroup(menu);
    const auto add = [&](const QString& text, OnQuit wish, const QString& what) {
        QAction* action = group->addAction(text);
        action->setCheckable(true);
        action->setData(static_cast<int>(wish));
        describe(action, what);
        menu->addAction(action);
    };
    add(Menus::tr("&Ask"), OnQuit::Ask, Menus::tr("Asks each time."));
    if (!endsMachines)
        add(Menus::tr("&Keep Running"),
            OnQuit::KeepRunning,
            Menus::tr("They go on without this window."));
    add(Menus::tr("&Suspend"),
        OnQuit::Suspend,
        Menus::tr("Their memory is written to the disk; they go on there at the next start."));
    add(Menus::tr("Shut &Down"),
        OnQuit::ShutDown,
        Menus::tr("Their guests are asked to shut down."));
    // Another window may have chosen since.
    QObject::connect(menu, &QMenu::aboutToShow, group, [group] {
        for (QAction* action : group->actions())
            action->setChecked(action->data().toInt() == static_cast<int>(onQuit()));
    });
    QObject::connect(group, &QActionGroup::triggered, group, [](const QAction* action) {
        setOnQuit(static_cast<OnQuit>(action->data().toInt()));
    });
    return menu;
}

} // namespace

QAction* WindowMenus::make(const QString& text,
                           QStringView icon,
                           const QKeySequence& shortcut,
                           const QString& what) {
    auto* action = new QAction(text, this);
    if (!icon.isEmpty())
        action->setIcon(themeIcon(icon));
    action->setShortcut(shortcut);
    describe(action, what);
    m_window->addAction(action);
    return action;
}

WindowMenus::WindowMenus(QMainWindow* window, const MachineActions* machine, bool endsMachines)
    : QObject(window)
    , m_window(window)
    , m_machine(machine) {
    makeActions();
    QMenuBar* bar = window->menuBar();
    QMenu* file = bar->addMenu(tr("&File"));
    newMenu = file->addMenu(themeIcon(u"plus"), tr("&New Machine"));
    describe(newMenu->menuAction(), tr("Makes a new machine."));
    newMenu->addActions({newFromFile, newFromImage, newFromRegistry, newCopy});
    file->addAction(pull);
    file->addSeparator();
    file->addActions({openLibrary, refresh});
    file->addSeparator();
    file->addMenu(makeQuitMenu(file, endsMachines));
    file->addActions({close, quit});

    QMenu* edit = bar->addMenu(tr("&Edit"));
    edit->addActions({machine->copyAddress, machine->copySignIn, machine->copyCommand});
    edit->addSeparator();
    edit->addAction(find);

    QMenu* machines = bar->addMenu(tr("&Machine"));
    machines->addActions(
        {machine->start, machine->startAndShow, machine->startRecovery, machine->pause});
    machines->addSeparator();
    machines->addActions(
        {machine->suspend, machine->discardState, machine->shutDown, machine->forceOff});
    machines->addSeparator();
    sendKeysMenu = machines->addMenu(themeIcon(u"keyboard"), tr("Send &Keys"));
    describe(sendKeysMenu->menuAction(), tr("Presses keys in the guest that the desktop keeps."));
    machines->addActions({machine->openTerminal, machine->showFolder, machine->showLog});
    machines->addSeparator();
    machines->addActions({machine->clone, machine->rename, machine->remove});

    QMenu* view = bar->addMenu(tr("&View"));
    view->addActions({machine->overview,
                      machine->console,
                      machine->settings,
                      machine->sharing,
                      machine->network,
                      machine->snapshots,
                      machine->benchmarks});
    view->addSeparator();
    view->addActions({transfers, benchmarks, kernelRuns, focusList});
    view->addSeparator();
    view->addActions({fullScreen, savePicture, copyPicture});
    view->addSeparator();
    view->addMenu(makeAppearanceMenu(view));

    bar->addMenu(tr("&Tools"))->addAction(checkComputer);
    bar->addMenu(tr("&Help"))->addActions({shortcuts, about});
    for (const QAction* entry : bar->actions())
        showReasons(entry->menu(), window);
    sendKeysMenu->setToolTipsVisible(false); // its entries say all there is and are never greyed
}

void WindowMenus::makeActions() {
    newFromFile = make(tr("From an Installation &Disc or Disk Image…"),
                       u"plus",
                       QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_M),
                       tr("Makes a machine from an ISO file or a disk image, or on a Mac from a "
                          "restore image of macOS."));
    newFromImage = make(tr("From the Selected &Image…"),
                        u"image",
                        QKeySequence(Qt::CTRL | Qt::Key_N),
                        tr("Makes a machine from the image that is selected in the list."));
    newFromRegistry = make(tr("From a &Registry…"),
                           u"pull",
                           QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N),
                           tr("Pulls an image, of which a machine can be made."));
    newCopy = make(tr("&Copy of the Selected Machine…"),
                   u"copy",
                   {},
                   tr("Makes a copy of the machine that is selected in the list."));
    pull = make(tr("&Pull an Image…"),
                u"pull",
                QKeySequence(Qt::CTRL | Qt::Key_L),
                tr("Fetches an image from a registry."));
    openLibrary = make(tr("&Open Another Library…"),
                       u"folder",
                       QKeySequence(Qt::CTRL | Qt::Key_O),
                       tr("Opens another folder of machines in a window of its own."));
    refresh = make(tr("Re&fresh the List"),
                   u"retry",
                   QKeySequence(Qt::Key_F5),
                   tr("Reads the folder of the library anew."));
    close = make(tr("&Close Window"),
                 u"close",
                 QKeySequence(Qt::CTRL | Qt::Key_W),
                 tr("Closes the window; machines go on running."));
    quit = make(tr("&Quit"),
                {},
                QKeySequence(Qt::CTRL | Qt::Key_Q),
                tr("Closes the window and asks what becomes of the running machines."));
    quit->setMenuRole(QAction::QuitRole);
    find = make(tr("&Find in the Library"),
                u"search",
                QKeySequence(Qt::CTRL | Qt::Key_F),
                tr("Filters the list by what is typed."));
    focusList = make(tr("Go to the &List"),
                     {},
                     QKeySequence(Qt::Key_F6),
                     tr("Gives the keyboard to the list of machines and images."));
    transfers = make(tr("&Transfers"),
                     u"transfers",
                     QKeySequence(Qt::CTRL | Qt::Key_J),
                     tr("Shows pulls, clones and other long work."));
    benchmarks = make(tr("&All Benchmarks"),
                      u"chart",
                      QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_B),
                      tr("Shows the benchmarks of this computer and published ones."));
    kernelRuns = make(tr("&Kernel Runs"),
                      u"chip",
                      QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_K),
                      tr("Runs one command, or a list of them, on a kernel of your own."));
    fullScreen = make(tr("&Full Screen"),
                      u"fullscreen",
                      QKeySequence(Qt::Key_F11),
                      tr("Shows the machine's screen on the whole of this one."));
    savePicture = make(tr("&Save Picture of the Screen…"),
                       u"snapshot",
                       QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S),
                       tr("Writes what the machine's screen shows as a PNG file."));
    copyPicture = make(tr("&Copy Picture of the Screen"),
                       u"copy",
                       QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G),
                       tr("Copies what the machine's screen shows."));
    checkComputer = make(tr("&Check This Computer…"),
                         u"check",
                         QKeySequence(Qt::CTRL | Qt::Key_K),
                         tr("Shows what this computer has for running machines."));
    shortcuts = make(tr("&Keyboard Shortcuts"),
                     u"keyboard",
                     QKeySequence(Qt::CTRL | Qt::Key_Slash),
                     tr("Lists all keys."));
    about = make(tr("&About Vitrine"), u"info", {}, tr("Shows the version, backend and library."));
    about->setMenuRole(QAction::AboutRole);
}

QMenu* WindowMenus::makeAppearanceMenu(QWidget* parent) {
    auto* menu = new QMenu(tr("&Appearance"), parent);
    describe(menu->menuAction(), tr("Chooses light or dark colours."));
    auto* group = new QActionGroup(this);
    const auto add = [&](const QString& text, SchemeChoice choice, const QString& what) {
        QAction* action = group->addAction(text);
        action->setCheckable(true);
        action->setData(static_cast<int>(choice));
        describe(action, what);
        menu->addAction(action);
    };
    add(tr("&Follow the System"),
        SchemeChoice::Automatic,
        tr("Light or dark as the desktop says, also when that changes."));
    add(tr("&Light"), SchemeChoice::Light, tr("Always light."));
    add(tr("&Dark"), SchemeChoice::Dark, tr("Always dark."));
    // What the program was started with may have changed since.
    connect(menu, &QMenu::aboutToShow, group, [group] {
        for (QAction* action : group->actions())
            action->setChecked(action->data().toInt() == static_cast<int>(schemeChoice()));
    });
    connect(group, &QActionGroup::triggered, this, [this](const QAction* action) {
        Q_EMIT appearanceChosen(static_cast<SchemeChoice>(action->data().toInt()));
    });
    appearanceMenu = menu;
    return menu;
}

QMenu* WindowMenus::makeVerbMenu(bool isImage, QWidget* parent) const {
    auto* menu = new QMenu(parent);
    addVerbs(menu, isImage);
    showReasons(menu, m_window);
    return menu;
}

void WindowMenus::addVerbs(QMenu* menu, bool isImage) const {
    if (isImage) {
        menu->addActions({m_machine->clone, m_machine->showFolder});
        menu->addSeparator();
        menu->addAction(m_machine->remove);
        return;
    }
    menu->addActions({m_machine->start, m_machine->pause, m_machine->suspend, m_machine->shutDown});
    menu->addSeparator();
    menu->addActions(
        {m_machine->console, m_machine->openTerminal, m_machine->settings, m_machine->snapshots});
    menu->addSeparator();
    menu->addActions({m_machine->copyAddress,
                      m_machine->copySignIn,
                      m_machine->copyCommand,
                      m_machine->showFolder,
                      m_machine->showLog});
    menu->addSeparator();
    menu->addActions({m_machine->clone, m_machine->rename});
    menu->addSeparator();
    menu->addActions({m_machine->discardState, m_machine->forceOff, m_machine->remove});
}

} // namespace vitrine::ui
