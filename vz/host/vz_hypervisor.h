// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "vz/host/services.h"

#include <memory>

namespace vitrine::vz {

// The backend of macOS, made of the services it is given.
[[nodiscard]] std::unique_ptr<Hypervisor> makeHypervisor(Services services);

} // namespace vitrine::vz
