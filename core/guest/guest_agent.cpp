// SPDX-License-Identifier: Apache-2.0
#include "core/guest/guest_agent.h"
