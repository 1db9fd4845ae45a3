// SPDX-License-Identifier: Apache-2.0
#include "core/result/error.h"
#include "vz/shell/arm64.h"
#include "vz/shell/convert_objc.h"
#include "vz/shell/rosetta_objc.h"
#include "vz/shell/shell.h"

#include <QObject>
#include <QPointer>

#include <utility>

namespace vitrine::vz {

RosettaState rosettaState() {
#if VZ_ARM64
    switch (VZLinuxRosettaDirectoryShare.availability) {
    case VZLinuxRosettaAvailabilityNotSupported:
        return RosettaState::NotSupported;
    case VZLinuxRosettaAvailabilityNotInstalled:
        return RosettaState::NotInstalled;
    case VZLinuxRosettaAvailabilityInstalled:
        return RosettaState::Installed;
    }
#endif
    return RosettaState::NotSupported;
}

namespace {

class VzRosetta final : public QObject, public Rosetta {
public:
    [[nodiscard]] RosettaState state() const override { return rosettaState(); }

    // The framework answers on any queue.
    void install(std::function<void(std::optional<VzFailure>)> done) override {
        const QPointer<VzRosetta> self = this;
        const auto answer = std::move(done);
#if VZ_ARM64
        [VZLinuxRosettaDirectoryShare installRosettaWithCompletionHandler:^(NSError* error) {
          const auto failure = failureIf(error);
          dispatch_async(dispatch_get_main_queue(), ^{
            if (self)
                answer(failure);
          });
        }];
#else
        const auto failure = needsAppleSilicon(Tr::tr("Rosetta"));
        dispatch_async(dispatch_get_main_queue(), ^{
          if (self)
              answer(failure);
        });
#endif
    }
};

} // namespace

std::unique_ptr<Rosetta> makeRosetta() {
    return std::make_unique<VzRosetta>();
}

} // namespace vitrine::vz
