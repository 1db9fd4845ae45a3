// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QList>
#include <QString>

namespace vitrine::bench {

// Takes files out of this computer's page cache. Needs no rights but to read them; what cannot be
// read is passed over. Any thread.
//
// Linux: syncfs, then posix_fadvise(DONTNEED). macOS: what is written is flushed, then the file is
// mapped and given to msync(MS_INVALIDATE), piece by piece. Elsewhere Unsupported.
Result<> dropPageCache(const QString& folder); // every regular file below it
Result<> dropPageCacheOf(const QString& file);

// A part of a file, bytes.
struct FilePiece {
    qint64 offset = 0;
    qint64 length = 0;
    friend bool operator==(const FilePiece&, const FilePiece&) = default;
};
// How macOS maps a file of that size: in pieces of 16 GiB, where the published measurements of
// fio's authors (fio-invalidation-2025) are fastest for full and for sparse files.
[[nodiscard]] QList<FilePiece> mappedPieces(qint64 size);
inline constexpr qint64 largestPiece = 16LL << 30;

// The same for a guest of either kind, in Python: every file below the current folder. It fails
// where something could not be taken out.
[[nodiscard]] QString dropProgram();

} // namespace vitrine::bench
