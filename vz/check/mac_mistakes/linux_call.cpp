// |attempt to use a poisoned identifier
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

bool makePipe(int (&ends)[2]) {
    return ::pipe2(ends, O_CLOEXEC) == 0;
}
