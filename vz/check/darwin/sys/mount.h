// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>
#include <sys/types.h>
#define MNT_NOWAIT 2
#define MNT_WAIT 1
#define MNT_RDONLY 0x00000001
#define MNT_LOCAL 0x00001000
#define MFSTYPENAMELEN 16
typedef struct fsid {
    int32_t val[2];
} mac_fsid_t;
struct statfs {
    uint32_t f_bsize;
    int32_t f_iosize;
    uint64_t f_blocks, f_bfree, f_bavail, f_files, f_ffree;
    mac_fsid_t f_fsid;
    uid_t f_owner;
    uint32_t f_type, f_flags, f_fssubtype;
    char f_fstypename[MFSTYPENAMELEN];
    char f_mntonname[1024];
    char f_mntfromname[1024];
    uint32_t f_flags_ext, f_reserved[7];
};
extern "C" {
int statfs(const char* path, struct statfs* told);
int fstatfs(int file, struct statfs* told);
int getfsstat(struct statfs* told, int size, int flags);
int getmntinfo(struct statfs** told, int flags);
}
