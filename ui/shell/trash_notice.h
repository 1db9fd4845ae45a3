// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <functional>

namespace vitrine::ui {

class MessageBar;

// Says that a machine went to the Trash, with Undo, which puts its folder back where it was unless
// the name is taken meanwhile; then the reason and "Open Trash" are shown. `restored` is called on
// the window's thread.
void showTrashNotice(MessageBar* message,
                     const QString& name,
                     const QString& directory,
                     const std::function<void()>& restored);

} // namespace vitrine::ui
