// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/display.h"
