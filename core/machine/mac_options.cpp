// SPDX-License-Identifier: Apache-2.0
#include "core/machine/mac_options.h"

namespace vitrine {

namespace {

const QString rosettaKey = QStringLiteral("rosetta");
const QString trackpadKey = QStringLiteral("trackpad");
const QString suspendableKey = QStringLiteral("suspendable");

} // namespace

MacOptions MacOptions::of(const RunOptions& options) {
    return {options.unknown.value(rosettaKey).toString(),
            options.unknown.value(trackpadKey).toBool(true),
            options.unknown.value(suspendableKey).toBool(false)};
}

void MacOptions::storeIn(RunOptions& options) const {
    if (rosetta.isEmpty())
        options.unknown.remove(rosettaKey);
    else
        options.unknown[rosettaKey] = rosetta;
    if (trackpad)
        options.unknown.remove(trackpadKey);
    else
        options.unknown[trackpadKey] = false;
    if (suspendable)
        options.unknown[suspendableKey] = true;
    else
        options.unknown.remove(suspendableKey);
}

} // namespace vitrine
