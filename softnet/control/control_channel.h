// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/control/control_service.h"

namespace vitrine::softnet {

// The bytes of the control channel, without the socket: requests are lines, and so are answers and
// events.
class ControlChannel final {
public:
    static constexpr std::size_t mostLineBytes = 1024 * 1024;
    // More than this waiting to be read by the client closes the channel; the request that led
    // there is not carried out.
    static constexpr std::size_t mostPendingBytes = 4 * 1024 * 1024;
    // Events are left out, and counted, while this much is waiting or when there are too many.
    static constexpr std::size_t mostPendingForEvents = 256 * 1024;
    static constexpr unsigned eventBurst = 100;
    static constexpr Time eventInterval{20}; // one more each

    explicit ControlChannel(ControlService& service);

    void receive(std::string_view bytes, Time now);
    // After every frame that is news for the ledger.
    void tell(const Destination& destination, Time now);
    // At least once a second while there is something left out: says how many.
    void tick(Time now);

    [[nodiscard]] bool isOpen() const { return m_open; }
    void close();
    [[nodiscard]] std::string_view pending() const {
        return std::string_view(m_output).substr(m_sent);
    }
    void sent(std::size_t bytes);
    [[nodiscard]] bool wantsTick() const { return m_leftOut > 0; }

private:
    void line(std::string_view text, Time now);
    void push(std::string_view line);
    void event(const JsonObject& parameters, Time now);
    [[nodiscard]] bool mayTell(Time now);
    void push(JsonObject parameters);

    ControlService& m_service;
    std::string m_input; // of a line that has not ended
    bool m_discarding = false;
    std::string m_output;
    std::size_t m_sent = 0;
    bool m_open = true;
    Time m_now{};
    unsigned m_tokens = eventBurst;
    Time m_refilled{};
    std::uint64_t m_leftOut = 0;
};

} // namespace vitrine::softnet
