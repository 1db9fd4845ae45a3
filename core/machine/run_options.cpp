// SPDX-License-Identifier: Apache-2.0
#include "core/machine/run_options.h"
