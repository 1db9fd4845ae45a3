// SPDX-License-Identifier: Apache-2.0
#pragma once

// The declarations of macOS guests, Rosetta and saved states exist only in the Apple silicon slice
// of the framework's headers. The one place that asks which slice this is.
#ifdef __arm64__
#define VZ_ARM64 1
#else
#define VZ_ARM64 0
#endif
