// SPDX-License-Identifier: Apache-2.0
#include "core/credentials/secret_store.h"
