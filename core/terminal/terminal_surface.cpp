// SPDX-License-Identifier: Apache-2.0
#include "core/terminal/terminal_surface.h"

#include <vterm.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace vitrine {

namespace {

// What the guest may make the terminal say, for each feed; an answer is at most 40 bytes long.
constexpr qsizetype maximumAnswer = 64;
constexpr qsizetype maximumAnswers = 512;

TerminalColour toColour(const VTermColor& colour) {
    if (VTERM_COLOR_IS_DEFAULT_FG(&colour) || VTERM_COLOR_IS_DEFAULT_BG(&colour)) {
        return {};
    }
    if (VTERM_COLOR_IS_INDEXED(&colour)) {
        return {TerminalColour::Kind::Palette, colour.indexed.idx, 0, 0};
    }
    return {TerminalColour::Kind::Rgb, colour.rgb.red, colour.rgb.green, colour.rgb.blue};
}

VTermColor fromColour(const TerminalColour& colour, VTermColorType whenDefault) {
    VTermColor result{};
    switch (colour.kind) {
    case TerminalColour::Kind::Default:
        vterm_color_indexed(&result, 7);
        result.type = static_cast<uint8_t>(result.type | whenDefault);
        break;
    case TerminalColour::Kind::Palette:
        vterm_color_indexed(&result, colour.red);
        break;
    case TerminalColour::Kind::Rgb:
        vterm_color_rgb(&result, colour.red, colour.green, colour.blue);
        break;
    }
    return result;
}

bool isCharacter(uint32_t code) {
    return code >= 0x20 && code != 0x7f && code <= 0x10ffff && !(code >= 0x80 && code < 0xa0) &&
           !(code >= 0xd800 && code < 0xe000);
}

TerminalCell toCell(const VTermScreenCell& from) {
    TerminalCell cell;
    if (from.chars[0] == static_cast<uint32_t>(-1)) {
        cell.width = 0; // right half of a wide character
        return cell;
    }
    size_t count = 0;
    for (size_t i = 0; i < VTERM_MAX_CHARS_PER_CELL && from.chars[i] != 0; ++i) {
        if (count < cell.characters.size() && isCharacter(from.chars[i])) {
            cell.characters[count++] = from.chars[i];
        }
    }
    const auto style = [&cell](bool on, TerminalCell::Style bit) {
        if (on) {
            cell.styles = static_cast<quint8>(cell.styles | bit);
        }
    };
    style(from.attrs.bold != 0, TerminalCell::Bold);
    style(from.attrs.underline != 0, TerminalCell::Underline);
    style(from.attrs.italic != 0, TerminalCell::Italic);
    style(from.attrs.reverse != 0, TerminalCell::Reverse);
    style(from.attrs.strike != 0, TerminalCell::Strike);
    cell.foreground = toColour(from.fg);
    cell.background = toColour(from.bg);
    cell.width = from.width == 2 ? 2 : 1;
    return cell;
}

VTermScreenCell fromCell(const TerminalCell& from) {
    VTermScreenCell cell{};
    for (size_t i = 0; i < from.characters.size(); ++i) {
        cell.chars[i] = from.characters[i];
    }
    if (from.width == 0) {
        cell.chars[0] = static_cast<uint32_t>(-1);
    }
    cell.width = static_cast<char>(std::max<int>(from.width, 1));
    cell.attrs.bold = (from.styles & TerminalCell::Bold) != 0;
    cell.attrs.underline = (from.styles & TerminalCell::Underline) != 0;
    cell.attrs.italic = (from.styles & TerminalCell::Italic) != 0;
    cell.attrs.reverse = (from.styles & TerminalCell::Reverse) != 0;
    cell.attrs.strike = (from.styles & TerminalCell::Strike) != 0;
    cell.fg = fromColour(from.foreground, VTERM_COLOR_DEFAULT_FG);
    cell.bg = fromColour(from.background, VTERM_COLOR_DEFAULT_BG);
    return cell;
}

VTermModifier toModifier(TerminalModifiers modifiers) {
    int result = VTERM_MOD_NONE;
    result |= modifiers.shift ? VTERM_MOD_SHIFT : 0;
    result |= modifiers.alt ? VTERM_MOD_ALT : 0;
    result |= modifiers.control ? VTERM_MOD_CTRL : 0;
    return static_cast<VTermModifier>(result);
}

VTermKey toKey(TerminalKey key, int functionNumber) {
    switch (key) {
    case TerminalKey::Enter:
        return VTERM_KEY_ENTER;
    case TerminalKey::Tab:
        return VTERM_KEY_TAB;
    case TerminalKey::Backspace:
        return VTERM_KEY_BACKSPACE;
    case TerminalKey::Escape:
        return VTERM_KEY_ESCAPE;
    case TerminalKey::Up:
        return VTERM_KEY_UP;
    case TerminalKey::Down:
        return VTERM_KEY_DOWN;
    case TerminalKey::Left:
        return VTERM_KEY_LEFT;
    case TerminalKey::Right:
        return VTERM_KEY_RIGHT;
    case TerminalKey::Insert:
        return VTERM_KEY_INS;
    case TerminalKey::Delete:
        return VTERM_KEY_DEL;
    case TerminalKey::Home:
        return VTERM_KEY_HOME;
    case TerminalKey::End:
        return VTERM_KEY_END;
    case TerminalKey::PageUp:
        return VTERM_KEY_PAGEUP;
    case TerminalKey::PageDown:
        return VTERM_KEY_PAGEDOWN;
    case TerminalKey::Function:
        return static_cast<VTermKey>(VTERM_KEY_FUNCTION(std::clamp(functionNumber, 1, 12)));
    }
    return VTERM_KEY_NONE;
}

// Bytes of a character at the end that has not come whole.
qsizetype incompleteEnd(QByteArrayView bytes) {
    for (qsizetype back = 1; back <= std::min<qsizetype>(3, bytes.size()); ++back) {
        const auto byte = static_cast<uchar>(bytes.at(bytes.size() - back));
        if ((byte & 0xc0U) == 0x80U) {
            continue; // a later byte of one
        }
        const qsizetype length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
        return length > back ? back : 0;
    }
    return 0;
}

constexpr qsizetype longestSequence = 256; // bytes; longer ones are dropped
constexpr int longestNumber = 4;           // digits: nothing is 10,000 columns wide

// A control sequence at the start of `piece` ("ESC [ parameters final", ECMA-48 5.4), made safe for
// libvterm 0.1.4: without control characters inside, with numbers of a sensible size. REP is left
// out, because it writes beyond the end of a line there, or never ends.
struct Sequence {
    bool isComplete = false;
    qsizetype length = 0; // of the original
    QByteArray bytes;
};
Sequence controlSequence(QByteArrayView piece) {
    Sequence sequence;
    sequence.bytes = "\x1b[";
    int digits = 0;
    for (qsizetype at = 2; at < piece.size(); ++at) {
        const auto byte = static_cast<uchar>(piece.at(at));
        sequence.length = at + 1;
        if (byte < 0x20 || byte == 0x7f) {
            continue;
        }
        if (byte >= 0x80) {
            sequence.isComplete = true; // broken off
            sequence.length = at;
            sequence.bytes.clear();
            return sequence;
        }
        digits = byte >= '0' && byte <= '9' ? digits + 1 : 0;
        if (digits <= longestNumber) {
            sequence.bytes += static_cast<char>(byte);
        }
        if (byte >= 0x40) {
            sequence.isComplete = true;
            if (byte == 'b') {
                sequence.bytes.clear();
            }
            return sequence;
        }
    }
    return sequence;
}

bool isHarmlessAnswer(const QByteArray& bytes) {
    return bytes.size() <= maximumAnswer && std::all_of(bytes.begin(), bytes.end(), [](char byte) {
               return byte == '\x1b' || (byte >= 0x20 && byte < 0x7f);
           });
}

} // namespace

class TerminalSurface::Private {
public:
    struct Free {
        void operator()(VTerm* ended) const { vterm_free(ended); }
    };

    Private(TerminalSurface* owner, TerminalSize size)
        : q(owner)
        , terminal(vterm_new(size.rows, size.columns))
        , screen(vterm_obtain_screen(terminal.get())) {
        vterm_set_utf8(terminal.get(), 1);
        vterm_output_set_callback(terminal.get(), &Private::onOutput, this);
        static const VTermScreenCallbacks callbacks = [] {
            VTermScreenCallbacks all{};
            all.movecursor = &Private::onCursor;
            all.settermprop = &Private::onProperty;
            all.bell = &Private::onBell;
            all.sb_pushline = &Private::onPush;
            all.sb_popline = &Private::onPop;
            return all;
        }();
        vterm_screen_set_callbacks(screen, &callbacks, this);
        vterm_screen_set_damage_merge(screen, VTERM_DAMAGE_SCREEN);
        vterm_screen_enable_altscreen(screen, 1);
        vterm_screen_reset(screen, 1);
    }

    static Private* of(void* user) { return static_cast<Private*>(user); }

    static void onOutput(const char* bytes, size_t length, void* user) {
        of(user)->collected.append(bytes, static_cast<qsizetype>(length));
    }
    static int onCursor(VTermPos position, VTermPos, int, void* user) {
        of(user)->cursor.row = position.row;
        of(user)->cursor.column = position.col;
        return 1;
    }
    static int onProperty(VTermProp property, VTermValue* value, void* user) {
        switch (property) {
        case VTERM_PROP_CURSORVISIBLE:
            of(user)->cursor.visible = value->boolean != 0;
            return 1;
        case VTERM_PROP_CURSORSHAPE:
            of(user)->cursor.shape =
                value->number == VTERM_PROP_CURSORSHAPE_UNDERLINE ? TerminalCursor::Shape::Underline
                : value->number == VTERM_PROP_CURSORSHAPE_BAR_LEFT ? TerminalCursor::Shape::Bar
                                                                   : TerminalCursor::Shape::Block;
            return 1;
        case VTERM_PROP_REVERSE:
            of(user)->reversed = value->boolean != 0;
            return 1;
        default:
            return 1; // titles and the like: not the guest's to set
        }
    }
    static int onBell(void* user) {
        of(user)->rang = true;
        return 1;
    }
    static int onPush(int columns, const VTermScreenCell* cells, void* user) {
        of(user)->push(columns, cells);
        return 1;
    }
    static int onPop(int columns, VTermScreenCell* cells, void* user) {
        return of(user)->pop(columns, cells);
    }

    void push(int columns, const VTermScreenCell* cells) {
        TerminalLine line;
        line.reserve(columns);
        for (int column = 0; column < columns; ++column) {
            line.append(toCell(cells[column]));
        }
        while (!line.isEmpty() && line.last() == TerminalCell()) {
            line.removeLast();
        }
        line.squeeze();
        scrollback.push_back(std::move(line));
        ++pushed;
        if (static_cast<int>(scrollback.size()) > maximumScrollback) {
            scrollback.pop_front();
            ++dropped;
        }
    }
    int pop(int columns, VTermScreenCell* cells) {
        if (scrollback.empty()) {
            return 0;
        }
        const TerminalLine line = std::move(scrollback.back());
        scrollback.pop_back();
        --pushed;
        for (int column = 0; column < columns; ++column) {
            cells[column] = fromCell(column < line.size() ? line.at(column) : TerminalCell());
        }
        return 1;
    }

    // After a resize libvterm 0.1.4 keeps places that lie outside of the new grid (cursor, saved
    // cursor, margins) and then reads and writes outside of its memory. As xterm does, margins end
    // with a resize; the cursor and the saved one are put where they are inside.
    void settle() {
        VTermPos place{};
        vterm_state_get_cursorpos(vterm_obtain_state(terminal.get()), &place);
        const TerminalSize grid = q->size();
        // CAN ends what has come of a sequence; DECLRMM, DECOM and DECSTBM off; CUP; DECSC.
        const QByteArray sequence =
            "\x18\x1b[?69l\x1b[?6l\x1b[r\x1b[" +
            QByteArray::number(std::clamp(place.row, 0, grid.rows - 1) + 1) + ';' +
            QByteArray::number(std::clamp(place.col, 0, grid.columns - 1) + 1) + "H\x1b" + '7';
        write(sequence);
    }

    void write(QByteArrayView bytes) {
        if (!bytes.isEmpty()) {
            vterm_input_write(terminal.get(), bytes.data(), static_cast<size_t>(bytes.size()));
        }
    }

    void tellScrolled() {
        const int lines = std::exchange(pushed, 0);
        const int fallen = std::exchange(dropped, 0);
        if (lines != 0 || fallen != 0) {
            Q_EMIT q->scrolled(lines, fallen);
        }
    }

    TerminalSurface* q;
    std::unique_ptr<VTerm, Free> terminal;
    VTermScreen* screen; // of the terminal
    std::deque<TerminalLine> scrollback;
    QByteArray incomplete; // the first bytes of a character
    QByteArray collected;  // what the terminal said and nobody has taken
    TerminalCursor cursor;
    bool reversed = false;
    bool rang = false;
    int pushed = 0; // since the last signal
    int dropped = 0;
};

TerminalSurface::TerminalSurface(TerminalSize size, QObject* parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>(this, size)) {}

TerminalSurface::~TerminalSurface() = default;

void TerminalSurface::feed(QByteArrayView fresh, Origin origin) {
    QByteArray answers;
    // libvterm 0.1.4 takes a character that comes in two writes for two broken ones.
    const QByteArray joined = m_d->incomplete + fresh.toByteArray();
    const qsizetype whole = joined.size() - incompleteEnd(joined);
    m_d->incomplete = joined.sliced(whole);
    QByteArrayView bytes = QByteArrayView(joined).first(whole);
    // In pieces that begin with an escape, so that one answer can be told from the next.
    while (!bytes.isEmpty()) {
        const qsizetype escape = bytes.indexOf('\x1b', 1);
        QByteArrayView piece = escape < 0 ? bytes : bytes.first(escape);
        bytes = bytes.sliced(piece.size());
        if (piece.startsWith("\x1b[") || (piece == "\x1b" && bytes.isEmpty())) {
            const Sequence sequence = controlSequence(piece);
            if (!sequence.isComplete && bytes.isEmpty() && piece.size() < longestSequence) {
                m_d->incomplete.prepend(piece.toByteArray());
                break;
            }
            if (sequence.isComplete) {
                m_d->write(sequence.bytes);
                piece = piece.sliced(sequence.length);
            } else {
                piece = {};
            }
        }
        // Device control strings become an operating system command that nobody knows: libvterm
        // 0.1.4 answers a request for a setting (DECRQSS) from memory that is not its own.
        if (piece.startsWith("\x1bP")) {
            m_d->write("\x1b]9999;");
            piece = piece.sliced(2);
        }
        m_d->write(piece);
        const QByteArray answer = std::exchange(m_d->collected, {});
        if (origin == Origin::Live && isHarmlessAnswer(answer) &&
            answers.size() + answer.size() <= maximumAnswers) {
            answers += answer;
        }
    }
    vterm_screen_flush_damage(m_d->screen);
    m_d->tellScrolled();
    if (std::exchange(m_d->rang, false) && origin == Origin::Live) {
        Q_EMIT bell();
    }
    Q_EMIT changed();
    if (!answers.isEmpty()) {
        Q_EMIT output(answers);
    }
}

void TerminalSurface::resize(TerminalSize size) {
    size.rows = std::clamp(size.rows, smallest.rows, largest.rows);
    size.columns = std::clamp(size.columns, smallest.columns, largest.columns);
    if (size == this->size()) {
        return;
    }
    vterm_set_size(m_d->terminal.get(), size.rows, size.columns);
    m_d->settle();
    vterm_screen_flush_damage(m_d->screen);
    m_d->collected.clear();
    m_d->tellScrolled();
    Q_EMIT changed();
}

void TerminalSurface::clear() {
    vterm_screen_reset(m_d->screen, 1);
    const int lines = scrollbackLines();
    m_d->scrollback.clear();
    m_d->incomplete.clear();
    m_d->collected.clear();
    m_d->cursor = TerminalCursor();
    m_d->reversed = false;
    m_d->pushed = 0;
    m_d->dropped = 0;
    Q_EMIT scrolled(0, lines);
    Q_EMIT changed();
}

TerminalSize TerminalSurface::size() const {
    TerminalSize size;
    vterm_get_size(m_d->terminal.get(), &size.rows, &size.columns);
    return size;
}

int TerminalSurface::scrollbackLines() const {
    return static_cast<int>(m_d->scrollback.size());
}

TerminalLine TerminalSurface::line(int index) const {
    if (index < 0) {
        return {};
    }
    if (index < scrollbackLines()) {
        return m_d->scrollback[static_cast<size_t>(index)];
    }
    const TerminalSize grid = size();
    const int row = index - scrollbackLines();
    TerminalLine line;
    if (row >= grid.rows) {
        return line;
    }
    line.reserve(grid.columns);
    VTermScreenCell cell{};
    for (int column = 0; column < grid.columns; ++column) {
        line.append(vterm_screen_get_cell(m_d->screen, {row, column}, &cell) != 0 ? toCell(cell)
                                                                                  : TerminalCell());
    }
    return line;
}

TerminalCursor TerminalSurface::cursor() const {
    TerminalCursor cursor = m_d->cursor;
    const TerminalSize grid = size();
    cursor.row = std::clamp(cursor.row, 0, grid.rows - 1);
    cursor.column = std::clamp(cursor.column, 0, grid.columns - 1);
    return cursor;
}

bool TerminalSurface::isReversed() const {
    return m_d->reversed;
}

QString TerminalSurface::text(int firstLine, int firstColumn, int lastLine, int lastColumn) const {
    QStringList lines;
    const int end = std::min(lastLine, lineCount() - 1);
    for (int index = std::max(firstLine, 0); index <= end; ++index) {
        const TerminalLine cells = line(index);
        const qsizetype from = index == firstLine ? std::max(firstColumn, 0) : 0;
        const qsizetype to =
            index == lastLine ? std::min<qsizetype>(lastColumn + 1, cells.size()) : cells.size();
        QString text;
        for (qsizetype column = from; column < to; ++column) {
            const TerminalCell& cell = cells.at(column);
            if (cell.width != 0) {
                text += cell.isBlank() ? QStringLiteral(" ") : cell.text();
            }
        }
        while (text.endsWith(QLatin1Char(' '))) {
            text.chop(1);
        }
        lines.append(text);
    }
    return lines.join(QLatin1Char('\n'));
}

void TerminalSurface::pressKey(TerminalKey key, TerminalModifiers modifiers, int functionNumber) {
    // libvterm would send sequences for these that only few programs know.
    switch (key) {
    case TerminalKey::Enter:
    case TerminalKey::Backspace:
    case TerminalKey::Escape:
        modifiers.shift = false;
        [[fallthrough]];
    case TerminalKey::Tab:
        modifiers.control = false;
        break;
    default:
        break;
    }
    vterm_keyboard_key(m_d->terminal.get(), toKey(key, functionNumber), toModifier(modifiers));
    const QByteArray bytes = std::exchange(m_d->collected, {});
    if (!bytes.isEmpty()) {
        Q_EMIT output(bytes);
    }
}

void TerminalSurface::type(const QString& text, bool withAlt) {
    if (!text.isEmpty()) {
        Q_EMIT output((withAlt ? QByteArray(1, '\x1b') : QByteArray()) + text.toUtf8());
    }
}

void TerminalSurface::paste(const QString& text) {
    QString clean = text.left(maximumPaste);
    clean.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    vterm_keyboard_start_paste(m_d->terminal.get());
    QByteArray bytes = std::exchange(m_d->collected, {});
    for (const uint code : clean.toUcs4()) {
        if (code == '\n' || code == '\r') {
            bytes += '\r'; // what the key Enter sends
        } else if (code == '\t' || isCharacter(code)) {
            const auto character = static_cast<char32_t>(code);
            bytes += QString::fromUcs4(&character, 1).toUtf8();
        }
    }
    vterm_keyboard_end_paste(m_d->terminal.get());
    bytes += std::exchange(m_d->collected, {});
    if (!bytes.isEmpty()) {
        Q_EMIT output(bytes);
    }
}

} // namespace vitrine
