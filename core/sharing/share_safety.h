// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>
#include <QStringList>

namespace vitrine {

enum class ShareAccess { ReadOnly, Writable };

// Contract 4, path safety. Looks at the folder (links resolved): NotFound, Unsupported when it is
// none or belongs to the system's own file systems, InvalidInput when a writable share would
// contain or lie in one of `libraries`, "/", "/etc" or "/dev": a guest could change itself, other
// machines or this computer. Gives a warning (translated, empty when there is none) for the user's
// home folder and its dot folders. Touches the disk.
[[nodiscard]] Result<QString>
checkSharedFolder(const QString& folder, ShareAccess access, const QStringList& libraries);

// Whether a folder that was only dropped, without a word on access, is better not writable even
// though the user asked for writable by default.
[[nodiscard]] bool isPrivateFolder(const QString& folder);

} // namespace vitrine
