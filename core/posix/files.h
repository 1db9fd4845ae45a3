// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QtGlobal>

#include <ctime>
#include <optional>
#include <sys/stat.h>
#include <sys/types.h>

// Files as the systems have them in different words. As with the calls themselves failure is -1
// (false) with errno. Sizes and offsets are in bytes, paths as the system has them. Any thread.
namespace vitrine::posix {

// EEXIST when `to` is there; EINVAL or ENOSYS where the volume cannot rename in this way.
[[nodiscard]] bool renameExclusive(const char* from, const char* to);

// Makes the file of `to`, which is new, empty, open for writing and at `path`, share all blocks of
// `from`. `to` may be another descriptor afterwards, also when it failed; -1 when nothing is left
// at `path`. The file stays private to its owner.
[[nodiscard]] bool cloneInto(int from, int& to, const char* path);
// Whether cloneInto() would work from this file to a new one in the folder. Leaves nothing there.
[[nodiscard]] bool canClone(int from, const char* folder);
// Shares a part of a file's blocks with another file.
[[nodiscard]] bool cloneRange(int from, quint64 fromOffset, int to, quint64 toOffset, quint64 size);
// Copies at the same offset of both files, without this program seeing the bytes: how many.
[[nodiscard]] ssize_t copyRange(int from, int to, quint64 offset, quint64 size);
// Errors of the three that say "not in this way" and not "not at all".
[[nodiscard]] bool meansOtherWay(int errorNumber);

// Frees what a part of the file takes; it reads as zeros. EOPNOTSUPP: write zeros.
[[nodiscard]] bool punchHole(int file, quint64 offset, quint64 size);
// What the file takes that no other shares; nothing where that cannot be told.
[[nodiscard]] std::optional<quint64> exclusiveBytes(int file);

// Of a disk, a partition and the like, in bytes.
[[nodiscard]] bool blockDeviceSize(int device, quint64& size);

// Starts writing out, so that flush() is short. A help: tells no errors.
void startWriteBack(int file, quint64 offset, quint64 size);
// Starts and waits; false where the system has no such call and nothing was done.
bool writeBack(int file, quint64 offset, quint64 size);
// To the medium itself, as far as the volume can: a loss of power afterwards loses nothing.
[[nodiscard]] bool flush(int file);
// All of the volume that holds the folder.
[[nodiscard]] bool flushVolume(int folder);
// The system forgets what it keeps of the file in memory.
void forgetCached(int file);
// Another descriptor of the file that writes past the cache; -1 where that gains nothing.
[[nodiscard]] int openDirect(int file);

[[nodiscard]] timespec accessTime(const struct stat& info);
[[nodiscard]] timespec modificationTime(const struct stat& info);

// Short values that some volumes keep with a file or folder. `name` has no prefix of the system's.
[[nodiscard]] bool setAttribute(const char* path, const char* name, const QByteArray& value);
[[nodiscard]] QByteArray attribute(const char* path, const char* name);

} // namespace vitrine::posix
