// SPDX-License-Identifier: Apache-2.0
#include "core/library/machine_operations.h"
