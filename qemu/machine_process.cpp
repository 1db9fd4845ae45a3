// SPDX-License-Identifier: Apache-2.0
#include "qemu/machine_process.h"

#include "core/disk/real_path.h"
#include "core/machine/sidecar.h"
#include "core/run/event_log.h"
#include "core/run/machine_hold.h"
#include "core/run/share_archives.h"
#include "core/run/signal_watch.h"
#include "core/snapshot/automatic_snapshot.h"
#include "core/value/plain_text.h"
#include "qemu/disk_preparation.h"
#include "qemu/launch_planner.h"
#include "qemu/machine_requests.h"
#include "qemu/machine_session.h"
#include "qemu/network_planner.h"
#include "qemu/partition_watch.h"
#include "qemu/softnet/softnet_host.h"
#include "qemu/suspend_files.h"
#include "qemu/suspend_steps.h"
#include "qemu/viewers.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QFile>
#include <QTextStream>

#include <algorithm>
#include <csignal>
#include <optional>
#include <stop_token>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace vitrine::qemu {

namespace {

constexpr int startFailed = 1; // 2 and 64 speak of the machine's name and of typed options

// What this process says. A caller that went away must not end the machine.
void say(const QString& sentence) {
    QTextStream stream(stderr);
    stream << withRealPaths(sentence) << Qt::endl;
}

// What others are to read: standard output.
void answer(const QString& line) {
    QTextStream stream(stdout);
    stream << line << Qt::endl;
}

class MachineProcess final : public QObject {
    Q_OBJECT
public:
    MachineProcess(const Hypervisor::RunRequest& request, MachineHold hold)
        : m_request(request)
        , m_hold(std::move(hold))
        , m_events(m_hold.folderPath())
        , m_requests(m_hold.machine, m_hold.folderPath(), m_hold.runtime) {
        m_forceOff.setSingleShot(true);
    }

    Result<> start();
    [[nodiscard]] int finish();
    void onSignal(int number);
    void tell(const QString& kind, const QString& text);
    [[nodiscard]] bool isOver() const { return m_over; }

Q_SIGNALS:
    void over();

private:
    void shutDown(bool withLimit);
    void onEnded();
    void prepareAside(const std::function<void(const JobContext&)>& work);
    void applyWaitingChanges();
    Result<> discardState();
    Result<> holdDisks(LaunchPlan& plan);
    Result<> unpackShares();
    void openViewers();
    void explainToTerminal();
    // The plan of this run: the options given, or those of the run that was suspended.
    [[nodiscard]] Result<LaunchPlan> plan();
    [[nodiscard]] Result<> addStateFiles(MachineSession::Setup& setup);

    const Hypervisor::RunRequest& m_request;
    MachineHold m_hold;
    EventLog m_events;
    std::optional<SocketAddress> m_sockets; // keeps the short path valid
    MachineRequests m_requests;
    std::stop_source m_preparation;
    std::optional<PreparedDisks> m_disks;            // copies go when QEMU is gone
    std::shared_ptr<const ShareArchives> m_archives; // null without; go as the copies
    std::vector<FileDescriptor> m_taps;
    SoftnetWire m_wire;
    std::unique_ptr<MachineSession> m_session;
    std::unique_ptr<Viewers> m_viewers;
    bool m_addressTold = false;
    QString m_terminal; // of the serial line, once it is known
    std::unique_ptr<PartitionWatch> m_partition;
    RunOptions m_options;
    std::optional<SuspendFiles::Saved> m_saved;
    std::shared_ptr<SuspendFiles> m_stateFiles; // also of threads under way
    FileDescriptor m_state;                     // QEMU reads it
    QTimer m_forceOff;
    int m_interrupts = 0;
    bool m_over = false;
    int m_exitCode = 0;
};

Result<LaunchPlan> MachineProcess::plan() {
    if (m_request.discardState) {
        if (Result<> discarded = discardState(); !discarded) {
            return fail(discarded.error());
        }
    }
    auto saved = SuspendFiles::find(m_hold.machine.directory);
    if (!saved) {
        return fail(saved.error());
    }
    m_saved = *std::move(saved);
    m_options = m_saved ? SuspendFiles::optionsFor(*m_saved, m_request.options) : m_request.options;
    if (!m_saved) {
        return planLaunch(m_hold.machine, m_options);
    }
    return planToGoOn(m_hold.machine, m_options, m_saved->fingerprint);
}

Result<> MachineProcess::discardState() {
    if (m_hold.machine.state == MachineState::Suspended) {
        Result<> kept;
        prepareAside([&](const JobContext& context) {
            kept = keepBeforeRisk(m_hold.config,
                                  m_hold.folderPath(),
                                  tr("Before the saved state was thrown away"),
                                  context);
        });
        m_requests.setPreparing({});
        if (!kept) {
            return kept;
        }
    }
    if (Result<> discarded = discardSavedState(m_hold.machine.directory); !discarded) {
        return discarded;
    }
    m_hold.machine.state = MachineState::Stopped;
    return {};
}

void MachineProcess::applyWaitingChanges() {
    QStringList remarks;
    if (m_hold.mustKeepFirst()) {
        prepareAside(
            [&](const JobContext& context) { remarks = m_hold.applyWaitingChanges(context); });
        m_requests.setPreparing({});
    } else {
        remarks = m_hold.applyWaitingChanges({});
    }
    for (const QString& remark : remarks) {
        tell(QStringLiteral("remark"), remark);
    }
}

Result<> MachineProcess::addStateFiles(MachineSession::Setup& setup) {
    m_stateFiles = std::make_shared<SuspendFiles>(m_hold.machine.directory, setup.plan, m_options);
    const std::shared_ptr<SuspendFiles> files = m_stateFiles;
    setup.statePath = files->partialPath();
    // Archives are fetched again by who goes on from the state.
    const auto asWished = [archives = m_archives](RunOptions options) {
        if (archives) {
            options.shares = archives->asWished(options.shares);
        }
        return options;
    };
    setup.commitState = [files, asWished](const QString& version, const RunOptions& options) {
        return files->commit(version, asWished(options));
    };
    setup.describeState = [files, asWished](const QString& folder,
                                            const QString& version,
                                            const RunOptions& options) {
        return files->describe(folder, version, asWished(options));
    };
    if (!m_saved) {
        return {};
    }
    auto state = files->openSaved(*m_saved, programVersion(ProgramPaths(), setup.plan.emulator));
    if (!state) {
        return fail(state.error());
    }
    m_state = *std::move(state);
    setup.restoreFrom = m_state.get();
    setup.restoring = {[files] { return files->markUsed(); }, [files] { files->deleteUsed(); }};
    return {};
}

Result<> MachineProcess::start() {
    for (const QString& remark : m_hold.remarks) {
        tell(QStringLiteral("remark"), remark);
    }
    if (Result<> listening = m_requests.listen(); !listening) {
        return listening;
    }
    if (m_hold.changesWait) {
        applyWaitingChanges();
        if (m_preparation.stop_requested()) {
            return fail(Error::cancelled());
        }
        m_requests.setMachine(m_hold.machine);
    }
    Result<SocketAddress> sockets = SocketAddress::of(m_hold.runtime.qmpSocket());
    if (!sockets) {
        return fail(sockets.error());
    }
    m_sockets = std::move(*sockets);
    Result<LaunchPlan> plan = this->plan();
    if (!plan) {
        return fail(plan.error());
    }
    if (m_saved && m_hold.twin) {
        const Result<QString> twin = checkTwin(m_hold.machine, *m_hold.twin, plan->network);
        if (!twin) {
            return fail(twin.error());
        }
        m_hold.remarks << *twin;
        tell(QStringLiteral("remark"), *twin);
    }
    if (Result<> held = holdDisks(*plan); !held) {
        return held;
    }
    if (Result<> unpacked = unpackShares(); !unpacked) {
        return unpacked;
    }
    Result<std::vector<FileDescriptor>> taps = openTaps({}, *plan);
    if (!taps) {
        return fail(taps.error());
    }
    m_taps = std::move(*taps);
    if (plan->usesSoftnet()) {
        Result<SoftnetWire> wire = openSoftnetWire();
        if (!wire) {
            return fail(wire.error());
        }
        m_wire = std::move(*wire);
        plan->softnetSocket = m_wire.machine.get();
    }
    if (m_request.verbose) {
        for (const QString& note : QStringList(plan->acceleratorNote) + plan->notes) {
            if (!note.isEmpty()) {
                say(note);
            }
        }
    }
    // For the window too, which connects after they were told.
    plan->notes = m_hold.remarks + plan->notes;
    MachineSession::Setup setup;
    setup.plan = *plan;
    setup.runtimePath = m_hold.runtime.path();
    setup.socketFolder = m_sockets->text().section(QLatin1Char('/'), 0, -2);
    setup.options = m_options;
    setup.inherited = {m_hold.alive.descriptor()};
    setup.inherited += m_disks->descriptors();
    for (const FileDescriptor& tap : m_taps) {
        setup.inherited.append(tap.get());
    }
    if (m_wire.machine.isValid()) {
        setup.softnet = {std::move(m_wire.machine), std::move(m_wire.helper)};
    }
    setup.shares = m_archives ? m_archives->shares() : m_options.shares;
    setup.libraries = {m_request.library.home()};
    setup.hostKeys = m_hold.folderPath();
    if (m_archives) {
        setup.ownFolders = m_archives->folders();
        setup.leftOutShares = m_archives->leftOut();
    }
    if (const Result<Sidecar> sidecar = Sidecar::read(m_hold.folderPath())) {
        setup.deviceSlots = sidecar->deviceSlots;
    }
    if (Result<> added = addStateFiles(setup); !added) {
        return added;
    }
    m_session = std::make_unique<MachineSession>(std::move(setup));
    openViewers();
    explainToTerminal();
    m_partition = std::make_unique<PartitionWatch>(m_session.get(), m_hold.machine.directory);
    connect(m_partition.get(), &PartitionWatch::told, this, [this](const QString& text) {
        tell(QStringLiteral("remark"), text);
    });
    m_requests.setSession(m_session.get());
    connect(m_session.get(), &MachineSession::happened, this, &MachineProcess::tell);
    connect(m_session.get(), &MachineSession::ended, this, &MachineProcess::onEnded);
    connect(&m_session->shares(), &ShareManager::slotsChanged, this, [this] {
        const Result<> kept = Sidecar::update(m_hold.folderPath(), [this](Sidecar& sidecar) {
            sidecar.deviceSlots = m_session->ports().remembered();
        });
        Q_UNUSED(kept) // only the order of devices would be another one
    });
    connect(&m_forceOff, &QTimer::timeout, this, [this] {
        say(tr("The guest has not shut down in %1 s and is forced off.")
                .arg(m_request.forceOffAfterSeconds));
        m_session->forceOff();
    });
    Library::touch(m_hold.folderPath()); // for the order of pruning; nothing depends on it here
    return m_session->start();
}

// What may take minutes is done on a thread of its own, so that requests are answered and signals
// are obeyed meanwhile.
void MachineProcess::prepareAside(const std::function<void(const JobContext&)>& work) {
    QEventLoop loop;
    JobContext context;
    context.stop = m_preparation.get_token();
    // Said every two seconds; who asks is told the newest.
    QElapsedTimer lastSaid;
    context.report = [this, &lastSaid](const Progress& progress) {
        if (lastSaid.isValid() && lastSaid.elapsed() < 2000) {
            return;
        }
        lastSaid.start();
        const QString done = ByteCount::fromBytes(progress.done).toText();
        const QString step = progress.step.isEmpty() ? tr("Taking a snapshot") : progress.step;
        const QString text =
            progress.total ? tr("%1: %2 of %3.")
                                 .arg(step, done, ByteCount::fromBytes(*progress.total).toText())
                           : tr("%1: %2 so far.").arg(step, done);
        QMetaObject::invokeMethod(
            this,
            [this, text] {
                say(text);
                m_requests.setPreparing(text);
            },
            Qt::QueuedConnection);
    };
    const std::jthread worker([&] {
        work(context);
        QMetaObject::invokeMethod(&loop, &QEventLoop::quit, Qt::QueuedConnection);
    });
    loop.exec();
}

Result<> MachineProcess::unpackShares() {
    if (!ShareArchives::isNeeded(m_options.shares)) {
        return {};
    }
    std::optional<Result<ShareArchives>> unpacked;
    prepareAside([&](const JobContext& context) {
        const auto missing =
            m_saved ? ShareArchives::Missing::LeftOut : ShareArchives::Missing::Error;
        unpacked.emplace(
            ShareArchives::unpack(m_request.library, m_options.shares, missing, {}, context));
    });
    m_requests.setPreparing({});
    if (!*unpacked) {
        return fail(unpacked->error());
    }
    m_archives = std::make_shared<const ShareArchives>(std::move(**unpacked));
    return {};
}

Result<> MachineProcess::holdDisks(LaunchPlan& plan) {
    std::optional<Result<PreparedDisks>> prepared;
    const auto work = [&](const JobContext& context) {
        prepared.emplace(prepareDisks(m_request.library, m_hold.runtime.path(), plan, context));
    };
    if (std::any_of(plan.disks.cbegin(), plan.disks.cend(), [](const PlannedDisk& disk) {
            return disk.kind == ExtraDisk::Kind::CachedImage;
        })) {
        prepareAside([&](const JobContext& context) {
            JobContext silent;
            silent.stop = context.stop;
            work(silent);
        });
    } else {
        work({});
    }
    if (!*prepared) {
        return fail(prepared->error());
    }
    m_disks.emplace(std::move(**prepared));
    return {};
}

void MachineProcess::openViewers() {
    m_viewers = std::make_unique<Viewers>(&m_session->qmp(), m_session->plan());
    connect(m_session.get(), &MachineSession::started, m_viewers.get(), &Viewers::start);
    connect(m_viewers.get(), &Viewers::opened, this, [](const QString& line) { answer(line); });
    connect(m_viewers.get(), &Viewers::failed, this, [this](const QString& reason) {
        tell(QStringLiteral("remark"), reason);
    });
    connect(m_viewers.get(), &Viewers::changed, this, [this] {
        const QJsonObject state = m_viewers->state();
        const QString terminal = state[QLatin1String("serial")].toString();
        if (m_terminal.isEmpty() && !terminal.isEmpty()) {
            m_terminal = terminal;
            m_session->serial().explain(
                tr("The serial line of this machine leads to %1, not here. Open it with: screen %1")
                    .arg(terminal));
        }
        m_requests.setViewers(state);
    });
}

// For somebody who started the machine by hand and sees nothing of it.
void MachineProcess::explainToTerminal() {
    if (!m_request.withoutWindow || ::isatty(STDERR_FILENO) == 0) {
        return;
    }
    const QString name = QLatin1Char('"') + plainText(m_request.name) + QLatin1Char('"');
    connect(m_session.get(), &MachineSession::started, this, [name] {
        say(tr("%1 runs without a window. Log in: vitrinectl ssh %1, or vitrinectl exec %1 "
               "COMMAND. Its screen: vitrine --console %1. Ctrl-C here shuts it down, a second one "
               "forces it off.")
                .arg(name));
    });
    connect(m_session.get(), &MachineSession::statusChanged, this, [this, name] {
        const QString address = m_session->status().address;
        if (m_addressTold || address.isEmpty()) {
            return;
        }
        m_addressTold = true;
        say(m_session->status().sshPort == 0
                ? tr("%1 has the address %2.").arg(name, plainText(address))
                : tr("%1 has the address %2 inside its own network. From here: vitrinectl ssh %1")
                      .arg(name, plainText(address)));
    });
}

void MachineProcess::tell(const QString& kind, const QString& told) {
    const QString text = withRealPaths(told);
    const QDateTime now = QDateTime::currentDateTime();
    if (!m_events.add(kind, text, now)) {
        return;
    }
    m_requests.tellEvent(kind, text, now);
    static const QStringList alwaysSaid{QStringLiteral("remark"),
                                        QStringLiteral("shutdown-ignored"),
                                        QStringLiteral("forward-failed"),
                                        QStringLiteral("forward-moved"),
                                        QStringLiteral("network-rules-refused"),
                                        QStringLiteral("network-ended"),
                                        QStringLiteral("network-restarted"),
                                        QStringLiteral("network-failed"),
                                        QStringLiteral("share-failed"),
                                        QStringLiteral("share-warning"),
                                        QStringLiteral("share-broken"),
                                        QStringLiteral("disk-full"),
                                        QStringLiteral("disk-error"),
                                        QStringLiteral("disk-missing"),
                                        QStringLiteral("panic"),
                                        QStringLiteral("crashed"),
                                        QStringLiteral("ended"),
                                        QStringLiteral("hangs"),
                                        QStringLiteral("answers-again")};
    if (m_request.verbose || alwaysSaid.contains(kind)) {
        say(text);
    }
    static const QStringList unasked{QStringLiteral("crashed"), QStringLiteral("ended")};
    if (unasked.contains(kind)) {
        m_requests.setLastError(text);
    }
}

void MachineProcess::onSignal(int number) {
    if (!m_session || m_over) {
        m_preparation.request_stop();
        return;
    }
    switch (number) {
    case SIGUSR1:
        m_session->suspend([](const Result<>& suspended) {
            if (!suspended) {
                say(suspended.error().message);
            }
        });
        break;
    case SIGUSR2:
        shutDown(false);
        break;
    case SIGINT:
        if (++m_interrupts > 1) {
            m_session->forceOff();
            break;
        }
        shutDown(true);
        break;
    default: // SIGTERM, SIGHUP: may be repeated by whoever ends the session
        shutDown(true);
        break;
    }
}

void MachineProcess::shutDown(bool withLimit) {
    m_session->shutDown([](const Result<>& accepted) {
        if (!accepted) {
            say(accepted.error().message);
        }
    });
    if (withLimit && m_request.forceOffAfterSeconds > 0 && !m_forceOff.isActive()) {
        m_forceOff.start(m_request.forceOffAfterSeconds * 1000);
    }
}

void MachineProcess::onEnded() {
    m_over = true;
    m_forceOff.stop();
    if (const std::optional<Error>& error = m_session->startError()) {
        tell(QStringLiteral("start-failed"), error->message);
        m_requests.setLastError(withRealPaths(error->message));
        say(error->message);
        m_exitCode = startFailed;
    } else {
        const std::optional<Ending> ending = m_session->ending();
        m_exitCode =
            ending == Ending::ShutDown || ending == Ending::ForcedOff || ending == Ending::Suspended
                ? 0
                : 1;
        if (ending == Ending::Suspended) {
            stepReached("ended");
            if (Result<> renewed = m_stateFiles->renew(); !renewed) {
                tell(QStringLiteral("remark"), renewed.error().message);
            }
            stepReached("fingerprint renewed");
        } else if (m_stateFiles) {
            m_stateFiles->removePartial();
        }
    }
    Q_EMIT over();
}

int MachineProcess::finish() {
    applyWaitingChanges();
    m_requests.close();
    m_events.flush();
    return m_exitCode;
}

} // namespace

int runMachine(const Hypervisor::RunRequest& request) {
    ::umask(077);
    // A terminal or pipe that goes away must not take the guest with it.
    ::signal(SIGPIPE, SIG_IGN);
    // Before the locks: whoever sees the machine running may signal it.
    SignalWatch signalWatch({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2});
    Result<MachineHold> hold =
        MachineHold::take(request.library,
                          request.name,
                          request.discardState ? MachineHold::SavedState::Discarded
                                               : MachineHold::SavedState::GoesOn);
    if (!hold) {
        say(hold.error().message);
        return exitCode(hold.error());
    }
    MachineProcess process(request, std::move(*hold));
    QObject::connect(&signalWatch, &SignalWatch::arrived, &process, &MachineProcess::onSignal);
    if (Result<> started = process.start(); !started) {
        process.tell(QStringLiteral("start-failed"), started.error().message);
        say(started.error().message);
        const int finished = process.finish();
        Q_UNUSED(finished)
        return startFailed;
    }
    QEventLoop loop;
    QObject::connect(&process, &MachineProcess::over, &loop, &QEventLoop::quit);
    if (!process.isOver()) {
        loop.exec();
    }
    return process.finish();
}

} // namespace vitrine::qemu

#include "machine_process.moc"
