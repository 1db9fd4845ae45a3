// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/widgets/value_list.h"

namespace vitrine::ui {

// The lists of the firewall, as the Network page and the Network pane of Settings show them. What
// is a rule or a port is decided by the same functions that the command line asks.
[[nodiscard]] ValueList* allowList(QWidget* parent);
[[nodiscard]] ValueList* blockList(QWidget* parent);
[[nodiscard]] ValueList* exposeList(QWidget* parent);
[[nodiscard]] ValueList* forwardList(QWidget* parent); // "8080:80"

// Says of a rule that stands in both lists which one counts. Both outlive each other's signals.
void tellOfBoth(ValueList* allow, ValueList* block);

} // namespace vitrine::ui
