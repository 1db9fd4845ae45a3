// SPDX-License-Identifier: Apache-2.0
// In the place of cli/backend_vz.cpp, with a Mac that is made up.
#include "cli/backend.h"

#include "tests/vz/mac/pretended_services.h"
#include "vz/host/stored_options.h"
#include "vz/host/vz_hypervisor.h"

namespace vitrine::cli {

std::unique_ptr<Hypervisor> makeHypervisor() {
    return vz::makeHypervisor(vz::test::pretendedServices());
}

bool suspendsOnlyOnWish() {
    return true;
}

bool screensStayInTheirProcess() {
    return true;
}

Result<QString> checkHardwareToStore(const MachineInfo& machine) {
    return vz::checkHardwareToStore(vz::test::pretendedServices().probe->read(), machine);
}

Result<> checkOptionsToStore(const MachineInfo& machine, const RunOptions& options) {
    return vz::checkOptionsToStore(vz::test::pretendedServices().probe->read(), machine, options);
}

Result<quint64> takeOwnership(const QString& /*folder*/) {
    return quint64{0};
}

} // namespace vitrine::cli
