// SPDX-License-Identifier: Apache-2.0
#include "qemu/rfb/rfb_display.h"
