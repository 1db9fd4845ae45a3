// SPDX-License-Identifier: Apache-2.0
#include "vz/host/stored_options.h"

#include <algorithm>

namespace vitrine::vz {

QString whyNotRunHere(const Hypervisor& hypervisor, const MachineInfo& machine) {
    MachineInfo enough = machine;
    if (MachineConfig* const config = enough.config ? &*enough.config : nullptr) {
        config->cpuCount = std::max(config->cpuCount, config->cpuCountMinimum);
        config->memory = std::max(config->memory, config->memoryMinimum);
    }
    const auto valid = hypervisor.validate(enough, {});
    return valid ? QString() : valid.error().message;
}

Result<> checkOptionsToStore(const Hypervisor& hypervisor,
                             const MachineInfo& machine,
                             const RunOptions& options) {
    auto valid = hypervisor.validate(machine, options);
    if (valid || valid.error().kind == Error::Kind::Busy || !hypervisor.validate(machine, {}))
        return {};
    return valid;
}

} // namespace vitrine::vz
