// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"

#include <QString>

#include <functional>

namespace vitrine {

// What became of the guest's last partition and its file system after its root disk grew.
struct PartitionGrowth {
    enum class Outcome {
        Grown,
        NothingToDo, // there was no free space behind it
        NotPossible  // the disk is larger, the rest is for the guest's user: `text` says what to do
    };
    Outcome outcome = Outcome::NotPossible;
    QString text; // translated, whole sentences
    friend bool operator==(const PartitionGrowth&, const PartitionGrowth&) = default;
};

// What the guest runs (POSIX shell, as root): growpart for the last partition of the disk at this
// PCI address ("0000:00:03.0"), then resize2fs, xfs_growfs or btrfs. The last line it prints is
// "VITRINE word details".
[[nodiscard]] QString partitionGrowthScript(const QString& pciAddress);
// Text from the guest is untrusted.
[[nodiscard]] PartitionGrowth partitionGrowthFrom(const GuestAgent::ExecResult& result);

// Runs it through the guest's agent. Takes at most two minutes; an error only when the script could
// not be run, and the sentence then says what to do in the guest.
void growPartition(GuestAgent& agent,
                   const QString& pciAddress,
                   std::function<void(Result<PartitionGrowth>)> reply);

} // namespace vitrine
