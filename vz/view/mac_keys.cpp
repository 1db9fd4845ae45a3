// SPDX-License-Identifier: Apache-2.0
#include "vz/view/mac_keys.h"

#include <algorithm>
#include <array>

namespace vitrine::vz {

namespace {

struct Key {
    quint32 qnum;
    quint16 mac;
};

// By place on the keyboard; Print Screen and Pause are where a Mac has F13 and F15.
constexpr std::array keys{
    Key{0x01, 53},  Key{0x0e, 51},  Key{0x0f, 48},  Key{0x1c, 36},  Key{0x1d, 59},  Key{0x2a, 56},
    Key{0x36, 60},  Key{0x38, 58},  Key{0x39, 49},  Key{0x3b, 122}, Key{0x3c, 120}, Key{0x3d, 99},
    Key{0x3e, 118}, Key{0x3f, 96},  Key{0x40, 97},  Key{0x41, 98},  Key{0x42, 100}, Key{0x43, 101},
    Key{0x44, 109}, Key{0x57, 103}, Key{0x58, 111}, Key{0x54, 105}, Key{0xb7, 105}, Key{0xc6, 113},
    Key{0x9d, 62},  Key{0xb8, 61},  Key{0xc8, 126}, Key{0xcb, 123}, Key{0xcd, 124}, Key{0xd0, 125},
    Key{0xc7, 115}, Key{0xcf, 119}, Key{0xc9, 116}, Key{0xd1, 121}, Key{0xd3, 117}, Key{0xdb, 55},
    Key{0xdc, 54},
};

} // namespace

std::optional<quint16> macKeyOf(quint32 qnum) {
    const auto* const found =
        std::find_if(keys.begin(), keys.end(), [qnum](const Key& key) { return key.qnum == qnum; });
    return found != keys.end() ? std::optional(found->mac) : std::nullopt;
}

} // namespace vitrine::vz
