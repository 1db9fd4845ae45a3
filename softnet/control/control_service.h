// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/control/request.h"
#include "softnet/policy/options.h"
#include "softnet/record/ledger.h"

#include <deque>
#include <functional>

namespace vitrine::softnet {

// What the methods need from the program around them.
class ControlHost {
public:
    virtual ~ControlHost() = default;
    [[nodiscard]] virtual const std::vector<Exposure>& exposures() const = 0;
    [[nodiscard]] virtual Checked<void> expose(const Exposure& exposure) = 0;
    // Open connections live on.
    [[nodiscard]] virtual Checked<void> conceal(const Exposure& exposure) = 0;
    [[nodiscard]] virtual std::uint64_t residentKiB() const = 0;
    // Frames that passed but found the machine's socket full.
    [[nodiscard]] virtual std::uint64_t lostToGuest() const = 0;
};

// The methods of the control channel: one line in, one line out. Softnet's own are
// softnet.policy.*; ours begin with "vitrine.". docs/softnet.md describes them.
class ControlService final {
public:
    static constexpr std::size_t mostRevisionBytes = 256;
    static constexpr std::size_t rememberedRevisions = 1024;
    // One answer of vitrine.destinations.get; the rest comes with the next question.
    static constexpr std::size_t mostListBytes = 512 * 1024;

    ControlService(Filter& filter, Ledger& ledger, ControlHost& host)
        : m_filter(filter)
        , m_ledger(ledger)
        , m_host(host) {}

    struct Reply {
        std::string line;            // with its newline
        std::function<void()> apply; // if set: what has to be done once the line can be sent
    };
    [[nodiscard]] Reply handle(std::string_view line, Time now);

    // Whether the client asked for events.
    [[nodiscard]] bool isSubscribed() const { return m_subscribed; }
    // The parameters of vitrine.event for a destination.
    [[nodiscard]] JsonObject eventOf(const Destination& destination) const;
    // Called for what a method changed: the parameters of an event.
    std::function<void(const JsonObject&)> onChange;

private:
    using Result = tl::expected<std::string, RpcError>;
    struct Call {
        const Json* parameters = nullptr; // null or an empty object or list: none
        Time now{};
        std::function<void()> apply;
    };
    [[nodiscard]] Result call(const std::string& method, Call& call);
    [[nodiscard]] Result getPolicy(const Call& call) const;
    [[nodiscard]] Result setPolicy(Call& call);
    [[nodiscard]] Result getStats(const Call& call) const;
    [[nodiscard]] Result getDestinations(const Call& call) const;
    [[nodiscard]] Result changeExposures(const std::string& method, const Call& call);
    [[nodiscard]] Result test(const Call& call) const;
    [[nodiscard]] Result setLearning(Call& call);
    [[nodiscard]] std::string policyJson(const Policy& policy,
                                         const std::optional<std::string>& revision) const;
    [[nodiscard]] JsonObject destinationJson(const Destination& destination) const;
    [[nodiscard]] std::string ruleText(std::int16_t rule) const;
    [[nodiscard]] std::string exposuresJson() const;

    Filter& m_filter;
    Ledger& m_ledger;
    ControlHost& m_host;
    std::optional<std::string> m_revision;
    std::deque<std::string> m_superseded; // oldest first
    bool m_subscribed = false;
};

} // namespace vitrine::softnet
