// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/library/machine_info.h"
#include "core/result/result.h"

#include <QString>
#include <QStringList>

namespace vitrine::cli {

// Tart's guest agent through `control.sock` in the machine's directory, which the program that runs
// the machine makes on a Mac. Main thread, without another event loop.

// NotFound when nobody listens there.
[[nodiscard]] Result<FileDescriptor> connectToControlSocket(const MachineInfo& machine);

struct GuestCommand {
    QStringList words;
    bool input = false;    // standard input is passed on
    bool terminal = false; // a terminal in the guest; ours is raw meanwhile if input is passed on
};
// Runs it with our standard streams; the exit code as TartAgent tells it. SIGINT, SIGTERM and
// SIGHUP end it: Cancelled. Errors as of TartAgent; Timeout and Unsupported mean that it was not
// run.
[[nodiscard]] Result<int> runInGuest(FileDescriptor connection, const GuestCommand& command);

// Once, and then each second until `seconds` are over (specification 6.1). Timeout when no agent
// told an address.
[[nodiscard]] Result<QString> waitForAgentAddress(const MachineInfo& machine, int seconds);

} // namespace vitrine::cli
