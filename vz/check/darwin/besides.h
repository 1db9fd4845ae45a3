// SPDX-License-Identifier: Apache-2.0
// What macOS has under another name than Linux, or besides: own stand-in with facts of Apple's
// headers (macOS 13). Read by scripts/mac-check.sh, and by the tests that run the files of
// core/posix for macOS.
#pragma once
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#define st_atimespec st_atim
#define st_mtimespec st_mtim
#define st_ctimespec st_ctim
#define F_NOCACHE 48
#define F_GETPATH 50
#define F_FULLFSYNC 51
#define F_PUNCHHOLE 99
#define F_BARRIERFSYNC 85
#define O_SYMLINK 0x200000
#define O_EVTONLY 0x8000
#define SO_NOSIGPIPE 0x1022
#define SOL_LOCAL 0
#define LOCAL_PEERCRED 1
#define LOCAL_PEERPID 2
#define TCP_KEEPALIVE 0x10
#define RENAME_SWAP 2
#define RENAME_EXCL 4
#define AF_LINK 18
struct fpunchhole_t {
    unsigned fp_flags, reserved;
    off_t fp_offset, fp_length;
};
typedef struct fpunchhole_t fpunchhole_t;
extern "C" {
int getpeereid(int socket, uid_t* user, gid_t* group);
int renamex_np(const char* from, const char* to, unsigned flags);
int renameatx_np(int fromFolder, const char* from, int toFolder, const char* to, unsigned flags);
int issetugid(void);
int gethostuuid(unsigned char id[16], const struct timespec* wait);
}
