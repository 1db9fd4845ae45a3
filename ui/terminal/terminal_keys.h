// SPDX-License-Identifier: Apache-2.0
#pragma once

class QKeyEvent;

namespace vitrine {
class TerminalSurface;
}

namespace vitrine::ui {

// Hands a key press to the guest. False for one that means nothing to a terminal, such as a
// modifier alone.
bool pressTerminalKey(TerminalSurface& surface, const QKeyEvent& event);

} // namespace vitrine::ui
