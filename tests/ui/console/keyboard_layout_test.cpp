// SPDX-License-Identifier: Apache-2.0
#include "ui/console/keyboard_layout.h"

#include "tests/support/gui_support.h"
#include "ui/console/scan_codes.h"
#include "ui/console/send_text_dialog.h"
#include "ui/console/text_typer.h"

#include <QComboBox>
#include <QPushButton>

#include <gtest/gtest.h>

namespace vitrine::ui {

namespace {

// Numbers of the keys of each stroke.
QList<QList<quint32>> numbers(KeyboardLayout layout, const QString& text) {
    QList<QList<quint32>> all;
    for (const KeyStroke& stroke : strokesFor(layout, text).strokes) {
        QList<quint32> keys;
        for (const GuestKey& key : stroke) {
            keys.append(key.qnum);
        }
        all.append(keys);
    }
    return all;
}

} // namespace

TEST(KeyboardLayout, TheSameCharacterIsAnotherKeyOnAnotherKeyboard) {
    using Keys = QList<QList<quint32>>;
    EXPECT_EQ(numbers(KeyboardLayout::UnitedStates, QStringLiteral("yZ")),
              (Keys{{0x15}, {qnum::leftShift, 0x2c}}));
    EXPECT_EQ(numbers(KeyboardLayout::German, QStringLiteral("yZ")),
              (Keys{{0x2c}, {qnum::leftShift, 0x15}}));
    EXPECT_EQ(numbers(KeyboardLayout::German, QStringLiteral("@{")),
              (Keys{{qnum::rightAlt, 0x10}, {qnum::rightAlt, 0x08}}));
    EXPECT_EQ(numbers(KeyboardLayout::French, QStringLiteral("a1#")),
              (Keys{{0x10}, {qnum::leftShift, 0x02}, {qnum::rightAlt, 0x04}}));
    EXPECT_EQ(numbers(KeyboardLayout::UnitedKingdom, QStringLiteral("\"#\\|£€")),
              (Keys{{qnum::leftShift, 0x03},
                    {0x2b},
                    {0x56},
                    {qnum::leftShift, 0x56},
                    {qnum::leftShift, 0x04},
                    {qnum::rightAlt, 0x05}}));
    EXPECT_EQ(numbers(KeyboardLayout::UnitedStates, QStringLiteral("a b\t\r\nc")),
              (Keys{{0x1e}, {0x39}, {0x30}, {qnum::tab}, {qnum::enter}, {0x2e}}));
}

TEST(KeyboardLayout, ADeadKeyIsFollowedByABlank) {
    EXPECT_EQ(numbers(KeyboardLayout::German, QStringLiteral("^")),
              (QList<QList<quint32>>{{0x29}, {0x39}}));
}

TEST(KeyboardLayout, EveryPrintableCharacterOfAsciiCanBeTyped) {
    for (const KeyboardLayoutName& known : keyboardLayouts()) {
        for (char32_t code = 0x20; code < 0x7f; ++code) {
            EXPECT_TRUE(strokesFor(known.layout, code))
                << qPrintable(known.name) << ' ' << static_cast<int>(code);
        }
    }
}

TEST(KeyboardLayout, TellsWhatItCannotTypeOnceEach) {
    const TypedText typed = strokesFor(KeyboardLayout::UnitedStates, QStringLiteral("aéb😀éc"));
    EXPECT_EQ(typed.strokes.size(), 3);
    EXPECT_EQ(typed.untypable, QStringLiteral("é😀"));
}

TEST(SendTextDialog, SaysWhichCharactersAreLeftOut) {
    SendTextDialog dialog(QStringLiteral("box"), KeyboardLayout::UnitedStates);
    EXPECT_FALSE(dialog.sendButton()->isEnabled());
    dialog.setText(QStringLiteral("grüße"));
    EXPECT_EQ(dialog.remark(),
              QStringLiteral("This keyboard has no keys for: ü ß. They are left out."));
    dialog.layoutBox()->setCurrentIndex(
        dialog.layoutBox()->findData(static_cast<int>(KeyboardLayout::German)));
    EXPECT_TRUE(dialog.remark().isEmpty());
    qsizetype sent = 0;
    QObject::connect(&dialog,
                     &SendTextDialog::sendRequested,
                     &dialog,
                     [&](const QList<KeyStroke>& strokes) { sent = strokes.size(); });
    dialog.show();
    dialog.setText(QStringLiteral("grüße an €uch"));
    test::savePicture(dialog, QStringLiteral("send-text"));
    EXPECT_EQ(test::controlsWithoutName(dialog), QStringList());
    dialog.sendButton()->click();
    EXPECT_EQ(sent, 13);
    dialog.setText(QString(SendTextDialog::maximumLength + 1, QLatin1Char('x')));
    EXPECT_FALSE(dialog.sendButton()->isEnabled());
    EXPECT_TRUE(dialog.remark().contains(QStringLiteral("parts")));
}

TEST(TextTyper, TypesInOrderAndStops) {
    QList<KeyStroke> sent;
    TextTyper typer([&](const KeyStroke& stroke) { sent.append(stroke); });
    typer.setPace(1);
    const QList<KeyStroke> strokes =
        strokesFor(KeyboardLayout::UnitedStates, QStringLiteral("hello")).strokes;
    bool finished = false;
    QObject::connect(&typer, &TextTyper::finished, &typer, [&] { finished = true; });
    typer.start(strokes);
    EXPECT_TRUE(sent.isEmpty()) << "nothing waits";
    ASSERT_TRUE(test::waitUntil([&] { return finished; }));
    EXPECT_EQ(sent, strokes);
    typer.start(strokes);
    typer.stop();
    EXPECT_FALSE(typer.isRunning());
}

} // namespace vitrine::ui
