// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/terminal/terminal_cell.h"

#include <QColor>

namespace vitrine::ui {

// What the guest's colours look like. Dark in both schemes of the window, as the guest's own text
// screen is; every colour of the first sixteen but black can be read on the background.
namespace terminal {
inline constexpr QRgb background = 0xff0b0f13;
inline constexpr QRgb foreground = 0xffd7dce2;
inline constexpr QRgb selection = 0xff2f5c9e;
inline constexpr QRgb onSelection = 0xffffffff;
} // namespace terminal

// The 256 colours of xterm: sixteen named ones, a cube of 6 x 6 x 6, 24 greys.
[[nodiscard]] QRgb terminalPaletteColour(int index);

struct CellColours {
    QRgb foreground = terminal::foreground;
    QRgb background = terminal::background;
    friend bool operator==(const CellColours&, const CellColours&) = default;
};
// `reversed`: of the whole screen.
[[nodiscard]] CellColours cellColours(const TerminalCell& cell, bool reversed, bool selected);

} // namespace vitrine::ui
