// SPDX-License-Identifier: Apache-2.0
#include "ui/console/scan_codes.h"

#include "ui/console/key_combination.h"

#include <gtest/gtest.h>

#include <linux/input-event-codes.h>

namespace vitrine::ui {

TEST(ScanCodes, TheMainBlockHasTheSameNumbersOnBothSides) {
    EXPECT_EQ(qnumOfEvdev(KEY_ESC), 0x01U);
    EXPECT_EQ(qnumOfEvdev(KEY_A), 0x1eU);
    EXPECT_EQ(qnumOfEvdev(KEY_CAPSLOCK), 0x3aU);
    EXPECT_EQ(qnumOfEvdev(KEY_F10), 0x44U);
    EXPECT_EQ(qnumOfEvdev(KEY_KPDOT), 0x53U);
}

TEST(ScanCodes, KeysOutsideOfItAreThoseSeenToArriveInAGuest) {
    EXPECT_EQ(qnumOfEvdev(KEY_RIGHTCTRL), 0x9dU);
    EXPECT_EQ(qnumOfEvdev(KEY_LEFTMETA), 0xdbU);
    EXPECT_EQ(qnumOfEvdev(KEY_LEFT), 0xcbU);
    EXPECT_EQ(qnumOfEvdev(KEY_SYSRQ), 0xb7U);
    EXPECT_EQ(qnumOfEvdev(KEY_PAUSE), 0xc6U);
    EXPECT_EQ(qnumOfEvdev(KEY_DELETE), 0xd3U);
    EXPECT_EQ(qnumOfEvdev(KEY_KPENTER), 0x9cU);
    EXPECT_EQ(qnumOfEvdev(KEY_RIGHTALT), 0xb8U);
    EXPECT_EQ(qnumOfEvdev(KEY_102ND), 0x56U);
    EXPECT_EQ(qnumOfEvdev(KEY_F11), 0x57U);
    EXPECT_EQ(qnumOfEvdev(KEY_F12), 0x58U);
    EXPECT_EQ(qnumOfEvdev(KEY_COMPOSE), 0xddU);
    EXPECT_EQ(qnumOfEvdev(KEY_RO), 0x73U);
    EXPECT_EQ(qnumOfEvdev(KEY_YEN), 0x7dU);
}

TEST(ScanCodes, UnknownKeysAreNone) {
    EXPECT_EQ(qnumOfEvdev(KEY_RESERVED), 0U);
    EXPECT_EQ(qnumOfEvdev(84), 0U);
    EXPECT_EQ(qnumOfEvdev(BTN_TRIGGER_HAPPY40), 0U);
    EXPECT_EQ(qnumOfNativeScanCode(0), 0U);
    EXPECT_EQ(qnumOfNativeScanCode(8), 0U);
    EXPECT_EQ(qnumOfNativeScanCode(0xffffffffU), 0U);
}

TEST(ScanCodes, NativeScanCodesAreEightHigher) {
    EXPECT_EQ(qnumOfNativeScanCode(KEY_A + 8), 0x1eU);
    EXPECT_EQ(qnumOfNativeScanCode(KEY_RIGHTCTRL + 8), 0x9dU);
}

TEST(ScanCodes, NoTwoKeysShareANumber) {
    QHash<quint32, quint32> seen;
    for (quint32 code = 1; code < 256; ++code) {
        const quint32 number = qnumOfEvdev(code);
        if (number == 0) {
            continue;
        }
        EXPECT_LE(number, 0xffU);
        EXPECT_FALSE(seen.contains(number)) << code << " and " << seen.value(number);
        seen.insert(number, code);
    }
    EXPECT_GT(seen.size(), 140);
}

TEST(ScanCodes, EventsWithoutAScanCodeMeanTheKeysOfAUsKeyboard) {
    EXPECT_EQ(qnumOfKey(Qt::Key_A, false), 0x1eU);
    EXPECT_EQ(qnumOfKey(Qt::Key_Exclam, false), 0x02U);
    EXPECT_EQ(qnumOfKey(Qt::Key_Return, false), 0x1cU);
    EXPECT_EQ(qnumOfKey(Qt::Key_Enter, true), 0x9cU);
    EXPECT_EQ(qnumOfKey(Qt::Key_7, false), 0x08U);
    EXPECT_EQ(qnumOfKey(Qt::Key_7, true), 0x47U);
    EXPECT_EQ(qnumOfKey(Qt::Key_F10, false), 0x44U);
    EXPECT_EQ(qnumOfKey(Qt::Key_F12, false), 0x58U);
    EXPECT_EQ(qnumOfKey(Qt::Key_Up, false), 0xc8U);
    EXPECT_EQ(qnumOfKey(Qt::Key_Eacute, false), 0U);
}

TEST(KeyCombinations, HoldWhatTheDesktopKeepsForItself) {
    QStringList texts;
    for (const QList<KeyCombination>& group : sendableCombinations()) {
        for (const KeyCombination& combination : group) {
            texts.append(combination.text);
            EXPECT_FALSE(combination.keys.isEmpty());
            for (const GuestKey& key : combination.keys) {
                EXPECT_NE(key.qnum, 0U);
                EXPECT_NE(key.keysym, 0U);
            }
        }
    }
    for (const char* wanted : {"Ctrl+Alt+Del", "Ctrl+Alt+F1", "Ctrl+Alt+F12", "Alt+Tab", "Super"}) {
        EXPECT_TRUE(texts.contains(QLatin1String(wanted))) << wanted;
    }
    const KeyCombination last = sendableCombinations().at(1).at(11);
    EXPECT_EQ(last.keys.last(), (GuestKey{0xffc9, 0x58}));
}

} // namespace vitrine::ui
