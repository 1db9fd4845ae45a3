// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFlags>
#include <QString>
#include <QtGlobal>

namespace vitrine::ui {

// QEMU's key numbers ("qnum"): the PC's XT scan code, with 0x80 set where the keyboard sends an e0
// byte before it. 0: none.
namespace qnum {
inline constexpr quint32 escape = 0x01;
inline constexpr quint32 backspace = 0x0e;
inline constexpr quint32 tab = 0x0f;
inline constexpr quint32 enter = 0x1c;
inline constexpr quint32 leftCtrl = 0x1d;
inline constexpr quint32 leftShift = 0x2a;
inline constexpr quint32 leftAlt = 0x38;
inline constexpr quint32 f1 = 0x3b; // to F10 in turn
inline constexpr quint32 f11 = 0x57;
inline constexpr quint32 f12 = 0x58;
inline constexpr quint32 rightCtrl = 0x9d;
inline constexpr quint32 printScreen = 0xb7;
inline constexpr quint32 rightAlt = 0xb8;
inline constexpr quint32 pause = 0xc6;
inline constexpr quint32 remove = 0xd3;
inline constexpr quint32 leftMeta = 0xdb;
inline constexpr quint32 menu = 0xdd;
} // namespace qnum

// From the number of a key in Linux' input layer (KEY_… of linux/input-event-codes.h).
[[nodiscard]] quint32 qnumOfEvdev(quint32 code);
// From QKeyEvent::nativeScanCode() of the platforms "xcb" and "wayland": the evdev number plus 8.
[[nodiscard]] quint32 qnumOfNativeScanCode(quint32 scanCode);
// For events without a scan code (input methods, remote desktops, tests): the key of a US keyboard
// that bears `key` (Qt::Key).
[[nodiscard]] quint32 qnumOfKey(int key, bool onKeypad);

} // namespace vitrine::ui
