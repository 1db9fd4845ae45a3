// SPDX-License-Identifier: Apache-2.0
#include "ui/console/scan_codes.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace vitrine::ui {

namespace {

struct Pair {
    quint16 from;
    quint8 qnum;
};

// Keys beyond the first 83, which have the same number on both sides. Names: input-event-codes.h.
constexpr Pair evdevTable[] = {
    {85, 0x76},  // ZENKAKUHANKAKU
    {86, 0x56},  // 102ND
    {87, 0x57},  // F11
    {88, 0x58},  // F12
    {89, 0x73},  // RO
    {90, 0x78},  // KATAKANA
    {91, 0x77},  // HIRAGANA
    {92, 0x79},  // HENKAN
    {93, 0x70},  // KATAKANAHIRAGANA
    {94, 0x7b},  // MUHENKAN
    {95, 0x5c},  // KPJPCOMMA
    {96, 0x9c},  // KPENTER
    {97, 0x9d},  // RIGHTCTRL
    {98, 0xb5},  // KPSLASH
    {99, 0xb7},  // SYSRQ, the key Print
    {100, 0xb8}, // RIGHTALT
    {101, 0x5b}, // LINEFEED
    {102, 0xc7}, // HOME
    {103, 0xc8}, // UP
    {104, 0xc9}, // PAGEUP
    {105, 0xcb}, // LEFT
    {106, 0xcd}, // RIGHT
    {107, 0xcf}, // END
    {108, 0xd0}, // DOWN
    {109, 0xd1}, // PAGEDOWN
    {110, 0xd2}, // INSERT
    {111, 0xd3}, // DELETE
    {112, 0xef}, // MACRO
    {113, 0xa0}, // MUTE
    {114, 0xae}, // VOLUMEDOWN
    {115, 0xb0}, // VOLUMEUP
    {116, 0xde}, // POWER
    {117, 0x59}, // KPEQUAL
    {118, 0xce}, // KPPLUSMINUS
    {119, 0xc6}, // PAUSE
    {120, 0x8b}, // SCALE
    {121, 0x7e}, // KPCOMMA
    {122, 0x72}, // HANGEUL
    {123, 0x71}, // HANJA
    {124, 0x7d}, // YEN
    {125, 0xdb}, // LEFTMETA
    {126, 0xdc}, // RIGHTMETA
    {127, 0xdd}, // COMPOSE, the key Menu
    {128, 0xe8}, // STOP
    {129, 0x85}, // AGAIN
    {130, 0x86}, // PROPS
    {131, 0x87}, // UNDO
    {132, 0x8c}, // FRONT
    {133, 0xf8}, // COPY
    {134, 0x64}, // OPEN
    {135, 0x65}, // PASTE
    {136, 0xc1}, // FIND
    {137, 0xbc}, // CUT
    {138, 0xf5}, // HELP
    {139, 0x9e}, // MENU
    {140, 0xa1}, // CALC
    {141, 0x66}, // SETUP
    {142, 0xdf}, // SLEEP
    {143, 0xe3}, // WAKEUP
    {144, 0x67}, // FILE
    {148, 0x9f}, // PROG1
    {149, 0x97}, // PROG2
    {150, 0x82}, // WWW
    {152, 0x92}, // SCREENLOCK
    {155, 0xec}, // MAIL
    {156, 0xe6}, // BOOKMARKS
    {157, 0xeb}, // COMPUTER
    {158, 0xea}, // BACK
    {159, 0xe9}, // FORWARD
    {161, 0x6c}, // EJECTCD
    {163, 0x99}, // NEXTSONG
    {164, 0xa2}, // PLAYPAUSE
    {165, 0x90}, // PREVIOUSSONG
    {166, 0xa4}, // STOPCD
    {172, 0xb2}, // HOMEPAGE
    {173, 0xe7}, // REFRESH
    {183, 0x5d}, // F13
    {184, 0x5e}, // F14
    {185, 0x5f}, // F15
    {186, 0x55}, // F16
    {187, 0x83}, // F17
    {188, 0xf7}, // F18
    {189, 0x84}, // F19
    {190, 0x5a}, // F20
    {191, 0x74}, // F21
    {192, 0xf9}, // F22
    {193, 0x6d}, // F23
    {194, 0x6f}, // F24
    {217, 0xe5}, // SEARCH
    {226, 0xed}, // MEDIA
};

// Keys of a US keyboard by the character on them, shifted or not.
struct CharacterKey {
    char character;
    quint8 qnum;
};
constexpr CharacterKey characterTable[] = {
    {'1', 0x02},  {'!', 0x02}, {'2', 0x03}, {'@', 0x03}, {'3', 0x04},  {'#', 0x04}, {'4', 0x05},
    {'$', 0x05},  {'5', 0x06}, {'%', 0x06}, {'6', 0x07}, {'^', 0x07},  {'7', 0x08}, {'&', 0x08},
    {'8', 0x09},  {'*', 0x09}, {'9', 0x0a}, {'(', 0x0a}, {'0', 0x0b},  {')', 0x0b}, {'-', 0x0c},
    {'_', 0x0c},  {'=', 0x0d}, {'+', 0x0d}, {'Q', 0x10}, {'W', 0x11},  {'E', 0x12}, {'R', 0x13},
    {'T', 0x14},  {'Y', 0x15}, {'U', 0x16}, {'I', 0x17}, {'O', 0x18},  {'P', 0x19}, {'[', 0x1a},
    {'{', 0x1a},  {']', 0x1b}, {'}', 0x1b}, {'A', 0x1e}, {'S', 0x1f},  {'D', 0x20}, {'F', 0x21},
    {'G', 0x22},  {'H', 0x23}, {'J', 0x24}, {'K', 0x25}, {'L', 0x26},  {';', 0x27}, {':', 0x27},
    {'\'', 0x28}, {'"', 0x28}, {'`', 0x29}, {'~', 0x29}, {'\\', 0x2b}, {'|', 0x2b}, {'Z', 0x2c},
    {'X', 0x2d},  {'C', 0x2e}, {'V', 0x2f}, {'B', 0x30}, {'N', 0x31},  {'M', 0x32}, {',', 0x33},
    {'<', 0x33},  {'.', 0x34}, {'>', 0x34}, {'/', 0x35}, {'?', 0x35},  {' ', 0x39},
};

struct NamedKey {
    int key;
    quint8 qnum;
};
constexpr NamedKey namedTable[] = {
    {Qt::Key_Escape, 0x01},  {Qt::Key_Backspace, 0x0e},  {Qt::Key_Tab, 0x0f},
    {Qt::Key_Backtab, 0x0f}, {Qt::Key_Return, 0x1c},     {Qt::Key_Enter, 0x9c},
    {Qt::Key_Control, 0x1d}, {Qt::Key_Shift, 0x2a},      {Qt::Key_Alt, 0x38},
    {Qt::Key_AltGr, 0xb8},   {Qt::Key_Meta, 0xdb},       {Qt::Key_Super_L, 0xdb},
    {Qt::Key_Super_R, 0xdc}, {Qt::Key_Menu, 0xdd},       {Qt::Key_CapsLock, 0x3a},
    {Qt::Key_NumLock, 0x45}, {Qt::Key_ScrollLock, 0x46}, {Qt::Key_F11, 0x57},
    {Qt::Key_F12, 0x58},     {Qt::Key_Home, 0xc7},       {Qt::Key_Up, 0xc8},
    {Qt::Key_PageUp, 0xc9},  {Qt::Key_Left, 0xcb},       {Qt::Key_Right, 0xcd},
    {Qt::Key_End, 0xcf},     {Qt::Key_Down, 0xd0},       {Qt::Key_PageDown, 0xd1},
    {Qt::Key_Insert, 0xd2},  {Qt::Key_Delete, 0xd3},     {Qt::Key_Print, 0xb7},
    {Qt::Key_SysReq, 0xb7},  {Qt::Key_Pause, 0xc6},
};

struct KeypadKey {
    int key;
    quint8 qnum;
};
constexpr KeypadKey keypadTable[] = {
    {Qt::Key_0, 0x52},      {Qt::Key_1, 0x4f},     {Qt::Key_2, 0x50},        {Qt::Key_3, 0x51},
    {Qt::Key_4, 0x4b},      {Qt::Key_5, 0x4c},     {Qt::Key_6, 0x4d},        {Qt::Key_7, 0x47},
    {Qt::Key_8, 0x48},      {Qt::Key_9, 0x49},     {Qt::Key_Plus, 0x4e},     {Qt::Key_Minus, 0x4a},
    {Qt::Key_Period, 0x53}, {Qt::Key_Comma, 0x53}, {Qt::Key_Asterisk, 0x37}, {Qt::Key_Slash, 0xb5},
    {Qt::Key_Enter, 0x9c},  {Qt::Key_Equal, 0x59}, {Qt::Key_Home, 0x47},     {Qt::Key_Up, 0x48},
    {Qt::Key_PageUp, 0x49}, {Qt::Key_Left, 0x4b},  {Qt::Key_Clear, 0x4c},    {Qt::Key_Right, 0x4d},
    {Qt::Key_End, 0x4f},    {Qt::Key_Down, 0x50},  {Qt::Key_PageDown, 0x51}, {Qt::Key_Insert, 0x52},
    {Qt::Key_Delete, 0x53},
};

constexpr quint32 evdevOffset = 8; // X11 and Wayland count keys from 8 on

} // namespace

quint32 qnumOfEvdev(quint32 code) {
    if (code <= 83) {
        return code; // 0: KEY_RESERVED
    }
    const auto* found = std::lower_bound(
        std::begin(evdevTable), std::end(evdevTable), code, [](const Pair& pair, quint32 wanted) {
            return pair.from < wanted;
        });
    return found != std::end(evdevTable) && found->from == code ? found->qnum : 0;
}

quint32 qnumOfNativeScanCode(quint32 scanCode) {
    return scanCode > evdevOffset ? qnumOfEvdev(scanCode - evdevOffset) : 0;
}

quint32 qnumOfKey(int key, bool onKeypad) {
    if (onKeypad) {
        for (const KeypadKey& pair : keypadTable) {
            if (pair.key == key) {
                return pair.qnum;
            }
        }
    }
    if (key >= Qt::Key_F1 && key <= Qt::Key_F10) {
        return qnum::f1 + static_cast<quint32>(key - Qt::Key_F1);
    }
    for (const NamedKey& pair : namedTable) {
        if (pair.key == key) {
            return pair.qnum;
        }
    }
    for (const CharacterKey& pair : characterTable) {
        if (pair.character == key) {
            return pair.qnum;
        }
    }
    return 0;
}

} // namespace vitrine::ui
