// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"

namespace vitrine::qemu {

// The Linux backend. See core/hypervisor/hypervisor.h for the contract.
[[nodiscard]] std::unique_ptr<Hypervisor> makeHypervisor();

} // namespace vitrine::qemu
