// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "qemu/launch_plan.h"

#include <QString>

#include <vector>

namespace vitrine::qemu {

// Sees when a disk image of a running machine loses its name: what is written to it then is gone
// with the machine. One thread; looks are quick.
class WatchedDisks final {
public:
    void watch(const LaunchPlan& plan); // the root disk and other image files
    // The first one that has no name any more; empty when all have theirs.
    [[nodiscard]] QString missing() const;

private:
    struct Disk {
        QString path;
        FileDescriptor file; // O_PATH
    };
    std::vector<Disk> m_disks;
};

} // namespace vitrine::qemu
