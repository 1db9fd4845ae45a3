// SPDX-License-Identifier: Apache-2.0
// The third part of MainWindow: closing, quitting and what is remembered. Closing the window leaves
// machines running; quitting asks about them.
#include "ui/kernel/kernel_page.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_clients.h"
#include "ui/shell/main_window.h"
#include "ui/shell/question.h"
#include "ui/shell/quit_question.h"
#include "ui/widgets/message_bar.h"

#include <QCloseEvent>
#include <QPushButton>
#include <QSettings>
#include <QSplitter>

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
    close();
}

bool MainWindow::askBeforeClosing() {
    if (m_quitQuestion && m_quitQuestion->isVisible())
        return true; // one at a time
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
    if (askBeforeClosing()) {
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
