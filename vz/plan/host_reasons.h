// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/plan/host_caps.h"

#include <QString>

// Why this Mac cannot do something: translated whole sentences with a remedy where there is one,
// empty when it can. The pages show them beforehand, PlanBuilder refuses with them.
namespace vitrine::vz {

[[nodiscard]] QString whyNoMachines(const HostCaps& host); // no machine at all
[[nodiscard]] QString whyNoMacGuests(const HostCaps& host);
[[nodiscard]] QString whyNoForeignGuests(const HostCaps& host); // of the other architecture
[[nodiscard]] QString whyNotNested(bool macGuest, const HostCaps& host);
[[nodiscard]] QString whyNotSuspend(bool macGuest, const HostCaps& host);
[[nodiscard]] QString whyNotBridged(const HostCaps& host);
[[nodiscard]] QString whyNotRosetta(bool macGuest, const HostCaps& host);
[[nodiscard]] QString whyNotRefit(const HostCaps& host);

// The interfaces as --net-bridged takes them: en0 (or "Wi-Fi"), en1 …
[[nodiscard]] QString interfaceChoices(const HostCaps& host);

} // namespace vitrine::vz
