// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_client.h"
#include "core/library/library.h"

#include <QString>
#include <QStringList>

#include <memory>

namespace vitrine::test {

// What the contract suite needs of a machine: start it, talk to it through its client. Everything
// else the suite finds out as any other program would, from the library and the socket.
class ContractMachine {
public:
    virtual ~ContractMachine() = default;
    // Starts it; returns before the guest has booted. Stopped before.
    virtual bool start() = 0;
    // Its process has ended and let everything go.
    virtual bool waitForEnd() = 0;
    // What starting it a second time ends with, as an exit code.
    virtual int exitCodeOfSecondStart() = 0;
    [[nodiscard]] virtual const Library& library() const = 0;
    [[nodiscard]] virtual QString name() const = 0;
    // Requests that the backend cannot have, which `hello` must tell so.
    [[nodiscard]] virtual QStringList unavailable() const { return {}; }
    // Requests that a fake leaves out.
    [[nodiscard]] virtual QStringList notPlayed() const { return {}; }
    // Its screen is on a socket, or a view of its process.
    [[nodiscard]] virtual bool hasDisplaySocket() const { return true; }
    [[nodiscard]] virtual bool renamesShares() const { return true; }
    [[nodiscard]] virtual bool logsSerialLine() const { return true; }
    // Whether this run cannot be suspended because nobody wished for it; the next one can.
    virtual bool suspendsOnlyOnWish() { return false; }
    [[nodiscard]] QString directory() const {
        return library().machinesPath() + QLatin1Char('/') + name();
    }
};

// The one that this program tests: the fake, QEMU with a real guest, or one that a window hosts.
[[nodiscard]] std::unique_ptr<ContractMachine> makeContractMachine();

} // namespace vitrine::test
