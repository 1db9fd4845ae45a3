// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the machine's process and the helper vitrine-shares say to each other over a SOCK_SEQPACKET
// pair: one message a packet, fields separated by NUL.
//
// To the helper, answered in order with "ok" or "error":
//   add NAME ro|rw PATH   a folder; an empty NAME makes it the whole tag (then nothing else can be)
//   remove NAME           guests that have it open keep access until they close it
//   protect NAME          a writable folder becomes read-only, also for what is open already
//   own PATH              gives what users of the guest left there to the user; the number is told
//   run                   with a listening socket as SCM_RIGHTS: starts virtiofsd on it
// From the helper:
//   ready                 once, or an error and the end
//   ok [NUMBER]
//   error STAGE ERRNO     see the words below
//   ended STATUS          virtiofsd is gone (a wait status); the helper stays until it is told
// The helper ends at end of file, and virtiofsd with it.
namespace vitrine::qemu::shareprotocol {

inline constexpr int maximumMessage = 16 * 1024; // bytes

inline constexpr const char* add = "add";
inline constexpr const char* remove = "remove";
inline constexpr const char* protect = "protect";
inline constexpr const char* own = "own";
inline constexpr const char* run = "run";
inline constexpr const char* ready = "ready";
inline constexpr const char* ok = "ok";
inline constexpr const char* error = "error";
inline constexpr const char* ended = "ended";
inline constexpr const char* readOnly = "ro";
inline constexpr const char* writable = "rw";

// What could not be done.
inline constexpr const char* stageUserNamespace = "user-namespace";
inline constexpr const char* stageUserMap = "user-map";
inline constexpr const char* stageGroupMap = "group-map";
inline constexpr const char* stageMounts = "mounts";
inline constexpr const char* stageOpen = "open";     // the folder, by its path
inline constexpr const char* stageAccess = "access"; // read-only could not be enforced
inline constexpr const char* stagePlace = "place";   // it could not be put below the tag
inline constexpr const char* stageRead = "read";     // the daemon could not read it
inline constexpr const char* stageWrite = "write";   // the daemon could not write it
inline constexpr const char* stageInUse = "in-use";  // a file of it is open for writing
inline constexpr const char* stageName = "name";     // no such name, or taken
inline constexpr const char* stageOwner = "owner";   // something could not be given
inline constexpr const char* stageStart = "start";   // virtiofsd

} // namespace vitrine::qemu::shareprotocol
