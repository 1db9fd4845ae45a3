// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/console/key_combination.h"

#include <optional>

namespace vitrine::ui {

// Keyboards a guest may be set to. What is sent are keys, not characters: which character a key
// gives is the guest's matter, so text can only be typed for a layout that is known here.
enum class KeyboardLayout { UnitedStates, UnitedKingdom, German, French };

struct KeyboardLayoutName {
    KeyboardLayout layout;
    QString name; // translated
};
[[nodiscard]] QList<KeyboardLayoutName> keyboardLayouts();

// Keys that are pressed together, in order, and released in reverse.
using KeyStroke = QList<GuestKey>;

// The strokes that give a character; nullopt when the layout has none for it. '\n' is Enter, '\t'
// is Tab. Characters behind a dead key take two strokes.
[[nodiscard]] std::optional<QList<KeyStroke>> strokesFor(KeyboardLayout layout, char32_t character);

struct TypedText {
    QList<KeyStroke> strokes;
    QString untypable; // each character once, in order of the text
};
[[nodiscard]] TypedText strokesFor(KeyboardLayout layout, const QString& text);

} // namespace vitrine::ui
