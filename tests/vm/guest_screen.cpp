// SPDX-License-Identifier: Apache-2.0
#include "guest_screen.h"

#include "qemu/rfb/rfb_display.h"
#include "support/event_wait.h"

#include <QPoint>

#include <gtest/gtest.h>

#include <cstring>

namespace vitrine::test {
namespace {

// XT scan codes of a US keyboard, row by row, without and with Shift.
struct Row {
    quint32 first;
    const char* plain;
    const char* shifted;
};
constexpr Row keyboard[] = {{0x02, "1234567890-=", "!@#$%^&*()_+"},
                            {0x10, "qwertyuiop[]", "QWERTYUIOP{}"},
                            {0x1e, "asdfghjkl;'`", "ASDFGHJKL:\"~"},
                            {0x2b, "\\zxcvbnm,./", "|ZXCVBNM<>?"}};
constexpr quint32 shiftKey = 0x2a, returnKey = 0x1c, spaceKey = 0x39;
// A virtual keyboard holds 64 events and drops the rest; a key with Shift makes eight.
constexpr int keysOnTheWay = 8;
constexpr quint32 shiftSymbol = 0xffe1, returnSymbol = 0xff0d;

} // namespace

GuestScreen::GuestScreen(RunningGuest& guest)
    : m_guest(guest)
    , m_display(qemu::makeRfbDisplay(guest.client().displaySocket())) {
    QObject::connect(
        m_display.get(), &Display::damaged, m_display.get(), [this] { m_display->takeDamage(); });
    m_display->connectToGuest();
}

bool GuestScreen::waitUntilConnected() {
    return waitUntil(
        [this] {
            return m_display->state() == Display::State::Connected && !m_display->size().isEmpty();
        },
        longWait);
}

bool GuestScreen::Text::contains(const QString& part) const {
    return lines.join(QLatin1Char('\n')).contains(part);
}

GuestScreen::Text GuestScreen::text() {
    // vcsa(4): lines, columns, cursor column, cursor line, then character and attribute each.
    const QString hex = m_guest.shell(QStringLiteral("od -An -v -tx1 /dev/vcsa1 | tr -d ' \\n'"));
    const QByteArray bytes = QByteArray::fromHex(hex.toLatin1());
    Text text;
    if (bytes.size() < 4)
        return text;
    const auto byte = [&bytes](qsizetype i) { return static_cast<unsigned char>(bytes.at(i)); };
    text.columns = byte(1);
    text.cursor = QPoint(byte(2), byte(3));
    if (bytes.size() < 4 + 2 * qsizetype{byte(0)} * text.columns)
        return {};
    for (int line = 0; line < byte(0); ++line) {
        QString characters;
        for (int column = 0; column < text.columns; ++column)
            characters += QLatin1Char(bytes.at(4 + 2 * (line * text.columns + column)));
        text.lines << characters;
    }
    return text;
}

bool GuestScreen::waitUntilTextContains(const QString& part) {
    const QDeadlineTimer deadline(longWait);
    while (!deadline.hasExpired())
        if (text().contains(part))
            return true;
    ADD_FAILURE() << "The console does not show \"" << qPrintable(part) << "\" but:\n"
                  << qPrintable(text().lines.join(QLatin1Char('\n')).simplified());
    return false;
}

bool GuestScreen::shows(const Text& text) const {
    bool same = true;
    m_display->withFrame([&](const FrameView& frame) {
        if (text.columns == 0 || text.lines.isEmpty() || frame.width < text.columns) {
            same = false;
            return;
        }
        const int width = frame.width / text.columns;
        const int height = frame.height / static_cast<int>(text.lines.size());
        quint32 background = 0;
        std::memcpy(&background,
                    frame.data + qsizetype{frame.height - 1} * frame.stride +
                        4 * (qsizetype{frame.width} - 1),
                    4);
        for (int line = 0; line < text.lines.size() && same; ++line) {
            for (int column = 0; column < text.columns && same; ++column) {
                if (text.cursor == QPoint(column, line))
                    continue; // it blinks
                bool lit = false;
                for (int y = line * height; y < (line + 1) * height; ++y) {
                    for (int x = column * width; x < (column + 1) * width; ++x) {
                        quint32 pixel = 0;
                        std::memcpy(
                            &pixel, frame.data + qsizetype{y} * frame.stride + 4 * qsizetype{x}, 4);
                        lit = lit || pixel != background;
                    }
                }
                same = lit == !text.lines.at(line).at(column).isSpace();
            }
        }
    });
    return same;
}

bool GuestScreen::waitUntilPictureShows(const Text& text) {
    return waitUntil([&] { return shows(text); }, longWait);
}

void GuestScreen::press(char character) {
    quint32 key = 0;
    quint32 symbol = static_cast<unsigned char>(character);
    bool shift = false;
    if (character == '\n') {
        key = returnKey;
        symbol = returnSymbol;
    } else if (character == ' ') {
        key = spaceKey;
    }
    for (const Row& row : keyboard) {
        if (const char* found = std::strchr(row.plain, character); found && key == 0)
            key = row.first + static_cast<quint32>(found - row.plain);
        if (const char* found = std::strchr(row.shifted, character); found && key == 0) {
            key = row.first + static_cast<quint32>(found - row.shifted);
            shift = true;
        }
    }
    ASSERT_NE(key, 0U) << "no key for " << character;
    if (shift)
        m_display->sendKey(shiftSymbol, shiftKey, true);
    m_display->sendKey(symbol, key, true);
    m_display->sendKey(symbol, key, false);
    if (shift)
        m_display->sendKey(shiftSymbol, shiftKey, false);
}

void GuestScreen::typeHidden(const QString& characters) {
    ASSERT_LE(characters.size(), keysOnTheWay);
    for (const QChar character : characters)
        press(character.toLatin1());
}

void GuestScreen::type(const QString& line) {
    for (int i = 0; i < line.size(); i += keysOnTheWay) {
        const QString portion = line.mid(i, keysOnTheWay);
        const int column = text().cursor.x() + static_cast<int>(portion.size());
        typeHidden(portion);
        const QDeadlineTimer deadline(longWait);
        while (text().cursor.x() != column)
            ASSERT_FALSE(deadline.hasExpired()) << "the guest did not echo " << qPrintable(portion);
    }
    press('\n');
}

} // namespace vitrine::test
