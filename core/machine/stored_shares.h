// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/sharing/share_spec.h"

#include <QStringList>

#include <optional>

namespace vitrine {

// The shares of a machine that does not run, in its vitrine.json. A running one is changed through
// its process (requests "share.…"). All touch the disk and may wait for the lock of the file (10
// s); `libraries` are folders that a guest must not write to (share_safety.h). After an error
// nothing is changed.

// A share without a name and with the default tag gets a tag of its own after its folder; a named
// one with the default tag gets its name as the tag. `warning` is a sentence for the user or empty.
struct StoredShare {
    ShareSpec share;
    QString warning;
};
Result<StoredShare>
addStoredShare(const QString& machineDirectory, ShareSpec share, const QStringList& libraries);

// NotFound when there is no such share.
Result<>
removeStoredShare(const QString& machineDirectory, const QString& tag, const QString& name);

struct ShareChange {
    std::optional<bool> readOnly;
    std::optional<QString> name; // of a share without a name: its tag
};
Result<> changeStoredShare(const QString& machineDirectory,
                           const QString& tag,
                           const QString& name,
                           const ShareChange& change,
                           const QStringList& libraries);

} // namespace vitrine
