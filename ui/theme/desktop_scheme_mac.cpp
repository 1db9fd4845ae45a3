// SPDX-License-Identifier: Apache-2.0
#include "ui/theme/desktop_scheme.h"

namespace vitrine::ui {

// The palette that Qt makes of the system's colours follows them.
void watchDesktopScheme(QObject*, std::function<void(std::optional<Scheme>)>) {}

} // namespace vitrine::ui
