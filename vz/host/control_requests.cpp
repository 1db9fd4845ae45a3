// SPDX-License-Identifier: Apache-2.0
#include "vz/host/control_requests.h"

#include "core/hypervisor/machine_changes.h"
#include "core/job/in_worker.h"
#include "core/library/machine_operations.h"
#include "core/machine/sidecar.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>

#include <algorithm>
#include <array>
#include <utility>

namespace vitrine::vz {

namespace {

constexpr qint64 maximumLogText = 128 * 1024; // bytes of `log`
constexpr int vncPort = 5900;                 // of macOS's screen sharing

struct Unavailable {
    const char* method;
    const char* reason; // untranslated here
};
constexpr const char* ownAddress = QT_TRANSLATE_NOOP(
    "vitrine::Tr", "On a Mac a machine has an address of its own: reach its ports there.");
constexpr const char* noLiveDisk = QT_TRANSLATE_NOOP(
    "vitrine::Tr",
    "On a Mac the disks of a running machine cannot be changed. Shut it down first.");
constexpr const char* noLiveSnapshot = QT_TRANSLATE_NOOP(
    "vitrine::Tr",
    "On a Mac no snapshot is taken of a running machine. Suspend it or shut it down first.");
constexpr const char* ownClipboard = QT_TRANSLATE_NOOP(
    "vitrine::Tr",
    "On a Mac the system itself shares the clipboard with the guest, as it was chosen at the "
    "start.");
constexpr const char* oneAddress = QT_TRANSLATE_NOOP(
    "vitrine::Tr",
    "Tart's guest agent tells one address of the guest, which is in the machine's status, and not "
    "its network cards. Have a program of the guest list them: vitrinectl exec.");
constexpr const char* rulesOfTheStart = QT_TRANSLATE_NOOP(
    "vitrine::Tr",
    "On a Mac the rules of the network are those of the machine's start. Change them in Settings, "
    "and restart the machine.");
constexpr std::array unavailable{
    Unavailable{"forward.add", ownAddress},
    Unavailable{"forward.remove", ownAddress},
    Unavailable{"forward.list", ownAddress},
    Unavailable{"disk.list", noLiveDisk},
    Unavailable{"disk.grow", noLiveDisk},
    Unavailable{"snapshot.create", noLiveSnapshot},
    Unavailable{"snapshot.cancel", noLiveSnapshot},
    Unavailable{"snapshot.progress", noLiveSnapshot},
    Unavailable{"clipboard.offer", ownClipboard},
    Unavailable{"clipboard.get", ownClipboard},
    Unavailable{"clipboard.enable", ownClipboard},
    Unavailable{"agent.interfaces", oneAddress},
    Unavailable{"net.status", rulesOfTheStart},
    Unavailable{"net.policy.set", rulesOfTheStart},
    Unavailable{"net.policy.edit", rulesOfTheStart},
    Unavailable{"net.expose.add", rulesOfTheStart},
    Unavailable{"net.expose.remove", rulesOfTheStart},
    Unavailable{"net.learn", rulesOfTheStart},
    Unavailable{"net.destinations", rulesOfTheStart},
    Unavailable{"net.test", rulesOfTheStart},
    Unavailable{"net.stats", rulesOfTheStart},
};

QString logTail(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    file.seek(std::max<qint64>(0, file.size() - maximumLogText));
    return QString::fromLocal8Bit(file.read(maximumLogText));
}

Error starting() {
    return {Error::Kind::Busy, Tr::tr("The machine is just starting. Try again in a moment."), {}};
}

} // namespace

ControlRequests::ControlRequests(
    MachineInfo machine, QString folder, RuntimeDirectory runtime, Verbs verbs, QObject* parent)
    : QObject(parent)
    , m_machine(std::move(machine))
    , m_folder(std::move(folder))
    , m_runtime(std::move(runtime))
    , m_verbs(std::move(verbs)) {
    m_status.processId = QCoreApplication::applicationPid();
    m_status.accelerator = QStringLiteral("Virtualization.framework");
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &ControlRequests::tellStatus);
    answerState();
    answerVerbs();
    answerChange();
    answerUnavailable();
}

Result<> ControlRequests::listen() {
    readPending();
    return m_server.listen(m_runtime.controlSocket());
}

void ControlRequests::update(const std::function<void(MachineStatus&)>& edit) {
    edit(m_status);
    tellSoon();
}

void ControlRequests::setState(MachineState state) {
    m_status.state = state;
    tellStatus();
    const QList<Waiting> waiting = std::exchange(m_waiting, {});
    const bool ended = state == MachineState::Stopped || state == MachineState::Suspended;
    for (const Waiting& one : waiting) {
        if (one.state == state)
            one.respond(QJsonObject{});
        else if (ended)
            one.respond(fail(Error::Kind::NotRunning, tr("The machine does not run any more.")));
        else
            m_waiting << one;
    }
}

bool ControlRequests::verbFailed(const Error& error) {
    const QList<Waiting> waiting = std::exchange(m_waiting, {});
    for (const Waiting& one : waiting)
        one.respond(fail(error));
    return !waiting.isEmpty();
}

void ControlRequests::setRun(const RunOptions& options, const QString& terminal) {
    m_options = options;
    m_machine.state = MachineState::Running; // changes wait, its saved state is used up
    m_terminal = terminal;
}

void ControlRequests::setViewer(const QString& url) {
    m_viewer = url;
}

void ControlRequests::tellEvent(const QString& kind, const QString& text, const QDateTime& time) {
    m_server.notify(QStringLiteral("event"),
                    {{QStringLiteral("kind"), kind},
                     {QStringLiteral("text"), text},
                     {QStringLiteral("time"), time.toUTC().toString(Qt::ISODateWithMs)}});
}

void ControlRequests::close() {
    tellStatus();
    m_server.close();
}

void ControlRequests::answerState() {
    m_server.on(QStringLiteral("hello"), [this](const QJsonObject&, const Respond& respond) {
        QStringList methods = m_server.methods();
        methods.removeIf([this](const QString& method) { return m_unavailable.contains(method); });
        respond(QJsonObject{{QStringLiteral("protocol"), control::protocolVersion},
                            {QStringLiteral("program"), QStringLiteral(VITRINE_VERSION)},
                            {QStringLiteral("methods"), QJsonArray::fromStringList(methods)},
                            {QStringLiteral("unavailable"), m_unavailable},
                            {QStringLiteral("machine"), m_machine.name},
                            {QStringLiteral("pid"), QCoreApplication::applicationPid()}});
    });
    const auto tell = [this](const QJsonObject&, const Respond& respond) {
        respond(m_status.toJson());
    };
    m_server.on(QStringLiteral("status"), tell);
    m_server.on(QStringLiteral("subscribe"), tell);
    // Its screen is a view of the process that runs it: no socket leads there.
    m_server.on(QStringLiteral("display.info"), [this](const QJsonObject&, const Respond& respond) {
        respond(QJsonObject{{QStringLiteral("socket"), QString()},
                            {QStringLiteral("width"), m_status.width},
                            {QStringLiteral("height"), m_status.height}});
    });
    m_server.on(QStringLiteral("log"), [this](const QJsonObject&, const Respond& respond) {
        const QString path = m_runtime.logFile();
        inWorker(
            this,
            [path] { return logTail(path); },
            [path, respond](const QString& text) {
                respond(
                    QJsonObject{{QStringLiteral("path"), path}, {QStringLiteral("text"), text}});
            });
    });
    m_server.on(QStringLiteral("serial.info"), [this](const QJsonObject&, const Respond& respond) {
        respond(QJsonObject{{QStringLiteral("socket"), m_runtime.consoleSocket()},
                            {QStringLiteral("log"), QString()},
                            {QStringLiteral("pty"), m_terminal}});
    });
    m_server.on(QStringLiteral("viewers"), [this](const QJsonObject&, const Respond& respond) {
        QJsonObject viewers;
        if (!m_terminal.isEmpty())
            viewers.insert(QStringLiteral("serial"), m_terminal);
        if (!m_viewer.isEmpty())
            viewers.insert(
                QStringLiteral("vnc"),
                QJsonObject{{QStringLiteral("url"), m_viewer}, {QStringLiteral("port"), vncPort}});
        respond(viewers);
    });
    m_server.on(QStringLiteral("run.options"), [this](const QJsonObject&, const Respond& respond) {
        respond(m_options ? Result<QJsonValue>(
                                QJsonObject{{QStringLiteral("started"), m_options->toJson()},
                                            {QStringLiteral("now"), m_options->toJson()}})
                          : fail(starting()));
    });
}

// Answered when the state is reached, which may be at once.
void ControlRequests::verb(const char* method,
                           MachineState wanted,
                           std::function<void()> carryOut) {
    m_server.on(
        QLatin1String(method),
        [this, wanted, carryOut = std::move(carryOut)](const QJsonObject&, const Respond& respond) {
            if (m_status.state == wanted) {
                respond(QJsonObject{});
            } else if (!m_options || m_status.state == MachineState::Starting) {
                respond(fail(starting()));
            } else {
                m_waiting.append({wanted, respond});
                carryOut();
            }
        });
}

void ControlRequests::answerVerbs() {
    const auto atOnce = [this](const char* method, const std::function<void()>& carryOut) {
        m_server.on(QLatin1String(method), [carryOut](const QJsonObject&, const Respond& respond) {
            carryOut();
            respond(QJsonObject{});
        });
    };
    atOnce("shutdown", m_verbs.shutDown);
    atOnce("forceOff", m_verbs.forceOff);
    verb("pause", MachineState::Paused, m_verbs.pause);
    verb("resume", MachineState::Running, m_verbs.resume);
    verb("suspend", MachineState::Suspended, m_verbs.suspend);
}

// config.json is not touched while the machine runs (contract 2): the change waits in vitrine.json.
void ControlRequests::answerChange() {
    m_server.on(
        QStringLiteral("change"), [this](const QJsonObject& parameters, const Respond& respond) {
            const auto changes = changesFromJson(parameters);
            if (!changes) {
                respond(fail(changes.error()));
                return;
            }
            if (const auto valid = validateChanges(m_machine, *changes); !valid) {
                respond(fail(valid.error()));
                return;
            }
            const QList<PendingChange> added =
                toPending(*m_machine.config, m_machine.diskSize, *changes);
            inWorker(
                this,
                [folder = m_folder, added]() -> Result<QList<PendingChange>> {
                    QList<PendingChange> all;
                    const auto updated = Sidecar::update(folder, [&](Sidecar& sidecar) {
                        all = sidecar.pending = mergePending(sidecar.pending, added);
                    });
                    return updated ? Result<QList<PendingChange>>(all) : fail(updated.error());
                },
                [this, respond](const Result<QList<PendingChange>>& all) {
                    if (!all) {
                        respond(fail(all.error()));
                        return;
                    }
                    m_status.pending = *all;
                    tellStatus();
                    respond(m_status.toJson().value(QLatin1String("pending")));
                });
        });
}

void ControlRequests::answerUnavailable() {
    for (const Unavailable& one : unavailable)
        setUnavailable(QLatin1String(one.method), Tr::tr(one.reason));
}

void ControlRequests::setUnavailable(const QString& method, const QString& reason) {
    m_unavailable.insert(method, reason);
    m_server.on(method, [reason](const QJsonObject&, const Respond& respond) {
        respond(fail(Error::Kind::Unsupported, reason));
    });
}

void ControlRequests::readPending() {
    inWorker(
        this,
        [folder = m_folder] { return Sidecar::read(folder); },
        [this](const Result<Sidecar>& sidecar) {
            if (!sidecar)
                return;
            m_status.pending = sidecar->pending;
            m_status.sshUser = sidecar->sshUser;
            tellSoon();
        });
}

void ControlRequests::tellSoon() {
    if (!m_timer.isActive())
        m_timer.start(0);
}

void ControlRequests::tellStatus() {
    m_timer.stop();
    if (m_status == m_told)
        return;
    m_told = m_status;
    m_server.notify(QStringLiteral("status"), m_status.toJson());
}

} // namespace vitrine::vz
