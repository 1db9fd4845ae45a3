// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>

#include <array>
#include <sys/types.h>

// Descriptors, pipes and sockets as the systems have them in different words. As with the calls
// themselves failure is -1 (false) with errno; descriptors belong to the caller. Any thread.
namespace vitrine::posix {

// A pipe that children do not inherit. Where the system cannot make it so in one step, a child that
// another thread forks at that moment may.
[[nodiscard]] bool makePipe(std::array<int, 2>& ends);

// A stream socket of this computer that children do not inherit, and where writing to a closed end
// is an error and no signal.
[[nodiscard]] int makeLocalSocket();
// The next connection of a listening socket: not inherited, not waiting, without the signal.
[[nodiscard]] int acceptLocal(int server);

// Of a socket made elsewhere: no signal from it. With `sendFlags` in each send(), as systems have
// the one or the other.
void silence(int socket);
extern const int sendFlags;

// Who is at the other end of a connected local socket. The process is the one that made or
// listened at that end; 0 where the system does not tell.
struct Peer {
    uid_t user = 0;
    pid_t process = 0;
};
[[nodiscard]] bool peerOf(int socket, Peer& peer);

// Closes all from `first` on but `except` (-1: none). May be called between fork and exec.
void closeDescriptors(int first, int except);
// They stay open in this process and are closed by its exec. May be called between fork and exec.
void closeOnExec(int first);

// A folder's descriptor that is only good for naming it and what is in it.
[[nodiscard]] int openFolderForPath(const char* path);
// A path that leads to the folder of an open descriptor: a short one that holds as long as the
// descriptor, wherever the folder is moved, where the system has such paths; the folder's path of
// this moment elsewhere. Empty with errno when there is none.
[[nodiscard]] QByteArray pathThrough(int folder);

} // namespace vitrine::posix
