// SPDX-License-Identifier: Apache-2.0
#include "vz/host/hosted_machine.h"

#include "core/disk/real_path.h"
#include "core/job/in_worker.h"
#include "core/run/machine_hold.h"
#include "core/value/byte_count.h"
#include "vz/plan/running_mac_machines.h"
#include "vz/plan/saved_state.h"
#include "vz/plan/softnet_session.h"

#include <QFile>
#include <QTimer>

#include <algorithm>
#include <utility>

namespace vitrine::vz {

namespace {

constexpr int startFailed = 1;     // 2 and 64 speak of the machine's name and of typed options
constexpr qint64 logEnd = 4096;    // bytes
constexpr qsizetype toldLines = 5; // of them

// The last lines that a program of the run has written.
QString lastLines(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    file.seek(std::max<qint64>(0, file.size() - logEnd));
    const QStringList lines =
        QString::fromLocal8Bit(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    return lines.mid(std::max<qsizetype>(0, lines.size() - toldLines)).join(QLatin1Char('\n'));
}

} // namespace

HostedMachine::HostedMachine(const Services& services,
                             Hypervisor::RunRequest request,
                             std::unique_ptr<MachineHolder> holder,
                             Screen screen,
                             QObject* parent)
    : QObject(parent)
    , m_services(services)
    , m_request(std::move(request))
    , m_screen(screen)
    , m_holder(std::move(holder)) {
    m_logWriter.setMaxThreadCount(1);
    connect(m_holder.get(), &MachineHolder::wished, this, [this](MachineHolder::Wish wish) {
        switch (wish) {
        case MachineHolder::Wish::Interrupt:
            interrupt();
            break;
        case MachineHolder::Wish::Suspend:
            suspend();
            break;
        case MachineHolder::Wish::ShutDown:
            shutDown();
            break;
        }
    });
    connect(m_holder.get(), &MachineHolder::lost, this, [this] {
        if (m_over)
            return;
        tell(QStringLiteral("remark"),
             tr("The process that holds the lock of \"%1\" was ended, so the machine is shut down.")
                 .arg(name()));
        interrupt();
    });
}

HostedMachine::~HostedMachine() {
    m_stop.request_stop();
    m_opened.reset();
    if (m_shares)
        m_shares->setRun(nullptr, false, {});
    if (m_agent)
        m_agent->setMachine(nullptr);
    m_run.reset();
    m_serial.reset();
    m_prepared.reset();
    if (m_requests) {
        m_requests->setState(MachineState::Stopped);
        m_requests->close();
    }
}

const MachinePlan* HostedMachine::plan() const {
    return m_run ? &m_prepared->planned.plan : nullptr;
}

void HostedMachine::start() {
    m_holder->take([this](const Result<>& taken) {
        if (taken) {
            begin();
            return;
        }
        m_over = true;
        m_exitCode = exitCode(taken.error());
        m_error = taken.error();
        Q_EMIT ended(m_exitCode, m_error);
    });
}

void HostedMachine::begin() {
    m_events = std::make_shared<EventLog>(m_holder->folder());
    ControlRequests::Verbs verbs;
    verbs.shutDown = [this] { shutDown(); };
    verbs.forceOff = [this] { forceOff(); };
    verbs.pause = [this] { m_run->pause(); };
    verbs.resume = [this] { m_run->resume(); };
    verbs.suspend = [this] { m_run->suspend(); };
    m_requests = std::make_unique<ControlRequests>(
        m_holder->machine(), m_holder->folder(), m_holder->runtime(), std::move(verbs));
    ControlServer& server = m_requests->server();
    m_agent = std::make_unique<AgentRequests>(&server, m_holder->runtime().path());
    m_shares = std::make_unique<ShareRequests>(
        &server, m_agent.get(), m_holder->folder(), QStringList{m_request.library.home()});
    connect(m_agent.get(), &AgentRequests::answersChanged, this, [this](bool answers) {
        m_requests->update([&](MachineStatus& status) { status.agentAnswers = answers; });
        if (answers)
            m_shares->agentAnswers();
    });
    if (m_takeScreen)
        m_screens =
            std::make_unique<ScreenRequests>(&server, m_holder->runtime().path(), m_takeScreen);
    else
        m_requests->setUnavailable(
            QStringLiteral("screenshot"),
            tr("The machine runs without a window, so there is no picture of its screen. Shut it "
               "down and start it in Vitrine's window to see it."));
    if (const auto listening = m_requests->listen(); !listening) {
        failStart(listening.error());
        return;
    }
    for (const QString& remark : m_holder->remarks())
        tell(QStringLiteral("remark"), remark);
    if (m_stop.stop_requested()) {
        failStart(Error::cancelled());
        return;
    }
    if (m_holder->twin()) {
        // All networks of a Mac's machines meet.
        const auto apart = checkTwin(m_holder->machine(), *m_holder->twin(), NetworkMode::Bridged);
        if (!apart) {
            failStart(apart.error());
            return;
        }
    }
    prepare();
}

void HostedMachine::prepare() {
    inWorker(
        this,
        [services = m_services,
         request = m_request,
         machine = m_holder->machine(),
         hasWindow = m_screen == Screen::Window,
         stop = m_stop.get_token()] {
            JobContext context;
            context.stop = stop;
            return prepareRun(services, request, machine, hasWindow, context);
        },
        [this](Result<PreparedRun> run) {
            if (m_stop.stop_requested())
                failStart(Error::cancelled());
            else if (!run)
                failStart(run.error());
            else
                prepared(*std::move(run));
        });
}

void HostedMachine::prepared(PreparedRun run) {
    m_prepared.emplace(std::move(run));
    for (const QString& remark : std::as_const(m_prepared->remarks))
        tell(QStringLiteral("remark"), remark);
    m_goesOn = m_prepared->machine.state == MachineState::Suspended;
    if (const auto made = makeRun(); !made) {
        failStart(made.error());
        return;
    }
    const MachinePlan& plan = m_prepared->planned.plan;
    m_requests->setRun(m_prepared->options, m_serial ? m_serial->terminal() : QString());
    m_shares->setRun(m_run.get(), plan.isMac(), m_prepared->archives);
    m_requests->update([this, &plan](MachineStatus& status) {
        status.startedAt = QDateTime::currentDateTime();
        status.network = networkWord(m_prepared->options.network.mode);
        status.suspendRefusal = plan.savable ? QString() : whyNotSavable(name());
        status.reachable = true; // on a Mac each has an address of its own
        if (plan.display.kind == DisplayPlan::Kind::Pixels) {
            status.width = plan.display.width;
            status.height = plan.display.height;
        }
    });
    setNote(m_goesOn ? tr("The saved state of %1 is read from the disk.")
                           .arg(ByteCount::fromBytes(m_prepared->stateSize).toText())
                     : QString());
    if (m_serial && !m_serial->terminal().isEmpty())
        Q_EMIT viewerOpened(m_serial->terminal());
    connect(m_run.get(), &MachineRun::stateChanged, this, &HostedMachine::setState);
    connect(m_run.get(), &MachineRun::reported, this, &HostedMachine::report);
    connect(m_run.get(), &MachineRun::saving, this, [this](quint64 written) {
        setNote(tr("Memory is written to the disk: %1 so far.")
                    .arg(ByteCount::fromBytes(written).toText()));
    });
    connect(m_run.get(), &MachineRun::servicesWanted, this, &HostedMachine::openServices);
    connect(m_run.get(), &MachineRun::finished, this, &HostedMachine::finished);
    m_run->start();
}

Result<> HostedMachine::makeRun() {
    MachinePlan& plan = m_prepared->planned.plan;
    const RunOptions& options = m_prepared->options;
    std::unique_ptr<SoftnetSession> network;
    if (m_prepared->softnet) {
        auto made = SoftnetSession::make(*m_prepared->softnet,
                                         plan.cards.constFirst().macAddress,
                                         options.network,
                                         m_holder->runtime().logFile());
        if (!made)
            return fail(made.error());
        network = *std::move(made);
        for (NetworkCard& card : plan.cards)
            if (auto* const socket = std::get_if<SocketAttachment>(&card.attachment))
                socket->descriptor = network->machineSocket();
    }
    if (plan.serial) {
        auto opened = SerialPort::open(options.serial, m_holder->runtime().consoleSocket());
        if (!opened)
            return fail(opened.error());
        m_serial = *std::move(opened);
        plan.serial = m_serial->plan();
    }
    auto machine = m_services.machines->create(plan);
    if (MachinePlan without = plan; !machine && plan.savable && leaveOutConsoles(without)) {
        // Without them rather than not at all; a word only if they were the reason.
        if (auto again = m_services.machines->create(without)) {
            machine = std::move(again);
            plan = std::move(without);
            tell(QStringLiteral("remark"),
                 tr("This version of macOS cannot suspend a machine with a shared clipboard or the "
                    "port that Tart's guest agent looks for. \"%1\" is started without both.")
                     .arg(name()));
        }
    }
    if (!machine)
        return fail(machine.error());
    MachineRun::Setup setup;
    setup.name = name();
    setup.directory = m_prepared->machine.directory;
    setup.plan = plan;
    setup.shares = m_prepared->planned.shares;
    setup.host = m_prepared->host;
    setup.options = options;
    setup.stored = m_prepared->stored;
    setup.ignoresState = m_request.discardState;
    // Without a limit it is never forced off by itself: interrupt().
    setup.forceOffAfter = m_request.forceOffAfterSeconds * 1000;
    setup.runningMacMachines = [library = m_request.library, name = name()] {
        const auto machines = library.machines();
        return machines ? runningMacMachines(*machines, name) : QStringList();
    };
    m_run = std::make_unique<MachineRun>(std::move(setup), *std::move(machine), std::move(network));
    return {};
}

void HostedMachine::setNote(const QString& progress) {
    m_requests->update([&](MachineStatus& status) {
        status.note =
            progress.isEmpty()
                ? (m_holder->remarks() + m_prepared->planned.plan.notes).join(QLatin1Char(' '))
                : progress;
    });
}

void HostedMachine::openServices() {
    m_agent->setMachine(m_run->machine());
    if (!m_services.openServices)
        return;
    OpenedMachine opened;
    opened.machine = m_run->machine();
    opened.name = name();
    opened.directory = m_holder->folder();
    if (!m_prepared->planned.plan.cards.isEmpty())
        opened.macAddress = m_prepared->planned.plan.cards.constFirst().macAddress;
    opened.tell = [this](const QString& kind, const QString& text) { tell(kind, text); };
    opened.setAddress = [this](const QString& address, const QString& source) {
        setAddress(address, source);
    };
    opened.setAgent = [this](bool isOpened, bool answers) { m_agent->setKnown(isOpened, answers); };
    m_opened = m_services.openServices(opened);
}

void HostedMachine::setAddress(const QString& address, const QString& source) {
    QString best;
    m_requests->update([&](MachineStatus& status) {
        const bool byAgent = source == QLatin1String("agent");
        (byAgent ? status.agentAddress : status.leaseAddress) = address;
        // The guest knows it best.
        const bool agentKnows = !status.agentAddress.isEmpty();
        status.address = agentKnows ? status.agentAddress : status.leaseAddress;
        status.addressSource = status.address.isEmpty() ? QString()
                               : agentKnows             ? QStringLiteral("agent")
                               : byAgent                ? QStringLiteral("lease")
                                                        : source;
        best = status.address;
    });
    if (best.isEmpty() || !m_prepared->planned.plan.tellsVncAddress)
        return;
    const QString url = QStringLiteral("vnc://") + best;
    m_requests->setViewer(url);
    if (std::exchange(m_viewer, url) != url)
        Q_EMIT viewerOpened(url);
}

void HostedMachine::setState(MachineState state) {
    const MachineState before = std::exchange(m_state, state);
    if (state != before && (before == MachineState::Suspending || before == MachineState::Starting))
        setNote({}); // that of a progress
    switch (state) {
    case MachineState::Running:
        if (!std::exchange(m_hasRun, true)) {
            if (m_goesOn)
                tell(QStringLiteral("resumed"), tr("The machine goes on from its saved state."));
            else
                tell(QStringLiteral("started"), tr("The machine has started."));
            Q_EMIT started();
        } else if (before == MachineState::Paused) {
            tell(QStringLiteral("resumed"), tr("The machine goes on."));
        }
        break;
    case MachineState::Paused:
        if (before == MachineState::Running)
            tell(QStringLiteral("paused"), tr("The machine is paused."));
        break;
    case MachineState::ShuttingDown:
        if (!m_forcedOff)
            tell(QStringLiteral("shutdown-requested"), tr("The guest was asked to shut down."));
        break;
    default:
        break;
    }
    // The end is told by finished().
    if (state != MachineState::Stopped && state != MachineState::Suspended)
        m_requests->setState(state);
}

void HostedMachine::report(const Error& error) {
    if (!error.detail.isEmpty())
        log(error.detail);
    const bool asked = m_requests->verbFailed(error);
    if (m_state == MachineState::Suspending)
        tell(QStringLiteral("suspend-failed"), error.message);
    else if (error.kind == Error::Kind::Timeout)
        tell(QStringLiteral("shutdown-ignored"), error.message);
    else if (error.kind == Error::Kind::Network)
        tell(QStringLiteral("network-failed"), error.message);
    else if (error.kind == Error::Kind::Busy || error.kind == Error::Kind::Unsupported) {
        if (!asked)
            Q_EMIT refused(error);
    } else
        tell(QStringLiteral("remark"), error.message);
}

void HostedMachine::shutDown() {
    m_stop.request_stop();
    if (m_run && !m_over)
        m_run->shutDown();
}

void HostedMachine::interrupt() {
    m_stop.request_stop();
    if (!m_run || m_over)
        return;
    if (++m_interrupts > 1)
        forceOff();
    else if (m_request.forceOffAfterSeconds > 0)
        m_run->interrupt();
    else
        m_run->shutDown();
}

void HostedMachine::forceOff() {
    m_stop.request_stop();
    if (!m_run || m_over)
        return;
    m_forcedOff = true;
    m_run->forceOff();
}

void HostedMachine::suspend() {
    if (m_run && !m_over)
        m_run->suspend();
}

void HostedMachine::failStart(const Error& error) {
    inWorker(
        this,
        [path = m_holder->runtime().logFile()] { return lastLines(path); },
        [this, error](const QString& lines) {
            Error whole = error;
            if (!lines.isEmpty())
                whole.detail += (whole.detail.isEmpty() ? QString() : QStringLiteral("\n")) + lines;
            finished(startFailed, std::move(whole));
        });
}

void HostedMachine::finished(int exitCode, std::optional<Error> error) {
    if (std::exchange(m_over, true))
        return;
    m_exitCode = exitCode;
    m_error = std::move(error);
    if (m_error) {
        m_error->message = withRealPaths(m_error->message);
        if (!m_error->detail.isEmpty())
            log(m_error->detail);
        tell(m_hasRun ? QStringLiteral("crashed") : QStringLiteral("start-failed"),
             m_error->message);
        m_requests->update([this](MachineStatus& status) { status.lastError = m_error->message; });
    } else if (m_state == MachineState::Suspended) {
        tell(QStringLiteral("suspended"), tr("The machine is suspended."));
    } else if (m_forcedOff) {
        tell(QStringLiteral("forced-off"), tr("The machine was forced off."));
    } else {
        tell(QStringLiteral("stopped"), tr("The guest has shut down."));
    }
    // Whoever told this is still at work.
    QTimer::singleShot(0, this, &HostedMachine::letGo);
}

// The machine before what it had open, all of it before the locks.
void HostedMachine::letGo() {
    m_opened.reset();
    m_shares->setRun(nullptr, false, {});
    m_agent->setMachine(nullptr);
    m_run.reset();
    m_serial.reset();
    m_prepared.reset();
    m_holder->release([this](const QStringList& remarks) {
        for (const QString& remark : remarks)
            tell(QStringLiteral("remark"), remark);
        m_requests->setState(m_state == MachineState::Suspended ? MachineState::Suspended
                                                                : MachineState::Stopped);
        m_requests->close();
        inWorker(
            this,
            [events = std::exchange(m_events, {})] {
                events->flush();
                return 0;
            },
            [this](int) {
                m_holder.reset();
                Q_EMIT ended(m_exitCode, m_error);
            });
    });
}

void HostedMachine::tell(const QString& kind, const QString& text) {
    if (!m_events)
        return;
    const QString real = withRealPaths(text);
    const QDateTime now = QDateTime::currentDateTime();
    if (!m_events->add(kind, real, now))
        return;
    log(real);
    m_requests->tellEvent(kind, real, now);
    Q_EMIT told(kind, real);
}

// In the runtime directory, where programs of the run write too.
void HostedMachine::log(const QString& line) {
    const QByteArray whole =
        QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toUtf8() + ' ' + line.toUtf8() + '\n';
    m_logWriter.start([path = m_holder->runtime().logFile(), whole] {
        QFile file(path);
        if (file.open(QIODevice::WriteOnly | QIODevice::Append))
            file.write(whole);
    });
}

} // namespace vitrine::vz
