// SPDX-License-Identifier: Apache-2.0
#include "ui/terminal/terminal_selection.h"

#include "core/terminal/terminal_surface.h"

#include <algorithm>

namespace vitrine::ui {

namespace {

// What a double click takes: paths, addresses and options are one word.
bool belongsToWord(const TerminalLine& line, int column) {
    if (column < 0 || column >= line.size()) {
        return false;
    }
    const TerminalCell& cell = line.at(column);
    if (cell.width == 0) {
        return true;
    }
    const char32_t code = cell.characters[0];
    return QChar::isLetterOrNumber(code) ||
           (code > 0x20 && code < 0x7f && QStringView(u"_-./~:@%+=#,?&").contains(QChar(code)));
}

} // namespace

TerminalSelection::Range TerminalSelection::unitAt(const TerminalSurface& surface,
                                                   TerminalPlace place) const {
    const int last = surface.size().columns - 1;
    if (m_unit == Unit::Line) {
        return {{place.line, 0}, {place.line, last}};
    }
    TerminalPlace from = place;
    TerminalPlace to = place;
    const TerminalLine line = surface.line(place.line);
    if (m_unit == Unit::Word && belongsToWord(line, place.column)) {
        while (belongsToWord(line, from.column - 1)) {
            --from.column;
        }
        while (belongsToWord(line, to.column + 1)) {
            ++to.column;
        }
    }
    return {from, to};
}

void TerminalSelection::begin(const TerminalSurface& surface, TerminalPlace place, Unit unit) {
    m_unit = unit;
    m_origin = unitAt(surface, place);
    m_range.reset();
    if (unit != Unit::Character) {
        m_range = m_origin;
    }
}

void TerminalSelection::extend(const TerminalSurface& surface, TerminalPlace place) {
    if (m_unit == Unit::Character && !m_range && place == m_origin.first) {
        return; // a click marks nothing
    }
    const Range here = unitAt(surface, place);
    m_range = Range{std::min(m_origin.first, here.first), std::max(m_origin.second, here.second)};
}

void TerminalSelection::selectAll(const TerminalSurface& surface) {
    m_unit = Unit::Line;
    m_origin = {{0, 0}, {0, surface.size().columns - 1}};
    m_range = Range{{0, 0}, {surface.lineCount() - 1, surface.size().columns - 1}};
}

void TerminalSelection::linesDropped(int count) {
    const auto move = [count](Range& range) {
        range.first.line -= count;
        range.second.line -= count;
        if (range.first.line < 0) {
            range.first = {0, 0};
        }
    };
    move(m_origin);
    m_origin.second.line = std::max(m_origin.second.line, 0);
    if (m_range) {
        move(*m_range);
        if (m_range->second.line < 0) {
            m_range.reset();
        }
    }
}

bool TerminalSelection::contains(TerminalPlace place) const {
    return m_range && m_range->first <= place && place <= m_range->second;
}

QString TerminalSelection::text(const TerminalSurface& surface) const {
    if (!m_range) {
        return {};
    }
    return surface.text(
        m_range->first.line, m_range->first.column, m_range->second.line, m_range->second.column);
}

} // namespace vitrine::ui
