// |non-constant-expression cannot be narrowed
// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

struct Entry {
    mode_t mode;
};

Entry entryOf(unsigned archived) {
    return Entry{archived};
}
