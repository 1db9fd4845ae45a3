// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "vz/plan/host_caps.h"

namespace vitrine::vz {

// What the pages show of this Mac: features with their reasons, the lines of "This computer", the
// networks to be bridged to.
[[nodiscard]] HypervisorInfo describeHost(const HostCaps& host);

} // namespace vitrine::vz
