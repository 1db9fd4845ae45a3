// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

namespace vitrine::shares {

// What could not be done, and why; stage nullptr: nothing is wrong.
struct Failure {
    const char* stage = nullptr; // a word of share_protocol.h
    int errorNumber = 0;
    explicit operator bool() const { return stage != nullptr; }
};

// Who the users of the guest are on this computer. Never root: neither guest root nor virtiofsd.
struct Identity {
    bool asRoot = false; // the helper is root and works for `owner`
    uid_t guestUser = 0; // inside: the guest's login user …
    gid_t guestGroup = 0;
    uid_t owner = 0; // … who is this user outside
    gid_t ownerGroup = 0;
    uid_t firstUid = 0; // outside: what the other ids of the guest become
    gid_t firstGid = 0;
    unsigned uidCount = 0;
    unsigned gidCount = 0;
};

// An ordinary user's helper goes into a user namespace of its own and a mount namespace; newuidmap
// and newgidmap write its maps. It is inside-root then. Root only gets a mount namespace.
[[nodiscard]] Failure enterNamespaces(const Identity& identity);

// For root: writes the maps of a child that has just made a user namespace.
[[nodiscard]] Failure writeMaps(pid_t child, const Identity& identity);

} // namespace vitrine::shares
