// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive/archive_unpacker.h"

#include <QUrl>

namespace vitrine {

// Fetches an archive (Tart's --dir with a URL, specification 5.3) and unpacks it on the way into a
// folder that exists and is empty; nothing of it is kept elsewhere. At most five redirects, none
// from https to http; no credentials are sent. Progress counts bytes of the archive. Blocking, for
// a thread that may wait; after an error the caller removes the folder. Errors are whole sentences
// that name the address.
Result<> downloadArchive(const QUrl& url,
                         const QString& folder,
                         const UnpackLimits& limits,
                         const JobContext& context);

} // namespace vitrine
