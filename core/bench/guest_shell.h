// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/executor.h"
#include "core/guest/ssh_arguments.h"
#include "core/hypervisor/machine_client.h"

#include <QStringList>

#include <memory>

namespace vitrine::bench {

// One of the ways into a guest: what it says is untrusted.
class GuestShell {
public:
    GuestShell() = default;
    GuestShell(const GuestShell&) = delete;
    GuestShell& operator=(const GuestShell&) = delete;
    virtual ~GuestShell() = default;

    // A script of the guest's /bin/sh with its arguments ($1, …), to its end. Cancelled at once
    // when `stop` is asked for: what it started may then go on in the guest. Executor::Output's
    // seconds are those of this computer, with the way there and back. Timeout after `limit` ms,
    // NotRunning when the machine has ended.
    [[nodiscard]] virtual Result<Executor::Output>
    run(const QString& script, const QStringList& arguments, std::stop_token stop, int limit) = 0;

    static constexpr int longest = 24 * 60 * 60 * 1000; // ms: what the machine's process allows
};

// As root, through the guest's agent and the machine's process. The client must outlive it.
[[nodiscard]] std::unique_ptr<GuestShell> agentShell(MachineClient& client);

// Over ssh with the keys that it finds by itself, else with the password that `askPass`, a program,
// prints. Host keys are kept in the machine's directory.
[[nodiscard]] std::unique_ptr<GuestShell>
sshShell(const SshTarget& target, const QString& machineDirectory, const QString& askPass);

} // namespace vitrine::bench
