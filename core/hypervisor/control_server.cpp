// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/control_server.h"
