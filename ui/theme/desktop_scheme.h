// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/theme/theme.h"

#include <QObject>

#include <functional>
#include <optional>

namespace vitrine::ui {

// Asks the desktop whether it is dark, where its palette does not tell: Linux desktops say it
// through their portal. `said` is called on the window's thread, with each answer and each change,
// as long as `parent` is there; never on systems whose palette tells.
void watchDesktopScheme(QObject* parent, std::function<void(std::optional<Scheme>)> said);

} // namespace vitrine::ui
