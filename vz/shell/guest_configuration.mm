// SPDX-License-Identifier: Apache-2.0
#include "core/result/error.h"
#include "vz/shell/arm64.h"
#include "vz/shell/configuration_objc.h"
#include "vz/shell/convert_objc.h"

namespace vitrine::vz {

namespace {

bool addMac(VZVirtualMachineConfiguration* configuration,
            const MacGuest& guest,
            VzFailure* failure) {
#if VZ_ARM64
    VZMacHardwareModel* const model =
        [[VZMacHardwareModel alloc] initWithDataRepresentation:data(guest.hardwareModel)];
    if (model == nil || !model.supported) {
        *failure = unknownModel();
        return false;
    }
    VZMacMachineIdentifier* const identifier =
        [[VZMacMachineIdentifier alloc] initWithDataRepresentation:data(guest.machineIdentifier)];
    if (identifier == nil) {
        *failure =
            refused(VzInvalidConfiguration, Tr::tr("The machine's identifier (ECID) is damaged."));
        return false;
    }
    VZMacPlatformConfiguration* const platform = [[VZMacPlatformConfiguration alloc] init];
    platform.hardwareModel = model;
    platform.machineIdentifier = identifier;
    platform.auxiliaryStorage =
        [[VZMacAuxiliaryStorage alloc] initWithURL:fileUrl(guest.auxiliaryStorage)];
    configuration.platform = platform;
    configuration.bootLoader = [[VZMacOSBootLoader alloc] init];
    return true;
#else
    (void)configuration;
    (void)guest;
    *failure = needsAppleSilicon(Tr::tr("A macOS machine"));
    return false;
#endif
}

VZBootLoader* efiLoader(const EfiBoot& boot, VzFailure* failure) {
    NSError* error = nil;
    NSURL* const url = fileUrl(boot.variableStore);
    VZEFIVariableStore* const store =
        boot.create
            ? [[VZEFIVariableStore alloc]
                  initCreatingVariableStoreAtURL:url
                                         options:
                                             VZEFIVariableStoreInitializationOptionAllowOverwrite
                                           error:&error]
            : [[VZEFIVariableStore alloc] initWithURL:url];
    if (store == nil) {
        *failure = failureOf(error);
        return nil;
    }
    VZEFIBootLoader* const loader = [[VZEFIBootLoader alloc] init];
    loader.variableStore = store;
    return loader;
}

VZBootLoader* kernelLoader(const KernelBoot& boot) {
    VZLinuxBootLoader* const loader =
        [[VZLinuxBootLoader alloc] initWithKernelURL:fileUrl(boot.kernel)];
    loader.commandLine = ns(boot.commandLine);
    if (!boot.initrd.isEmpty())
        loader.initialRamdiskURL = fileUrl(boot.initrd);
    return loader;
}

bool addGeneric(VZVirtualMachineConfiguration* configuration,
                const GenericGuest& guest,
                VzFailure* failure) {
    VZGenericPlatformConfiguration* const platform = [[VZGenericPlatformConfiguration alloc] init];
    if (!guest.machineIdentifier.isEmpty()) {
        VZGenericMachineIdentifier* const identifier = [[VZGenericMachineIdentifier alloc]
            initWithDataRepresentation:data(guest.machineIdentifier)];
        if (identifier == nil) {
            *failure =
                refused(VzInvalidConfiguration, Tr::tr("The machine's identifier is damaged."));
            return false;
        }
        platform.machineIdentifier = identifier;
    }
    if (guest.nested) {
        if (@available(macOS 15.0, *)) {
            platform.nestedVirtualizationEnabled = YES;
        } else {
            *failure = needsMacOs(15, Tr::tr("Nested virtualization"));
            return false;
        }
    }
    configuration.platform = platform;
    const EfiBoot* const efi = std::get_if<EfiBoot>(&guest.boot);
    VZBootLoader* const loader =
        efi != nullptr ? efiLoader(*efi, failure) : kernelLoader(std::get<KernelBoot>(guest.boot));
    if (loader == nil)
        return false;
    configuration.bootLoader = loader;
    return true;
}

} // namespace

bool addGuest(VZVirtualMachineConfiguration* configuration,
              const MachinePlan& plan,
              VzFailure* failure) {
    if (const auto* mac = std::get_if<MacGuest>(&plan.guest))
        return addMac(configuration, *mac, failure);
    return addGeneric(configuration, std::get<GenericGuest>(plan.guest), failure);
}

} // namespace vitrine::vz
