// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QString>

#include <array>

namespace vitrine {

// A colour as the guest asked for it; what it looks like is the view's matter.
struct TerminalColour {
    enum class Kind : quint8 { Default, Palette, Rgb };
    Kind kind = Kind::Default;
    quint8 red = 0; // with Palette: the index, 0 to 255
    quint8 green = 0;
    quint8 blue = 0;
    friend bool operator==(const TerminalColour&, const TerminalColour&) = default;
};

// What one cell of the grid shows.
struct TerminalCell {
    enum Style : quint8 {
        Bold = 0x01,
        Underline = 0x02,
        Italic = 0x04,
        Reverse = 0x08,
        Strike = 0x10
    };

    // A character and at most two marks that go over it; 0: none. All 0: blank.
    std::array<char32_t, 3> characters{};
    TerminalColour foreground;
    TerminalColour background;
    quint8 styles = 0; // of Style
    quint8 width = 1;  // columns; 0: covered by the wide character to the left

    [[nodiscard]] bool isBlank() const { return characters[0] == 0 || characters[0] == U' '; }
    [[nodiscard]] QString text() const {
        qsizetype count = 0;
        while (count < 3 && characters[static_cast<size_t>(count)] != 0) {
            ++count;
        }
        return QString::fromUcs4(characters.data(), count);
    }
    friend bool operator==(const TerminalCell&, const TerminalCell&) = default;
};

// From the left; columns beyond its end are blank.
using TerminalLine = QList<TerminalCell>;

} // namespace vitrine
