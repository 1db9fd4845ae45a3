// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/address.h"

#include <cstddef>

namespace vitrine::softnet {

// Whom root becomes. Refuses unknown names. Without root this does nothing.
[[nodiscard]] Checked<void> dropPrivileges(const std::optional<std::string>& user,
                                           const std::optional<std::string>& group);

// What this process can no longer do from here on: gain privileges, start processes, write files or
// read others than the resolver's configuration, open sockets other than IPv4. Limits come first
// and are certain; Landlock and seccomp as far as the kernel has them. Not to be undone. Of the
// capabilities that it was given, CAP_NET_BIND_SERVICE stays if it may open ports. Tells how many
// descriptors may be open, which cannot be asked for in here.
[[nodiscard]] std::size_t enterSandbox(bool mayOpenPorts);

} // namespace vitrine::softnet
