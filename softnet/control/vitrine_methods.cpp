// SPDX-License-Identifier: Apache-2.0
#include "softnet/control/control_service.h"
#include "softnet/control/parameters.h"

#include <algorithm>

namespace vitrine::softnet {

namespace {

std::string_view protocolName(std::uint8_t number) {
    switch (number) {
    case protocol::tcp:
        return "tcp";
    case protocol::udp:
        return "udp";
    case protocol::icmp:
        return "icmp";
    default:
        return "other";
    }
}

// One that is not in use, for "other".
constexpr std::uint8_t unassignedProtocol = 253;

std::optional<std::uint8_t> protocolNumber(std::string_view name) {
    for (const std::uint8_t number :
         {protocol::tcp, protocol::udp, protocol::icmp, unassignedProtocol}) {
        if (protocolName(number) == name) {
            return number;
        }
    }
    return std::nullopt;
}

std::string_view verdictName(Reason reason) {
    return passes(reason) ? "allow" : "block";
}

std::string trafficJson(const Ledger::Traffic& traffic, std::uint64_t lost) {
    JsonObject reasons;
    for (std::size_t i = 0; i < reasonCount; ++i) {
        const auto reason = static_cast<Reason>(i);
        if (!passes(reason) && traffic.reasons[i] != 0) {
            reasons.add(reasonName(reason), traffic.reasons[i]);
        }
    }
    if (lost != 0) {
        reasons.add("socket-full", lost);
    }
    return JsonObject()
        .add("frames", traffic.frames - std::min(lost, traffic.frames))
        .add("bytes", traffic.bytes)
        .add("dropped", traffic.dropped + lost)
        .addJson("reasons", reasons.text())
        .text();
}

std::uint64_t milliseconds(Time time) {
    return static_cast<std::uint64_t>(std::max<Time::rep>(time.count(), 0));
}

} // namespace

std::string ControlService::ruleText(std::int16_t rule) const {
    const Policy& policy = m_filter.rules().policy();
    return rule < 0 || static_cast<std::size_t>(rule) >= policy.ruleCount()
               ? std::string()
               : policy.target(static_cast<std::size_t>(rule)).text();
}

JsonObject ControlService::destinationJson(const Destination& destination) const {
    const std::string rule =
        destination.formerRule ? destination.formerRule->text() : ruleText(destination.then.rule);
    const std::string ruleNow = ruleText(destination.now.rule);
    JsonObject object;
    object.add("address", destination.address.text())
        .add("port", destination.port)
        .add("protocol", protocolName(destination.protocol))
        .add("direction", destination.opened == Side::Guest ? "out" : "in")
        .add("name", m_ledger.names().nameOf(destination.address))
        .add("bytesOut", destination.bytesOut)
        .add("bytesIn", destination.bytesIn)
        .add("packets", destination.packets)
        .add("verdict", verdictName(destination.then.reason))
        .add("rule", rule)
        .add("reason", reasonName(destination.then.reason))
        .add("lastMs", milliseconds(destination.last - m_ledger.begun()));
    if (destination.now.reason != destination.then.reason || ruleNow != rule) {
        object.addJson("now",
                       JsonObject()
                           .add("verdict", verdictName(destination.now.reason))
                           .add("rule", ruleNow)
                           .add("reason", reasonName(destination.now.reason))
                           .text());
    }
    if (m_filter.network().isHost(destination.address)) {
        object.addJson("host", "true");
    }
    if (m_filter.isLearning()) {
        object.addJson("learned", destination.learned ? "true" : "false");
    }
    return object;
}

JsonObject ControlService::eventOf(const Destination& destination) const {
    JsonObject object = destinationJson(destination);
    object.add("kind", passes(destination.then.reason) ? "allowed" : "blocked")
        .add("sequence", destination.sequence);
    return object;
}

ControlService::Result ControlService::getStats(const Call& call) const {
    if (const auto none = expectNames(call.parameters, {}); !none) {
        return tl::unexpected(none.error());
    }
    return JsonObject()
        .add("uptimeMs", milliseconds(call.now - m_ledger.begun()))
        .addJson("toHost", trafficJson(m_ledger.fromGuest(), 0))
        .addJson("toGuest", trafficJson(m_ledger.toGuest(), m_host.lostToGuest()))
        .add("flows", m_filter.liveFlows(call.now))
        .add("guestPackets", m_ledger.guestPackets())
        .add("residentKiB", m_host.residentKiB())
        .text();
}

ControlService::Result ControlService::getDestinations(const Call& call) const {
    if (const auto known = expectNames(call.parameters, {"since", "most"}); !known) {
        return tl::unexpected(known.error());
    }
    std::uint64_t since = 0;
    if (const Json* const value = parameter(call.parameters, "since")) {
        const auto number = value->whole();
        if (!number) {
            return invalid("\"since\" is a sequence number");
        }
        since = *number;
    }
    std::uint64_t most = UINT64_MAX;
    if (const Json* const value = parameter(call.parameters, "most")) {
        const auto number = value->whole();
        if (!number || *number == 0) {
            return invalid("\"most\" is a number of destinations, from 1");
        }
        most = *number;
    }
    std::uint64_t sequence = m_ledger.destinations().sequence();
    bool more = false;
    std::string list = "[";
    std::uint64_t lastListed = since;
    std::uint64_t listed = 0;
    m_ledger.destinations().forEachSince(since, [&](const Destination& destination) {
        if (list.size() > mostListBytes || listed == most) {
            more = true;
            return false;
        }
        list += list.size() > 1 ? "," : "";
        list += destinationJson(destination).text();
        lastListed = destination.sequence;
        ++listed;
        return true;
    });
    list += "]";
    const std::uint64_t newest = sequence;
    if (more) {
        sequence = lastListed;
    }
    return JsonObject()
        .add("sequence", sequence)
        .add("newest", newest)
        .addJson("destinations", list)
        .addJson("more", more ? "true" : "false")
        .text();
}

std::string ControlService::exposuresJson() const {
    std::vector<std::string> texts;
    for (const Exposure& exposure : m_host.exposures()) {
        texts.push_back(exposure.text());
    }
    return JsonObject().addJson("exposed", jsonList(texts)).text();
}

ControlService::Result ControlService::changeExposures(const std::string& method,
                                                       const Call& call) {
    const bool change = method != "vitrine.expose.get";
    const auto known =
        change ? expectNames(call.parameters, {"spec"}) : expectNames(call.parameters, {});
    if (!known) {
        return tl::unexpected(known.error());
    }
    if (!change) {
        return exposuresJson();
    }
    const auto spec = textParameter(call.parameters, "spec");
    if (!spec) {
        return tl::unexpected(spec.error());
    }
    const auto exposure = Exposure::parse(*spec);
    if (!exposure) {
        return invalid(exposure.error().message);
    }
    const bool add = method == "vitrine.expose.add";
    const auto done = add ? m_host.expose(*exposure) : m_host.conceal(*exposure);
    if (onChange) {
        onChange(JsonObject()
                     .add("kind", "expose")
                     .add("spec", exposure->text())
                     .add("state",
                          !done ? "failed"
                          : add ? "added"
                                : "removed")
                     .add("message", done ? std::string() : done.error().message));
    }
    if (!done) {
        int code = add ? rpc::cannotExpose : rpc::notExposed;
        if (add && done.error().cause == Problem::Cause::NotPermitted) {
            code = rpc::portNotPermitted;
        } else if (add && done.error().cause == Problem::Cause::Unusable) {
            code = rpc::portUnusable;
        }
        return tl::unexpected<RpcError>({code, done.error().message});
    }
    return exposuresJson();
}

ControlService::Result ControlService::test(const Call& call) const {
    if (const auto known =
            expectNames(call.parameters, {"direction", "address", "port", "protocol"});
        !known) {
        return tl::unexpected(known.error());
    }
    const auto direction = textParameter(call.parameters, "direction");
    const auto address = textParameter(call.parameters, "address");
    const auto protocolText = textParameter(call.parameters, "protocol");
    for (const auto& text : {direction, address, protocolText}) {
        if (!text) {
            return tl::unexpected(text.error());
        }
    }
    if (*direction != "in" && *direction != "out") {
        return invalid("\"direction\" is \"in\" or \"out\"");
    }
    const auto other = Ipv4::parse(*address);
    if (!other) {
        return invalid("\"address\" is an IPv4 address");
    }
    const auto number = protocolNumber(*protocolText);
    if (!number) {
        return invalid(R"("protocol" is "tcp", "udp", "icmp" or "other")");
    }
    std::uint64_t port = 0;
    const Json* const given = parameter(call.parameters, "port");
    const bool hasPorts = *number == protocol::tcp || *number == protocol::udp;
    if (given != nullptr || hasPorts) {
        const auto value = given == nullptr ? std::nullopt : given->whole();
        if (!value || *value > 65535 || (hasPorts && *value == 0)) {
            return invalid("\"port\" is a number from 1 to 65535");
        }
        port = *value;
    }
    const Verdict verdict = m_filter.wouldPass(*direction == "out" ? Side::Guest : Side::Other,
                                               *number,
                                               *other,
                                               static_cast<std::uint16_t>(port));
    return JsonObject()
        .add("verdict", verdictName(verdict.reason))
        .add("rule", ruleText(verdict.rule))
        .add("reason", reasonName(verdict.reason))
        .text();
}

ControlService::Result ControlService::setLearning(Call& call) {
    if (const auto known = expectNames(call.parameters, {"enabled"}); !known) {
        return tl::unexpected(known.error());
    }
    const Json* const given = parameter(call.parameters, "enabled");
    if (given == nullptr || given->kind != Json::Kind::Boolean) {
        return invalid("\"enabled\" is true or false");
    }
    const bool learning = given->truth;
    call.apply = [this, learning, now = call.now] {
        if (learning == m_filter.isLearning()) {
            return;
        }
        if (learning) {
            m_ledger.beginLearning();
        }
        m_filter.setLearning(learning, now);
        m_ledger.judgeAgain(m_filter);
    };
    return JsonObject().addJson("learning", learning ? "true" : "false").text();
}

} // namespace vitrine::softnet
