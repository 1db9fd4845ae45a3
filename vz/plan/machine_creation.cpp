// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/machine_creation.h"

#include "vz/plan/host_reasons.h"

namespace vitrine::vz {

Result<> createMachine(const CreationServices& services,
                       const CreationRequest& request,
                       const JobContext& context) {
    if (const auto* const mac = std::get_if<NewMacMachine>(&request.machine))
        return MacCreation(services, request.library, request.name, *mac, context).run();
    NewLinuxMachine guest = std::get<NewLinuxMachine>(request.machine);
    if (guest.architecture != services.host.architecture)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("No machine with the architecture %1 can be made on this computer. %2")
                        .arg(toText(guest.architecture), whyNoForeignGuests(services.host)));
    if (!guest.makeVariables)
        guest.makeVariables = [files = services.files](const QString& path) {
            return files->createVariableStore(path);
        };
    return createLinuxMachine(request.library, request.name, guest, context);
}

} // namespace vitrine::vz
