// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>
#include <sys/types.h>
#define ATTR_BIT_MAP_COUNT 5
#define ATTR_VOL_INFO 0x80000000U
#define ATTR_VOL_CAPABILITIES 0x00020000U
#define VOL_CAPABILITIES_FORMAT 0
#define VOL_CAPABILITIES_INTERFACES 1
#define VOL_CAP_INT_CLONE 0x00010000U
struct attrlist {
    unsigned short bitmapcount;
    uint16_t reserved;
    uint32_t commonattr, volattr, dirattr, fileattr, forkattr;
};
typedef struct vol_capabilities_attr {
    uint32_t capabilities[4];
    uint32_t valid[4];
} vol_capabilities_attr_t;
extern "C" int
getattrlist(const char* path, void* wanted, void* answer, size_t size, unsigned options);
