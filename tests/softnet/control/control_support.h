// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "softnet/control/control_channel.h"
#include "softnet/frames.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vitrine::softnet {

inline const Ipv4 guestAddress = frames::ip("10.0.2.15");

// A channel with all that is behind it but for sockets.
class ControlTest : public testing::Test, public ControlHost {
protected:
    ControlTest() {
        Network network;
        network.guestMac = frames::vm;
        filter.emplace(network, Profile::Softnet, 1, 256);
        service.emplace(*filter, ledger, *this);
        channel.emplace(*service);
    }
    const std::vector<Exposure>& exposures() const override { return exposed; }
    Checked<void> expose(const Exposure& exposure) override {
        if (exposure.external == 80) {
            return refuse("port 80 of all addresses: another program listens there");
        }
        exposed.push_back(exposure);
        return {};
    }
    Checked<void> conceal(const Exposure& exposure) override {
        const auto at = std::find(exposed.begin(), exposed.end(), exposure);
        if (at == exposed.end()) {
            return refuse("is not exposed");
        }
        exposed.erase(at);
        return {};
    }
    std::uint64_t residentKiB() const override { return 12345; }
    std::uint64_t lostToGuest() const override { return 2; }

    // What has been sent since the last call.
    std::string sent() {
        std::string text(channel->pending());
        channel->sent(text.size());
        return text;
    }
    std::string ask(const std::string& line) {
        channel->receive(line + "\n", now);
        return sent();
    }
    std::string call(const std::string& method, const std::string& parameters = "{}") {
        return ask(R"({"jsonrpc":"2.0","id":1,"method":")" + method + R"(","params":)" +
                   parameters + "}");
    }
    // The result as text; "error CODE" otherwise.
    std::string result(const std::string& method, const std::string& parameters = "{}") {
        return outcome(call(method, parameters));
    }
    static std::string outcome(const std::string& line) {
        const auto json = Json::parse(line);
        if (!json) {
            return "no JSON: " + line;
        }
        if (const Json* const error = json->find("error")) {
            return "error " + error->find("code")->text;
        }
        const std::string begin = R"({"jsonrpc":"2.0","id":1,"result":)";
        return line.starts_with(begin) ? line.substr(begin.size(), line.size() - begin.size() - 2)
                                       : line;
    }
    std::string
    set(const std::string& allow, const std::string& block, const std::string& revision) {
        return result("softnet.policy.set",
                      "{\"allow\":" + allow + ",\"block\":" + block + ",\"desiredRevision\":\"" +
                          revision + "\"}");
    }
    void guestSends(const frames::Frame& frame) {
        const Verdict verdict = filter->fromGuest(frame, now);
        tell(ledger.note(Side::Guest, verdict, frame, now));
    }
    void guestGets(const frames::Frame& frame) {
        const Verdict verdict = filter->toGuest(frame, now);
        tell(ledger.note(Side::Other, verdict, frame, now));
    }
    void tell(const DestinationTable::Noted& noted) {
        if (noted.isNews) {
            channel->tell(*noted.destination, now);
        }
    }

    Time now{1000};
    std::vector<Exposure> exposed;
    std::optional<Filter> filter;
    Ledger ledger{1, Time{1000}};
    std::optional<ControlService> service;
    std::optional<ControlChannel> channel;
};

} // namespace vitrine::softnet
