// SPDX-License-Identifier: Apache-2.0
#include "core/result/error.h"
#include "vz/shell/arm64.h"
#include "vz/shell/convert_objc.h"
#include "vz/shell/shell.h"

#include <QObject>
#include <QPointer>

#include <utility>

#import <Virtualization/Virtualization.h>

namespace vitrine::vz {

namespace {

using Found = tl::expected<RestoreImage, VzFailure>;

#if VZ_ARM64
Found plain(VZMacOSRestoreImage* image, NSError* error) {
    if (image == nil)
        return tl::unexpected(failureOf(error));
    RestoreImage result;
    NSURL* const url = image.URL;
    result.location = url.fileURL ? text(url.path) : text(url.absoluteString);
    result.build = text(image.buildVersion);
    const NSOperatingSystemVersion version = image.operatingSystemVersion;
    result.version = {static_cast<int>(version.majorVersion),
                      static_cast<int>(version.minorVersion),
                      static_cast<int>(version.patchVersion)};
    result.supported = image.supported;
    if (VZMacOSConfigurationRequirements* const needs = image.mostFeaturefulSupportedConfiguration)
        result.requirements =
            MacRequirements{bytes(needs.hardwareModel.dataRepresentation),
                            static_cast<bool>(needs.hardwareModel.supported),
                            static_cast<int>(needs.minimumSupportedCPUCount),
                            ByteCount::fromBytes(needs.minimumSupportedMemorySize)};
    return result;
}
#endif

class VzRestoreImages final : public QObject, public RestoreImages {
public:
    void load(const QString& path, Answer answer) override {
        const QPointer<VzRestoreImages> self = this;
        const Answer call = std::move(answer);
#if VZ_ARM64
        [VZMacOSRestoreImage loadFileURL:fileUrl(path)
                       completionHandler:^(VZMacOSRestoreImage* image, NSError* error) {
                         tell(self, call, plain(image, error));
                       }];
#else
        (void)path;
        tell(self, call, tl::unexpected(needsAppleSilicon(Tr::tr("A macOS machine"))));
#endif
    }

    void latest(Answer answer) override {
        const QPointer<VzRestoreImages> self = this;
        const Answer call = std::move(answer);
#if VZ_ARM64
        [VZMacOSRestoreImage fetchLatestSupportedWithCompletionHandler:^(VZMacOSRestoreImage* image,
                                                                         NSError* error) {
          tell(self, call, plain(image, error));
        }];
#else
        tell(self, call, tl::unexpected(needsAppleSilicon(Tr::tr("A macOS machine"))));
#endif
    }

private:
    // The framework answers on any thread. A pointer is copied there, and looked at here only.
    static void tell(const QPointer<VzRestoreImages>& who, const Answer& call, const Found& found) {
        const QPointer<VzRestoreImages> self = who;
        const Answer answer = call;
        const Found value = found;
        dispatch_async(dispatch_get_main_queue(), ^{
          if (self)
              answer(value);
        });
    }
};

} // namespace

std::unique_ptr<RestoreImages> makeRestoreImages() {
    return std::make_unique<VzRestoreImages>();
}

} // namespace vitrine::vz
