// SPDX-License-Identifier: Apache-2.0
#include "core/library/library.h"
