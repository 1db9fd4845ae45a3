// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/job/job.h"
#include "core/library/library.h"
#include "core/machine/machine_config.h"
#include "core/result/result.h"

#include <QString>

#include <functional>
#include <optional>

namespace vitrine {

// A Linux machine that is to be made. The defaults are Tart's (specification 2.3).
struct NewLinuxMachine {
    Architecture architecture = hostArchitecture();
    int cpuCount = 4;
    ByteCount memory = ByteCount::fromMiB(4096);
    // A multiple of 512. Not given: 50 GB, or the size of `diskImage`, which it may not be below.
    std::optional<ByteCount> diskSize = {};
    QString diskImage; // absolute path of a raw disk to be copied; empty: an empty disk
    // Absolute path of an installation disc, which becomes a read-only disk of the machine: the
    // firmware starts from it for as long as there is nothing to start from on the disk.
    QString installationDisc;

    // Makes the firmware's variables, a file that is not there. Not set: an empty file, which is
    // what makes it a machine for Tart too; the first start fills it on a Mac and makes
    // "efivars-ARCH.fd" beside it elsewhere (contract 2, "Firmware variables").
    std::function<Result<>(const QString& path)> makeVariables = {};
};
inline constexpr ByteCount usualLinuxDisk = ByteCount::fromGB(50);

// Everything that can be refused before anything is written: sizes, and the two files.
[[nodiscard]] Result<> checkLinuxMachine(const NewLinuxMachine& machine);

// Makes it, built in tmp/ and published by a rename that cannot replace; a failure or a cancel
// leaves nothing. Blocking; reports the bytes of a disk that is copied.
Result<> createLinuxMachine(const Library& library,
                            const MachineName& name,
                            const NewLinuxMachine& machine,
                            const JobContext& context);

} // namespace vitrine
