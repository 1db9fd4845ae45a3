// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <QStringList>

namespace vitrine {

// A snapshot has a copy of the root disk only. These are about the other disks that a guest may
// write, wherever they are: they keep what they have when the machine goes back to a snapshot.

// By path or address. Copies of cached images are none: they go with their run.
[[nodiscard]] QStringList uncoveredDisks(const RunOptions& options);
// Of a machine that does not run: those stored or, when it is suspended, of that run.
[[nodiscard]] QStringList uncoveredDisksOf(const QString& machineDirectory);

// "\"/data.img\" is …": a whole sentence for people who take a snapshot. Not for an empty list.
[[nodiscard]] QString notInSnapshot(const QStringList& disks);
// The same for those who go back to one.
[[nodiscard]] QString notGoingBack(const QStringList& disks);

// Whether the memory in the folder of a snapshot fits the other disks as they are now: Unsupported
// names the one that was written since, and the way out.
Result<> checkMemoryFits(const QString& snapshotFolder, const QString& machineDirectory);

} // namespace vitrine
