// SPDX-License-Identifier: Apache-2.0
#include "core/result/error.h"
#include "vz/shell/arm64.h"
#include "vz/shell/convert_objc.h"
#include "vz/shell/machine_objc.h"
#include "vz/shell/shell.h"

#include <fcntl.h>
#include <utility>

namespace vitrine::vz {

namespace {

Error noVsock() {
    return {Error::Kind::Unsupported, Tr::tr("The machine has no vsock."), {}};
}

} // namespace

VzMachine::VzMachine()
    : m_relay(std::make_unique<EventRelay>())
    , m_delegate([[VitrineMachineDelegate alloc] init])
    , m_listeners([NSMutableArray array]) {
    m_delegate->relay = m_relay.get();
}

VzMachine::~VzMachine() {
    if (m_machine == nil)
        return;
    [NSProcessInfo.processInfo endActivity:m_activity];
    [m_delegate leave:m_machine];
    if (@available(macOS 14.0, *)) {
        for (NSObject* listener in m_listeners) {
            if ([listener isKindOfClass:[VitrineDisplayObserver class]])
                [m_machine.graphicsDevices.firstObject.displays.firstObject
                    removeObserver:static_cast<VitrineDisplayObserver*>(listener)];
        }
    }
}

tl::expected<std::unique_ptr<VzMachine>, VzFailure> VzMachine::make(const MachinePlan& plan) {
    std::unique_ptr<VzMachine> made(new VzMachine);
    VzMachine* const self = made.get();
    VzFailure failure;
    VZVirtualMachineConfiguration* const configuration = makeConfiguration(
        plan,
        [self](int disk) -> id {
            if (@available(macOS 14.0, *)) {
                VitrineDiskDelegate* const delegate = [[VitrineDiskDelegate alloc] init];
                delegate->relay = self->m_relay.get();
                delegate->disk = disk;
                [self->m_listeners addObject:delegate];
                return delegate;
            }
            return nil;
        },
        &failure);
    if (configuration == nil)
        return tl::unexpected(failure);
    made->m_machine = [[VZVirtualMachine alloc] initWithConfiguration:configuration];
    [made->m_delegate observe:made->m_machine];
    // A hidden window would nap: its sockets are those of the guest's agent and serial line.
    made->m_activity = [NSProcessInfo.processInfo
        beginActivityWithOptions:NSActivityUserInitiatedAllowingIdleSystemSleep
                          reason:@"A virtual machine runs."];
    if (@available(macOS 14.0, *)) {
        VitrineDisplayObserver* const observer = [[VitrineDisplayObserver alloc] init];
        observer->relay = made->m_relay.get();
        [made->m_listeners addObject:observer];
        [made->m_machine.graphicsDevices.firstObject.displays.firstObject addObserver:observer];
    }
    return made;
}

void VzMachine::perform(Completion done, void (^call)(Handler)) {
    const QPointer<EventRelay> relay = m_relay.get();
    const Completion answer = std::move(done);
    call(^(NSError* error) {
      if (relay)
          answer(failureIf(error));
    });
}

void VzMachine::answer(Completion done, const std::optional<VzFailure>& failure) {
    const QPointer<EventRelay> relay = m_relay.get();
    const Completion answer = std::move(done);
    const std::optional<VzFailure> value = failure;
    dispatch_async(dispatch_get_main_queue(), ^{
      if (relay)
          answer(value);
    });
}

void VzMachine::start(bool recovery, Completion done) {
    VZVirtualMachine* const machine = m_machine;
#if VZ_ARM64
    if (recovery) {
        VZMacOSVirtualMachineStartOptions* const options =
            [[VZMacOSVirtualMachineStartOptions alloc] init];
        options.startUpFromMacOSRecovery = YES;
        perform(std::move(done), ^(Handler handler) {
          [machine startWithOptions:options completionHandler:handler];
        });
        return;
    }
#else
    if (recovery) {
        answer(std::move(done), needsAppleSilicon(Tr::tr("Starting into recovery")));
        return;
    }
#endif
    perform(std::move(done), ^(Handler handler) {
      [machine startWithCompletionHandler:handler];
    });
}

void VzMachine::pause(Completion done) {
    VZVirtualMachine* const machine = m_machine;
    perform(std::move(done), ^(Handler handler) {
      [machine pauseWithCompletionHandler:handler];
    });
}

void VzMachine::resume(Completion done) {
    VZVirtualMachine* const machine = m_machine;
    perform(std::move(done), ^(Handler handler) {
      [machine resumeWithCompletionHandler:handler];
    });
}

void VzMachine::requestStop(Completion done) {
    NSError* error = nil;
    const bool asked = [m_machine requestStopWithError:&error];
    answer(std::move(done), asked ? std::nullopt : std::optional(failureOf(error)));
}

void VzMachine::stop(Completion done) {
    VZVirtualMachine* const machine = m_machine;
    perform(std::move(done), ^(Handler handler) {
      [machine stopWithCompletionHandler:handler];
    });
}

void VzMachine::save(const QString& path, Completion done) {
#if VZ_ARM64
    if (@available(macOS 14.0, *)) {
        VZVirtualMachine* const machine = m_machine;
        NSURL* const url = fileUrl(path);
        perform(std::move(done), ^(Handler handler) {
          [machine saveMachineStateToURL:url completionHandler:handler];
        });
    } else {
        answer(std::move(done), needsMacOs(14, Tr::tr("Suspending a machine")));
    }
#else
    (void)path;
    answer(std::move(done), needsAppleSilicon(Tr::tr("Suspending a machine")));
#endif
}

void VzMachine::restore(const QString& path, Completion done) {
#if VZ_ARM64
    if (@available(macOS 14.0, *)) {
        VZVirtualMachine* const machine = m_machine;
        NSURL* const url = fileUrl(path);
        perform(std::move(done), ^(Handler handler) {
          [machine restoreMachineStateFromURL:url completionHandler:handler];
        });
    } else {
        answer(std::move(done), needsMacOs(14, Tr::tr("Going on from a saved state")));
    }
#else
    (void)path;
    answer(std::move(done), needsAppleSilicon(Tr::tr("Going on from a saved state")));
#endif
}

Result<> VzMachine::setShare(const ShareDevice& device) {
    for (VZDirectorySharingDevice* candidate in m_machine.directorySharingDevices) {
        if (![candidate isKindOfClass:[VZVirtioFileSystemDevice class]])
            continue;
        VZVirtioFileSystemDevice* const files = static_cast<VZVirtioFileSystemDevice*>(candidate);
        if (![files.tag isEqualToString:ns(device.tag)])
            continue;
        bool refusedShare = false;
        VzFailure failure;
        VZDirectoryShare* const share = makeShare(device, &refusedShare, &failure);
        if (refusedShare)
            return fail(toError(Operation::Configure, failure));
        files.share = share;
        return {};
    }
    return fail(Error::Kind::NotFound,
                Tr::tr("The machine was started without a share \"%1\".").arg(device.tag));
}

Result<> VzMachine::setAttachment(int card, const NetworkCard& attachment) {
    int at = 0;
    for (VZNetworkDevice* device in m_machine.networkDevices) {
        if (at++ != card)
            continue;
        VzFailure failure;
        VZNetworkDeviceAttachment* const made = makeAttachment(attachment, &failure);
        if (made == nil)
            return fail(toError(Operation::Configure, failure));
        device.attachment = nil;
        device.attachment = made;
        return {};
    }
    return fail(Error::Kind::NotFound, Tr::tr("The machine has no network card %1.").arg(card + 1));
}

Result<> VzMachine::resizeDisplay(PixelSize size) {
    if (@available(macOS 14.0, *)) {
        VZGraphicsDisplay* const display =
            m_machine.graphicsDevices.firstObject.displays.firstObject;
        if (display == nil)
            return fail(Error::Kind::Unsupported, Tr::tr("The machine has no screen."));
        NSError* error = nil;
        if (![display reconfigureWithSizeInPixels:CGSizeMake(size.width, size.height) error:&error])
            return fail(toError(Operation::ResizeDisplay, failureOf(error)));
        return {};
    }
    return fail(toError(Operation::ResizeDisplay,
                        needsMacOs(14, Tr::tr("Changing the size of the screen"))));
}

Result<> VzMachine::setBalloon(ByteCount memory) {
    for (VZMemoryBalloonDevice* device in m_machine.memoryBalloonDevices) {
        if (![device isKindOfClass:[VZVirtioTraditionalMemoryBalloonDevice class]])
            continue;
        static_cast<VZVirtioTraditionalMemoryBalloonDevice*>(device)
            .targetVirtualMachineMemorySize = ByteCount::fromMiB(memory.wholeMiB()).bytes();
        return {};
    }
    return fail(Error::Kind::Unsupported, Tr::tr("The machine has no memory balloon."));
}

VZVirtioSocketDevice* VzMachine::vsock() const {
    for (VZSocketDevice* device in m_machine.socketDevices) {
        if ([device isKindOfClass:[VZVirtioSocketDevice class]])
            return static_cast<VZVirtioSocketDevice*>(device);
    }
    return nil;
}

void VzMachine::connectVsock(quint32 port, Connection done) {
    const QPointer<EventRelay> relay = m_relay.get();
    const Connection answer = std::move(done);
    VZVirtioSocketDevice* const device = vsock();
    if (device == nil) {
        dispatch_async(dispatch_get_main_queue(), ^{
          if (relay)
              answer(fail(noVsock()));
        });
        return;
    }
    [device connectToPort:port
        completionHandler:^(VZVirtioSocketConnection* connection, NSError* error) {
          if (!relay)
              return;
          // It closes its own descriptor when it goes.
          const int descriptor =
              connection != nil ? ::fcntl(connection.fileDescriptor, F_DUPFD_CLOEXEC, 0) : -1;
          if (descriptor >= 0)
              answer(descriptor);
          else
              answer(fail(toError(Operation::Connect, failureOf(error))));
        }];
}

Result<> VzMachine::listenVsock(quint32 port, Incoming accepted) {
    VZVirtioSocketDevice* const device = vsock();
    if (device == nil)
        return fail(noVsock());
    VitrineVsockDelegate* earlier = nil;
    for (NSObject* listener in m_listeners) {
        if ([listener isKindOfClass:[VitrineVsockDelegate class]] &&
            static_cast<VitrineVsockDelegate*>(listener)->port == port)
            earlier = static_cast<VitrineVsockDelegate*>(listener);
    }
    if (earlier != nil) {
        [device removeSocketListenerForPort:port];
        earlier->relay = nullptr;
        [m_listeners removeObject:earlier];
    }
    if (!accepted)
        return {};
    VitrineVsockDelegate* const delegate = [[VitrineVsockDelegate alloc] init];
    delegate->relay = m_relay.get();
    delegate->port = port;
    delegate->accepted = std::move(accepted);
    VZVirtioSocketListener* const listener = [[VZVirtioSocketListener alloc] init];
    listener.delegate = delegate;
    delegate->kept = listener;
    [m_listeners addObject:delegate];
    [device setSocketListener:listener forPort:port];
    return {};
}

namespace {

class VzMachineFactory final : public MachineFactory {
public:
    [[nodiscard]] Result<std::unique_ptr<Machine>> create(const MachinePlan& plan) override {
        auto made = VzMachine::make(plan);
        if (!made)
            return fail(toError(Operation::Configure, made.error()));
        return *std::move(made);
    }
};

} // namespace

std::unique_ptr<MachineFactory> makeMachineFactory() {
    return std::make_unique<VzMachineFactory>();
}

void* nativeMachine(const Machine& machine) {
    return (__bridge void*)static_cast<const VzMachine&>(machine).native();
}

} // namespace vitrine::vz
