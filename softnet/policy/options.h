// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/policy/filter.h"

namespace vitrine::softnet {

// A TCP port of the host that leads to one of the guest. Softnet's form is EXTERNAL:INTERNAL and
// listens on all interfaces; ADDRESS:EXTERNAL:INTERNAL listens on that address only.
struct Exposure {
    Ipv4 address;
    std::uint16_t external = 0;
    std::uint16_t internal = 0;

    [[nodiscard]] static Checked<Exposure> parse(std::string_view text);
    [[nodiscard]] std::string text() const;

    friend bool operator==(const Exposure&, const Exposure&) = default;
};

// Separated by commas; an empty item is refused.
[[nodiscard]] Checked<std::vector<Exposure>> parseExposures(std::string_view list);

// The command line of vitrine-softnet: Softnet's options with the same grammar (a repeated, unknown
// or valueless one is an error; a value that begins with "-" needs the form --option=value), and
// --version, --control-fd, --profile and --mtu.
struct Options {
    enum class Network : std::uint8_t { Nat, Host };
    enum class Ask : std::uint8_t { Run, Help, Version, Nothing }; // Nothing: only parse, exit 0

    Ask ask = Ask::Run;
    int vmFd = -1;
    Mac guestMac;
    Network network = Network::Nat;
    std::uint32_t leaseSeconds = 600;
    std::optional<std::string> user;
    std::optional<std::string> group;
    Policy policy;
    std::vector<Exposure> exposures;
    int controlFd = -1; // none
    static constexpr std::uint16_t leastMtu = 576;
    static constexpr std::uint16_t mostMtu = 9000;
    std::uint16_t mtu = 1500; // bytes of an IPv4 packet
    bool plainNat = false;

    static constexpr int usageExitCode = 2; // of every Problem that parse() gives

    [[nodiscard]] Profile profile() const {
        return network == Network::Host ? Profile::Host
                                        : (plainNat ? Profile::Nat : Profile::Softnet);
    }
    // Without the program's name.
    [[nodiscard]] static Checked<Options> parse(std::span<const std::string_view> arguments);
    [[nodiscard]] static std::string_view help();
};

} // namespace vitrine::softnet
