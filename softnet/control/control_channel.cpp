// SPDX-License-Identifier: Apache-2.0
#include "softnet/control/control_channel.h"

#include <algorithm>

namespace vitrine::softnet {

ControlChannel::ControlChannel(ControlService& service)
    : m_service(service) {
    m_service.onChange = [this](const JsonObject& parameters) { event(parameters, m_now); };
}

void ControlChannel::receive(std::string_view bytes, Time now) {
    while (m_open && !bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        const std::string_view part = bytes.substr(0, end);
        const bool whole = end != std::string_view::npos;
        bytes.remove_prefix(whole ? end + 1 : bytes.size());
        if (m_discarding) {
            m_discarding = !whole;
        } else if (m_input.size() + part.size() > mostLineBytes) {
            m_input = {};
            m_discarding = !whole;
            push(errorLine("null", {rpc::parseError, "longer than 1 MiB"}));
        } else if (!whole) {
            m_input += part;
        } else if (m_input.empty()) {
            line(part, now);
        } else {
            m_input += part;
            const std::string text = std::exchange(m_input, {});
            line(text, now);
        }
    }
}

void ControlChannel::line(std::string_view text, Time now) {
    m_now = now;
    const ControlService::Reply reply = m_service.handle(text, now);
    push(reply.line);
    if (m_open && reply.apply) {
        reply.apply();
    }
}

void ControlChannel::push(std::string_view line) {
    if (pending().size() + line.size() > mostPendingBytes) {
        close();
        return;
    }
    if (m_sent > 0) {
        m_output.erase(0, m_sent);
        m_sent = 0;
    }
    m_output += line;
}

void ControlChannel::close() {
    m_open = false;
    m_input = {};
    m_output = {};
    m_sent = 0;
}

void ControlChannel::sent(std::size_t bytes) {
    m_sent += bytes;
    if (m_sent >= m_output.size()) {
        m_output = {}; // a long answer's memory is given back
        m_sent = 0;
    }
}

void ControlChannel::tell(const Destination& destination, Time now) {
    if (mayTell(now)) { // before the text is made: a guest decides how many there are
        push(m_service.eventOf(destination));
    }
}

void ControlChannel::event(const JsonObject& parameters, Time now) {
    if (mayTell(now)) {
        push(parameters);
    }
}

// Takes a token.
bool ControlChannel::mayTell(Time now) {
    if (!m_open || !m_service.isSubscribed()) {
        return false;
    }
    const auto more = static_cast<std::uint64_t>((now - m_refilled) / eventInterval);
    if (more > 0) {
        m_tokens = static_cast<unsigned>(std::min<std::uint64_t>(eventBurst, m_tokens + more));
        m_refilled = now;
    }
    if (m_tokens == 0 || pending().size() > mostPendingForEvents) {
        ++m_leftOut;
        return false;
    }
    --m_tokens;
    return true;
}

void ControlChannel::push(JsonObject parameters) {
    if (m_leftOut > 0) {
        parameters.add("leftOut", std::exchange(m_leftOut, 0));
    }
    push(notificationLine("vitrine.event", parameters.text()));
}

void ControlChannel::tick(Time now) {
    if (m_leftOut > 0 && pending().size() <= mostPendingForEvents &&
        now - m_refilled >= eventInterval) {
        JsonObject parameters;
        parameters.add("kind", "leftOut");
        event(parameters, now);
    }
}

} // namespace vitrine::softnet
