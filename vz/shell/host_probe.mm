// SPDX-License-Identifier: Apache-2.0
#include "vz/shell/arm64.h"
#include "vz/shell/convert_objc.h"
#include "vz/shell/rosetta_objc.h"
#include "vz/shell/shell.h"

#include <array>
#include <cmath>

#import <CoreGraphics/CoreGraphics.h>
#import <Security/Security.h>
#import <Virtualization/Virtualization.h>
#include <sys/sysctl.h>

namespace vitrine::vz {

namespace {

// A key that is there, with the value true.
bool isEntitled(NSString* key) {
    const SecTaskRef task = SecTaskCreateFromSelf(nullptr);
    if (task == nullptr)
        return false;
    const CFTypeRef value =
        SecTaskCopyValueForEntitlement(task, (__bridge CFStringRef)key, nullptr);
    CFRelease(task);
    if (value == nullptr)
        return false;
    const bool entitled = CFGetTypeID(value) == CFBooleanGetTypeID() &&
                          CFBooleanGetValue(static_cast<CFBooleanRef>(value)) != 0;
    CFRelease(value);
    return entitled;
}

QString processorName() {
    char name[256] = {};
    std::size_t size = sizeof(name) - 1;
    return ::sysctlbyname("machdep.cpu.brand_string", name, &size, nullptr, 0) == 0
               ? QString::fromUtf8(name)
               : QString();
}

bool mayBuildNested() {
    if (@available(macOS 15.0, *))
        return VZGenericPlatformConfiguration.nestedVirtualizationSupported;
    return false;
}

// Not NSScreen, which belongs to the main thread. The main screen comes first.
QList<HostScreen> screens() {
    std::array<CGDirectDisplayID, 16> displays{};
    uint32_t count = 0;
    QList<HostScreen> found;
    if (CGGetActiveDisplayList(displays.size(), displays.data(), &count) != kCGErrorSuccess)
        return found;
    for (uint32_t i = 0; i < count; ++i) {
        const CGSize points = CGDisplayBounds(displays[i]).size;
        double scale = 1;
        if (const CGDisplayModeRef mode = CGDisplayCopyDisplayMode(displays[i]); mode != nullptr) {
            if (points.width > 0)
                scale = static_cast<double>(CGDisplayModeGetPixelWidth(mode)) / points.width;
            CGDisplayModeRelease(mode);
        }
        found.append({static_cast<int>(std::lround(points.width)),
                      static_cast<int>(std::lround(points.height)),
                      scale});
    }
    return found;
}

class VzHostProbe final : public HostProbe {
public:
    [[nodiscard]] HostCaps read() const override;
};

} // namespace

HostCaps VzHostProbe::read() const {
    HostCaps caps;
    NSProcessInfo* const process = NSProcessInfo.processInfo;
    const NSOperatingSystemVersion system = process.operatingSystemVersion;
    caps.system = {static_cast<int>(system.majorVersion),
                   static_cast<int>(system.minorVersion),
                   static_cast<int>(system.patchVersion)};
    caps.processor = processorName();
    caps.processors = static_cast<int>(process.processorCount);
    caps.memory = ByteCount::fromBytes(process.physicalMemory);
    caps.virtualization = VZVirtualMachine.supported;
    caps.nested = mayBuildNested();
    caps.minimumProcessors = static_cast<int>(VZVirtualMachineConfiguration.minimumAllowedCPUCount);
    caps.maximumProcessors = static_cast<int>(VZVirtualMachineConfiguration.maximumAllowedCPUCount);
    caps.minimumMemory =
        ByteCount::fromBytes(VZVirtualMachineConfiguration.minimumAllowedMemorySize);
    caps.maximumMemory =
        ByteCount::fromBytes(VZVirtualMachineConfiguration.maximumAllowedMemorySize);
#if VZ_ARM64
    caps.architecture = Architecture::Arm64;
#else
    caps.architecture = Architecture::Amd64;
#endif
    caps.rosetta = rosettaState();
    caps.virtualizationEntitled = isEntitled(@"com.apple.security.virtualization");
    caps.networkingEntitled = isEntitled(@"com.apple.vm.networking");
    // Without a usage text the system ends a program that listens.
    caps.microphone =
        [NSBundle.mainBundle objectForInfoDictionaryKey:@"NSMicrophoneUsageDescription"] != nil &&
        isEntitled(@"com.apple.security.device.audio-input");
    if (caps.networkingEntitled) {
        for (VZBridgedNetworkInterface* interface in VZBridgedNetworkInterface.networkInterfaces)
            caps.interfaces.append(
                {text(interface.identifier), text(interface.localizedDisplayName)});
    }
    caps.screens = screens();
    return caps;
}

std::unique_ptr<HostProbe> makeHostProbe() {
    return std::make_unique<VzHostProbe>();
}

} // namespace vitrine::vz
