// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

namespace vitrine::softnet {

using Bytes = std::span<const std::uint8_t>;

// Why a text or a set of values was refused: one English sentence for stderr and the control
// channel. The window translates what it shows itself.
struct Problem {
    // Only where who asks has to do something else about it.
    enum class Cause : std::uint8_t { Unsaid, NotPermitted, Unusable };

    std::string message;
    Cause cause = Cause::Unsaid;
};

template <class T>
using Checked = tl::expected<T, Problem>;

[[nodiscard]] inline tl::unexpected<Problem> refuse(std::string message,
                                                    Problem::Cause cause = Problem::Cause::Unsaid) {
    return tl::unexpected<Problem>(Problem{std::move(message), cause});
}

// An IPv4 address in host byte order.
struct Ipv4 {
    std::uint32_t value = 0;

    [[nodiscard]] static constexpr Ipv4
    of(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
        return {std::uint32_t{a} << 24 | std::uint32_t{b} << 16 | std::uint32_t{c} << 8 | d};
    }
    [[nodiscard]] static constexpr Ipv4 broadcast() { return {0xffffffff}; }
    // Four decimal octets of one to three digits, leading zeros allowed, nothing else.
    [[nodiscard]] static std::optional<Ipv4> parse(std::string_view text);
    [[nodiscard]] std::string text() const;

    friend constexpr auto operator<=>(const Ipv4&, const Ipv4&) = default;
};

// A block of addresses. The address is kept as it was written; its host bits never matter.
struct Prefix {
    Ipv4 address;
    int length = 32; // 0 to 32

    [[nodiscard]] constexpr std::uint32_t mask() const {
        return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length);
    }
    [[nodiscard]] constexpr Ipv4 first() const { return {address.value & mask()}; }
    [[nodiscard]] constexpr Ipv4 last() const { return {address.value | ~mask()}; }
    [[nodiscard]] constexpr bool contains(Ipv4 other) const {
        return ((other.value ^ address.value) & mask()) == 0;
    }
    // A.B.C.D/n, n of one or two digits.
    [[nodiscard]] static std::optional<Prefix> parse(std::string_view text);
    [[nodiscard]] std::string text() const; // without host bits

    friend constexpr bool operator==(const Prefix&, const Prefix&) = default;
};

struct Mac {
    std::array<std::uint8_t, 6> bytes{};

    [[nodiscard]] static constexpr Mac broadcast() {
        return {{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}};
    }
    // Six pairs of hexadecimal digits with ":" or "-" between all of them (mixed if need be) or
    // none at all. "+1" is a pair too, as in Softnet.
    [[nodiscard]] static std::optional<Mac> parse(std::string_view text);
    [[nodiscard]] std::string text() const;

    friend constexpr auto operator<=>(const Mac&, const Mac&) = default;
};

} // namespace vitrine::softnet
