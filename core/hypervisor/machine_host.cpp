// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/machine_host.h"

namespace vitrine {

std::unique_ptr<MachineHost> Hypervisor::makeMachineHost() const {
    return nullptr;
}

} // namespace vitrine
