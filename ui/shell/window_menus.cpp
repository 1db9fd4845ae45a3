// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/window_menus.h"

#include "ui/shell/machine_actions.h"
#include "ui/theme/theme.h"

#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>

namespace vitrine::ui {

QAction* WindowMenus::make(const QString& text, QStringView icon, const QKeySequence& shortcut) {
    auto* action = new QAction(text, this);
    if (!icon.isEmpty())
        action->setIcon(themeIcon(icon));
    action->setShortcut(shortcut);
    m_window->addAction(action);
    return action;
}

WindowMenus::WindowMenus(QMainWindow* window, const MachineActions* machine)
    : QObject(window)
    , m_window(window)
    , m_machine(machine) {
    newFromImage =
        make(tr("From the Selected &Image…"), u"image", QKeySequence(Qt::CTRL | Qt::Key_N));
    newFromRegistry =
        make(tr("From a &Registry…"), u"pull", QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_N));
    newCopy = make(tr("&Copy of the Selected Machine…"), u"copy", {});
    pull = make(tr("&Pull an Image…"), u"pull", QKeySequence(Qt::CTRL | Qt::Key_L));
    openLibrary = make(tr("&Open Another Library…"), u"folder", QKeySequence(Qt::CTRL | Qt::Key_O));
    refresh = make(tr("Read the Library &Again"), u"retry", QKeySequence(Qt::Key_F5));
    close = make(tr("&Close Window"), u"close", QKeySequence(Qt::CTRL | Qt::Key_W));
    quit = make(tr("&Quit"), {}, QKeySequence(Qt::CTRL | Qt::Key_Q));
    quit->setMenuRole(QAction::QuitRole);
    find = make(tr("&Find in the Library"), u"search", QKeySequence(Qt::CTRL | Qt::Key_F));
    focusList = make(tr("Go to the &List"), {}, QKeySequence(Qt::Key_F6));
    transfers = make(tr("&Transfers"), u"transfers", QKeySequence(Qt::CTRL | Qt::Key_J));
    fullScreen = make(tr("&Full Screen"), u"fullscreen", QKeySequence(Qt::Key_F11));
    savePicture = make(tr("&Save Picture of the Screen…"),
                       u"snapshot",
                       QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S));
    checkComputer = make(tr("&Check This Computer…"), u"check", QKeySequence(Qt::CTRL | Qt::Key_K));
    shortcuts =
        make(tr("&Keyboard Shortcuts"), u"keyboard", QKeySequence(Qt::CTRL | Qt::Key_Slash));
    about = make(tr("&About Vitrine"), u"info", {});
    about->setMenuRole(QAction::AboutRole);

    QMenuBar* bar = window->menuBar();
    QMenu* file = bar->addMenu(tr("&File"));
    newMenu = file->addMenu(themeIcon(u"plus"), tr("&New Machine"));
    newMenu->addActions({newFromImage, newFromRegistry, newCopy});
    file->addAction(pull);
    file->addSeparator();
    file->addActions({openLibrary, refresh});
    file->addSeparator();
    file->addActions({close, quit});

    QMenu* edit = bar->addMenu(tr("&Edit"));
    edit->addActions({machine->copyAddress, machine->copySignIn, machine->copyCommand});
    edit->addSeparator();
    edit->addAction(find);

    QMenu* machines = bar->addMenu(tr("&Machine"));
    machines->addActions({machine->start, machine->startAndShow, machine->pause});
    machines->addSeparator();
    machines->addActions({machine->shutDown, machine->forceOff});
    machines->addSeparator();
    sendKeysMenu = machines->addMenu(themeIcon(u"keyboard"), tr("Send &Keys"));
    machines->addActions({machine->openTerminal, machine->showFolder, machine->showLog});
    machines->addSeparator();
    machines->addActions({machine->clone, machine->rename, machine->remove});

    QMenu* view = bar->addMenu(tr("&View"));
    view->addActions({machine->overview, machine->console, machine->settings, machine->sharing});
    view->addSeparator();
    view->addActions({transfers, focusList});
    view->addSeparator();
    view->addActions({fullScreen, savePicture});

    bar->addMenu(tr("&Tools"))->addAction(checkComputer);
    bar->addMenu(tr("&Help"))->addActions({shortcuts, about});
}

QMenu* WindowMenus::makeVerbMenu(bool isImage, QWidget* parent) const {
    auto* menu = new QMenu(parent);
    menu->setToolTipsVisible(true);
    if (isImage) {
        menu->addActions({m_machine->clone, m_machine->showFolder});
        menu->addSeparator();
        menu->addAction(m_machine->remove);
        return menu;
    }
    menu->addActions({m_machine->start, m_machine->pause, m_machine->shutDown});
    menu->addSeparator();
    menu->addActions({m_machine->console, m_machine->openTerminal, m_machine->settings});
    menu->addSeparator();
    menu->addActions({m_machine->copyAddress,
                      m_machine->copySignIn,
                      m_machine->copyCommand,
                      m_machine->showFolder,
                      m_machine->showLog});
    menu->addSeparator();
    menu->addActions({m_machine->clone, m_machine->rename});
    menu->addSeparator();
    menu->addActions({m_machine->forceOff, m_machine->remove});
    return menu;
}

} // namespace vitrine::ui
