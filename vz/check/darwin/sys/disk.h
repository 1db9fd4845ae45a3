// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>
#define DKIOCGETBLOCKSIZE 0x40046418UL
#define DKIOCGETBLOCKCOUNT 0x40086419UL
