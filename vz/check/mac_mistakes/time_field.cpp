// |attempt to use a poisoned identifier
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

long nanoseconds(const struct stat& info) {
    return info.st_mtim.tv_nsec;
}
