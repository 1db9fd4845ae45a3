// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/result/result.h"
#include "core/value/sha256.h"

#include <QByteArrayView>
#include <QString>

#include <cstdlib>
#include <memory>
#include <stop_token>

namespace vitrine {

// Writes a disk image so that zeros take no space: whole zero blocks at the granularity of the file
// system, aligned to the file, are left out. Everything written to must read as zeros before.
// Several writers may work on one file in different regions.
//
// Long runs go past the page cache (O_DIRECT) where the file system is known to do that well: an
// image is larger than the memory it would push out, and half the processor time of a pull went
// into filling pages (docs/performance.md). Bytes on the disk still need fsync to be safe.
class SparseWriter final {
public:
    static constexpr size_t alignment = 4096; // of direct writes, bytes

    // The descriptor must be open for writing and outlive the writer.
    SparseWriter(int descriptor, QString path);

    // Direct writing needs data whose address has the same remainder by `alignment` as `offset`.
    Result<> write(quint64 offset, QByteArrayView data);
    // Makes a region read as zeros again and gives its space back where the file system can.
    Result<> clear(quint64 offset, quint64 size);

private:
    Result<> writeRun(quint64 offset, const char* data, size_t size);
    Result<> writeAll(int descriptor, quint64 offset, const char* data, size_t size);

    int m_descriptor;
    FileDescriptor m_direct; // invalid: everything goes through the page cache
    QString m_path;
    quint64 m_block; // bytes, a power of two
};

struct FreeMemory {
    void operator()(char* memory) const { std::free(memory); }
};
// Memory for direct writing; a multiple of `alignment`.
[[nodiscard]] std::unique_ptr<char, FreeMemory> alignedMemory(size_t size);

// SHA-256 of a region; holes are not read. Integrity when the file ends before it.
[[nodiscard]] Result<Sha256> hashRegion(
    int descriptor, const QString& path, quint64 offset, quint64 size, const std::stop_token& stop);

} // namespace vitrine
