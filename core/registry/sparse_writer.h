// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/value/sha256.h"

#include <QByteArrayView>
#include <QString>

#include <stop_token>

namespace vitrine {

// Writes a disk image so that zeros take no space: whole zero blocks at the granularity of the file
// system, aligned to the file, are left out. Everything written to must read as zeros before.
// Several writers may work on one descriptor in different regions.
class SparseWriter final {
public:
    SparseWriter(int descriptor, QString path);

    Result<> write(quint64 offset, QByteArrayView data);
    // Makes a region read as zeros again and gives its space back where the file system can.
    Result<> clear(quint64 offset, quint64 size);

private:
    Result<> writeAll(quint64 offset, const char* data, size_t size);

    int m_descriptor;
    QString m_path;
    quint64 m_block; // bytes, a power of two
};

// SHA-256 of a region; holes are not read. Integrity when the file ends before it.
[[nodiscard]] Result<Sha256> hashRegion(
    int descriptor, const QString& path, quint64 offset, quint64 size, const std::stop_token& stop);

} // namespace vitrine
