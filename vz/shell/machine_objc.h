// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/plan/machine.h"
#include "vz/shell/configuration_objc.h"

#include <QObject>
#include <QPointer>

#include <memory>

#import <Virtualization/Virtualization.h>

namespace vitrine::vz {

[[nodiscard]] VmState vmState(VZVirtualMachineState state);

// What blocks and delegates hold of a machine, by QPointer: they may outlive it.
class EventRelay final : public QObject {
public:
    MachineEvents* events = nullptr;
};

} // namespace vitrine::vz

// The machine's delegate, and the observer of its state.
@interface VitrineMachineDelegate : NSObject <VZVirtualMachineDelegate> {
@public
    QPointer<vitrine::vz::EventRelay> relay;
}
- (void)observe:(VZVirtualMachine*)machine;
- (void)leave:(VZVirtualMachine*)machine;
@end

// The delegate of one of its network disks.
API_AVAILABLE(macos(14.0))
@interface VitrineDiskDelegate : NSObject <VZNetworkBlockDeviceStorageDeviceAttachmentDelegate> {
@public
    QPointer<vitrine::vz::EventRelay> relay;
    int disk;
}
@end

// The observer of its screen.
API_AVAILABLE(macos(14.0))
@interface VitrineDisplayObserver : NSObject <VZGraphicsDisplayObserver> {
@public
    QPointer<vitrine::vz::EventRelay> relay;
}
@end

// The delegate of one port that is listened on.
@interface VitrineVsockDelegate : NSObject <VZVirtioSocketListenerDelegate> {
@public
    QPointer<vitrine::vz::EventRelay> relay;
    uint32_t port;
    VZVirtioSocketListener* kept; // nothing says that the device keeps it
    vitrine::vz::Machine::Incoming accepted;
}
@end

namespace vitrine::vz {

// A machine and those who listen to it, kept together: the framework keeps no delegate.
class VzMachine final : public Machine {
public:
    [[nodiscard]] static tl::expected<std::unique_ptr<VzMachine>, VzFailure>
    make(const MachinePlan& plan);
    ~VzMachine() override;
    VzMachine(const VzMachine&) = delete;
    VzMachine& operator=(const VzMachine&) = delete;

    void setEvents(MachineEvents* events) override { m_relay->events = events; }
    [[nodiscard]] VmState state() const override { return vmState(m_machine.state); }
    void start(bool recovery, Completion done) override;
    void pause(Completion done) override;
    void resume(Completion done) override;
    void stop(Completion done) override;
    void requestStop(Completion done) override;
    void save(const QString& path, Completion done) override;
    void restore(const QString& path, Completion done) override;
    Result<> setShare(const ShareDevice& device) override;
    Result<> setAttachment(int card, const NetworkCard& attachment) override;
    Result<> resizeDisplay(PixelSize size) override;
    Result<> setBalloon(ByteCount memory) override;
    void connectVsock(quint32 port, Connection done) override;
    Result<> listenVsock(quint32 port, Incoming accepted) override;

    [[nodiscard]] VZVirtualMachine* native() const { return m_machine; }

private:
    using Handler = void (^)(NSError*);
    VzMachine();
    // Gives the call the block that answers it: a function that returns a block does not compile
    // without ARC.
    void perform(Completion done, void (^call)(Handler));
    void answer(Completion done, const std::optional<VzFailure>& failure); // from the event loop

    [[nodiscard]] VZVirtioSocketDevice* vsock() const; // nil: the machine has none

    std::unique_ptr<EventRelay> m_relay;
    VitrineMachineDelegate* m_delegate = nil;
    NSMutableArray<NSObject*>* m_listeners = nil; // of disks, screen and ports
    VZVirtualMachine* m_machine = nil;
    id m_activity = nil;
};

} // namespace vitrine::vz
