// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>

namespace vitrine {

struct PortForward; // run_options.h

// One rule of a list that Softnet allows or blocks: "10.0.0.0/8" or "@host", with "in " or "out "
// before it and ":PORT" or ":FIRST-LAST" behind it if wanted. The error names the rule and, for an
// address without a prefix length, the remedy. Whole lists: network_options.h.
Result<> checkNetworkRule(const QString& rule);
// The same rule for everybody who writes it: host bits cleared, one blank. As it is if it is none.
[[nodiscard]] QString normalNetworkRule(const QString& rule);
// The rule with /32 behind the address that has no prefix length; empty when that is not its fault.
[[nodiscard]] QString wholeAddressRule(const QString& rule);

// "2222:22", or "22" for any free port of the host.
[[nodiscard]] Result<PortForward> portForwardFromText(const QString& text);
[[nodiscard]] QString portForwardText(const PortForward& forward);

} // namespace vitrine
