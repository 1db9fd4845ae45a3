// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/executor.h"

#include <QJsonObject>
#include <QString>

#include <optional>

namespace vitrine::bench::guest {

// What a benchmark runs in a guest: POSIX shell, with busybox as well as on macOS, as root or not.
// What comes back is untrusted.

// $1 name of the folder for test files, $2 the folder it goes into; empty: the home of the user who
// logs in there, on the root disk. Makes it and prints "key=value" lines.
[[nodiscard]] QString openScript();
struct Opened {
    QString folder;     // absolute path in the guest
    QString filesystem; // "ext2/ext3"; empty: unknown
    bool isOnRoot = true;
    QJsonObject facts; // "os", "kernel", "cpus", "memory_bytes"; what is not known is absent
};
[[nodiscard]] Result<Opened> openedFrom(const Executor::Output& output);

// Installs fio where it is missing, by apt, dnf, apk or brew. Says what fails.
[[nodiscard]] QString installFioScript();
// Exit code 0 when there is fio.
[[nodiscard]] QString findFioScript();

// $1 folder, $2 the line: runs it there in a session of its own. The time that it took by the
// guest's clock stands in the last line of its errors.
[[nodiscard]] QString runScript();
// Takes that line off and puts its time in, if it is there.
void takeTime(Executor::Output& output);
// $1 folder: ends what runScript() started there, and what that left behind.
[[nodiscard]] QString stopScript();

// $1 folder: writes its files to the disk and takes them out of the page cache; prints how.
[[nodiscard]] QString dropScript();
// False: there is no way in this guest.
[[nodiscard]] bool hasDropped(const Executor::Output& output);

// $1 folder.
[[nodiscard]] QString freeSpaceScript();
// Bytes; Integrity for what is no answer of `df -Pk`.
[[nodiscard]] Result<quint64> freeSpaceFrom(const Executor::Output& output);
// $1 folder: removes it.
[[nodiscard]] QString closeScript();

} // namespace vitrine::bench::guest
