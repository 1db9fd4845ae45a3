// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.h"
#include "core/hypervisor/machine_client.h"

#include <QDeadlineTimer>

#include <functional>
#include <memory>

namespace vitrine::cli {

// Connects to the process of a running machine; nullptr when it is another program's or does not
// answer. Waits up to `timeoutMilliseconds`, for another program's half a second. `refusal`: what
// the process said when it did not take the connection.
[[nodiscard]] std::unique_ptr<MachineClient> connectToProcess(const Library& library,
                                                              const QString& machineDirectory,
                                                              int timeoutMilliseconds,
                                                              QString* refusal = nullptr);

// A machine that runs, with a connection to its process.
struct ConnectedMachine {
    MachineInfo info;
    std::unique_ptr<MachineClient> client;
};
// NotRunning when it is stopped; Unsupported when another program runs it; Busy when its process
// takes no more connections. Waits up to 5 s for the
// machine's process to answer.
[[nodiscard]] Result<ConnectedMachine> connectToMachine(const Library& library,
                                                        const std::string& name);

// A process of ours holds the machine, whether or not it answers.
[[nodiscard]] bool isRunByUs(const Library& library, const QString& machineDirectory);

// Nobody runs the machine, and no process of a run has its files.
[[nodiscard]] bool isFree(const Library& library, const QString& machineDirectory);
// Waits for that; false when the time is over. After the holder's death other processes of the
// machine keep its files for a moment.
bool waitUntilFree(const Library& library,
                   const QString& machineDirectory,
                   QDeadlineTimer deadline);

// Busy, with how to go on, when the machine is paused: its guest answers nothing.
[[nodiscard]] Result<> refusePaused(const QString& name, MachineClient& client);

// Handles the connection's events until `reached` says true, `seconds` are over or the connection
// is gone. True when it was reached.
bool waitForStatus(MachineClient& client,
                   int seconds,
                   const std::function<bool(const MachineStatus&)>& reached);

} // namespace vitrine::cli
