// SPDX-License-Identifier: Apache-2.0
#include "cli/running_machine.h"

#include "core/library/runtime_directory.h"

#include <QDeadlineTimer>
#include <QEventLoop>
#include <QTimer>

#include <poll.h>

namespace vitrine::cli {

namespace {

constexpr int connectTime = 5000; // ms
// From taking the lock to taking `alive` a process of ours needs milliseconds.
constexpr int claimTime = 500;   // ms
constexpr int pollInterval = 20; // ms
constexpr int freeInterval = 50; // ms
constexpr int briefPause = 1;    // s

bool isOurs(const Library& library, const QString& machineDirectory) {
    const auto runtime = RuntimeDirectory::locate(library.home(), machineDirectory);
    if (!runtime)
        return false;
    const QDeadlineTimer deadline(claimTime);
    while (!runtime->isAlive()) {
        if (deadline.hasExpired())
            return false;
        ::poll(nullptr, 0, pollInterval);
    }
    return true;
}

} // namespace

std::unique_ptr<MachineClient> connectToProcess(const Library& library,
                                                const QString& machineDirectory,
                                                int timeoutMilliseconds,
                                                QString* refusal) {
    if (!isOurs(library, machineDirectory))
        return nullptr;
    auto client = std::make_unique<MachineClient>(library.home(), machineDirectory);
    if (!client->waitForConnected(timeoutMilliseconds)) {
        if (refusal)
            *refusal = client->status().lastError;
        return nullptr;
    }
    return client;
}

bool isRunByUs(const Library& library, const QString& machineDirectory) {
    const auto runtime = RuntimeDirectory::locate(library.home(), machineDirectory);
    return runtime && runtime->isAlive();
}

Result<ConnectedMachine> connectToMachine(const Library& library, const std::string& name) {
    auto machine = findMachine(library, name);
    if (!machine)
        return fail(machine.error());
    // Without a lock on config.json, which another program may have replaced, `alive` still tells.
    const bool alive = isRunByUs(library, machine->directory);
    if (machine->holderPid == 0 && !alive && machine->state != MachineState::RunningElsewhere)
        return fail(Error::Kind::NotRunning,
                    Tr::tr("The machine \"%1\" is not running.").arg(machine->name));
    std::unique_ptr<MachineClient> client;
    QString refusal;
    if (machine->holderPid > 0 || alive)
        client = connectToProcess(library, machine->directory, connectTime, &refusal);
    if (!client && !refusal.isEmpty())
        return fail(Error::Kind::Busy, refusal);
    if (!client && machine->holderPid == 0 && alive)
        return fail(Error::Kind::Busy,
                    Tr::tr("The machine \"%1\" is about to stop, or its process does not answer. "
                           "Try again, or end it with vitrinectl stop --force.")
                        .arg(machine->name));
    if (!client)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The machine \"%1\" is run by another program (process %2), which "
                           "cannot be asked.")
                        .arg(machine->name)
                        .arg(machine->holderPid));
    return ConnectedMachine{*std::move(machine), std::move(client)};
}

bool isFree(const Library& library, const QString& machineDirectory) {
    qint64 holder = 0;
    const MachineState state = library.stateOf(machineDirectory, &holder);
    if (holder != 0 || (state != MachineState::Stopped && state != MachineState::Suspended &&
                        state != MachineState::Broken))
        return false;
    // A broken one may run: its config.json was removed or replaced meanwhile.
    return !isRunByUs(library, machineDirectory);
}

bool waitUntilFree(const Library& library,
                   const QString& machineDirectory,
                   QDeadlineTimer deadline) {
    while (!isFree(library, machineDirectory)) {
        if (deadline.hasExpired())
            return false;
        ::poll(nullptr, 0, freeInterval);
    }
    return true;
}

Result<> refusePaused(const QString& name, MachineClient& client) {
    // A snapshot stops the guest for a moment.
    if (waitForStatus(client, briefPause, [](const MachineStatus& status) {
            return status.state != MachineState::Paused;
        }))
        return {};
    const QString& reason = client.status().note;
    const QString paused = reason.isEmpty() ? Tr::tr("\"%1\" is paused.").arg(name)
                                            : Tr::tr("\"%1\" is paused: %2").arg(name, reason);
    return fail(
        Error::Kind::Busy,
        Tr::tr("%1 Nothing was done. Go on with it first: vitrinectl resume %2").arg(paused, name));
}

bool waitForStatus(MachineClient& client,
                   int seconds,
                   const std::function<bool(const MachineStatus&)>& reached) {
    if (reached(client.status()))
        return true;
    if (seconds <= 0)
        return false;
    QEventLoop loop;
    const auto look = [&] {
        if (reached(client.status()) || !client.isConnected())
            loop.quit();
    };
    QObject::connect(&client, &MachineClient::statusChanged, &loop, look);
    QObject::connect(&client, &MachineClient::connectedChanged, &loop, look);
    QTimer::singleShot(seconds * 1000, &loop, &QEventLoop::quit);
    loop.exec();
    return reached(client.status());
}

} // namespace vitrine::cli
