// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/address.h"

#include <array>

namespace vitrine::softnet {

// The list of the specification, read from a table: not the way the shipped function does it.
inline bool isGlobalByTable(Ipv4 address) {
    struct Row {
        Prefix block;
        bool global;
    };
    static constexpr std::array<Row, 15> rows = {{
        {{Ipv4::of(192, 0, 0, 9), 32}, true}, // the exceptions come first
        {{Ipv4::of(192, 0, 0, 10), 32}, true},
        {{Ipv4::of(0, 0, 0, 0), 8}, false},
        {{Ipv4::of(10, 0, 0, 0), 8}, false},
        {{Ipv4::of(100, 64, 0, 0), 10}, false},
        {{Ipv4::of(127, 0, 0, 0), 8}, false},
        {{Ipv4::of(169, 254, 0, 0), 16}, false},
        {{Ipv4::of(172, 16, 0, 0), 12}, false},
        {{Ipv4::of(192, 0, 0, 0), 24}, false},
        {{Ipv4::of(192, 0, 2, 0), 24}, false},
        {{Ipv4::of(192, 168, 0, 0), 16}, false},
        {{Ipv4::of(198, 18, 0, 0), 15}, false},
        {{Ipv4::of(198, 51, 100, 0), 24}, false},
        {{Ipv4::of(203, 0, 113, 0), 24}, false},
        {{Ipv4::of(240, 0, 0, 0), 4}, false},
    }};
    for (const Row& row : rows) {
        if (row.block.contains(address)) {
            return row.global;
        }
    }
    return true;
}

} // namespace vitrine::softnet
