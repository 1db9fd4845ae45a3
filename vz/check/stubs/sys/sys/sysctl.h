// SPDX-License-Identifier: Apache-2.0
// Own stand-in: the one call that vz/ makes.
#pragma once
#include <stddef.h>
extern "C" int sysctlbyname(const char* name, void* old, size_t* oldSize, void* value, size_t size);
