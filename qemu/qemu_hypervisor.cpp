// SPDX-License-Identifier: Apache-2.0
#include "qemu/qemu_hypervisor.h"
