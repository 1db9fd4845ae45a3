// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/library/library.h"
#include "core/registry/retry_policy.h"
#include "core/result/result.h"

#include <QString>
#include <QUrl>

namespace vitrine {

struct RestoreImageFetchOptions {
    bool plainHttp = false; // an address without encryption is taken
    QString caFile;         // extra trusted certificates (PEM)
    RetryPolicy retry = {};
};

// A restore image of macOS in the library's cache, Tart's (specification 5.7):
// cache/IPSWs/sha256:<hex>.ipsw. When the server names the digest and that file is here, nothing is
// fetched and it counts as used now; otherwise it is fetched, hashed on the way, compared with the
// digest if one was named, synced and moved there. Returns its path.
//
// What was fetched stays, after an error or a cancel too, in a hidden folder beside it, and the
// next fetch of that address goes on behind it if the server has the same file still (its entity
// tag or date, and its length); folders that nobody went on with for 14 days are removed by the
// next fetch. One process fetches an address at a time (Busy). At most five redirects, none from
// https to http; no credentials are sent. Blocking, for a thread that may wait. Errors name the
// address.
[[nodiscard]] Result<QString> fetchRestoreImage(const Library& library,
                                                const QUrl& url,
                                                const JobContext& context,
                                                const RestoreImageFetchOptions& options = {});

} // namespace vitrine
