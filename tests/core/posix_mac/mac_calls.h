// SPDX-License-Identifier: Apache-2.0
// Read before the macOS files of core/posix when they are compiled on Linux: what they call and
// Linux lacks, or has in another form, goes to the stand-ins of mac_*.cpp.
#pragma once

#include <QByteArray>
#include <QList>

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "vz/check/darwin/besides.h"

#define statfs mac_statfs // the structure and the call
#define fstatfs mac_fstatfs
#define getxattr(...) mac_getxattr(__VA_ARGS__)
#define setxattr(...) mac_setxattr(__VA_ARGS__)
#define accept(...) mac_accept(__VA_ARGS__)
#define chmod(...) mac_chmod(__VA_ARGS__)
#define fchmod(...) mac_fchmod(__VA_ARGS__)
#define fcntl(...) mac_fcntl(__VA_ARGS__)
#define fsync(...) mac_fsync(__VA_ARGS__)
#define getsockopt(...) mac_getsockopt(__VA_ARGS__)
#define ioctl(...) mac_ioctl(__VA_ARGS__)
#define pipe(...) mac_pipe(__VA_ARGS__)
#define setsockopt(...) mac_setsockopt(__VA_ARGS__)
#define socket(...) mac_socket(__VA_ARGS__)
#define sync(...) mac_sync(__VA_ARGS__)

extern "C" {
int mac_accept(int server, struct sockaddr* address, socklen_t* length);
int mac_chmod(const char* path, mode_t mode);
int mac_fchmod(int file, mode_t mode);
int mac_fcntl(int file, int command, ...);
int mac_fsync(int file);
int mac_getsockopt(int fd, int level, int option, void* value, socklen_t* length);
int mac_ioctl(int file, unsigned long request, ...);
int mac_pipe(int ends[2]);
int mac_setsockopt(int fd, int level, int option, const void* value, socklen_t length);
int mac_socket(int domain, int type, int protocol);
void mac_sync();
}
