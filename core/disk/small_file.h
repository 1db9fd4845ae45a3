// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QByteArray>
#include <QString>

namespace vitrine {

// Largest config.json, vitrine.json and the like that is read or written.
inline constexpr qint64 maximumSmallFile = 1 << 20; // bytes

// Reads all of an open regular file from its beginning. `path` is for the error only. More than
// `maximum` bytes: InvalidInput.
[[nodiscard]] Result<QByteArray>
readSmallFile(int descriptor, const QString& path, qint64 maximum = maximumSmallFile);

// Opens and reads. Never waits on a FIFO or device: anything but a regular file is InvalidInput.
[[nodiscard]] Result<QByteArray> readSmallFile(const QString& path,
                                               qint64 maximum = maximumSmallFile);

// Writes all bytes at `offset`, going on after short writes and signals.
Result<> writeFully(int descriptor, const QByteArray& bytes, qint64 offset, const QString& path);

// Writes `path`.new (mode 0600), fsync, rename over `path`, fsync of the folder. A reader sees the
// old or the new text, also after a crash. Callers keep other writers away.
Result<> replaceFile(const QString& path, const QByteArray& bytes);

} // namespace vitrine
