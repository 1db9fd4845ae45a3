// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>
#define CLONE_NOFOLLOW 0x0001
#define CLONE_NOOWNERCOPY 0x0002
extern "C" {
int clonefile(const char* from, const char* to, uint32_t flags);
int fclonefileat(int from, int toFolder, const char* to, uint32_t flags);
}
