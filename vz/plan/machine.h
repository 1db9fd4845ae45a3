// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "vz/plan/display_policy.h"
#include "vz/plan/lifecycle.h"
#include "vz/plan/machine_plan.h"
#include "vz/plan/share_set.h"

#include <functional>
#include <memory>
#include <optional>

namespace vitrine::vz {

// What a Machine tells. On the window's thread, which is the framework's main queue; possibly from
// inside a nested event loop.
class MachineEvents {
public:
    virtual ~MachineEvents() = default;
    virtual void stateChanged(VmState state) = 0;
    virtual void guestStopped() = 0;
    virtual void stoppedWithError(const VzFailure& failure) = 0;
    // The card's attachment is gone; repeatedly while the guest boots.
    virtual void networkDropped(int card, const VzFailure& failure) = 0;
    virtual void diskFailed(int disk, const VzFailure& failure) = 0; // a network disk, for good
    virtual void displayReconfigured() = 0;
};

// One VZVirtualMachine. Main thread only. A completion is called exactly once from the event loop,
// with the failure if there was one, and never after this was destroyed.
class Machine {
public:
    using Completion = std::function<void(std::optional<VzFailure>)>;
    // The descriptor is the receiver's own.
    using Connection = std::function<void(Result<int>)>;
    using Incoming = std::function<void(int)>; // so here
    virtual ~Machine() = default;
    virtual void setEvents(MachineEvents* events) = 0; // not owned; null: none

    [[nodiscard]] virtual VmState state() const = 0;
    virtual void start(bool recovery, Completion done) = 0;
    virtual void pause(Completion done) = 0;
    virtual void resume(Completion done) = 0;
    virtual void stop(Completion done) = 0;
    virtual void requestStop(Completion done) = 0;
    virtual void save(const QString& path, Completion done) = 0;
    virtual void restore(const QString& path, Completion done) = 0;

    virtual Result<> setShare(const ShareDevice& device) = 0; // by its tag
    // Takes the card's attachment away and sets it anew, after networkDropped().
    virtual Result<> setAttachment(int card, const NetworkCard& attachment) = 0;
    virtual Result<> resizeDisplay(PixelSize size) = 0;
    virtual Result<> setBalloon(ByteCount memory) = 0;
    virtual void connectVsock(quint32 port, Connection done) = 0;
    // From now on a guest that connects to this port of the host gets through to `accepted`, from
    // the event loop, instead of an earlier listener of the port. Empty: nobody listens any more.
    virtual Result<> listenVsock(quint32 port, Incoming accepted) = 0;
};

class MachineFactory {
public:
    virtual ~MachineFactory() = default;
    // Configuration made and validated; nothing started.
    [[nodiscard]] virtual Result<std::unique_ptr<Machine>> create(const MachinePlan& plan) = 0;
};

} // namespace vitrine::vz
