// SPDX-License-Identifier: Apache-2.0
#include "core/image/image_manifest.h"
