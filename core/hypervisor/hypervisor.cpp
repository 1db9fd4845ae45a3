// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/hypervisor.h"

#include "core/hypervisor/creation_request.h"

namespace vitrine {

Result<> Hypervisor::createMachine(const CreationRequest& request,
                                   const JobContext& context) const {
    const auto* const guest = std::get_if<NewLinuxMachine>(&request.machine);
    if (!guest) {
        const QString reason = info().status(Feature::DarwinGuests).reason;
        return fail(Error::Kind::Unsupported,
                    Tr::tr("No macOS machine can be made on this computer. %1").arg(reason));
    }
    if (guest->architecture != hostArchitecture()) {
        const FeatureStatus status =
            info().status(guest->architecture == Architecture::Arm64 ? Feature::Arm64Guests
                                                                     : Feature::Amd64Guests);
        if (!status.available)
            return fail(Error::Kind::Unsupported,
                        Tr::tr("No machine with the architecture %1 can be made on this computer. "
                               "%2")
                            .arg(toText(guest->architecture), status.reason));
    }
    return createLinuxMachine(request.library, request.name, *guest, context);
}

} // namespace vitrine
