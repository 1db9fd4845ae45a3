// SPDX-License-Identifier: Apache-2.0
#include "core/machine/machine_config.h"
