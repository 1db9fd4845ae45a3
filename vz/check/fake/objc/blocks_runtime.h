// SPDX-License-Identifier: Apache-2.0
// GNUstep's headers ask for it under this name.
#pragma once
#include <Block.h>
