// SPDX-License-Identifier: Apache-2.0
#include "qemu/machine_session.h"

#include "core/job/in_worker.h"
#include "qemu/block_node.h"
#include "qemu/start_failure.h"
#include "qemu/suspend_steps.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>

namespace vitrine::qemu {

namespace {

constexpr int greetingTimeout = 30000; // ms; a start takes 50 ms on a quiet computer
constexpr int healthPeriod = 5000;     // ms
constexpr int quitPatience = 3000;     // ms until a QEMU that was asked to quit is killed
constexpr qint64 maximumSerialLog = 4 << 20;

// QEMU appends to the serial log whatever the guest prints; a chatty or hostile guest must not fill
// the disk of this computer. The part before stays in serial.log.old.
void trimSerialLog(const QString& runtimePath) {
    const QString path = runtimePath + QLatin1Char('/') + QLatin1String(serialLogName);
    QFile log(path);
    if (log.size() <= maximumSerialLog || !log.open(QIODevice::ReadWrite)) {
        return;
    }
    log.seek(log.size() - maximumSerialLog / 4);
    QFile old(path + QLatin1String(".old"));
    if (old.open(QIODevice::WriteOnly | QIODevice::Truncate)) {
        old.write(log.read(maximumSerialLog / 4));
    }
    log.resize(0);
}

} // namespace

MachineSession::MachineSession(Setup setup, QObject* parent)
    : QObject(parent)
    , m_setup(std::move(setup))
    , m_agent(m_setup.socketFolder + QLatin1Char('/') + QLatin1String(agentSocketName))
    , m_forwards(&m_qmp)
    , m_ports(m_setup.deviceSlots)
    , m_shares({m_setup.runtimePath,
                m_setup.socketFolder,
                m_setup.inherited,
                m_setup.shares,
                m_setup.libraries,
                m_setup.ownFolders,
                m_setup.leftOutShares,
                [this] {
                    const MachineStatus::SshAddress address = status().sshAddress();
                    SshTarget target;
                    target.host = address.host;
                    target.port = address.port;
                    return target;
                },
                m_setup.hostKeys,
                m_setup.options.sharing},
               &m_qmp,
               &m_agent,
               &m_ports)
    , m_screen(&m_qmp, m_setup.runtimePath)
    , m_serial(m_setup.socketFolder + QLatin1Char('/') + QLatin1String(serialSocketName),
               m_setup.runtimePath + QLatin1String("/console.sock"))
    , m_clipboard(m_setup.socketFolder + QLatin1Char('/') + QLatin1String(clipboardSocketName))
    , m_shutdown(&m_qmp, &m_agent)
    , m_address(&m_qmp, &m_agent, m_setup.plan.macAddress)
    , m_saver(&m_qmp)
    , m_clock(&m_agent) {
    m_state.setNetworkDisks(networkDisks(m_setup.plan));
    m_killTimer.setSingleShot(true);
    connect(&m_killTimer, &QTimer::timeout, &m_child, &ChildProcess::kill);
    connect(&m_health, &QTimer::timeout, this, &MachineSession::checkHealth);
    connect(&m_qmp, &QmpClient::ready, this, &MachineSession::onReady);
    connect(&m_qmp, &QmpClient::eventArrived, this, &MachineSession::onEvent);
    connect(&m_qmp, &QmpClient::closed, this, [this](const Error& reason) {
        m_qmpGone = true;
        if (!m_childGone) {
            // QEMU closes it when it ends; one that stays can no longer be controlled.
            m_killTimer.start(m_started ? quitPatience : 0);
            if (!m_started && !m_loadFailed) {
                m_startError = reason;
            }
        }
        endIfOver();
    });
    connect(&m_child, &ChildProcess::finished, this, [this] {
        m_childGone = true;
        m_killTimer.stop();
        if (!m_started) {
            m_qmp.close();
        }
        endIfOver();
    });
    connect(&m_shutdown, &ShutdownSequence::ignored, this, [this] {
        m_state.shutdownIgnored();
        changed();
    });
    connect(&m_address, &AddressFinder::changed, this, [this] {
        m_state.setGuestSilent(m_address.isSilent(), m_address.agentAnswers());
        changed();
    });
    connect(&m_shares, &ShareManager::happened, this, &MachineSession::happened);
    connect(&m_saver, &SuspendSaver::progressed, this, &MachineSession::statusChanged);
    connect(&m_clock, &SuspendClock::failed, this, [this](const QString& sentence) {
        Q_EMIT happened(QStringLiteral("remark"), sentence);
    });
    if (m_setup.softnet.helper.isValid()) {
        makeSoftnet();
    }
    m_agent.setGuestOpened(false); // QEMU tells when the guest opens it
    m_clipboard.setEnabled(m_setup.plan.clipboard);
    connect(&m_clipboard, &ClipboardPort::stateChanged, this, &MachineSession::statusChanged);
}

MachineSession::~MachineSession() = default;

Result<> MachineSession::start() {
    if (Result<> listening = m_serial.listen(); !listening) {
        return listening;
    }
    ChildProcess::Request request;
    request.program = m_setup.plan.emulator;
    request.arguments = commandLine(m_setup.plan);
    request.workingDirectory = m_setup.runtimePath;
    request.logFile = m_setup.runtimePath + QLatin1String("/log");
    request.inherited = m_setup.inherited;
    if (m_setup.restoreFrom >= 0) {
        request.inherited << m_setup.restoreFrom;
        request.arguments << QStringLiteral("-incoming")
                          << QStringLiteral("fd:%1").arg(m_setup.restoreFrom)
                          << QStringLiteral("-S");
    }
    if (m_softnet) {
        if (Result<> started = m_softnet->start(); !started) {
            return started;
        }
        request.inherited << m_setup.plan.softnetSocket;
    }
    m_watchedDisks.watch(m_setup.plan);
    if (Result<> started = m_child.start(request); !started) {
        return started;
    }
    m_setup.softnet.machine.reset(); // its end must be seen when QEMU is gone
    m_begun = true;
    m_startedAt = QDateTime::currentDateTime();
    if (m_setup.plan.serial.kind == SerialLine::Kind::Console) {
        m_serial.open();
    } else if (m_setup.plan.serial.kind == SerialLine::Kind::Device) {
        m_serial.explain(tr("The serial line of this machine leads to %1, not here.")
                             .arg(m_setup.plan.serial.path));
    }
    m_qmp.open(m_setup.socketFolder + QLatin1Char('/') + QLatin1String(qmpSocketName),
               greetingTimeout);
    return {};
}

void MachineSession::onReady() {
    if (m_setup.restoreFrom >= 0) {
        goOnFromState();
    } else {
        begin();
    }
}

void MachineSession::goOnFromState() {
    m_loader = std::make_unique<SuspendLoader>(&m_qmp, m_setup.restoring);
    m_loader->begin([this](const Result<>& done) {
        if (m_qmpGone || m_childGone) {
            return; // it could not read the state; its last words say why
        }
        if (!done) {
            m_startError = done.error();
            m_loadFailed = true;
            m_child.kill();
            return;
        }
        begin();
        // Told by an event only when the guest opens it anew.
        m_qmp.execute(
            QStringLiteral("query-chardev"), {}, [this](const Result<QJsonValue>& answer) {
                const QJsonArray devices = answer ? answer->toArray() : QJsonArray();
                for (const QJsonValue& device : devices) {
                    if (!device[QLatin1String("frontend-open")].toBool()) {
                        continue;
                    }
                    if (device[QLatin1String("label")] == QLatin1String("agent")) {
                        onAgentPort(true);
                    } else if (device[QLatin1String("label")] == QLatin1String("clipboard")) {
                        m_clipboard.setGuestOpened(true);
                    }
                }
                m_clock.begin();
            });
    });
}

void MachineSession::begin() {
    m_started = true;
    m_qmp.execute(QStringLiteral("query-status"), {}, [this](const Result<QJsonValue>& answer) {
        if (!answer) {
            return; // QEMU is going; its end follows
        }
        m_state.begin(answer->toObject().value(QLatin1String("status")).toString());
        addForwards();
        m_shares.begin();
        m_address.start();
        m_clipboard.open();
        m_health.start(healthPeriod);
        if (m_setup.restoreFrom >= 0) {
            Q_EMIT happened(QStringLiteral("resumed"),
                            tr("The machine goes on from its saved state."));
        } else {
            Q_EMIT happened(QStringLiteral("started"), tr("The machine has started."));
        }
        Q_EMIT started();
        changed();
    });
}

void MachineSession::onEvent(const QString& name, const QJsonObject& data) {
    if (name == QLatin1String("VSERPORT_CHANGE")) {
        const QString port = data.value(QLatin1String("id")).toString();
        const bool open = data.value(QLatin1String("open")).toBool();
        if (port == QLatin1String(agentPortId)) {
            onAgentPort(open);
        } else if (port == QLatin1String(clipboardPortId)) {
            m_clipboard.setGuestOpened(open);
        }
        return;
    }
    m_state.handle(name, data);
    m_shares.onEvent(name, data);
    if (name == QLatin1String("RESET")) {
        onAgentPort(false);
        m_shares.guestRestarted();
        m_clipboard.setGuestOpened(false);
        m_address.forget();
        m_shutdown.stop();
    }
    m_address.setPaused(m_state.isPaused());
    m_agent.setPaused(m_state.isPaused());
    if (m_state.isPanicked()) {
        m_shutdown.stop();
    }
    changed();
}

void MachineSession::onAgentPort(bool open) {
    m_agent.setGuestOpened(open);
}

void MachineSession::checkHealth() {
    checkFiles();
    if (m_healthUnderWay) {
        return;
    }
    m_healthUnderWay = true;
    m_qmp.execute(
        QStringLiteral("query-status"),
        {},
        [this](const Result<QJsonValue>& answer) {
            m_healthUnderWay = false;
            if (m_qmpGone) {
                return;
            }
            m_state.setAnswering(answer || answer.error().kind != Error::Kind::Timeout);
            changed();
        },
        healthPeriod);
}

void MachineSession::checkFiles() {
    trimSerialLog(m_setup.runtimePath);
    m_state.setDiskMissing(m_watchedDisks.missing());
}

Result<> MachineSession::refuseUnlessStarted() const {
    if (m_over) {
        return fail(Error::Kind::NotRunning, tr("The machine does not run any more."));
    }
    if (m_state.state() == MachineState::Starting) {
        return fail(Error::Kind::Busy, tr("The machine is just starting. Try again in a moment."));
    }
    if (m_state.isSuspending()) {
        return fail(Error::Kind::Busy,
                    tr("The machine is being suspended. Wait until that is done."));
    }
    if (m_held) {
        return fail(Error::Kind::Busy,
                    tr("A snapshot of the machine is being taken. Wait until that is done."));
    }
    return {};
}

Result<> MachineSession::hold(bool withMemory) {
    Result<> possible = refuseUnlessStarted();
    if (possible) {
        possible = refuseSaving();
    }
    if (possible && withMemory) {
        possible = refuseSuspend();
    }
    m_held = m_held || possible.has_value();
    return possible;
}

void MachineSession::release() {
    m_held = false;
    changed();
}

Result<> MachineSession::refuseSuspend() const {
    // Its copy goes with this run.
    if (std::any_of(
            m_setup.plan.disks.cbegin(), m_setup.plan.disks.cend(), [](const PlannedDisk& disk) {
                return disk.kind == ExtraDisk::Kind::CachedImage;
            })) {
        return fail(Error::Kind::Unsupported,
                    tr("The machine cannot be suspended: one of its disks is a copy of a cached "
                       "image that is removed when it ends. Shut it down instead."));
    }
    if (m_state.isPaused() && m_shares.isAnyPlugged()) {
        return fail(Error::Kind::Unsupported,
                    tr("The machine is paused and folders are shared with it, which the guest has "
                       "to unmount before its memory is saved. Resume it first, or remove the "
                       "shares."));
    }
    return refuseSaving();
}

Result<> MachineSession::refuseSaving() const {
    if (m_state.isPanicked()) {
        return fail(Error::Kind::Unsupported,
                    tr("The guest's kernel has crashed; its state is not worth keeping. Restart it "
                       "or force the machine off."));
    }
    if (m_state.state() == MachineState::ShuttingDown) {
        return fail(Error::Kind::Busy,
                    tr("The machine is shutting down; its state can no longer be kept."));
    }
    if (m_saver.isUnderWay() || m_setup.statePath.isEmpty()) {
        return fail(Error::Kind::Busy,
                    tr("The state of the machine is being saved already. Wait until that is "
                       "done."));
    }
    return {};
}

void MachineSession::suspend(const Done& done) {
    Result<> possible = refuseUnlessStarted();
    if (possible) {
        possible = refuseSuspend();
    }
    if (!possible) {
        done(possible);
        return;
    }
    const bool wasRunning = !m_state.isPaused();
    m_state.setSuspending(true);
    changed();
    // No shared folder survives in a saved state; one that is in use refuses, and all are back
    // then.
    m_shares.detachAll([this, wasRunning, done](const Result<>& detached) {
        if (detached) {
            saveState(wasRunning, done);
        } else {
            stateCommitted(detached, false, done);
        }
    });
}

void MachineSession::saveState(bool wasRunning, const Done& done) {
    m_saver.save(m_setup.statePath, [this, wasRunning, done](const Result<>& saved) {
        if (!saved) {
            stateCommitted(saved, false, done); // the saver let it go on
            m_shares.reattachAll([](const Result<>&) {});
            return;
        }
        inWorker(
            this,
            [commit = m_setup.commitState, version = m_qmp.version(), options = options()] {
                return commit(version, options);
            },
            [this, wasRunning, done](const Result<>& committed) {
                stateCommitted(committed, wasRunning, done);
            });
    });
}

void MachineSession::stateCommitted(const Result<>& committed, bool wasRunning, const Done& done) {
    if (committed) {
        m_state.suspended();
        done({});
        m_qmp.execute(QStringLiteral("quit"));
        stepReached("quit sent");
        m_killTimer.start(quitPatience);
        changed();
        return;
    }
    m_state.setSuspending(false);
    if (wasRunning) {
        m_qmp.execute(QStringLiteral("cont"));
        m_shares.reattachAll([](const Result<>&) {});
    }
    Q_EMIT happened(QStringLiteral("suspend-failed"), committed.error().message);
    changed();
    done(committed);
}

void MachineSession::shutDown(const Done& done) {
    if (m_state.isSuspending()) {
        done(refuseUnlessStarted());
        return;
    }
    if (m_over || m_state.state() == MachineState::Starting || m_state.isPanicked()) {
        // There is no guest that could shut down.
        if (!m_over) {
            forceOff();
        }
        done({});
        return;
    }
    if (m_state.isPaused()) {
        resume([this, done](const Result<>& resumed) {
            if (!resumed) {
                done(resumed);
            } else if (m_over || m_state.isPaused()) {
                done(fail(
                    Error::Kind::Busy,
                    tr("The guest cannot go on, so it cannot shut down. %1").arg(m_state.note())));
            } else {
                shutDown(done);
            }
        });
        return;
    }
    const bool first = !m_state.isShuttingDown();
    m_state.shutdownRequested();
    m_shutdown.begin();
    if (first) {
        Q_EMIT happened(QStringLiteral("shutdown-requested"),
                        tr("The guest was asked to shut down."));
    }
    changed();
    done({});
}

void MachineSession::forceOff() {
    if (m_over || !m_begun) {
        return;
    }
    m_shutdown.stop();
    m_state.forceOffRequested();
    if (m_qmp.isReady()) {
        m_qmp.execute(QStringLiteral("quit"));
        if (!m_killTimer.isActive()) {
            m_killTimer.start(quitPatience);
        }
    } else {
        m_child.kill();
    }
    changed();
}

void MachineSession::pause(const Done& done) {
    if (Result<> ready = refuseUnlessStarted(); !ready || m_state.isPaused()) {
        done(ready);
        return;
    }
    m_qmp.execute(QStringLiteral("stop"), {}, [this, done](const Result<QJsonValue>& answer) {
        if (answer) {
            // The event came before the answer or is on its way.
            m_state.handle(QStringLiteral("STOP"), {});
            m_address.setPaused(true);
            m_agent.setPaused(true);
            Q_EMIT happened(QStringLiteral("paused"), tr("The machine was paused."));
            changed();
        }
        done(answer ? Result<>{} : fail(answer.error()));
    });
}

void MachineSession::resume(const Done& done) {
    if (Result<> ready = refuseUnlessStarted(); !ready || !m_state.isPaused()) {
        done(ready);
        return;
    }
    if (m_state.isPanicked()) {
        m_qmp.execute(QStringLiteral("system_reset"));
    }
    m_qmp.execute(QStringLiteral("cont"), {}, [this, done](const Result<QJsonValue>& answer) {
        if (answer) {
            Q_EMIT happened(QStringLiteral("resumed"), tr("The machine was resumed."));
            changed();
        }
        done(answer ? Result<>{} : fail(answer.error()));
    });
}

void MachineSession::endIfOver() {
    if (m_over || !m_childGone || !m_qmpGone) {
        return;
    }
    m_over = true;
    m_health.stop();
    m_killTimer.stop();
    m_shutdown.stop();
    m_address.stop();
    m_serial.close();
    m_clipboard.close();
    m_agent.setGuestOpened(false);
    m_shares.end();
    if (m_softnet) {
        m_softnet->stop();
    }
    if (m_started || m_state.isForcingOff()) {
        m_startError.reset();
        m_state.processEnded(m_child.endedBySignal());
        changed();
    } else {
        const bool hung = m_startError && m_startError->kind == Error::Kind::Timeout;
        if (!hung && !m_loadFailed) {
            m_startError = startFailure(
                m_child.lastLines(), m_child.endedBySignal(), networkDisks(m_setup.plan));
        }
        if (m_setup.restoreFrom >= 0) {
            m_startError->message +=
                QLatin1Char(' ') +
                tr("It was to go on from its saved state, which is kept. If this stays so, throw "
                   "the state away with \"vitrinectl run --discard-state\"; what the guest had "
                   "not written to its disk is then lost.");
        }
    }
    Q_EMIT ended();
}

void MachineSession::changed() {
    const QList<Happening> news = m_state.takeHappenings();
    for (const Happening& happening : news) {
        Q_EMIT happened(happening.kind, happening.text);
    }
    Q_EMIT statusChanged();
}

MachineStatus MachineSession::status() const {
    MachineStatus status;
    status.state = m_over ? MachineState::Stopped : m_state.state();
    status.processId = QCoreApplication::applicationPid();
    status.startedAt = m_startedAt;
    status.accelerator = m_setup.plan.accelerator == Accelerator::Kvm ? QStringLiteral("KVM")
                                                                      : QStringLiteral("TCG");
    status.acceleratorNote = m_setup.plan.acceleratorNote;
    const QString note = m_state.note();
    // That of a paused machine is the reason, and there is none when it was paused by hand.
    if (!note.isEmpty() || !m_state.isPaused()) {
        status.note = note.isEmpty() ? m_setup.plan.notes.join(QLatin1Char(' ')) : note;
    } else if (m_held) {
        status.note = tr("A snapshot of the machine is being taken.");
    }
    if (status.state == MachineState::Suspending) {
        status.note = tr("Memory is written to the disk: %1 so far.")
                          .arg(ByteCount::fromBytes(m_saver.written()).toText());
    }
    status.address = m_address.address();
    status.addressSource = m_address.source();
    status.sshPort = m_sshPort;
    status.network = networkWord(m_setup.plan.network);
    status.leaseAddress = m_address.leaseAddress();
    status.agentAddress = m_address.agentAddress();
    status.agentAnswers = m_address.agentAnswers();
    status.responding = m_state.isAnswering();
    status.clipboard = m_clipboard.state() == ClipboardPort::State::Ready ? QStringLiteral("ready")
                       : m_clipboard.isEnabled() ? QStringLiteral("waiting")
                                                 : QStringLiteral("off");
    const QSize size = m_screen.lastSize();
    status.width = size.isEmpty() ? m_setup.plan.display.width : size.width();
    status.height = size.isEmpty() ? m_setup.plan.display.height : size.height();
    return status;
}

} // namespace vitrine::qemu
