// SPDX-License-Identifier: Apache-2.0
#include "ui/machines/machine_clients.h"

#include "core/credentials/credential_store.h"
#include "core/hypervisor/machine_host.h"
#include "core/hypervisor/machine_launcher.h"
#include "core/machine/mac_options.h"
#include "core/machine/sidecar.h"
#include "ui/machines/background.h"
#include "ui/machines/process_watch.h"

#include <QJsonObject>
#include <QPointer>
#include <QProcess>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr int suspendPatience = 24 * 60 * 60 * 1000; // ms; memory may be large, a disk slow

} // namespace

MachineClients::MachineClients(LibraryModel* library, QObject* parent)
    : MachineClients(library, nullptr, parent) {}

MachineClients::MachineClients(LibraryModel* library, MachineHost* host, QObject* parent)
    : QObject(parent)
    , m_library(library)
    , m_host(host) {
    if (m_host != nullptr) {
        connect(m_host, &MachineHost::ended, this, &MachineClients::hostedEnded);
        connect(m_host, &MachineHost::machinesChanged, this, &MachineClients::hostedChanged);
    }
    // Many rows change at once when the library is read; one look afterwards is enough.
    m_follow.setSingleShot(true);
    m_follow.setInterval(0);
    connect(&m_follow, &QTimer::timeout, this, &MachineClients::followLibrary);
    const auto later = [this] {
        if (!m_follow.isActive()) {
            m_follow.start();
        }
    };
    connect(m_library, &LibraryModel::loaded, this, later);
    connect(m_library, &QAbstractItemModel::dataChanged, this, later);
    connect(m_library, &QAbstractItemModel::rowsInserted, this, later);
    connect(m_library, &QAbstractItemModel::rowsRemoved, this, later);
    connect(m_library, &QAbstractItemModel::modelReset, this, later);
    if (m_library->isLoaded()) {
        later();
    }
    connect(&m_pulse, &QTimer::timeout, this, &MachineClients::feelPulses);
    setPulse(5000);
}

MachineClients::~MachineClients() {
    for (auto& [name, entry] : m_entries) {
        entry.client->disconnect(this);
    }
}

MachineClient* MachineClients::client(const QString& name) const {
    const auto found = m_entries.find(name);
    return found == m_entries.end() ? nullptr : found->second.client.get();
}

const MachineStatus* MachineClients::status(const QString& name) const {
    const MachineClient* machine = client(name);
    return machine != nullptr && machine->isConnected() ? &machine->status() : nullptr;
}

bool MachineClients::isStarting(const QString& name) const {
    const auto found = m_entries.find(name);
    return found != m_entries.end() && found->second.isStarting();
}

QStringList MachineClients::runningNames() const {
    QStringList names;
    for (const auto& [name, entry] : m_entries) {
        if (entry.client->isConnected() || entry.isStarting()) {
            names.append(name);
        }
    }
    return names;
}

QStringList MachineClients::hostedNames() const {
    QStringList names = m_host != nullptr ? m_host->machines() : QStringList();
    for (const auto& [name, entry] : m_entries) {
        if (entry.hosted && entry.isStarting() && !names.contains(name)) {
            names.append(name);
        }
    }
    names.sort();
    return names;
}

void MachineClients::followLibrary() {
    QStringList seen;
    for (int row = 0; row < m_library->rowCount(); ++row) {
        const MachineInfo* info = m_library->infoAt(row);
        if (info != nullptr && !info->isImage) {
            follow(*info);
            seen.append(info->name);
        }
    }
    QStringList gone;
    for (const auto& [name, entry] : m_entries) {
        if (!seen.contains(name) && !entry.isStarting()) {
            gone.append(name);
        }
    }
    for (const QString& name : std::as_const(gone)) {
        remove(name);
    }
}

void MachineClients::follow(const MachineInfo& info) {
    const auto found = m_entries.find(info.name);
    const bool held = info.holderPid > 0;
    if (held && found == m_entries.end()) {
        entryFor(info.name, info.directory);
        waitForAnswer(info.name);
        Q_EMIT clientChanged(info.name);
    } else if (!held && found != m_entries.end() && !found->second.isStarting() &&
               !found->second.client->isConnected()) {
        remove(info.name);
    }
}

MachineClients::Entry& MachineClients::entryFor(const QString& name, const QString& directory) {
    const auto found = m_entries.find(name);
    if (found != m_entries.end()) {
        return found->second;
    }
    Entry& entry = m_entries[name];
    entry.directory = directory;
    entry.client = std::make_unique<MachineClient>(m_library->library().home(), directory);
    MachineClient* machine = entry.client.get();
    connect(
        machine, &MachineClient::connectedChanged, this, [this, name] { connectionChanged(name); });
    connect(machine, &MachineClient::statusChanged, this, [this, name] { clientSpoke(name); });
    connect(machine,
            &MachineClient::eventHappened,
            this,
            [this, name](const QString& kind, const QString& text, const QDateTime& time) {
                Q_EMIT eventHappened(name, kind, text, time);
            });
    machine->attach();
    return entry;
}

void MachineClients::remove(const QString& name) {
    const auto found = m_entries.find(name);
    if (found == m_entries.end()) {
        return;
    }
    // The client may be the sender of the signal that led here.
    MachineClient* machine = found->second.client.release();
    machine->disconnect(this);
    machine->deleteLater();
    const bool hosted = found->second.hosted;
    m_entries.erase(found);
    m_library->overlayState(name, std::nullopt);
    Q_EMIT clientChanged(name);
    if (hosted) {
        Q_EMIT hostedChanged(); // it did not start
    }
    Q_EMIT statusChanged(name);
}

void MachineClients::connectionChanged(const QString& name) {
    Entry& entry = m_entries.at(name);
    if (entry.client->isConnected()) {
        entry.wasConnected = true;
        entry.elsewhere = false;
        entry.answerLimit.reset();
        clientSpoke(name);
        return;
    }
    entry.shutDownLimit.reset();
    waitForAnswer(name);
    overlay(name);
    Q_EMIT statusChanged(name);
    if (entry.wasConnected && !entry.isStarting() && !entry.hosted) {
        entry.wasConnected = false;
        Q_EMIT ended(name, entry.lastError);
    }
    m_library->refresh(); // is the lock free now?
}

void MachineClients::clientSpoke(const QString& name) {
    const auto found = m_entries.find(name);
    if (found == m_entries.end() || !found->second.client->isConnected()) {
        return;
    }
    Entry& entry = found->second;
    const MachineStatus& now = entry.client->status();
    entry.lastError = now.lastError;
    entry.silent = false;
    if (entry.process != nullptr && now.state != MachineState::Starting) {
        entry.process.release()->deleteLater();
    }
    if (entry.hosted && now.state != MachineState::Starting) {
        entry.launching = false;
    }
    if (now.state != MachineState::ShuttingDown && now.state != MachineState::Running) {
        entry.shutDownLimit.reset();
    }
    overlay(name);
    Q_EMIT statusChanged(name);
}

void MachineClients::overlay(const QString& name) {
    const Entry& entry = m_entries.at(name);
    std::optional<MachineState> state;
    if (entry.client->isConnected()) {
        state = entry.client->status().state;
    } else if (entry.isStarting()) {
        state = MachineState::Starting;
    } else if (entry.elsewhere) {
        state = MachineState::RunningElsewhere;
    }
    const bool responding =
        !entry.client->isConnected() || (!entry.silent && entry.client->status().responding);
    m_library->overlayState(name, state, responding);
}

// A process that is stopped or stuck keeps its connection: only a question shows it.
void MachineClients::feelPulses() {
    for (auto& [name, entry] : m_entries) {
        if (entry.pulsing || !entry.client->isConnected()) {
            continue;
        }
        entry.pulsing = true;
        entry.client->call(
            QStringLiteral("status"),
            {},
            [this, name = name](const Result<QJsonValue>& answer) {
                const auto found = m_entries.find(name);
                if (found == m_entries.end()) {
                    return;
                }
                found->second.pulsing = false;
                setSilent(name, !answer && answer.error().kind == Error::Kind::Timeout);
            },
            m_pulse.interval());
    }
}

void MachineClients::setSilent(const QString& name, bool silent) {
    Entry& entry = m_entries.at(name);
    if (entry.silent != silent) {
        entry.silent = silent;
        overlay(name);
        Q_EMIT statusChanged(name);
    }
}

void MachineClients::waitForAnswer(const QString& name) {
    Entry& entry = m_entries.at(name);
    entry.answerLimit = std::make_unique<QTimer>();
    entry.answerLimit->setSingleShot(true);
    connect(entry.answerLimit.get(), &QTimer::timeout, this, [this, name] {
        const auto found = m_entries.find(name);
        if (found == m_entries.end() || found->second.client->isConnected() ||
            found->second.isStarting())
            return;
        found->second.elsewhere = true;
        overlay(name);
        Q_EMIT statusChanged(name);
    });
    entry.answerLimit->start(m_answerPatience);
}

void MachineClients::start(const QString& name, StartMode mode) {
    const MachineInfo* info = m_library->infoAt(m_library->rowOf(name));
    if (info == nullptr || isStarting(name)) {
        return;
    }
    beginStart(*info);
    if (m_host != nullptr) {
        startHosted(name, mode);
        return;
    }
    QStringList extra;
    if (mode == StartMode::Recovery) {
        extra << QStringLiteral("--recovery");
    }
    // Starting a process takes longer than the window's thread may stand still.
    inBackground(
        this,
        [library = m_library->library(), name, extra] {
            return launchMachine(library, name, extra);
        },
        [this, name](const Result<LaunchedMachine>& machine) { launched(name, machine); });
}

void MachineClients::beginStart(const MachineInfo& info) {
    const QString name = info.name;
    Entry& entry = entryFor(name, info.directory);
    entry.lastError.clear();
    entry.wasConnected = false;
    entry.launching = true;
    entry.launchedAt = QDateTime::currentDateTime();
    overlay(name);
    Q_EMIT clientChanged(name);
    Q_EMIT statusChanged(name);
}

void MachineClients::launched(const QString& name, const Result<LaunchedMachine>& machine) {
    const auto found = m_entries.find(name);
    if (found == m_entries.end()) {
        return;
    }
    Entry& entry = found->second;
    entry.launching = false;
    if (!machine) {
        runInBackground([directory = entry.directory, error = machine.error().message] {
            keepStartFailure(directory, error, QDateTime::currentDateTime());
        });
        remove(name);
        Q_EMIT startFailed(name, {machine.error().message, {}, {}});
        return;
    }
    entry.outputFile = machine->outputFile;
    m_outputs.insert(name, machine->outputFile);
    if (entry.client->isConnected() && entry.client->status().state != MachineState::Starting) {
        return; // faster than this
    }
    entry.process = std::make_unique<ProcessWatch>(machine->processId);
    connect(entry.process.get(), &ProcessWatch::ended, this, [this, name] {
        launchedProcessEnded(name);
    });
    entry.client->attach();
}

void MachineClients::launchedProcessEnded(const QString& name) {
    const auto found = m_entries.find(name);
    if (found == m_entries.end() || found->second.process == nullptr) {
        return;
    }
    found->second.process.release()->deleteLater();
    tellFailure(name, found->second.lastError);
}

// Why it did not start, as far as it said so, and what it wrote. Forgets the machine first.
void MachineClients::tellFailure(const QString& name, const QString& said) {
    const Entry& entry = m_entries.at(name);
    const FailedStart start{
        entry.directory, said, entry.outputFile, entry.client->logFile(), entry.launchedAt};
    remove(name);
    m_library->refresh();
    inBackground(
        this,
        [start] { return failureOf(start); },
        [this, name](const StartFailure& failure) { Q_EMIT startFailed(name, failure); });
}

void MachineClients::startHosted(const QString& name, StartMode mode) {
    m_entries.at(name).hosted = true;
    inBackground(
        this,
        [directory = m_entries.at(name).directory] { return Sidecar::read(directory); },
        [this, name, mode](const Result<Sidecar>& stored) {
            if (!stored) {
                hostedStarted(name, tl::unexpected(stored.error()));
                return;
            }
            Hypervisor::RunRequest request{m_library->library(), name, stored->run};
            request.recovery = mode == StartMode::Recovery;
            request.capturesSystemKeys = MacOptions::of(stored->run).captureSystemKeys;
            startHosted(request, {});
        });
}

void MachineClients::startHosted(const Hypervisor::RunRequest& request,
                                 std::function<void(const Result<>&)> started) {
    m_host->start(request,
                  [self = QPointer<MachineClients>(this),
                   name = request.name,
                   started = std::move(started)](const Result<>& result) {
                      if (self) {
                          self->hostedStarted(name, result);
                      }
                      if (started) {
                          started(result);
                      }
                  });
}

void MachineClients::start(const Hypervisor::RunRequest& request,
                           std::function<void(const Result<>&)> started) {
    const QString name = request.name;
    const MachineInfo* info = m_library->infoAt(m_library->rowOf(name));
    if (info == nullptr || m_host == nullptr) {
        started(fail(Error::Kind::Unsupported,
                     tr("This window cannot start \"%1\". Run it with --no-graphics.").arg(name)));
        return;
    }
    if (isStarting(name) || status(name) != nullptr || m_host->machines().contains(name)) {
        started(fail(Error::Kind::AlreadyRunning,
                     tr("The machine \"%1\" is running already.").arg(name)));
        return;
    }
    beginStart(*info);
    m_entries.at(name).hosted = true;
    startHosted(request, std::move(started));
}

void MachineClients::hostedStarted(const QString& name, const Result<>& result) {
    const auto found = m_entries.find(name);
    if (found == m_entries.end()) {
        return;
    }
    if (!result && result.error().isCancelled()) {
        remove(name); // shut down before there was a guest
        m_library->refresh();
        return;
    }
    if (!result) {
        tellFailure(name, result.error().message);
        return;
    }
    // From its first words on it is shown as what it says.
    found->second.launching = !found->second.client->isConnected();
    found->second.client->attach();
    m_library->refresh();
}

void MachineClients::hostedEnded(const QString& name, const std::optional<Error>& error) {
    const auto found = m_entries.find(name);
    QString reason = error ? error->message : QString();
    if (found != m_entries.end()) {
        if (!error) {
            reason = found->second.lastError;
        }
        found->second.hosted = false;
        found->second.launching = false;
        found->second.wasConnected = false;
        overlay(name);
    }
    Q_EMIT ended(name, reason);
    m_library->refresh(); // forgets it when its lock is free
}

void MachineClients::call(const QString& name,
                          const QString& method,
                          const QJsonObject& parameters,
                          MachineClient::Reply reply) {
    if (MachineClient* machine = client(name)) {
        machine->call(method, parameters, std::move(reply));
        return;
    }
    reply(fail(Error::Kind::NotRunning, tr("\"%1\" is not running. Start it first.").arg(name)));
}

void MachineClients::simpleCall(const QString& name, const QString& method) {
    call(name, method, {}, [this, name](const Result<QJsonValue>& answer) {
        if (!answer) {
            Q_EMIT actionFailed(name, answer.error());
        }
    });
}

void MachineClients::pause(const QString& name) {
    simpleCall(name, QStringLiteral("pause"));
}

void MachineClients::resume(const QString& name) {
    simpleCall(name, QStringLiteral("resume"));
}

void MachineClients::suspend(const QString& name) {
    MachineClient* const machine = client(name);
    if (machine == nullptr || !machine->supports(QStringLiteral("suspend"))) {
        Q_EMIT actionFailed(
            name,
            {Error::Kind::Unsupported,
             tr("\"%1\" cannot be suspended: its process does not know how to. Shut it down "
                "instead.")
                 .arg(name),
             {}});
        return;
    }
    machine->call(
        QStringLiteral("suspend"),
        {},
        [this, name](const Result<QJsonValue>& answer) {
            if (!answer) {
                Q_EMIT actionFailed(name, answer.error());
            }
        },
        suspendPatience);
}

void MachineClients::forceOff(const QString& name) {
    MachineClient* machine = client(name);
    if (machine == nullptr) {
        simpleCall(name, QStringLiteral("forceOff"));
        return;
    }
    const auto answered = [this, name](const Result<QJsonValue>& answer) {
        if (!answer) {
            killProcess(name);
        }
    };
    machine->call(QStringLiteral("forceOff"), {}, answered, m_forceOffPatience);
}

// The machine's process hangs. The command line knows how to end it, and the window never waits.
void MachineClients::killProcess(const QString& name) {
    auto* process = new QProcess(this);
    QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
    environment.insert(QStringLiteral("VITRINE_HOME"), m_library->library().home());
    process->setProcessEnvironment(environment);
    process->setStandardInputFile(QProcess::nullDevice());
    process->setProgram(vitrinectlPath());
    process->setArguments({QStringLiteral("stop"), QStringLiteral("--force"), name});
    const auto failed = [this, name, process](const QString& why) {
        process->deleteLater();
        Q_EMIT actionFailed(name,
                            Error{Error::Kind::Internal,
                                  tr("\"%1\" could not be forced off. %2").arg(name, why),
                                  {}});
    };
    connect(
        process, &QProcess::errorOccurred, this, [process, failed](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart) {
                failed(process->errorString());
            }
        });
    connect(process,
            &QProcess::finished,
            this,
            [process, failed](int exitCode, QProcess::ExitStatus status) {
                // 2: it had stopped by itself.
                if ((exitCode == 0 || exitCode == 2) && status == QProcess::NormalExit) {
                    process->deleteLater();
                    return;
                }
                failed(QString::fromUtf8(process->readAllStandardError().right(2000)).trimmed());
            });
    process->start();
}

void MachineClients::shutDown(const QString& name) {
    const auto found = m_entries.find(name);
    if (found != m_entries.end()) {
        auto limit = std::make_unique<QTimer>();
        limit->setSingleShot(true);
        connect(
            limit.get(), &QTimer::timeout, this, [this, name] { Q_EMIT shutDownIgnored(name); });
        limit->start(m_patience);
        found->second.shutDownLimit = std::move(limit);
    }
    simpleCall(name, QStringLiteral("shutdown"));
}

} // namespace vitrine::ui
