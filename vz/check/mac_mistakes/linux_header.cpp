// |<linux/fs.h> is not there on a Mac
// SPDX-License-Identifier: Apache-2.0
#include <linux/fs.h>
#include <sys/ioctl.h>

bool cloneInto(int to, int from) {
    return ::ioctl(to, FICLONE, from) == 0;
}
