// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/machine_actions.h"

#include "ui/shell/action_reason.h"
#include "ui/theme/theme.h"

#include <QWidget>

namespace vitrine::ui {

QAction* MachineActions::make(const QString& text,
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

MachineActions::MachineActions(QWidget* window)
    : QObject(window)
    , m_window(window) {
    start = make(tr("&Start"),
                 u"start",
                 QKeySequence(Qt::CTRL | Qt::Key_R),
                 tr("Starts the machine in the background."));
    startAndShow = make(tr("Start and Open &Console"),
                        u"display",
                        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R),
                        tr("Starts the machine and shows its screen."));
    startRecovery = make(tr("Start into Reco&very"),
                         {},
                         QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_R),
                         tr("Starts macOS in its recovery and shows the screen."));
    pause = make(tr("&Pause"),
                 u"pause",
                 QKeySequence(Qt::CTRL | Qt::Key_P),
                 tr("Stops the processors; memory is kept."));
    suspend = make(tr("S&uspend"),
                   u"suspend",
                   QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P),
                   tr("Writes the memory to the disk and ends the machine; it goes on there."));
    discardState = make(tr("Disca&rd Saved State…"),
                        u"undo",
                        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Delete),
                        tr("Throws the saved memory away; the machine then boots."));
    shutDown = make(tr("Shut &Down"),
                    u"shut-down",
                    QKeySequence(Qt::CTRL | Qt::Key_D),
                    tr("Asks the guest to shut down."));
    forceOff = make(tr("&Force Off…"),
                    {},
                    QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D),
                    tr("Cuts the power; what the guest has not written is lost."));
    clone = make(tr("&Clone…"),
                 u"copy",
                 QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C),
                 tr("Makes a copy under a new name."));
    rename = make(tr("&Rename…"), u"edit", QKeySequence(Qt::Key_F2), tr("Gives a new name."));
    remove = make(tr("Dele&te…"),
                  u"trash",
                  QKeySequence(Qt::CTRL | Qt::Key_Delete),
                  tr("Moves the machine to the Trash after a question."));
    openTerminal = make(tr("Open &Terminal"),
                        u"terminal",
                        QKeySequence(Qt::CTRL | Qt::Key_T),
                        tr("Opens a shell in the guest over ssh."));
    copyAddress = make(tr("Copy ssh &Address"),
                       u"copy",
                       QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_A),
                       tr("Copies the address on this computer that leads to the guest's ssh."));
    copySignIn = make(tr("Copy &ssh Line"),
                      u"copy",
                      QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_S),
                      tr("Copies the line that opens a shell in the guest."));
    copyCommand = make(tr("Copy vitrinectl &Line"),
                       u"terminal",
                       QKeySequence(Qt::CTRL | Qt::ALT | Qt::Key_C),
                       tr("Copies the command that starts this machine."));
    showFolder = make(tr("Show F&older"),
                      u"folder",
                      QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O),
                      tr("Shows the files of the machine."));
    showLog = make(tr("Show &Log"),
                   u"note",
                   QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L),
                   tr("Shows what the machine's process wrote."));
    overview = make(tr("&Overview"),
                    u"info",
                    QKeySequence(Qt::CTRL | Qt::Key_1),
                    tr("Shows the facts, events and notes of the machine."));
    console = make(tr("&Console"),
                   u"display",
                   QKeySequence(Qt::CTRL | Qt::Key_2),
                   tr("Shows the machine's screen."));
    settings = make(tr("S&ettings"),
                    u"settings",
                    QKeySequence(Qt::CTRL | Qt::Key_3),
                    tr("Changes the machine."));
    sharing = make(tr("S&haring"),
                   u"share-folder",
                   QKeySequence(Qt::CTRL | Qt::Key_4),
                   tr("Shows and changes the folders that the machine shares."));
    network = make(tr("Net&work"),
                   u"network",
                   QKeySequence(Qt::CTRL | Qt::Key_5),
                   tr("Shows what the firewall of the machine let through, and its rules."));
    snapshots = make(tr("S&napshots"),
                     u"snapshot",
                     QKeySequence(Qt::CTRL | Qt::Key_6),
                     tr("Shows the restore points of the machine."));
    benchmarks = make(tr("&Benchmarks"),
                      u"chart",
                      QKeySequence(Qt::CTRL | Qt::Key_7),
                      tr("Measures the machine and shows what was measured."));
    update(nullptr, nullptr, nullptr);
}

QList<QAction*> MachineActions::all() const {
    return {start,       startAndShow, startRecovery, pause,      suspend,   discardState,
            shutDown,    forceOff,     clone,         rename,     remove,    openTerminal,
            copyAddress, copySignIn,   copyCommand,   showFolder, showLog,   overview,
            console,     settings,     sharing,       network,    snapshots, benchmarks};
}

void MachineActions::update(const MachineInfo* info,
                            const MachineStatus* status,
                            const HypervisorInfo* host) {
    if (info == nullptr) {
        const Ability none{false, tr("No machine is selected.")};
        for (QAction* action : all())
            allow(action, none);
        return;
    }
    const MachineAbilities can = abilitiesOf(*info, status, host);
    m_resumes = info->state == MachineState::Paused;
    pause->setText(m_resumes ? tr("Resu&me") : tr("&Pause"));
    pause->setIcon(themeIcon(m_resumes ? u"start" : u"pause"));
    describe(pause,
             m_resumes ? tr("Starts the processors again where they stopped.")
                       : tr("Stops the processors; memory is kept."));
    const bool suspended = info->state == MachineState::Suspended;
    start->setText(suspended ? tr("Re&sume") : tr("&Start"));
    describe(start,
             suspended ? tr("Lets the machine go on from its saved state.")
                       : tr("Starts the machine in the background."));
    startAndShow->setText(suspended ? tr("Resume and Open &Console")
                                    : tr("Start and Open &Console"));
    clone->setText(info->isImage ? tr("&Make a Machine…") : tr("&Clone…"));
    const Ability always{true, {}};
    const Ability machine =
        info->isImage ? Ability{false, tr("This is an image, not a machine.")} : always;
    const auto ssh = status != nullptr ? status->sshAddress() : MachineStatus::SshAddress();
    const bool reachable = ssh.isKnown();
    const Ability address =
        reachable ? always
        : status != nullptr
            ? Ability{false, tr("No address leads to the guest's ssh yet.")}
            : Ability{false, tr("There is no address while the machine does not run.")};
    if (reachable)
        describe(copyAddress,
                 tr("Copies %1:%2, the address that leads to the guest's ssh.")
                     .arg(ssh.host)
                     .arg(ssh.port));
    allow(start, can.start);
    allow(startAndShow, can.start);
    allow(startRecovery, can.startRecovery);
    allow(pause, m_resumes ? can.resume : can.pause);
    allow(suspend, can.suspend);
    allow(discardState, can.discardState);
    allow(shutDown, can.shutDown);
    allow(forceOff, can.forceOff);
    allow(clone, can.clone);
    allow(rename, can.rename);
    allow(remove, can.remove);
    allow(openTerminal, can.openTerminal);
    allow(copyAddress, address);
    allow(copySignIn, address);
    allow(copyCommand, machine);
    allow(showFolder, always);
    allow(showLog, machine);
    allow(overview, machine);
    allow(console, can.console);
    allow(settings, can.settings);
    allow(sharing, machine);
    allow(network, machine);
    allow(snapshots, can.settings);
    allow(benchmarks, can.settings);
}

} // namespace vitrine::ui
