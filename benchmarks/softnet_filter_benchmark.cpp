// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/filter.h"

#include <benchmark/benchmark.h>

#include <random>

namespace {

using namespace vitrine::softnet;

std::uint32_t below(std::mt19937& random, std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
}

// Prefixes of all lengths from /8 on, allowed and blocked in turn.
Policy policy(std::size_t rules) {
    std::mt19937 random(1);
    Policy result;
    for (std::size_t i = 0; i < rules; ++i) {
        Target target;
        target.prefix =
            Prefix{{static_cast<std::uint32_t>(random())}, 8 + static_cast<int>(below(random, 25))};
        (i % 2 == 0 ? result.allow : result.block).push_back(target);
    }
    return result;
}

std::vector<Ipv4> addresses() {
    std::mt19937 random(2);
    std::vector<Ipv4> result(1 << 16);
    for (Ipv4& address : result) {
        address.value = static_cast<std::uint32_t>(random());
    }
    return result;
}

// Addresses that are all different: no branch and no cache line can be foretold.
void lookUp(benchmark::State& state) {
    const auto rules =
        RuleTable::compile(policy(static_cast<std::size_t>(state.range(0))), {}).value();
    const auto probes = addresses();
    std::size_t at = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(rules.match(Direction::Out, probes[at++ & 0xffff], std::nullopt));
    }
}
BENCHMARK(lookUp)->Arg(1)->Arg(16)->Arg(256)->Arg(4096);

// As many rules with ports as there may be, spread over prefixes that lie in one another.
void lookUpPorts(benchmark::State& state) {
    std::mt19937 random(3);
    Policy nested;
    for (std::size_t i = 0; i < Policy::maximumRules; ++i) {
        Target target;
        target.prefix =
            Prefix{{0x0a010203}, static_cast<int>(i) % static_cast<int>(state.range(0))};
        const auto port = static_cast<std::uint16_t>(1 + below(random, 60000));
        target.ports = PortRange{port, port};
        nested.allow.push_back(target);
    }
    const auto rules = RuleTable::compile(nested, {}).value();
    std::uint16_t port = 0;
    for (auto _ : state) {
        port = static_cast<std::uint16_t>(port * 5 + 77);
        benchmark::DoNotOptimize(rules.match(Direction::Out, Ipv4{0x0a010203}, port));
    }
}
BENCHMARK(lookUpPorts)->Arg(1)->Arg(4)->Arg(33);

std::vector<std::uint8_t> tcpFrame(Ipv4 to) {
    std::vector<std::uint8_t> frame(1514);
    const std::uint8_t head[] = {0x52, 0x55, 10,   0, 2, 2, 2, 0,  0, 0, 0, 1,  8, 0, 0x45,
                                 0,    0x05, 0xdc, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 2, 15};
    std::copy(std::begin(head), std::end(head), frame.begin());
    for (int i = 0; i < 4; ++i) {
        frame[30 + static_cast<std::size_t>(i)] =
            static_cast<std::uint8_t>(to.value >> (24 - 8 * i) & 0xff);
    }
    frame[34] = 0x9c;
    frame[37] = 80;
    frame[46] = 0x50;
    frame[47] = 0x10;
    return frame;
}

// A full frame of an open transfer, with its flow.
void frameFromGuest(benchmark::State& state) {
    Network network;
    network.guestMac = Mac{{2, 0, 0, 0, 0, 1}};
    Filter filter(network, Profile::Softnet, 1);
    Policy rules = policy(static_cast<std::size_t>(state.range(0)));
    if (state.range(1) != 0) {
        rules.block.back().direction = Direction::In;
    }
    if (!filter.setPolicy(rules, Time{0})) {
        state.SkipWithError("the rules were refused");
        return;
    }
    const auto frame = tcpFrame(Ipv4::of(8, 8, 8, 8));
    Time now{0};
    for (auto _ : state) {
        benchmark::DoNotOptimize(filter.fromGuest(frame, now));
        now += Time{1};
    }
}
BENCHMARK(frameFromGuest)->Args({2, 0})->Args({256, 0})->Args({4096, 0})->Args({4096, 1});

// New rules while the flow table is full.
void setPolicy(benchmark::State& state) {
    Network network;
    network.guestMac = Mac{{2, 0, 0, 0, 0, 1}};
    Filter filter(network, Profile::Softnet, 1);
    auto frame = tcpFrame(Ipv4::of(8, 8, 8, 8));
    for (std::uint32_t i = 0; i < FlowTable::defaultCapacity; ++i) {
        frame[34] = static_cast<std::uint8_t>(i >> 8);
        frame[35] = static_cast<std::uint8_t>(i & 0xff);
        (void)filter.fromGuest(frame, Time{0});
    }
    const Policy rules = policy(4095);
    for (auto _ : state) {
        benchmark::DoNotOptimize(filter.setPolicy(rules, Time{1}).has_value());
    }
}
BENCHMARK(setPolicy)->Unit(benchmark::kMillisecond);

} // namespace

BENCHMARK_MAIN();
