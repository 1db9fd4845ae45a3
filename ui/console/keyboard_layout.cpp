// SPDX-License-Identifier: Apache-2.0
#include "ui/console/keyboard_layout.h"

#include "ui/console/scan_codes.h"

#include <QCoreApplication>

#include <array>
#include <utility>

namespace vitrine::ui {

namespace {

// The keys that give characters, row by row from the upper left: their numbers, and for each layout
// what they give alone, with Shift and with AltGr. A blank: nothing.
constexpr std::array<quint8, 48> keys{
    0x29, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, // from `
    0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19, 0x1a, 0x1b,       // from q
    0x1e, 0x1f, 0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x2b,       // from a
    0x56, 0x2c, 0x2d, 0x2e, 0x2f, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35};            // from 102nd
constexpr quint32 spaceKey = 0x39;

struct Table {
    const char16_t* alone;
    const char16_t* shift;
    const char16_t* altGr;
    const char16_t* dead; // characters that wait for the next key; a blank gives them themselves
};

// Names as in X11: us, gb, de, fr.
constexpr Table unitedStates{u"`1234567890-=qwertyuiop[]asdfghjkl;'\\ zxcvbnm,./",
                             u"~!@#$%^&*()_+QWERTYUIOP{}ASDFGHJKL:\"| ZXCVBNM<>?",
                             u"",
                             u""};
constexpr Table unitedKingdom{u"`1234567890-=qwertyuiop[]asdfghjkl;'#\\zxcvbnm,./",
                              u"¬!\"£$%^&*()_+QWERTYUIOP{}ASDFGHJKL:@~|ZXCVBNM<>?",
                              u"    €                                          ",
                              u""};
constexpr Table german{u"^1234567890ß´qwertzuiopü+asdfghjklöä#<yxcvbnm,.-",
                       u"°!\"§$%&/()=?`QWERTZUIOPÜ*ASDFGHJKLÖÄ'>YXCVBNM;:_",
                       u"  ²³   {[]}\\ @ €        ~            |      µ   ",
                       u"^´`"};
constexpr Table french{u"²&é\"'(-è_çà)=azertyuiop^$qsdfghjklmù*<wxcvbn,;:!",
                       u" 1234567890°+AZERTYUIOP¨£QSDFGHJKLM%µ>WXCVBN?./§",
                       u"  ~#{[|`\\^@]}  €                                ",
                       u"^¨"};

const Table& tableOf(KeyboardLayout layout) {
    switch (layout) {
    case KeyboardLayout::UnitedKingdom:
        return unitedKingdom;
    case KeyboardLayout::German:
        return german;
    case KeyboardLayout::French:
        return french;
    case KeyboardLayout::UnitedStates:
        break;
    }
    return unitedStates;
}

constexpr GuestKey shiftKey{0xffe1, qnum::leftShift};
constexpr GuestKey altGrKey{0xfe03, qnum::rightAlt};

// X11: Latin-1 is itself, the rest is moved.
quint32 keysymOf(char32_t character) {
    return character < 0x100 ? character : 0x01000000 + character;
}

std::optional<KeyStroke> oneStroke(const Table& table, char16_t character) {
    const std::array<std::pair<const char16_t*, std::optional<GuestKey>>, 3> levels{
        {{table.alone, std::nullopt}, {table.shift, shiftKey}, {table.altGr, altGrKey}}};
    for (const auto& [given, modifier] : levels) {
        const QStringView row(given);
        const qsizetype at = row.indexOf(QChar(character));
        if (at < 0 || at >= static_cast<qsizetype>(keys.size())) {
            continue;
        }
        KeyStroke stroke;
        if (modifier) {
            stroke.append(*modifier);
        }
        stroke.append({keysymOf(character), keys[static_cast<size_t>(at)]});
        return stroke;
    }
    return std::nullopt;
}

QString text(const char* name) {
    return QCoreApplication::translate("vitrine::ui::KeyboardLayout", name);
}

} // namespace

QList<KeyboardLayoutName> keyboardLayouts() {
    return {
        {KeyboardLayout::UnitedStates,
         text(QT_TRANSLATE_NOOP("vitrine::ui::KeyboardLayout", "English (United States)"))},
        {KeyboardLayout::UnitedKingdom,
         text(QT_TRANSLATE_NOOP("vitrine::ui::KeyboardLayout", "English (United Kingdom)"))},
        {KeyboardLayout::German, text(QT_TRANSLATE_NOOP("vitrine::ui::KeyboardLayout", "German"))},
        {KeyboardLayout::French, text(QT_TRANSLATE_NOOP("vitrine::ui::KeyboardLayout", "French"))},
    };
}

std::optional<QList<KeyStroke>> strokesFor(KeyboardLayout layout, char32_t character) {
    const KeyStroke space{{0x20, spaceKey}};
    switch (character) {
    case U'\n':
        return QList<KeyStroke>{{{0xff0d, qnum::enter}}};
    case U'\t':
        return QList<KeyStroke>{{{0xff09, qnum::tab}}};
    case U' ':
        return QList<KeyStroke>{space};
    default:
        break;
    }
    if (character > 0xffff) {
        return std::nullopt;
    }
    const Table& table = tableOf(layout);
    const auto unit = static_cast<char16_t>(character);
    const auto stroke = oneStroke(table, unit);
    if (!stroke) {
        return std::nullopt;
    }
    QList<KeyStroke> strokes{*stroke};
    if (QStringView(table.dead).contains(QChar(unit))) {
        strokes.append(space);
    }
    return strokes;
}

TypedText strokesFor(KeyboardLayout layout, const QString& text) {
    TypedText typed;
    QString plain = text;
    plain.replace(QStringLiteral("\r\n"), QStringLiteral("\n"));
    plain.replace(QLatin1Char('\r'), QLatin1Char('\n'));
    for (const uint code : plain.toUcs4()) {
        const auto character = static_cast<char32_t>(code);
        if (const auto strokes = strokesFor(layout, character)) {
            typed.strokes += *strokes;
        } else if (const QString shown = QString::fromUcs4(&character, 1);
                   !typed.untypable.contains(shown)) {
            typed.untypable += shown;
        }
    }
    return typed;
}

} // namespace vitrine::ui
