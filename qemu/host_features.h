// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "qemu/host_info.h"

namespace vitrine::qemu {

// What this computer and this version can and cannot do, each with its reason, and the lines of the
// page "This computer". Quick unless something has to be tested (see acceleratorVerdict). Any
// thread.
[[nodiscard]] HypervisorInfo
describeHost(const ProgramPaths& paths, const HostInfo& host, Hypervisor::Refresh refresh);

} // namespace vitrine::qemu
