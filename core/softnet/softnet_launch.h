// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/network_options.h"
#include "core/softnet/softnet_program.h"
#include "core/softnet/softnet_supervisor.h"
#include "core/value/mac_address.h"

namespace vitrine {

// How the Softnet that is installed on a Mac is run for one machine, attached by Softnet or to its
// host only: Tart's command line, with the control channel if that version has one. `socket` is the
// child's end. Permission with the command to type when it may not make a network; Unsupported when
// its version is too old for these rules. What else it refuses it says itself: its exit status and
// last line are told by the supervisor.
[[nodiscard]] Result<SoftnetSupervisor::Setup> planSoftnet(const SoftnetProgram& program,
                                                           const MacAddress& macAddress,
                                                           const NetworkOptions& options,
                                                           FileDescriptor socket);

} // namespace vitrine
