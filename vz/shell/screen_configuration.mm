// SPDX-License-Identifier: Apache-2.0
#include "core/result/error.h"
#include "vz/shell/arm64.h"
#include "vz/shell/configuration_objc.h"
#include "vz/shell/convert_objc.h"

namespace vitrine::vz {

namespace {

VZMacGraphicsDisplayConfiguration* macDisplay(const DisplayPlan& plan) {
    NSScreen* const screen =
        NSScreen.mainScreen != nil ? NSScreen.mainScreen : NSScreen.screens.firstObject;
    // Where the window server is out of reach, over ssh, CoreGraphics still lists screens.
    if (plan.kind == DisplayPlan::Kind::PointsOfMainScreen && screen != nil)
        return [[VZMacGraphicsDisplayConfiguration alloc]
            initForScreen:screen
             sizeInPoints:NSMakeSize(plan.width, plan.height)];
    return [[VZMacGraphicsDisplayConfiguration alloc] initWithWidthInPixels:plan.width
                                                             heightInPixels:plan.height
                                                              pixelsPerInch:plan.pixelsPerInch];
}

VZKeyboardConfiguration* keyboard(KeyboardKind kind, VzFailure* failure) {
    switch (kind) {
    case KeyboardKind::Usb:
        return [[VZUSBKeyboardConfiguration alloc] init];
    case KeyboardKind::Mac:
#if VZ_ARM64
        if (@available(macOS 14.0, *))
            return [[VZMacKeyboardConfiguration alloc] init];
        *failure = needsMacOs(14, Tr::tr("The Mac keyboard"));
#else
        *failure = needsAppleSilicon(Tr::tr("The Mac keyboard"));
#endif
        return nil;
    }
    *failure = refused(VzInvalidConfiguration, Tr::tr("Unknown kind of keyboard."));
    return nil;
}

VZPointingDeviceConfiguration* pointer(PointerKind kind, VzFailure* failure) {
    switch (kind) {
    case PointerKind::UsbScreenCoordinate:
        return [[VZUSBScreenCoordinatePointingDeviceConfiguration alloc] init];
    case PointerKind::MacTrackpad:
#if VZ_ARM64
        return [[VZMacTrackpadConfiguration alloc] init];
#else
        *failure = needsAppleSilicon(Tr::tr("The Mac trackpad"));
        return nil;
#endif
    }
    *failure = refused(VzInvalidConfiguration, Tr::tr("Unknown kind of pointer."));
    return nil;
}

} // namespace

bool addScreen(VZVirtualMachineConfiguration* configuration,
               const MachinePlan& plan,
               VzFailure* failure) {
    if (plan.isMac()) {
        VZMacGraphicsDisplayConfiguration* const display = macDisplay(plan.display);
        VZMacGraphicsDeviceConfiguration* const graphics =
            [[VZMacGraphicsDeviceConfiguration alloc] init];
        graphics.displays = @[ display ];
        configuration.graphicsDevices = @[ graphics ];
    } else {
        VZVirtioGraphicsDeviceConfiguration* const graphics =
            [[VZVirtioGraphicsDeviceConfiguration alloc] init];
        graphics.scanouts = @[ [[VZVirtioGraphicsScanoutConfiguration alloc]
            initWithWidthInPixels:plan.display.width
                   heightInPixels:plan.display.height] ];
        configuration.graphicsDevices = @[ graphics ];
    }
    NSMutableArray<VZKeyboardConfiguration*>* const keyboards = [NSMutableArray array];
    for (const KeyboardKind kind : plan.keyboards) {
        VZKeyboardConfiguration* const made = keyboard(kind, failure);
        if (made == nil)
            return false;
        [keyboards addObject:made];
    }
    configuration.keyboards = keyboards;
    NSMutableArray<VZPointingDeviceConfiguration*>* const pointers = [NSMutableArray array];
    for (const PointerKind kind : plan.pointers) {
        VZPointingDeviceConfiguration* const made = pointer(kind, failure);
        if (made == nil)
            return false;
        [pointers addObject:made];
    }
    configuration.pointingDevices = pointers;
    return true;
}

} // namespace vitrine::vz
