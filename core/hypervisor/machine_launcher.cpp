// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/machine_launcher.h"
