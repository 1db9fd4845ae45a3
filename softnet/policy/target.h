// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/address.h"

#include <cstddef>
#include <vector>

namespace vitrine::softnet {

enum class Action : std::uint8_t { Allow, Block };

// Who opens the conversation. One rule that names a direction makes the whole policy stateful, and
// rules without one then hold for both.
enum class Direction : std::uint8_t { Both, In, Out };

struct PortRange {
    std::uint16_t first = 1;
    std::uint16_t last = 65535;

    friend constexpr bool operator==(const PortRange&, const PortRange&) = default;
};

// What one rule is about, as written: ["in "|"out "] (A.B.C.D/n | @host) [":" PORT | ":" A "-" B].
// Ports are of TCP and UDP, of the side that did not open the conversation: the other side's for
// what the guest opens, the guest's own for what comes in.
struct Target {
    Direction direction = Direction::Both;
    std::optional<Prefix> prefix; // none is @host
    std::optional<PortRange> ports;

    [[nodiscard]] static Checked<Target> parse(std::string_view text);
    [[nodiscard]] std::string text() const; // normalised: host bits cleared, one blank

    friend bool operator==(const Target&, const Target&) = default;
};

// Separated by commas, without blanks around them. An empty item is refused, so an empty list too.
[[nodiscard]] Checked<std::vector<Target>> parseTargets(std::string_view list);

// Both lists as given. A rule's number is its place in `allow`, or allow.size() plus its place in
// `block`.
struct Policy {
    static constexpr std::size_t maximumRules = 4096; // both lists together

    std::vector<Target> allow;
    std::vector<Target> block;

    [[nodiscard]] std::size_t ruleCount() const { return allow.size() + block.size(); }
    [[nodiscard]] const Target& target(std::size_t rule) const {
        return rule < allow.size() ? allow[rule] : block[rule - allow.size()];
    }
    // Each list normalised, sorted by its text and without duplicates.
    [[nodiscard]] Policy normalised() const;

    friend bool operator==(const Policy&, const Policy&) = default;
};

} // namespace vitrine::softnet
