// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// The pretended macOS under the files of core/posix: which of its calls fail, and what kind of
// volume it has. Calls that were told nothing do what Apple's manual says. Any thread.
namespace vitrine::mac {

enum class Call {
    Accept,
    Attributes, // getattrlist
    BlockCount,
    BootId,
    ChangeMode, // chmod, fchmod
    Clone,
    FullSync,
    GetAttribute,
    HostId,
    Kevent,
    Kqueue,
    ListVolumes,
    MemoryLevel,
    MemorySize,
    OrdinarySync, // fsync
    PathOf,       // F_GETPATH
    PeerProcess,
    PeerUser,
    Pipe,
    PunchHole,
    RenameExclusive,
    SeekData, // SEEK_DATA, SEEK_HOLE
    SetAttribute,
    SilenceSocket, // SO_NOSIGPIPE
    Socket,
    Statfs,
    SyncAll,
    Last
};

// Lets `after` calls pass; the next `times` fail with the error.
void failNext(Call call, int errorNumber, int times = 1, int after = 0);
// Since forgetFaults(), with those that failed.
[[nodiscard]] int timesCalled(Call call);
void forgetFaults();

// Every volume is of this kind, as statfs() names it, and on this computer or not. An empty name:
// what Linux tells, in macOS's words; what it has other names for is "apfs".
void pretendVolume(const std::string& kind, bool isLocal = true);
// Whether volumes tell that they share blocks, and do. They do at first.
void pretendClones(bool possible);

// For the stand-ins: whether this call is to fail, with errno set.
[[nodiscard]] bool mustFail(Call call);
[[nodiscard]] bool volumesClone();

} // namespace vitrine::mac
