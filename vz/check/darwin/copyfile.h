// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>
typedef struct _copyfile_state* copyfile_state_t;
typedef uint32_t copyfile_flags_t;
#define COPYFILE_DATA (1 << 3)
#define COPYFILE_CLONE (1 << 24)
extern "C" {
int copyfile(const char* from, const char* to, copyfile_state_t state, copyfile_flags_t flags);
int fcopyfile(int from, int to, copyfile_state_t state, copyfile_flags_t flags);
}
