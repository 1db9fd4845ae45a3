// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/creation_request.h"
#include "core/job/job.h"
#include "core/result/result.h"
#include "vz/plan/mac_creation.h"

namespace vitrine::vz {

// Hypervisor::createMachine() on a Mac: a Linux machine with a variable store of the framework's,
// or a macOS machine (MacCreation). Main thread, with its event loop, which runs inside.
Result<> createMachine(const CreationServices& services,
                       const CreationRequest& request,
                       const JobContext& context);

} // namespace vitrine::vz
