// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/target.h"

#include <algorithm>
#include <charconv>

namespace vitrine::softnet {

namespace {

// Cuts "in" or "out" and the blanks behind it off. What is left must not begin with a blank.
Direction takeDirection(std::string_view& text) {
    for (const auto& [word, direction] : {std::pair{std::string_view("in "), Direction::In},
                                          std::pair{std::string_view("out "), Direction::Out}}) {
        if (text.starts_with(word)) {
            text.remove_prefix(std::min(text.find_first_not_of(' ', word.size()), text.size()));
            return direction;
        }
    }
    return Direction::Both;
}

std::optional<std::uint16_t> parsePort(std::string_view text) {
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, port);
    if (error != std::errc() || rest != end || port == 0 || text.front() == '-') {
        return std::nullopt;
    }
    return port;
}

std::optional<PortRange> parsePorts(std::string_view text) {
    const std::size_t dash = text.find('-');
    const auto first = parsePort(text.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parsePort(text.substr(dash + 1));
    if (!first || !last || *first > *last) {
        return std::nullopt;
    }
    return PortRange{*first, *last};
}

std::vector<Target> normalise(const std::vector<Target>& targets) {
    std::vector<std::pair<std::string, Target>> sorted;
    sorted.reserve(targets.size());
    for (Target target : targets) {
        if (target.prefix) {
            target.prefix->address = target.prefix->first();
        }
        std::string text = target.text();
        sorted.emplace_back(std::move(text), target);
    }
    std::sort(sorted.begin(), sorted.end(), [](const auto& left, const auto& right) {
        return left.first < right.first;
    });
    std::vector<Target> result;
    for (const auto& [text, target] : sorted) {
        if (result.empty() || !(result.back() == target)) {
            result.push_back(target);
        }
    }
    return result;
}

} // namespace

Checked<Target> Target::parse(std::string_view text) {
    const std::string whole(text);
    Target target;
    target.direction = takeDirection(text);
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
        target.ports = parsePorts(text.substr(colon + 1));
        if (!target.ports) {
            return refuse("invalid port in \"" + whole +
                          "\": write TARGET:PORT or TARGET:A-B, "
                          "from 1 to 65535");
        }
        text = text.substr(0, colon);
    }
    if (text == "@host") {
        return target;
    }
    target.prefix = Prefix::parse(text);
    if (!target.prefix) {
        return refuse("invalid IP address syntax in \"" + whole + "\": write A.B.C.D/n or @host");
    }
    return target;
}

std::string Target::text() const {
    std::string text;
    if (direction != Direction::Both) {
        text = direction == Direction::In ? "in " : "out ";
    }
    text += prefix ? prefix->text() : "@host";
    if (ports) {
        text += ":" + std::to_string(ports->first);
        if (ports->last != ports->first) {
            text += "-" + std::to_string(ports->last);
        }
    }
    return text;
}

Checked<std::vector<Target>> parseTargets(std::string_view list) {
    std::vector<Target> targets;
    while (true) {
        const std::size_t comma = list.find(',');
        const auto target = Target::parse(list.substr(0, comma));
        if (!target) {
            return tl::unexpected(target.error());
        }
        if (targets.size() == Policy::maximumRules) {
            return refuse("more than " + std::to_string(Policy::maximumRules) + " rules");
        }
        targets.push_back(*target);
        if (comma == std::string_view::npos) {
            return targets;
        }
        list.remove_prefix(comma + 1);
    }
}

Policy Policy::normalised() const {
    return {normalise(allow), normalise(block)};
}

} // namespace vitrine::softnet
