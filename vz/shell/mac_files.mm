// SPDX-License-Identifier: Apache-2.0
#include "core/result/error.h"
#include "vz/shell/arm64.h"
#include "vz/shell/convert_objc.h"
#include "vz/shell/shell.h"

#import <Virtualization/Virtualization.h>

namespace vitrine::vz {

namespace {

class VzMacFiles final : public MacFiles {
public:
    [[nodiscard]] QByteArray newMachineIdentifier() const override {
#if VZ_ARM64
        return bytes([[VZMacMachineIdentifier alloc] init].dataRepresentation);
#else
        return {};
#endif
    }

    Result<> createAuxiliaryStorage(const QString& path, const QByteArray& hardwareModel) override {
#if VZ_ARM64
        VZMacHardwareModel* const model =
            [[VZMacHardwareModel alloc] initWithDataRepresentation:data(hardwareModel)];
        if (model == nil || !model.supported)
            return fail(toError(Operation::Configure, unknownModel()));
        NSError* error = nil;
        VZMacAuxiliaryStorage* const storage =
            [[VZMacAuxiliaryStorage alloc] initCreatingStorageAtURL:fileUrl(path)
                                                      hardwareModel:model
                                                            options:0
                                                              error:&error];
        if (storage == nil)
            return fail(toError(Operation::Configure, failureOf(error)));
        return {};
#else
        (void)path;
        (void)hardwareModel;
        return fail(toError(Operation::Configure, needsAppleSilicon(Tr::tr("A macOS machine"))));
#endif
    }

    Result<> createVariableStore(const QString& path) override {
        NSError* error = nil;
        VZEFIVariableStore* const store =
            [[VZEFIVariableStore alloc] initCreatingVariableStoreAtURL:fileUrl(path)
                                                               options:0
                                                                 error:&error];
        if (store == nil)
            return fail(toError(Operation::Configure, failureOf(error)));
        return {};
    }
};

} // namespace

std::unique_ptr<MacFiles> makeMacFiles() {
    return std::make_unique<VzMacFiles>();
}

} // namespace vitrine::vz
