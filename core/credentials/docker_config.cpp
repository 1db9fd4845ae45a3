// SPDX-License-Identifier: Apache-2.0
#include "core/credentials/docker_config.h"
