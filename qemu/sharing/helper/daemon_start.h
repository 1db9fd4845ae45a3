// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "qemu/sharing/helper/share_identity.h"

#include <string>

namespace vitrine::shares {

// Starts virtiofsd, with `cache` as its cache mode, on a listening socket in a process namespace of
// its own: whatever it starts ends with it, and it is killed when this process ends. `pid` is its
// number here.
[[nodiscard]] Failure startDaemon(const std::string& program,
                                  const std::string& cache,
                                  int socket,
                                  const Identity& identity,
                                  pid_t& pid);

} // namespace vitrine::shares
