// SPDX-License-Identifier: Apache-2.0
#include "cli/running_machine.h"

#include <QEventLoop>
#include <QTimer>

namespace vitrine::cli {

namespace {

constexpr int connectTime = 5000; // ms

} // namespace

Result<ConnectedMachine> connectToMachine(const Library& library, const std::string& name) {
    auto machine = findMachine(library, name);
    if (!machine)
        return fail(machine.error());
    if (machine->holderPid == 0 && machine->state != MachineState::RunningElsewhere)
        return fail(Error::Kind::NotRunning,
                    Tr::tr("The machine \"%1\" is not running.").arg(machine->name));
    auto client = std::make_unique<MachineClient>(library.home(), machine->directory);
    if (machine->holderPid <= 0 || !client->waitForConnected(connectTime))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The machine \"%1\" is run by another program (process %2), which "
                           "cannot be asked.")
                        .arg(machine->name)
                        .arg(machine->holderPid));
    return ConnectedMachine{*std::move(machine), std::move(client)};
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
