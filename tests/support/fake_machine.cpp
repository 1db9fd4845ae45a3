// SPDX-License-Identifier: Apache-2.0
#include "tests/support/fake_machine.h"

#include "core/hypervisor/machine_changes.h"
#include "core/hypervisor/machine_exec.h"
#include "core/library/machine_operations.h"
#include "core/machine/sidecar.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QFile>
#include <QJsonArray>
#include <QTimer>

#include <algorithm>

namespace vitrine::test {

namespace {

// A whole PNG picture of one pixel.
const char* const onePixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgYGAAAAAEAAH2FzhVAAAAAElFTkSuQmCC";

} // namespace

FakeMachine::FakeMachine(Library library, QString name, QObject* parent)
    : QObject(parent)
    , m_library(std::move(library))
    , m_name(std::move(name))
    , m_directory(m_library.machinesPath() + QLatin1Char('/') + m_name) {}

FakeMachine::~FakeMachine() = default;

bool FakeMachine::start() {
    if (isRunning()) {
        return false;
    }
    m_held = HeldMachine::take(m_library, m_directory);
    if (!m_held) {
        return false;
    }
    QFile::remove(m_directory + QLatin1String("/state.qemu")); // it goes on
    m_status = {};
    m_status.state = MachineState::Running;
    m_status.processId = QCoreApplication::applicationPid();
    m_status.startedAt = QDateTime::currentDateTime();
    m_status.accelerator = QStringLiteral("none");
    m_status.sshPort = 22022;
    m_status.width = 1;
    m_status.height = 1;
    m_status.clipboard = QStringLiteral("waiting");
    m_server = std::make_unique<ControlServer>();
    answer();
    answerAgent();
    m_roles = std::make_unique<FakeRoles>(
        FakeRoles::Machine{m_library,
                           m_name,
                           m_directory,
                           &*m_held,
                           [this] { return m_status; },
                           [this](const MachineStatus& status) { setStatus(status); }},
        m_server.get());
    if (!m_server->listen(m_held->runtime.controlSocket())) {
        m_roles.reset();
        m_held.reset();
        return false;
    }
    tellEvent("started", QStringLiteral("The machine has started."));
    const int run = ++m_run;
    QTimer::singleShot(bootTime, this, [this, run] {
        if (run == m_run && isRunning()) {
            MachineStatus now = m_status;
            now.agentAnswers = true;
            now.address = QStringLiteral("10.0.2.15");
            now.addressSource = QStringLiteral("agent");
            setStatus(now);
            m_roles->agentOpened();
        }
    });
    return true;
}

void FakeMachine::end(const char* kind, const QString& text) {
    if (!isRunning()) {
        return;
    }
    setState(MachineState::Stopped);
    tellEvent(kind, text);
    const Result<QStringList> applied = applyPending(m_held->config, m_directory);
    Q_UNUSED(applied)
    m_server->close();
    m_roles.reset();
    m_held.reset();
}

void FakeMachine::setStatus(const MachineStatus& status) {
    m_status = status;
    m_server->notify(QStringLiteral("status"), m_status.toJson());
}

void FakeMachine::setState(MachineState state) {
    MachineStatus now = m_status;
    now.state = state;
    setStatus(now);
}

void FakeMachine::tellEvent(const char* kind, const QString& text) {
    const QJsonObject event{
        {QStringLiteral("kind"), QLatin1String(kind)},
        {QStringLiteral("text"), text},
        {QStringLiteral("time"), QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs)}};
    const Result<> kept =
        Sidecar::update(m_directory, [&event](Sidecar& sidecar) { sidecar.events.append(event); });
    Q_UNUSED(kept)
    m_server->notify(QStringLiteral("event"), event);
}

void FakeMachine::answer() {
    const auto later = [this](const std::function<void()>& act, int milliseconds) {
        const int run = m_run;
        QTimer::singleShot(milliseconds, this, [this, act, run] {
            if (run == m_run) {
                act();
            }
        });
    };
    const auto tell = [this](const QJsonObject&, const Respond& respond) {
        respond(m_status.toJson());
    };
    m_server->on(QStringLiteral("hello"), [this](const QJsonObject&, const Respond& respond) {
        QStringList methods = m_server->methods();
        methods.removeIf([this](const QString& method) { return unavailable.contains(method); });
        respond(QJsonObject{{QStringLiteral("protocol"), control::protocolVersion},
                            {QStringLiteral("program"), QStringLiteral(VITRINE_VERSION)},
                            {QStringLiteral("machine"), m_name},
                            {QStringLiteral("pid"), QCoreApplication::applicationPid()},
                            {QStringLiteral("methods"), QJsonArray::fromStringList(methods)},
                            {QStringLiteral("unavailable"), unavailable}});
    });
    m_server->on(QStringLiteral("status"), tell);
    m_server->on(QStringLiteral("subscribe"), tell);
    m_server->on(QStringLiteral("pause"), [this](const QJsonObject&, const Respond& respond) {
        if (m_status.state != MachineState::Paused) {
            setState(MachineState::Paused);
            tellEvent("paused", QStringLiteral("The machine was paused."));
        }
        respond(QJsonObject{});
    });
    m_server->on(QStringLiteral("resume"), [this](const QJsonObject&, const Respond& respond) {
        setState(MachineState::Running);
        respond(QJsonObject{});
    });
    m_server->on(
        QStringLiteral("suspend"), [this, later](const QJsonObject&, const Respond& respond) {
            setState(MachineState::Suspending);
            later(
                [this, respond] {
                    SmallLibrary::write(m_directory + QLatin1String("/state.qemu"), "memory");
                    respond(QJsonObject{});
                    end("suspended", QStringLiteral("The machine was suspended."));
                },
                shutdownTime);
        });
    m_server->on(QStringLiteral("shutdown"),
                 [this, later](const QJsonObject&, const Respond& respond) {
                     if (m_status.state != MachineState::ShuttingDown) {
                         setState(MachineState::ShuttingDown);
                         tellEvent("shutdown-requested",
                                   QStringLiteral("The guest was asked to shut down."));
                         later([this] { end("stopped", QStringLiteral("It has shut down.")); },
                               shutdownTime);
                     }
                     respond(QJsonObject{});
                 });
    m_server->on(QStringLiteral("forceOff"),
                 [this, later](const QJsonObject&, const Respond& respond) {
                     later([this] { end("forced-off", QStringLiteral("It was forced off.")); }, 0);
                     respond(QJsonObject{});
                 });
    m_server->on(QStringLiteral("screenshot"), [this](const QJsonObject&, const Respond& respond) {
        const QString path = m_held->runtime.path() + QLatin1String("/screen.png");
        SmallLibrary::write(path, QByteArray::fromBase64(onePixel));
        respond(QJsonObject{{QStringLiteral("path"), path},
                            {QStringLiteral("width"), 1},
                            {QStringLiteral("height"), 1}});
    });
    m_server->on(QStringLiteral("change"),
                 [this](const QJsonObject& parameters, const Respond& respond) {
                     respond(change(parameters));
                 });
}

void FakeMachine::answerAgent() {
    m_server->on(QStringLiteral("agent.interfaces"),
                 [](const QJsonObject&, const Respond& respond) {
                     const QJsonArray addresses{QStringLiteral("10.0.2.15")};
                     respond(QJsonObject{
                         {QStringLiteral("interfaces"),
                          QJsonArray{QJsonObject{{QStringLiteral("name"), QStringLiteral("eth0")},
                                                 {QStringLiteral("addresses"), addresses}}}}});
                 });
    m_server->on(QStringLiteral("agent.state"),
                 [this](const QJsonObject& parameters, const Respond& respond) {
                     const int wait = parameters.value(QLatin1String("wait")).toInt();
                     const auto tell = [this, respond] {
                         const bool answers = m_status.agentAnswers;
                         respond(QJsonObject{{QStringLiteral("opened"), agentOpened || answers},
                                             {QStringLiteral("seen"), answers},
                                             {QStringLiteral("answers"), answers}});
                     };
                     if (wait == 0 || !agentOpened || m_status.agentAnswers) {
                         tell();
                         return;
                     }
                     auto* look = new QTimer(m_server.get());
                     const QDeadlineTimer deadline(wait);
                     connect(look, &QTimer::timeout, this, [this, look, deadline, tell] {
                         if (m_status.agentAnswers || deadline.hasExpired()) {
                             look->deleteLater();
                             look->stop();
                             tell();
                         }
                     });
                     look->start(5);
                 });
    m_server->on(QStringLiteral("agent.exec"),
                 [this](const QJsonObject& parameters, const Respond& respond) {
                     respond(execute(parameters));
                 });
}

Result<QJsonValue> FakeMachine::execute(const QJsonObject& parameters) const {
    const QString path = parameters.value(QLatin1String("path")).toString();
    const QString program = path.section(QLatin1Char('/'), -1);
    const QString first = parameters.value(QLatin1String("arguments")).toArray().at(0).toString();
    GuestAgent::ExecResult result;
    if (path.isEmpty()) {
        return fail(Error::Kind::InvalidInput, QStringLiteral("Name the program to run."));
    }
    const auto place = m_roles->behind(first);
    if (program == QLatin1String("echo")) {
        QStringList words;
        const QJsonArray arguments = parameters.value(QLatin1String("arguments")).toArray();
        for (const QJsonValue& word : arguments) {
            words.append(word.toString());
        }
        result.standardOutput = words.join(QLatin1Char(' ')).toUtf8() + '\n';
    } else if (program == QLatin1String("cat")) {
        QFile file(place ? place->path : QString());
        result.exitCode = place && file.open(QIODevice::ReadOnly) ? 0 : 1;
        result.standardOutput = file.isOpen() ? file.readAll() : QByteArray();
    } else if (program == QLatin1String("touch")) {
        QFile file(place ? place->path : QString());
        const bool allowed = place && !place->readOnly;
        result.exitCode = allowed && file.open(QIODevice::ReadWrite) ? 0 : 1;
    } else if (program == QLatin1String("false")) {
        result.exitCode = 1;
    } else if (program != QLatin1String("true")) {
        return fail(Error::Kind::NotFound, QStringLiteral("No such file or directory."));
    }
    return execToJson(result, m_held->runtime.path());
}

Result<QJsonValue> FakeMachine::change(const QJsonObject& parameters) {
    const Result<MachineChanges> changes = changesFromJson(parameters);
    const Result<MachineInfo> machine = m_library.find(m_name);
    if (!changes || !machine) {
        return fail(changes ? machine.error() : changes.error());
    }
    if (Result<> valid = validateChanges(*machine, *changes); !valid) {
        return fail(valid.error());
    }
    const QList<PendingChange> added = toPending(*machine->config, machine->diskSize, *changes);
    MachineStatus now = m_status;
    const Result<> updated = Sidecar::update(m_directory, [&](Sidecar& sidecar) {
        now.pending = sidecar.pending = mergePending(sidecar.pending, added);
    });
    if (!updated) {
        return fail(updated.error());
    }
    setStatus(now);
    return now.toJson().value(QLatin1String("pending"));
}

} // namespace vitrine::test
