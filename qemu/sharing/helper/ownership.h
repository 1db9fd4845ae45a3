// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "qemu/sharing/helper/share_identity.h"

#include <string>

namespace vitrine::shares {

// Gives what users of the guest left in a folder, other than its login user, to the user of this
// computer: whatever belongs to one of the ids that only guests have. Everything else, links (what
// they lead to) and other file systems mounted in it are left alone; set-uid bits go. `changed`
// counts files and folders, also up to an error.
[[nodiscard]] Failure
takeOwnership(const Identity& identity, const std::string& path, unsigned long& changed);

} // namespace vitrine::shares
