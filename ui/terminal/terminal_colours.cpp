// SPDX-License-Identifier: Apache-2.0
#include "ui/terminal/terminal_colours.h"

#include <array>
#include <utility>

namespace vitrine::ui {

namespace {

constexpr std::array<QRgb, 16> named{0xff2b3138,
                                     0xfff07178,
                                     0xff7fd88f,
                                     0xffe5c07b,
                                     0xff6cb6ff,
                                     0xffd2a8ff,
                                     0xff56d4dd,
                                     0xffc9d1d9,
                                     0xff8b949e,
                                     0xffff9aa2,
                                     0xffa5e8b0,
                                     0xfff2d89c,
                                     0xff9bcbff,
                                     0xffe2c5ff,
                                     0xff8ae5ec,
                                     0xffffffff};

QRgb rgbOf(const TerminalColour& colour, QRgb whenDefault) {
    switch (colour.kind) {
    case TerminalColour::Kind::Palette:
        return terminalPaletteColour(colour.red);
    case TerminalColour::Kind::Rgb:
        return qRgb(colour.red, colour.green, colour.blue);
    case TerminalColour::Kind::Default:
        break;
    }
    return whenDefault;
}

} // namespace

QRgb terminalPaletteColour(int index) {
    if (index < 0 || index > 255) {
        return terminal::foreground;
    }
    if (index < 16) {
        return named[static_cast<size_t>(index)];
    }
    if (index < 232) {
        const int cube = index - 16;
        const auto level = [](int step) { return step == 0 ? 0 : 55 + 40 * step; };
        return qRgb(level(cube / 36), level(cube / 6 % 6), level(cube % 6));
    }
    const int grey = 8 + 10 * (index - 232);
    return qRgb(grey, grey, grey);
}

CellColours cellColours(const TerminalCell& cell, bool reversed, bool selected) {
    if (selected) {
        return {terminal::onSelection, terminal::selection};
    }
    CellColours colours{rgbOf(cell.foreground, terminal::foreground),
                        rgbOf(cell.background, terminal::background)};
    if (reversed != ((cell.styles & TerminalCell::Reverse) != 0)) {
        std::swap(colours.foreground, colours.background);
    }
    return colours;
}

} // namespace vitrine::ui
