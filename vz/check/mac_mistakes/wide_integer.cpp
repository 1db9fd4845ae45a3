// |no matching function for call to 'max'
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>

std::uint64_t larger(std::uint64_t one, std::size_t other) {
    return std::max(one, other);
}
