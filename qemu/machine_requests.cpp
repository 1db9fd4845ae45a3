// SPDX-License-Identifier: Apache-2.0
#include "qemu/machine_requests.h"

#include "core/guest/guest_agent_reply.h"
#include "core/hypervisor/machine_changes.h"
#include "core/hypervisor/machine_exec.h"
#include "core/library/machine_operations.h"
#include "core/machine/sidecar.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>

#include <algorithm>

namespace vitrine::qemu {

namespace {

constexpr int defaultExecTimeout = 60 * 1000;           // ms
constexpr int maximumExecTimeout = 24 * 60 * 60 * 1000; // ms
constexpr qint64 maximumLogText = 128 * 1024;           // bytes of `log`
constexpr int agentTimeout = 5000;                      // ms
constexpr int longestWaitForAgent = 120000;             // ms

QJsonObject toJson(const PortForward& forward) {
    return {{QStringLiteral("hostPort"), forward.hostPort},
            {QStringLiteral("guestPort"), forward.guestPort}};
}

// A port of a request; nullopt when it is none.
std::optional<quint16> portOf(const QJsonObject& object, const char* key) {
    const QJsonValue value = object.value(QLatin1String(key));
    const int port = value.toInt(-1);
    return value.isDouble() && port >= 0 && port <= 65535
               ? std::optional(static_cast<quint16>(port))
               : std::nullopt;
}

QString logTail(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    file.seek(std::max<qint64>(0, file.size() - maximumLogText));
    return QString::fromLocal8Bit(file.read(maximumLogText));
}

MachineSession::Done answerDone(const ControlServer::Respond& respond) {
    return [respond](const Result<>& done) {
        respond(done ? Result<QJsonValue>(QJsonObject{}) : fail(done.error()));
    };
}

} // namespace

MachineRequests::MachineRequests(MachineInfo machine,
                                 QString folderPath,
                                 RuntimeDirectory runtime,
                                 QObject* parent)
    : QObject(parent)
    , m_machine(std::move(machine))
    , m_folderPath(std::move(folderPath))
    , m_runtime(std::move(runtime))
    , m_shareRequests(&m_server, m_folderPath)
    , m_softnet(&m_server, m_folderPath)
    , m_clipboard(m_server, m_folderPath) {
    m_statusTimer.setSingleShot(true);
    connect(&m_statusTimer, &QTimer::timeout, this, &MachineRequests::tellStatus);
    connect(&m_shareRequests, &ShareRequests::sshUserChanged, this, &MachineRequests::tellStatus);
    readPending();
    answerState();
    answerVerbs();
    answerForwards();
    answerDisks();
    answerViewers();
    answerAgent();
    answerChange();
    answerSnapshots();
}

Result<> MachineRequests::listen() {
    return m_server.listen(m_runtime.controlSocket());
}

void MachineRequests::setMachine(const MachineInfo& machine) {
    m_machine = machine;
    readPending();
    tellStatus();
}

void MachineRequests::setSession(MachineSession* session) {
    m_session = session;
    m_shareRequests.setManager(&session->shares());
    m_softnet.setNetwork(session->softnet());
    m_clipboard.setPort(&session->clipboard());
    m_snapshots = std::make_unique<SnapshotTaker>(
        session, m_machine.directory, session->setup().describeState);
    // Its saved state is used up: changes wait, as for every machine that runs.
    connect(session, &MachineSession::started, this, [this] {
        m_machine.state = MachineState::Running;
    });
    connect(session, &MachineSession::statusChanged, this, [this] {
        if (!m_statusTimer.isActive()) {
            m_statusTimer.start(0);
        }
    });
}

void MachineRequests::tellEvent(const QString& kind, const QString& text, const QDateTime& time) {
    m_server.notify(QStringLiteral("event"),
                    {{QStringLiteral("kind"), kind},
                     {QStringLiteral("text"), text},
                     {QStringLiteral("time"), time.toUTC().toString(Qt::ISODateWithMs)}});
}

void MachineRequests::setLastError(const QString& message) {
    m_lastError = message;
    tellStatus();
}

void MachineRequests::setPreparing(const QString& text) {
    m_preparing = text;
    tellStatus();
}

void MachineRequests::close() {
    tellStatus();
    m_server.close();
}

void MachineRequests::on(
    const char* method,
    std::function<void(MachineSession&, const QJsonObject&, const Respond&)> handler) {
    m_server.on(QLatin1String(method),
                [this, handler = std::move(handler)](const QJsonObject& parameters,
                                                     const Respond& respond) {
                    if (!m_session) {
                        respond(fail(Error::Kind::Busy,
                                     tr("The machine is just starting. Try again in a moment.")));
                        return;
                    }
                    handler(*m_session, parameters, respond);
                });
}

void MachineRequests::answerState() {
    m_server.on(QStringLiteral("hello"), [this](const QJsonObject&, const Respond& respond) {
        respond(
            QJsonObject{{QStringLiteral("protocol"), control::protocolVersion},
                        {QStringLiteral("program"), QStringLiteral(VITRINE_VERSION)},
                        {QStringLiteral("methods"), QJsonArray::fromStringList(m_server.methods())},
                        {QStringLiteral("machine"), m_machine.name},
                        {QStringLiteral("pid"), QCoreApplication::applicationPid()}});
    });
    const auto tell = [this](const QJsonObject&, const Respond& respond) {
        respond(status().toJson());
    };
    m_server.on(QStringLiteral("status"), tell);
    m_server.on(QStringLiteral("subscribe"), tell);
    m_server.on(QStringLiteral("display.info"), [this](const QJsonObject&, const Respond& respond) {
        const MachineStatus now = status();
        respond(QJsonObject{{QStringLiteral("socket"), m_runtime.displaySocket()},
                            {QStringLiteral("width"), now.width},
                            {QStringLiteral("height"), now.height}});
    });
    m_server.on(QStringLiteral("log"), [this](const QJsonObject&, const Respond& respond) {
        respond(QJsonObject{{QStringLiteral("path"), m_runtime.logFile()},
                            {QStringLiteral("text"), logTail(m_runtime.logFile())}});
    });
    on("serial.info", [this](MachineSession& session, const QJsonObject&, const Respond& respond) {
        respond(QJsonObject{{QStringLiteral("socket"), session.serial().viewerSocket()},
                            {QStringLiteral("log"),
                             m_runtime.path() + QLatin1Char('/') + QLatin1String(serialLogName)},
                            {QStringLiteral("pty"), m_viewers[QLatin1String("serial")]}});
    });
    on("run.options", [](MachineSession& session, const QJsonObject&, const Respond& respond) {
        respond(QJsonObject{{QStringLiteral("started"), session.setup().options.toJson()},
                            {QStringLiteral("now"), session.options().toJson()}});
    });
    on("screenshot", [](MachineSession& session, const QJsonObject&, const Respond& respond) {
        session.screen().take([respond](const Result<ScreenCapture::Picture>& picture) {
            if (!picture) {
                respond(fail(picture.error()));
                return;
            }
            respond(QJsonObject{{QStringLiteral("path"), picture->path},
                                {QStringLiteral("width"), picture->size.width()},
                                {QStringLiteral("height"), picture->size.height()}});
        });
    });
}

void MachineRequests::answerVerbs() {
    on("shutdown", [](MachineSession& session, const QJsonObject&, const Respond& respond) {
        session.shutDown(answerDone(respond));
    });
    on("forceOff", [](MachineSession& session, const QJsonObject&, const Respond& respond) {
        session.forceOff();
        respond(QJsonObject{});
    });
    on("pause", [](MachineSession& session, const QJsonObject&, const Respond& respond) {
        session.pause(answerDone(respond));
    });
    on("suspend", [](MachineSession& session, const QJsonObject&, const Respond& respond) {
        session.suspend(answerDone(respond));
    });
    on("resume", [](MachineSession& session, const QJsonObject&, const Respond& respond) {
        session.resume(answerDone(respond));
    });
}

void MachineRequests::answerForwards() {
    on("forward.list", [](MachineSession& session, const QJsonObject&, const Respond& respond) {
        QJsonArray list;
        for (const PortForward& forward : session.forwards().list()) {
            list.append(toJson(forward));
        }
        respond(QJsonObject{{QStringLiteral("forwards"), list}});
    });
    on("forward.add",
       [](MachineSession& session, const QJsonObject& parameters, const Respond& respond) {
           if (session.plan().network == NetworkMode::Bridged) {
               respond(fail(Error::Kind::Unsupported,
                            tr("The machine is bridged: it has an address of its own in the "
                               "network, and nothing is forwarded to it.")));
               return;
           }
           const auto hostPort = parameters.contains(QLatin1String("hostPort"))
                                     ? portOf(parameters, "hostPort")
                                     : std::optional<quint16>(quint16{0});
           const auto guestPort = portOf(parameters, "guestPort");
           if (!hostPort || !guestPort) {
               respond(fail(Error::Kind::InvalidInput,
                            tr("A forward needs a port of the guest from 1 to 65535 and a port of "
                               "this computer from 0 (any) to 65535.")));
               return;
           }
           session.forwards().add(
               {*hostPort, *guestPort}, [respond](const Result<PortForward>& forward) {
                   respond(forward ? Result<QJsonValue>(toJson(*forward)) : fail(forward.error()));
               });
       });
    on("forward.remove",
       [](MachineSession& session, const QJsonObject& parameters, const Respond& respond) {
           const auto hostPort = portOf(parameters, "hostPort");
           if (!hostPort) {
               respond(fail(Error::Kind::InvalidInput,
                            tr("Name the port of this computer, from 1 to 65535.")));
               return;
           }
           session.forwards().remove(*hostPort, answerDone(respond));
       });
}

void MachineRequests::answerAgent() {
    on("agent.exec",
       [this](MachineSession& session, const QJsonObject& parameters, const Respond& respond) {
           const QString path = parameters.value(QLatin1String("path")).toString();
           QStringList arguments;
           const QJsonArray words = parameters.value(QLatin1String("arguments")).toArray();
           for (const QJsonValue& word : words) {
               arguments.append(word.toString());
           }
           if (path.isEmpty()) {
               respond(fail(Error::Kind::InvalidInput, tr("Name the program to run.")));
               return;
           }
           const QByteArray input = QByteArray::fromBase64(
               parameters.value(QLatin1String("input")).toString().toLatin1());
           const int timeout =
               std::clamp(parameters.value(QLatin1String("timeout")).toInt(defaultExecTimeout),
                          100,
                          maximumExecTimeout);
           session.agent().run(path,
                               arguments,
                               input,
                               timeout,
                               [this, respond](const Result<GuestAgent::ExecResult>& result) {
                                   respond(result ? execToJson(*result, m_runtime.path())
                                                  : fail(result.error()));
                               });
       });
    on("agent.state",
       [](MachineSession& session, const QJsonObject& parameters, const Respond& respond) {
           const auto tell = [&session, respond](bool answers) {
               respond(QJsonObject{{QStringLiteral("opened"), session.agent().guestOpened()},
                                   {QStringLiteral("seen"), answers || session.agentSeen()},
                                   {QStringLiteral("answers"), answers}});
           };
           const int wait =
               std::clamp(parameters.value(QLatin1String("wait")).toInt(), 0, longestWaitForAgent);
           if (wait == 0 || !session.agent().guestOpened()) {
               tell(session.status().agentAnswers);
               return;
           }
           session.agent().execute(
               QStringLiteral("guest-ping"), {}, wait, [tell](const Result<QJsonValue>& answer) {
                   // An agent that refuses this command still answers.
                   tell(answer || answer.error().kind == Error::Kind::Unsupported);
               });
       });
    on("agent.interfaces", [](MachineSession& session, const QJsonObject&, const Respond& respond) {
        session.agent().interfaces(
            agentTimeout, [respond](const Result<QList<GuestAgent::Interface>>& answer) {
                if (!answer) {
                    respond(fail(answer.error()));
                    return;
                }
                QJsonArray list;
                for (const GuestAgent::Interface& entry : *answer) {
                    QJsonArray addresses;
                    for (const QHostAddress& address : entry.addresses) {
                        addresses.append(address.toString());
                    }
                    list.append(QJsonObject{{QStringLiteral("name"), entry.name},
                                            {QStringLiteral("mac"), entry.mac},
                                            {QStringLiteral("addresses"), addresses}});
                }
                respond(QJsonObject{{QStringLiteral("interfaces"), list}});
            });
    });
}

void MachineRequests::answerSnapshots() {
    on("snapshot.create",
       [this](MachineSession&, const QJsonObject& parameters, const Respond& respond) {
           const SnapshotTaker::Request request{
               parameters.value(QLatin1String("name")).toString().left(200),
               parameters.value(QLatin1String("memory")).toBool(true),
               parameters.value(QLatin1String("automatic")).toBool()};
           m_snapshots->take(request, [respond](const Result<Snapshot>& snapshot) {
               respond(snapshot ? Result<QJsonValue>(snapshot->toJson()) : fail(snapshot.error()));
           });
       });
    on("snapshot.progress", [this](MachineSession&, const QJsonObject&, const Respond& respond) {
        const Progress progress = m_snapshots->progress();
        respond(
            QJsonObject{{QStringLiteral("done"), static_cast<qint64>(progress.done)},
                        {QStringLiteral("total"), static_cast<qint64>(progress.total.value_or(0))},
                        {QStringLiteral("step"), progress.step}});
    });
    on("snapshot.cancel", [this](MachineSession&, const QJsonObject&, const Respond& respond) {
        m_snapshots->cancel();
        respond(QJsonObject{});
    });
}

void MachineRequests::answerChange() {
    m_server.on(QStringLiteral("change"),
                [this](const QJsonObject& parameters, const Respond& respond) {
                    change(parameters, respond);
                });
}

// config.json is not touched while the machine runs (contract 2): the change waits in vitrine.json.
void MachineRequests::change(const QJsonObject& parameters, const Respond& respond) {
    const Result<MachineChanges> changes = changesFromJson(parameters);
    if (!changes) {
        respond(fail(changes.error()));
        return;
    }
    if (Result<> valid = validateChanges(m_machine, *changes); !valid) {
        respond(fail(valid.error()));
        return;
    }
    const QList<PendingChange> added = toPending(*m_machine.config, m_machine.diskSize, *changes);
    const Result<> updated = Sidecar::update(m_folderPath, [&added](Sidecar& sidecar) {
        sidecar.pending = mergePending(sidecar.pending, added);
    });
    if (!updated) {
        respond(fail(updated.error()));
        return;
    }
    readPending();
    tellStatus();
    respond(status().toJson().value(QLatin1String("pending")));
}

void MachineRequests::readPending() {
    if (const Result<Sidecar> sidecar = Sidecar::read(m_folderPath)) {
        m_pending = sidecar->pending;
    }
}

MachineStatus MachineRequests::status() const {
    MachineStatus status;
    if (m_session) {
        status = m_session->status();
    } else {
        status.processId = QCoreApplication::applicationPid();
    }
    if (!m_preparing.isEmpty()) {
        status.note = m_preparing;
    }
    status.lastError = m_lastError;
    status.pending = m_pending;
    status.sshUser = m_shareRequests.sshUser();
    return status;
}

void MachineRequests::tellStatus() {
    m_statusTimer.stop();
    const MachineStatus now = status();
    if (now != m_told) {
        m_told = now;
        m_server.notify(QStringLiteral("status"), now.toJson());
    }
}

} // namespace vitrine::qemu
