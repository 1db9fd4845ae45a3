// SPDX-License-Identifier: Apache-2.0
#include "core/disk/disk_space.h"
