// SPDX-License-Identifier: Apache-2.0
#include "core/machine/mac_options.h"

namespace vitrine {

namespace {

const QString rosettaKey = QStringLiteral("rosetta");
const QString trackpadKey = QStringLiteral("trackpad");
const QString suspendableKey = QStringLiteral("suspendable");
const QString captureKey = QStringLiteral("captureSystemKeys");

void storeFlag(RunOptions& options, const QString& key, bool value, bool usual) {
    if (value == usual)
        options.unknown.remove(key);
    else
        options.unknown[key] = value;
}

} // namespace

MacOptions MacOptions::of(const RunOptions& options) {
    return {options.unknown.value(rosettaKey).toString(),
            options.unknown.value(trackpadKey).toBool(true),
            options.unknown.value(suspendableKey).toBool(false),
            options.unknown.value(captureKey).toBool(false)};
}

void MacOptions::storeIn(RunOptions& options) const {
    if (rosetta.isEmpty())
        options.unknown.remove(rosettaKey);
    else
        options.unknown[rosettaKey] = rosetta;
    storeFlag(options, trackpadKey, trackpad, true);
    storeFlag(options, suspendableKey, suspendable, false);
    storeFlag(options, captureKey, captureSystemKeys, false);
}

} // namespace vitrine
