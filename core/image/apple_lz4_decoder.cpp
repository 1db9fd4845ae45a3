// SPDX-License-Identifier: Apache-2.0
#include "core/image/apple_lz4_decoder.h"
