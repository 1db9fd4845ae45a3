// SPDX-License-Identifier: Apache-2.0
#include "core/library/library_model.h"
