// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/plan/host_caps.h"
#include "vz/plan/machine_plan.h"

#include <QStringList>

namespace vitrine::vz {

// The rules of the framework for a configuration, whoever made the plan: what it would refuse, is
// undefined, or makes it raise an exception instead of an error. Untranslated, for a report of a
// fault; an empty list when the plan is sound. PlanBuilder makes no other.
[[nodiscard]] QStringList flawsOf(const MachinePlan& plan, const HostCaps& host);

} // namespace vitrine::vz
