// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QDateTime>
#include <QString>

#include <optional>

namespace vitrine {

// When a machine or image was used last (specification 1.5): the access time of its directory, as
// Tart keeps it, whose modification time stays; and a record of our own beside it, because on Linux
// every program that looks into the directory changes the access time, or nobody does ("relatime",
// "noatime"). The record is the extended attribute "user.vitrine.used" of the directory: seconds
// since 1970, decimal. Where the file system has none, the access time is all there is. Any thread.
Result<> recordUse(const QString& directory, const QDateTime& when);
// The record; nullopt when there is none.
[[nodiscard]] std::optional<QDateTime> recordedUse(const QString& directory);

} // namespace vitrine
