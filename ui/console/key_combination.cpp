// SPDX-License-Identifier: Apache-2.0
#include "ui/console/key_combination.h"

#include "ui/console/scan_codes.h"

#include <QCoreApplication>

namespace vitrine::ui {

namespace {

// Keysyms: X11/keysymdef.h.
constexpr GuestKey ctrl{0xffe3, qnum::leftCtrl};
constexpr GuestKey alt{0xffe9, qnum::leftAlt};
constexpr GuestKey meta{0xffeb, qnum::leftMeta};
constexpr quint32 keysymF1 = 0xffbe;

GuestKey functionKey(int number) {
    const auto offset = static_cast<quint32>(number - 1);
    const quint32 code = number <= 10 ? qnum::f1 + offset : number == 11 ? qnum::f11 : qnum::f12;
    return {keysymF1 + offset, code};
}

QString text(const char* name) {
    return QCoreApplication::translate("vitrine::ui::KeyCombination", name);
}

} // namespace

QList<QList<KeyCombination>> sendableCombinations() {
    QList<KeyCombination> terminals;
    for (int number = 1; number <= 12; ++number) {
        terminals.append(
            {text(QT_TRANSLATE_NOOP("vitrine::ui::KeyCombination", "Ctrl+Alt+F%1")).arg(number),
             {ctrl, alt, functionKey(number)}});
    }
    return {
        {
            {text(QT_TRANSLATE_NOOP("vitrine::ui::KeyCombination", "Ctrl+Alt+Del")),
             {ctrl, alt, {0xffff, qnum::remove}}},
            {text(QT_TRANSLATE_NOOP("vitrine::ui::KeyCombination", "Ctrl+Alt+Backspace")),
             {ctrl, alt, {0xff08, qnum::backspace}}},
        },
        terminals,
        {
            {text(QT_TRANSLATE_NOOP("vitrine::ui::KeyCombination", "Super")), {meta}},
            {text(QT_TRANSLATE_NOOP("vitrine::ui::KeyCombination", "Alt+Tab")),
             {alt, {0xff09, qnum::tab}}},
            {text(QT_TRANSLATE_NOOP("vitrine::ui::KeyCombination", "Alt+F4")),
             {alt, functionKey(4)}},
            {text(QT_TRANSLATE_NOOP("vitrine::ui::KeyCombination", "Print Screen")),
             {{0xff61, qnum::printScreen}}},
            {text(QT_TRANSLATE_NOOP("vitrine::ui::KeyCombination", "Alt+Print Screen")),
             {alt, {0xff61, qnum::printScreen}}},
            {text(QT_TRANSLATE_NOOP("vitrine::ui::KeyCombination", "Pause")),
             {{0xff13, qnum::pause}}},
            {text(QT_TRANSLATE_NOOP("vitrine::ui::KeyCombination", "Right Ctrl")),
             {{0xffe4, qnum::rightCtrl}}},
        },
    };
}

} // namespace vitrine::ui
