// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/options.h"

#include <limits>
#include <map>

namespace vitrine::softnet {

namespace {

// Decimal digits with an optional "+" in front, as Rust reads its unsigned numbers.
std::optional<std::uint32_t> parseNumber(std::string_view text, std::uint32_t most) {
    if (text.starts_with('+')) {
        text.remove_prefix(1);
    }
    if (text.empty()) {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    for (const char digit : text) {
        if (digit < '0' || digit > '9') {
            return std::nullopt;
        }
        value = value * 10 + static_cast<std::uint64_t>(digit - '0');
        if (value > most) {
            return std::nullopt;
        }
    }
    return static_cast<std::uint32_t>(value);
}

std::string quoted(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

// What was given, by name. Values are looked at later, so that one place knows each of them.
using Given = std::map<std::string_view, std::string_view, std::less<>>;

constexpr std::string_view withValue[] = {"--vm-fd",
                                          "--vm-mac-address",
                                          "--vm-net-type",
                                          "--bootpd-lease-time",
                                          "--user",
                                          "--group",
                                          "--allow",
                                          "--block",
                                          "--expose",
                                          "--control-fd",
                                          "--profile",
                                          "--mtu"};
constexpr std::string_view withoutValue[] = {
    "--sudo-escalation-probing", "--sudo-escalation-done", "--help", "--version"};

bool isOneOf(std::string_view name, std::span<const std::string_view> names) {
    for (const std::string_view known : names) {
        if (name == known) {
            return true;
        }
    }
    return false;
}

Checked<Given> collect(std::span<const std::string_view> arguments) {
    Given given;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        std::string_view name = arguments[i] == "-h" ? "--help" : arguments[i];
        const std::size_t equals = name.find('=');
        const bool joined = equals != std::string_view::npos && name.starts_with("--");
        std::string_view value;
        if (joined) {
            value = name.substr(equals + 1);
            name = name.substr(0, equals);
        }
        if (isOneOf(name, withoutValue)) {
            if (joined) {
                return refuse("the option " + std::string(name) + " takes no value");
            }
            // Help and version win over whatever comes behind them.
            if (name == "--help" || name == "--version") {
                return Given{{name, {}}};
            }
        } else if (isOneOf(name, withValue)) {
            if (!joined) {
                if (i + 1 == arguments.size() || arguments[i + 1].starts_with('-')) {
                    return refuse("the option " + std::string(name) + " needs a value");
                }
                value = arguments[++i];
            }
        } else {
            return refuse("unexpected argument " + quoted(arguments[i]));
        }
        if (!given.emplace(name, value).second) {
            return refuse("the option " + std::string(name) + " cannot be used twice");
        }
    }
    return given;
}

std::optional<std::string_view> value(const Given& given, std::string_view name) {
    const auto found = given.find(name);
    return found == given.end() ? std::nullopt : std::optional(found->second);
}

Checked<int> parseDescriptor(std::string_view name, std::string_view text) {
    const auto number = parseNumber(text, std::numeric_limits<int>::max());
    if (!number) {
        return refuse("invalid file descriptor " + quoted(text) + " for " + std::string(name));
    }
    return static_cast<int>(*number);
}

Checked<void> readLists(const Given& given, Options& options) {
    for (const auto& [name, list] : {std::pair{"--allow", &options.policy.allow},
                                     std::pair{"--block", &options.policy.block}}) {
        if (const auto text = value(given, name)) {
            auto targets = parseTargets(*text);
            if (!targets) {
                return refuse(std::string(name) + ": " + targets.error().message);
            }
            *list = std::move(*targets);
        }
    }
    if (options.policy.ruleCount() > Policy::maximumRules) {
        return refuse("more than " + std::to_string(Policy::maximumRules) + " rules");
    }
    if (const auto text = value(given, "--expose")) {
        auto exposures = parseExposures(*text);
        if (!exposures) {
            return refuse("--expose: " + exposures.error().message);
        }
        options.exposures = std::move(*exposures);
    }
    return {};
}

Checked<void> readMachine(const Given& given, Options& options) {
    const auto fd = value(given, "--vm-fd");
    const auto mac = value(given, "--vm-mac-address");
    if (!fd || !mac) {
        return refuse(std::string(!fd ? "--vm-fd" : "--vm-mac-address") + " is required");
    }
    const auto descriptor = parseDescriptor("--vm-fd", *fd);
    if (!descriptor) {
        return tl::unexpected(descriptor.error());
    }
    options.vmFd = *descriptor;
    const auto parsed = Mac::parse(*mac);
    if (!parsed) {
        return refuse("invalid MAC address " + quoted(*mac));
    }
    options.guestMac = *parsed;
    if (const auto text = value(given, "--control-fd")) {
        const auto control = parseDescriptor("--control-fd", *text);
        if (!control) {
            return tl::unexpected(control.error());
        }
        if (*control == options.vmFd) {
            return refuse("--control-fd and --vm-fd must differ");
        }
        options.controlFd = *control;
    }
    return {};
}

} // namespace

Checked<Exposure> Exposure::parse(std::string_view text) {
    Exposure exposure;
    const std::string whole = quoted(text);
    const std::size_t first = text.find(':');
    if (first != std::string_view::npos && text.find(':', first + 1) != std::string_view::npos) {
        const auto address = Ipv4::parse(text.substr(0, first));
        if (!address) {
            return refuse("format should be EXTERNAL:INTERNAL or ADDRESS:EXTERNAL:INTERNAL, not " +
                          whole);
        }
        exposure.address = *address;
        text.remove_prefix(first + 1);
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos) {
        return refuse("format should be EXTERNAL:INTERNAL or ADDRESS:EXTERNAL:INTERNAL, not " +
                      whole);
    }
    const auto external = parseNumber(text.substr(0, colon), 0xffff);
    const auto internal = parseNumber(text.substr(colon + 1), 0xffff);
    if (!external || !internal) {
        return refuse((external ? "invalid internal port in " : "invalid external port in ") +
                      whole);
    }
    exposure.external = static_cast<std::uint16_t>(*external);
    exposure.internal = static_cast<std::uint16_t>(*internal);
    return exposure;
}

std::string Exposure::text() const {
    const std::string ports = std::to_string(external) + ":" + std::to_string(internal);
    return address == Ipv4{} ? ports : address.text() + ":" + ports;
}

Checked<std::vector<Exposure>> parseExposures(std::string_view list) {
    std::vector<Exposure> exposures;
    while (true) {
        const std::size_t comma = list.find(',');
        const auto exposure = Exposure::parse(list.substr(0, comma));
        if (!exposure) {
            return tl::unexpected(exposure.error());
        }
        exposures.push_back(*exposure);
        if (comma == std::string_view::npos) {
            return exposures;
        }
        list.remove_prefix(comma + 1);
    }
}

Checked<Options> Options::parse(std::span<const std::string_view> arguments) {
    const auto given = collect(arguments);
    if (!given) {
        return tl::unexpected(given.error());
    }
    Options options;
    if (given->contains("--help") || given->contains("--version")) {
        options.ask = given->contains("--help") ? Ask::Help : Ask::Version;
        return options;
    }
    if (const auto read = readMachine(*given, options); !read) {
        return tl::unexpected(read.error());
    }
    if (const auto type = value(*given, "--vm-net-type")) {
        if (*type != "nat" && *type != "host") {
            return refuse("--vm-net-type is nat or host, not " + quoted(*type));
        }
        options.network = *type == "host" ? Network::Host : Network::Nat;
    }
    if (const auto profile = value(*given, "--profile")) {
        if (*profile != "softnet" && *profile != "nat") {
            return refuse("--profile is softnet or nat, not " + quoted(*profile));
        }
        options.plainNat = *profile == "nat";
    }
    if (options.plainNat && options.network == Network::Host) {
        return refuse("--profile nat and --vm-net-type host exclude each other");
    }
    if (const auto text = value(*given, "--bootpd-lease-time")) {
        const auto seconds = parseNumber(*text, std::numeric_limits<std::uint32_t>::max());
        if (!seconds) {
            return refuse("invalid number of seconds " + quoted(*text) +
                          " for --bootpd-lease-time");
        }
        options.leaseSeconds = *seconds;
    }
    if (const auto text = value(*given, "--mtu")) {
        const auto bytes = parseNumber(*text, mostMtu);
        if (!bytes || *bytes < leastMtu) {
            return refuse("--mtu is from " + std::to_string(leastMtu) + " to " +
                          std::to_string(mostMtu) + ", not " + quoted(*text));
        }
        options.mtu = static_cast<std::uint16_t>(*bytes);
    }
    for (const auto& [name, to] :
         {std::pair{"--user", &options.user}, std::pair{"--group", &options.group}}) {
        if (const auto text = value(*given, name)) {
            *to = std::string(*text);
        }
    }
    if (const auto read = readLists(*given, options); !read) {
        return tl::unexpected(read.error());
    }
    if (given->contains("--sudo-escalation-probing")) {
        options.ask = Ask::Nothing;
    }
    return options;
}

std::string_view Options::help() {
    return R"(The network of one virtual machine, with rules.

Usage: vitrine-softnet --vm-fd FD --vm-mac-address MAC [OPTIONS]

      --vm-fd FD                    socket to the machine: one frame a datagram
      --vm-mac-address MAC          the only address the machine may send from
      --vm-net-type nat|host        host: nothing but the host is reached [default: nat]
      --profile softnet|nat         nat: all but the host's loopback passes [default: softnet]
      --mtu BYTES                   largest IPv4 packet, 576 to 9000 [default: 1500]
      --bootpd-lease-time SECONDS   of the address the machine gets [default: 600]
      --user NAME, --group NAME     whom to become when started by root
      --allow LIST                  targets separated by commas: [in |out ]A.B.C.D/n[:PORT[-PORT]]
      --block LIST                  or @host; the longest prefix wins, block before allow
      --expose LIST                 TCP ports: [ADDRESS:]EXTERNAL:INTERNAL
      --control-fd FD               connected stream socket: rules, ports and what passed, live
  -h, --help
      --version
)";
}

} // namespace vitrine::softnet
