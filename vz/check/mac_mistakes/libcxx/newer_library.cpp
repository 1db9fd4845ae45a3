// |'to_chars' is unavailable: introduced in macOS 13
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <charconv>

bool print(double number, std::array<char, 32>& text) {
    return std::to_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
}
