// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>
#include <sys/types.h>
#define XATTR_NOFOLLOW 0x0001
#define XATTR_CREATE 0x0002
#define XATTR_REPLACE 0x0004
extern "C" {
ssize_t getxattr(
    const char* path, const char* name, void* value, size_t size, uint32_t position, int options);
ssize_t
fgetxattr(int file, const char* name, void* value, size_t size, uint32_t position, int options);
int setxattr(const char* path,
             const char* name,
             const void* value,
             size_t size,
             uint32_t position,
             int options);
int fsetxattr(
    int file, const char* name, const void* value, size_t size, uint32_t position, int options);
int removexattr(const char* path, const char* name, int options);
}
