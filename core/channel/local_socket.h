// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>

namespace vitrine {

// Makes a listening Unix socket of mode 0600 (whatever the umask) at `path`, which must not exist
// and be at most 107 bytes long. Returns the descriptor, close-on-exec; the caller owns it.
[[nodiscard]] Result<int> listenOnLocalSocket(const QString& path);

// Connects at once or not at all: NotFound when nobody listens at the path (at most 107 bytes),
// Busy when too many wait there. Returns the descriptor, close-on-exec; the caller owns it.
[[nodiscard]] Result<int> connectToLocalSocket(const QString& path);

// Permission when the process at the other end of a connected Unix socket runs as another user.
[[nodiscard]] Result<> checkPeerIsThisUser(qintptr socketDescriptor);

} // namespace vitrine
