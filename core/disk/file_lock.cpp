// SPDX-License-Identifier: Apache-2.0
#include "core/disk/file_lock.h"
