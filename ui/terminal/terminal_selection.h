// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include <optional>
#include <utility>

namespace vitrine {
class TerminalSurface;
}

namespace vitrine::ui {

// A cell by its line, counted from the oldest of the scrollback, and column.
struct TerminalPlace {
    int line = 0;
    int column = 0;
    friend bool operator==(const TerminalPlace&, const TerminalPlace&) = default;
    friend auto operator<=>(const TerminalPlace&, const TerminalPlace&) = default;
};

// What is marked in a terminal: from the place where marking began to the place it has come to, by
// whole characters, words or lines. Keeps to its text when lines move up.
class TerminalSelection final {
public:
    enum class Unit { Character, Word, Line };

    void begin(const TerminalSurface& surface, TerminalPlace place, Unit unit);
    void extend(const TerminalSurface& surface, TerminalPlace place);
    void selectAll(const TerminalSurface& surface);
    void clear() { m_range.reset(); }
    void linesDropped(int count); // from the oldest end

    [[nodiscard]] bool isEmpty() const { return !m_range; }
    [[nodiscard]] bool contains(TerminalPlace place) const;
    [[nodiscard]] QString text(const TerminalSurface& surface) const;

private:
    using Range = std::pair<TerminalPlace, TerminalPlace>; // both included
    [[nodiscard]] Range unitAt(const TerminalSurface& surface, TerminalPlace place) const;

    Unit m_unit = Unit::Character;
    Range m_origin;
    std::optional<Range> m_range;
};

} // namespace vitrine::ui
