// SPDX-License-Identifier: Apache-2.0
#include "core/registry/image_pull.h"
