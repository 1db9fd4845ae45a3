// SPDX-License-Identifier: Apache-2.0
// The third part of MainWindow: closing, quitting and what is remembered. Closing the window leaves
// machines running; quitting asks about them.
#include "ui/kernel/kernel_page.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_abilities.h"
#include "ui/machines/machine_clients.h"
#include "ui/shell/main_window.h"
#include "ui/shell/question.h"
#include "ui/shell/quit_question.h"
#include "ui/widgets/message_bar.h"

#include <QCloseEvent>
#include <QEventLoop>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>
#include <QTimer>

#include <utility>

namespace vitrine::ui {

namespace {

QString geometryKey() {
    return QStringLiteral("window/geometry");
}
QString splitterKey() {
    return QStringLiteral("window/splitter");
}
QString closingKnownKey() { // that machines outlive the window need not be told again
    return QStringLiteral("window/closingKnown");
}

} // namespace

void MainWindow::restoreSizes() {
    const QSettings settings;
    restoreGeometry(settings.value(geometryKey()).toByteArray());
    m_splitter->restoreState(settings.value(splitterKey()).toByteArray());
}

void MainWindow::requestQuit() {
    m_closing = {};
    m_closing.quitting = true;
    if (m_services.machineHost != nullptr)
        showAgain(); // whoever quits with the window hidden is asked in it
    close();
}

void MainWindow::showAgain() {
    setWindowState(windowState() & ~Qt::WindowMinimized);
    show();
    raise();
    activateWindow();
}

QList<HostedMachine> MainWindow::hostedMachines() const {
    QList<HostedMachine> machines;
    const HypervisorInfo* host = m_services.host->info();
    for (const QString& name : m_services.clients->hostedNames()) {
        const MachineInfo* info = m_services.library->infoAt(m_services.library->rowOf(name));
        const Ability suspend =
            info != nullptr ? abilitiesOf(*info, m_services.clients->status(name), host).suspend
                            : Ability();
        machines.append({name, suspend.reason});
    }
    return machines;
}

bool MainWindow::askAboutHosted() {
    const QList<HostedMachine> machines = hostedMachines();
    if (machines.isEmpty())
        return false;
    QStringList names;
    bool allCanSuspend = true;
    for (const HostedMachine& machine : machines) {
        names.append(machine.name);
        allCanSuspend = allCanSuspend && machine.suspendRefusal.isEmpty();
    }
    const OnQuit wish = onQuit();
    if (wish == OnQuit::ShutDown || (wish == OnQuit::Suspend && allCanSuspend)) {
        endHosted(wish == OnQuit::Suspend ? EndingMachines::Wish{names, {}}
                                          : EndingMachines::Wish{{}, names});
        return true;
    }
    m_quitQuestion =
        makeHostedQuitQuestion(machines,
                               m_services.clients->runningNames().size() - names.size(),
                               {[this, names] {
                                    endHosted({{}, names});
                                },
                                [this, names] {
                                    endHosted({names, {}});
                                },
                                [this] { m_closing = {}; }},
                               this);
    m_quitQuestion->open();
    return true;
}

void MainWindow::endHosted(EndingMachines::Wish wish) {
    delete m_ending;
    m_ending = new EndingMachines(m_services.clients, std::move(wish), this);
    connect(m_ending, &EndingMachines::changed, this, &MainWindow::showEnding);
    connect(m_ending, &EndingMachines::finished, this, [this] {
        m_ending->deleteLater();
        m_ending.clear();
        m_libraryMessage->clear();
        m_closing.quitting = true;
        close();
    });
    showEnding();
    m_ending->start();
}

// How far it is, with what can be done about it.
void MainWindow::showEnding() {
    const QStringList& left = m_ending->left();
    const QStringList& stuck = m_ending->stuck();
    if (left.isEmpty())
        return;
    const QString title =
        stuck.isEmpty() ? tr("Vitrine quits when its machines have ended: %1 of %2.")
                              .arg(m_ending->count() - left.size())
                              .arg(m_ending->count())
                        : tr("\"%1\" has not ended yet.").arg(stuck.join(QLatin1String("\", \"")));
    m_libraryMessage->showMessage(
        stuck.isEmpty() ? MessageBar::Kind::Info : MessageBar::Kind::Warning,
        title,
        stuck.isEmpty() ? tr("Waiting for %1.").arg(left.join(QLatin1String(", ")))
                        : m_ending->reason());
    m_libraryMessage->setDismissible(false);
    m_libraryMessage->addAction(tr("Do Not Quit"), [this] {
        delete m_ending;
        m_closing = {};
        m_libraryMessage->clear();
    });
    if (stuck.isEmpty())
        return;
    m_libraryMessage->addAction(tr("Force Off…"), [this, stuck] {
        m_quitQuestion =
            new Question(tr("Force off before quitting?"),
                         tr("The power is cut. What the guests have not written is lost."),
                         stuck,
                         {{tr("Force Off"),
                           Question::Look::Destructive,
                           [this] {
                               if (m_ending)
                                   m_ending->forceOffStuck();
                           }},
                          {tr("Keep Waiting"), Question::Look::Normal, {}, true}},
                         this);
        m_quitQuestion->open();
    });
}

bool MainWindow::sessionEnds(bool mayAsk, int patience) {
    const QList<HostedMachine> machines = hostedMachines();
    if (machines.isEmpty())
        return true;
    if (mayAsk) {
        requestQuit();
        return false;
    }
    EndingMachines::Wish wish;
    for (const HostedMachine& machine : machines)
        (machine.suspendRefusal.isEmpty() ? wish.suspend : wish.shutDown).append(machine.name);
    EndingMachines ending(m_services.clients, wish);
    QEventLoop waiting; // the system ends the program when this returns
    bool ended = false;
    connect(&ending, &EndingMachines::finished, &waiting, [&] {
        ended = true;
        waiting.quit();
    });
    QTimer::singleShot(patience, &waiting, &QEventLoop::quit);
    ending.start();
    waiting.exec();
    return ended;
}

bool MainWindow::askBeforeClosing() {
    if (m_quitQuestion && m_quitQuestion->isVisible())
        return true; // one at a time
    if (m_ending)
        return true; // answered, and told how far it is
    const auto cancel = [this] { m_closing = {}; };
    const auto goOn = [this](bool Closing::*answer) {
        return [this, answer] {
            m_closing.*answer = true;
            close();
        };
    };
    if (m_machinePage->hasUnsavedChanges() && !m_closing.discardChanges) {
        m_quitQuestion = new Question(
            tr("Discard the changed settings?"),
            tr("The settings of \"%1\" were changed and not applied.")
                .arg(m_machinePage->machineName()),
            {},
            {{tr("Discard"), Question::Look::Destructive, goOn(&Closing::discardChanges), false},
             {tr("Cancel"), Question::Look::Normal, cancel, true}},
            this);
    } else if (m_services.jobs->runningCount() > 0 && !m_closing.stopTransfers) {
        m_quitQuestion = new Question(
            tr("Stop what is under way?"),
            tr("Work runs in this window. A pull goes on where it stopped when it is started "
               "again."),
            {},
            {{tr("Stop and Close"),
              Question::Look::Destructive,
              goOn(&Closing::stopTransfers),
              false},
             {tr("Cancel"), Question::Look::Normal, cancel, true}},
            this);
    } else if (m_kernelRuns != nullptr && m_kernelRuns->isRunning() && !m_closing.stopKernelRun) {
        m_quitQuestion = new Question(
            tr("Stop the kernel run?"),
            tr("A command runs on a kernel of yours in this window. It ends with it, and its exit "
               "code is lost."),
            {},
            {{tr("Stop and Close"),
              Question::Look::Destructive,
              goOn(&Closing::stopKernelRun),
              false},
             {tr("Cancel"), Question::Look::Normal, cancel, true}},
            this);
    } else if (m_services.machineHost != nullptr) {
        return m_closing.quitting && askAboutHosted();
    } else if (m_closing.quitting && !m_closing.leaveMachines &&
               !m_services.clients->runningNames().isEmpty()) {
        const QStringList names = m_services.clients->runningNames();
        const HypervisorInfo* host = m_services.host->info();
        const bool canSuspend = host != nullptr && host->has(Feature::Suspend);
        const OnQuit wish = onQuit();
        if (wish == OnQuit::KeepRunning)
            return false;
        if (wish == OnQuit::ShutDown || (wish == OnQuit::Suspend && canSuspend)) {
            endBeforeQuit(names, wish == OnQuit::Suspend);
            return true;
        }
        m_quitQuestion = makeQuitQuestion(
            names,
            {goOn(&Closing::leaveMachines),
             [this, names] { endBeforeQuit(names, false); },
             canSuspend ? std::function<void()>([this, names] { endBeforeQuit(names, true); })
                        : std::function<void()>(),
             cancel},
            this);
    } else if (!m_closing.quitting && !m_closing.knowsMachinesRun &&
               !m_services.clients->runningNames().isEmpty() &&
               !QSettings().value(closingKnownKey()).toBool()) {
        m_quitQuestion = makeClosingNotice(m_services.clients->runningNames(),
                                           {[this](bool doNotTellAgain) {
                                                m_closing.knowsMachinesRun = true;
                                                m_closing.doNotTellAgain = doNotTellAgain;
                                                close();
                                            },
                                            cancel},
                                           this);
    } else {
        return false;
    }
    m_quitQuestion->open();
    return true;
}

void MainWindow::closeEvent(QCloseEvent* event) {
    const bool hides = m_services.machineHost != nullptr && !m_closing.quitting;
    if (!hides && askBeforeClosing()) {
        event->ignore();
        return;
    }
    QSettings settings;
    settings.setValue(geometryKey(), saveGeometry());
    settings.setValue(splitterKey(), m_splitter->saveState());
    if (m_entry)
        settings.setValue(selectedKey(), m_entry->name);
    if (m_closing.doNotTellAgain)
        settings.setValue(closingKnownKey(), true);
    if (hides) {
        // Not closed: that would take the screens that are embedded in it apart.
        event->ignore();
        hide();
        return;
    }
    event->accept();
    Q_EMIT quitRequested();
}

void MainWindow::endBeforeQuit(const QStringList& names, bool suspend) {
    m_quitWaitsFor = names;
    const bool one = names.size() == 1;
    QString title = suspend ? tr("Suspending %1 machines.").arg(names.size())
                            : tr("Shutting down %1 machines.").arg(names.size());
    if (one)
        title = suspend ? tr("Suspending \"%1\".").arg(names.first())
                        : tr("Shutting down \"%1\".").arg(names.first());
    m_libraryMessage->showMessage(MessageBar::Kind::Info,
                                  title,
                                  suspend ? tr("Vitrine quits when their memory is on the disk.")
                                          : tr("Vitrine quits when they are off."));
    m_libraryMessage->addAction(tr("Quit Now"), [this] {
        m_closing.leaveMachines = true;
        close();
    });
    m_libraryMessage->addAction(tr("Do Not Quit"), [this] {
        m_quitWaitsFor.clear();
        m_closing = {};
        m_libraryMessage->clear();
    });
    for (const QString& name : names) {
        if (suspend)
            m_services.clients->suspend(name);
        else
            m_services.clients->shutDown(name);
    }
}

void MainWindow::machineEndedBeforeQuit(const QString& name) {
    m_quitWaitsFor.removeAll(name);
    if (!m_quitWaitsFor.isEmpty())
        return;
    m_closing.quitting = true;
    m_closing.leaveMachines = true;
    close();
}

} // namespace vitrine::ui
