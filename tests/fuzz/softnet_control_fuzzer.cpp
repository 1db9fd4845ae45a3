// SPDX-License-Identifier: Apache-2.0
// A hostile client of the control channel. Each step is a byte that says what happens, for bytes of
// the channel followed by one of length: they come as they are, or as the parameters of a method,
// so that the fuzzer need not guess the envelope.
#include "softnet/control/control_channel.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace {

using namespace vitrine::softnet;

void require(bool good, const char* what) {
    if (!good) {
        std::fprintf(stderr, "It is not so: %s\n", what);
        std::abort();
    }
}

class Host final : public ControlHost {
public:
    const std::vector<Exposure>& exposures() const override { return m_exposures; }
    Checked<void> expose(const Exposure& exposure) override {
        if (m_exposures.size() >= 16) {
            return refuse("too many");
        }
        m_exposures.push_back(exposure);
        return {};
    }
    Checked<void> conceal(const Exposure& exposure) override {
        const auto at = std::find(m_exposures.begin(), m_exposures.end(), exposure);
        if (at == m_exposures.end()) {
            return refuse("not exposed");
        }
        m_exposures.erase(at);
        return {};
    }
    std::uint64_t residentKiB() const override { return 1; }
    std::uint64_t lostToGuest() const override { return 0; }

private:
    std::vector<Exposure> m_exposures;
};

constexpr std::string_view methods[] = {"softnet.policy.get",
                                        "softnet.policy.set",
                                        "vitrine.stats.get",
                                        "vitrine.destinations.get",
                                        "vitrine.expose.get",
                                        "vitrine.expose.add",
                                        "vitrine.expose.remove",
                                        "vitrine.test",
                                        "vitrine.events.subscribe"};

// Everything it says is a line of JSON with one of the three shapes.
void checkAnswers(ControlChannel& channel) {
    std::string_view text = channel.pending();
    require(text.empty() || text.back() == '\n', "an answer is a whole line");
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(line.size() + 1);
        const auto json = Json::parse(line);
        require(json && json->kind == Json::Kind::Object, "an answer is JSON");
        const bool shaped = json->find("result") != nullptr || json->find("error") != nullptr ||
                            json->find("method") != nullptr;
        require(shaped, "an answer is a result, an error or an event");
    }
    channel.sent(channel.pending().size());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    Network network;
    network.guestMac = Mac{{2, 0, 0, 0, 0, 1}};
    Filter filter(network, Profile::Softnet, 1, 64);
    Ledger ledger(1, Time{1});
    Host host;
    ControlService service(filter, ledger, host);
    ControlChannel channel(service);
    Time now{1};
    Bytes left(data, size);
    while (left.size() >= 2 && channel.isOpen()) {
        const unsigned step = left[0];
        const std::size_t length = std::min<std::size_t>(left[1], left.size() - 2);
        const std::string_view bytes(reinterpret_cast<const char*>(left.data()) + 2, length);
        left = left.subspan(2 + length);
        now += Time{step};
        const std::size_t rulesBefore = filter.rules().policy().ruleCount();
        switch (step & 3) {
        case 0:
            channel.receive(bytes, now);
            break;
        case 1:
            channel.receive(std::string(bytes) + "\n", now);
            break;
        case 2: {
            const std::string_view method = methods[(step >> 2) % std::size(methods)];
            channel.receive("\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + std::string(method) +
                                "\",\"params\":" + std::string(bytes) + "}\n",
                            now);
            if (method != "softnet.policy.set") {
                require(filter.rules().policy().ruleCount() == rulesBefore,
                        "only one method changes the rules");
            }
            break;
        }
        default: {
            const Bytes frame(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
            const auto noted = ledger.note(Side::Guest, filter.fromGuest(frame, now), frame, now);
            if (noted.isNews) {
                channel.tell(*noted.destination, now);
            }
            channel.tick(now);
            break;
        }
        }
        require(filter.rules().policy().ruleCount() <= Policy::maximumRules,
                "there are not too many rules");
        checkAnswers(channel);
    }
    return 0;
}
