// SPDX-License-Identifier: Apache-2.0
#include "core/credentials/credential_store.h"
