// SPDX-License-Identifier: Apache-2.0
// The C library of this computer as macOS has it: what Linux alone has is taken away, what macOS
// alone has is declared. Own stand-in with facts of Apple's headers (macOS 13); read by
// scripts/mac-check.sh before everything else.
#pragma once
#include <arpa/inet.h>
#include <cerrno>
#include <climits>
#include <clocale>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <ifaddrs.h>
#include <libgen.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <pwd.h>
#include <sched.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utime.h>

#include "besides.h"

// Functions here and macros there: "::sigemptyset(&set)" does not compile on a Mac.
#define sigemptyset(set) (*(set) = 0, 0)
#define sigfillset(set) (*(set) = ~sigset_t(0), 0)
#define sigaddset(set, number) (*(set) |= 1U << ((number)-1), 0)
#define sigdelset(set, number) (*(set) &= ~(1U << ((number)-1)), 0)
#define sigismember(set, number) ((*(set)&1U << ((number)-1)) != 0)
#undef major
#undef minor
#undef makedev
#define major(device) (int(unsigned(device) >> 24 & 0xff))
#define minor(device) (int(unsigned(device) & 0xffffff))
#undef ntohs
#undef htons
#undef ntohl
#undef htonl
#define ntohs(x) ((unsigned short)__builtin_bswap16(x))
#define htons(x) ((unsigned short)__builtin_bswap16(x))
#define ntohl(x) (__builtin_bswap32(x))
#define htonl(x) (__builtin_bswap32(x))
#undef SEEK_HOLE
#undef SEEK_DATA
#define SEEK_HOLE 3
#define SEEK_DATA 4
#define ENOATTR 93
// Macros that are asked for with #ifdef.
#undef SYNC_FILE_RANGE_WRITE
#undef STATX_MNT_ID
#undef O_DIRECT
#undef TCP_USER_TIMEOUT
#undef TCP_KEEPIDLE
#undef TCP_INFO
#undef TCP_QUICKACK

// Names that are nowhere on a Mac.
#pragma clang poison accept4 canonicalize_file_name clock_nanosleep close_range copy_file_range    \
    dup3 epoll_create1 epoll_ctl
#pragma clang poison epoll_wait eventfd execvpe fallocate fdatasync get_current_dir_name getrandom \
    gettid inotify_add_watch
#pragma clang poison inotify_init1 loff_t lseek64 memfd_create mempcpy memrchr mremap off64_t      \
    open64 pidfd_open pidfd_send_signal
#pragma clang poison pipe2 posix_fallocate ppoll prctl pread64 program_invocation_name pwrite64    \
    rawmemchr
#pragma clang poison renameat2 secure_getenv sched_getaffinity sched_setaffinity signalfd sigqueue \
    sigtimedwait sigwaitinfo statx
#pragma clang poison strchrnul strerrordesc_np strerrorname_np sync_file_range syncfs syscall      \
    sysinfo tgkill timerfd_create ucred unshare
#pragma clang poison AT_EMPTY_PATH CLOCK_BOOTTIME CLOCK_MONOTONIC_COARSE EBADFD EREMOTEIO EUCLEAN  \
    ENOMEDIUM FALLOC_FL_KEEP_SIZE
#pragma clang poison FALLOC_FL_PUNCH_HOLE F_OFD_GETLK F_OFD_SETLK F_SETPIPE_SZ MAP_POPULATE        \
    MSG_CMSG_CLOEXEC MSG_NOSIGNAL O_NOATIME
#pragma clang poison O_PATH O_TMPFILE PR_SET_PDEATHSIG RENAME_EXCHANGE RENAME_NOREPLACE SIGPWR     \
    SIGRTMIN SIGSTKFLT SOCK_CLOEXEC
#pragma clang poison SOCK_NONBLOCK SO_PEERCRED _SC_AVPHYS_PAGES posix_fadvise POSIX_FADV_DONTNEED  \
    st_atim st_ctim st_mtim
