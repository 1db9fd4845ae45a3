// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/terminal/terminal_cell.h"

#include <QByteArrayView>
#include <QObject>
#include <QString>

#include <memory>

namespace vitrine {

// Keys that are no characters, as a terminal knows them.
enum class TerminalKey {
    Enter,
    Tab,
    Backspace,
    Escape,
    Up,
    Down,
    Left,
    Right,
    Insert,
    Delete,
    Home,
    End,
    PageUp,
    PageDown,
    Function // with its number
};

struct TerminalModifiers {
    bool shift = false;
    bool alt = false;
    bool control = false;
};

struct TerminalSize {
    int rows = 24;
    int columns = 80;
    friend bool operator==(const TerminalSize&, const TerminalSize&) = default;
};

struct TerminalCursor {
    enum class Shape { Block, Underline, Bar };
    int row = 0; // of the grid
    int column = 0;
    bool visible = true;
    Shape shape = Shape::Block;
};

// A terminal without a window: bytes of the guest in, a grid with scrollback out; keys in, bytes
// for the guest out. UTF-8; bytes may be cut anywhere. On libvterm 0.1.4, which does not reflow: a
// line that is cut when the terminal gets narrower stays cut.
//
// The guest is not trusted. Titles, icon names, palettes and clipboard are not its to set, mouse
// reports do not exist, and what it makes the terminal answer is bounded and printable: it can
// never contain a control character but the leading escape, so no answer ends a line. One thread.
class TerminalSurface final : public QObject {
    Q_OBJECT
public:
    static constexpr int maximumScrollback = 5000; // lines
    static constexpr TerminalSize smallest{2, 8};
    static constexpr TerminalSize largest{300, 500};
    static constexpr qsizetype maximumPaste = 1 << 20; // characters

    explicit TerminalSurface(TerminalSize size = {}, QObject* parent = nullptr);
    ~TerminalSurface() override;

    // Replayed bytes are history: what they ask the terminal was answered when they were new.
    enum class Origin { Live, Replay };
    void feed(QByteArrayView bytes, Origin origin = Origin::Live);
    void resize(TerminalSize size); // clamped
    void clear();                   // grid, scrollback and modes as at first

    [[nodiscard]] TerminalSize size() const;
    [[nodiscard]] int scrollbackLines() const;
    // From 0, the oldest of the scrollback, to lineCount() - 1, the last row of the grid.
    [[nodiscard]] TerminalLine line(int index) const;
    [[nodiscard]] int lineCount() const { return scrollbackLines() + size().rows; }
    [[nodiscard]] TerminalCursor cursor() const;
    [[nodiscard]] bool isReversed() const; // the whole screen, DECSCNM
    // What stands between two places, both ends included; lines without blanks at their end,
    // divided by '\n'. Columns may lie beyond a line.
    [[nodiscard]] QString text(int firstLine, int firstColumn, int lastLine, int lastColumn) const;

    void pressKey(TerminalKey key, TerminalModifiers modifiers = {}, int functionNumber = 0);
    // What a key with a character gives, control characters of Ctrl and a letter too.
    void type(const QString& text, bool withAlt = false);
    // As typed, but in brackets where the guest asked for them. Control characters but tab and line
    // ends are left out: pasted text cannot end the brackets or press keys.
    void paste(const QString& text);

Q_SIGNALS:
    void changed(); // once for each feed
    // `lines` more were pushed out of the grid into the scrollback, of which `dropped` old ones
    // fell off the other end. Comes before changed().
    void scrolled(int lines, int dropped);
    void output(const QByteArray& bytes); // to the guest
    void bell();                          // at most once for each feed

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

} // namespace vitrine
