// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QList>
#include <QtGlobal>

// This computer as the systems describe it in different words. Paths as the system has them. Any
// thread; may read files of the system, which never wait long.
namespace vitrine::posix {

// The same until this computer starts again; empty when it cannot be told.
[[nodiscard]] QByteArray bootId();
// The same for this installation of the system; empty when it cannot be told.
[[nodiscard]] QByteArray hostId();
// Bytes; 0 when it cannot be told.
[[nodiscard]] quint64 physicalMemory();
// Bytes that programs can still have before others lose theirs; 0 when it cannot be told.
[[nodiscard]] quint64 availableMemory();

// Where volumes begin. Asks none of them: one that hangs holds nothing up.
[[nodiscard]] QList<QByteArray> mountPoints();
// Whether the volume of the path is one of NFS, SMB, FUSE, FAT and the like, which have no sockets,
// modes or reliable locks. No when it cannot be told.
[[nodiscard]] bool isForeignVolume(const char* path);

} // namespace vitrine::posix
