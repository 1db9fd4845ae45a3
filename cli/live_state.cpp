// SPDX-License-Identifier: Apache-2.0
#include "cli/live_state.h"

#include "cli/output.h"
#include "core/hypervisor/machine_client.h"
#include "core/library/runtime_directory.h"

#include <QEventLoop>
#include <QTimer>

#include <algorithm>
#include <memory>
#include <vector>

namespace vitrine::cli {

namespace {

constexpr int answerTime = 2000; // ms, for all of them

struct Asked {
    MachineInfo* machine = nullptr;
    std::unique_ptr<MachineClient> client;
};

bool canBeAsked(const Library& library, const MachineInfo& machine) {
    if (machine.state != MachineState::Running || machine.holderPid <= 0)
        return false;
    const auto runtime = RuntimeDirectory::locate(library.home(), machine.directory);
    return runtime && runtime->isAlive(); // else it is another program's
}

void ask(const Library& library, const std::vector<MachineInfo*>& machines) {
    std::vector<Asked> asked;
    for (MachineInfo* const machine : machines)
        if (canBeAsked(library, *machine))
            asked.push_back(
                {machine, std::make_unique<MachineClient>(library.home(), machine->directory)});
    if (asked.empty())
        return;
    QEventLoop loop;
    const auto look = [&] {
        if (std::all_of(asked.cbegin(), asked.cend(), [](const Asked& one) {
                return one.client->isConnected();
            }))
            loop.quit();
    };
    for (const Asked& one : asked) {
        QObject::connect(one.client.get(), &MachineClient::connectedChanged, &loop, look);
        one.client->attach();
    }
    QTimer::singleShot(answerTime, &loop, &QEventLoop::quit);
    loop.exec();
    for (const Asked& one : asked) {
        const MachineStatus& status = one.client->status();
        if (!one.client->isConnected() || status.state != MachineState::Paused)
            continue;
        one.machine->state = MachineState::Paused;
        one.machine->brokenReason = status.note;
    }
}

} // namespace

void addLiveStates(const Library& library, QList<MachineInfo>& machines) {
    std::vector<MachineInfo*> all;
    for (MachineInfo& machine : machines)
        all.push_back(&machine);
    ask(library, all);
}

void addLiveState(const Library& library, MachineInfo& machine) {
    ask(library, {&machine});
}

QString pausedText(const MachineInfo& machine) {
    const QString name = plain(machine.name);
    return machine.brokenReason.isEmpty()
               ? Tr::tr("\"%1\" is paused. \"vitrinectl resume %1\" goes on with it.").arg(name)
               : Tr::tr("\"%1\" is paused: %2").arg(name, plain(machine.brokenReason));
}

} // namespace vitrine::cli
