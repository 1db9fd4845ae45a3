// SPDX-License-Identifier: Apache-2.0
#include "ui/console/keyboard_grab.h"

namespace vitrine::ui {

// The framework's view takes the system's keys itself, where the machine is told to (vz/view). A
// screen that this program paints has no way to: macOS keeps its keys.
void KeyboardGrab::take(QWindow* window) {
    release();
    m_window = window;
}

void KeyboardGrab::release() {
    m_taken = false;
    m_window.clear();
    m_note.clear();
}

} // namespace vitrine::ui
