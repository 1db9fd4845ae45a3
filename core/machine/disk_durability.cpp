// SPDX-License-Identifier: Apache-2.0
#include "core/machine/disk_durability.h"

namespace vitrine {

bool isRisky(const DiskOptions& options) {
    return options.synchronisation == Synchronisation::None && !options.readOnly;
}

QString durabilityText(const DiskOptions& options) {
    if (options.readOnly)
        return Tr::tr("Nothing is ever written to this disk.");
    if (isRisky(options)) {
        // Without the page cache there is less to lose, but nothing that keeps the order.
        return options.caching == Caching::Uncached
                   ? Tr::tr(
                         "Risky: the guest's flushes are ignored. Data goes past the page cache, "
                         "but what the drive still holds in its own cache is lost by a power "
                         "cut of this computer, and the guest's file system can be damaged.")
                   : Tr::tr("Risky: the guest's flushes are ignored. A power cut or crash of this "
                            "computer can destroy the guest's whole file system.");
    }
    return options.caching == Caching::Uncached
               ? Tr::tr("After a power cut everything the guest flushed is there. Data goes past "
                        "the page cache to the drive.")
               : Tr::tr("After a power cut everything the guest flushed is there. What it did not "
                        "flush yet may be missing, as on a computer of its own.");
}

} // namespace vitrine
