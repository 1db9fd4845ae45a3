// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/address.h"

#include <cstddef>

namespace vitrine::softnet {

namespace {

// A decimal number of one to `digits` digits at the front of the text, which is cut off.
std::optional<unsigned> takeNumber(std::string_view& text, std::size_t digits) {
    unsigned value = 0;
    std::size_t taken = 0;
    while (taken < digits && taken < text.size() && text[taken] >= '0' && text[taken] <= '9') {
        value = value * 10 + static_cast<unsigned>(text[taken] - '0');
        ++taken;
    }
    if (taken == 0) {
        return std::nullopt;
    }
    text.remove_prefix(taken);
    return value;
}

std::optional<Ipv4> takeAddress(std::string_view& text) {
    std::uint32_t address = 0;
    for (int octet = 0; octet < 4; ++octet) {
        if (octet > 0) {
            if (text.empty() || text.front() != '.') {
                return std::nullopt;
            }
            text.remove_prefix(1);
        }
        const auto value = takeNumber(text, 3);
        if (!value || *value > 255) {
            return std::nullopt;
        }
        address = address << 8 | *value;
    }
    return Ipv4{address};
}

int hexDigit(char digit) {
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    if (digit >= 'a' && digit <= 'f') {
        return digit - 'a' + 10;
    }
    if (digit >= 'A' && digit <= 'F') {
        return digit - 'A' + 10;
    }
    return -1;
}

} // namespace

std::optional<Ipv4> Ipv4::parse(std::string_view text) {
    const auto address = takeAddress(text);
    return text.empty() ? address : std::nullopt;
}

std::string Ipv4::text() const {
    std::string text;
    for (int shift = 24; shift >= 0; shift -= 8) {
        text += std::to_string(value >> shift & 0xff);
        if (shift > 0) {
            text += '.';
        }
    }
    return text;
}

std::optional<Prefix> Prefix::parse(std::string_view text) {
    const auto address = takeAddress(text);
    if (!address || text.empty() || text.front() != '/') {
        return std::nullopt;
    }
    text.remove_prefix(1);
    const auto length = takeNumber(text, 2);
    if (!length || *length > 32 || !text.empty()) {
        return std::nullopt;
    }
    return Prefix{*address, static_cast<int>(*length)};
}

std::string Prefix::text() const {
    return first().text() + "/" + std::to_string(length);
}

std::optional<Mac> Mac::parse(std::string_view text) {
    std::size_t step = 0;
    if (text.size() == 17) {
        step = 3;
    } else if (text.size() == 12) {
        step = 2;
    } else {
        return std::nullopt;
    }
    Mac mac;
    for (std::size_t group = 0; group < 6; ++group) {
        const std::size_t at = group * step;
        const int high = text[at] == '+' ? 0 : hexDigit(text[at]);
        const int low = hexDigit(text[at + 1]);
        if (high < 0 || low < 0) {
            return std::nullopt;
        }
        if (step == 3 && group < 5 && text[at + 2] != ':' && text[at + 2] != '-') {
            return std::nullopt;
        }
        mac.bytes[group] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return mac;
}

std::string Mac::text() const {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : bytes) {
        if (!text.empty()) {
            text += ':';
        }
        text += digits[byte >> 4];
        text += digits[byte & 0xf];
    }
    return text;
}

} // namespace vitrine::softnet
