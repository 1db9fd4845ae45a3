// SPDX-License-Identifier: Apache-2.0
#include "softnet/record/ledger.h"

#include "softnet/frames.h"

#include <gtest/gtest.h>

#include <random>

namespace vitrine::softnet {
namespace {

using namespace frames;

Frame nameBytes(std::string_view name) {
    Frame bytes;
    while (!name.empty()) {
        const std::string_view label = name.substr(0, name.find('.'));
        bytes.push_back(static_cast<std::uint8_t>(label.size()));
        for (const char c : label) {
            bytes.push_back(static_cast<std::uint8_t>(c));
        }
        name.remove_prefix(std::min(name.size(), label.size() + 1));
    }
    bytes.push_back(0);
    return bytes;
}

struct Record {
    unsigned type = 1;
    Frame data;
    Frame name = {0xc0, 12}; // the question's
};

Frame address(const char* text) {
    Frame data;
    put32(data, ip(text).value);
    return data;
}

Frame answer(std::string_view name, const std::vector<Record>& records, unsigned flags = 0x8180) {
    Frame message;
    put16(message, 77);
    put16(message, flags);
    put16(message, 1);
    put16(message, static_cast<unsigned>(records.size()));
    put32(message, 0);
    append(message, nameBytes(name));
    put16(message, 1);
    put16(message, 1);
    for (const Record& record : records) {
        append(message, record.name);
        put16(message, record.type);
        put16(message, 1);
        put32(message, 60);
        put16(message, static_cast<unsigned>(record.data.size()));
        append(message, record.data);
    }
    return message;
}

TEST(DnsNamesTest, AddressesGetTheNameThatWasAskedFor) {
    DnsNames names;
    names.learn(answer("WWW.Example.org",
                       {{5, nameBytes("cdn.example.net")},
                        {1, address("9.9.9.1"), nameBytes("cdn.example.net")},
                        {1, address("9.9.9.2"), nameBytes("cdn.example.net")},
                        {28, Frame(16)}}));
    EXPECT_EQ(names.nameOf(ip("9.9.9.1")), "www.example.org");
    EXPECT_EQ(names.nameOf(ip("9.9.9.2")), "www.example.org");
    EXPECT_EQ(names.nameOf(ip("9.9.9.3")), "");
    names.learn(answer("other.example", {{1, address("9.9.9.1")}}));
    EXPECT_EQ(names.nameOf(ip("9.9.9.1")), "other.example") << "the last word counts";
}

TEST(DnsNamesTest, WhatIsNoAnswerTeachesNothing) {
    DnsNames names;
    const std::vector<Record> records = {{1, address("9.9.9.1")}};
    names.learn(answer("a.example", records, 0x0100)); // a question
    names.learn(answer("a.example", records, 0x8183)); // there is no such name
    names.learn(answer("a.example", records, 0xa980)); // another kind of query
    names.learn(answer("", records));
    names.learn(answer("a.example", {{1, Frame(16)}})); // no address's length
    names.learn({});
    Frame twoQuestions = answer("a.example", records);
    twoQuestions[5] = 2;
    names.learn(twoQuestions);
    EXPECT_EQ(names.size(), 0U);
}

TEST(DnsNamesTest, NamesThatAreNotPlainAreNotKept) {
    DnsNames names;
    const std::vector<Record> records = {{1, address("9.9.9.1")}};
    for (const char* name : {"a b.example",
                             "<b>.example",
                             "a\n.example",
                             "\xc3\xa9.example",
                             "a\x1b[0m.example",
                             "a\"b"}) {
        names.learn(answer(name, records));
    }
    std::string tooLong;
    for (int i = 0; i < 5; ++i) {
        tooLong += std::string(60, 'a') + ".";
    }
    names.learn(answer(tooLong + "example", records));
    Frame loop = answer("a.example", records);
    loop[12] = 0xc0; // a pointer to itself instead of the question's name
    loop[13] = 12;
    names.learn(loop);
    EXPECT_EQ(names.size(), 0U);
}

TEST(DnsNamesTest, TheOldestIsForgotten) {
    DnsNames names(3);
    for (const char* text : {"1.0.0.1", "1.0.0.2", "1.0.0.3", "1.0.0.1", "1.0.0.4"}) {
        names.learn(answer("a.example", {{1, address(text)}}));
    }
    EXPECT_EQ(names.size(), 3U);
    EXPECT_EQ(names.nameOf(ip("1.0.0.2")), "");
    EXPECT_EQ(names.nameOf(ip("1.0.0.1")), "a.example");
}

TEST(DnsNamesTest, HostileAnswersAreHarmless) {
    std::mt19937 random(4);
    const Frame good =
        answer("www.example.org", {{5, nameBytes("cdn.example.net")}, {1, address("9.9.9.1")}});
    DnsNames names(16);
    for (std::size_t length = 0; length <= good.size(); ++length) {
        names.learn(Bytes(good).first(length));
    }
    for (int i = 0; i < 200'000; ++i) {
        Frame frame = good;
        for (unsigned flips = 1 + random() % 6; flips > 0; --flips) {
            frame[random() % frame.size()] = static_cast<std::uint8_t>(random());
        }
        frame.resize(random() % (frame.size() + 1));
        frame.shrink_to_fit();
        names.learn(frame);
        ASSERT_LE(names.size(), 16U);
    }
}

TEST(LedgerTest, NamesComeFromAnswersToTheGuestOnly) {
    Network network;
    network.guestMac = vm;
    Filter filter(network, Profile::Softnet, 1, 64);
    Ledger ledger(1, Time{0});
    const Ipv4 guest = network.guest;
    const Ipv4 dns = network.dns;
    const Time now{5};
    const Frame message = answer("a.example", {{1, address("9.9.9.1")}});
    const Frame reply = udp(dns, 53, guest, 4000, message);
    const auto get = [&](const Frame& frame) {
        return ledger.note(Side::Other, filter.toGuest(frame, now), frame, now);
    };
    get(reply);
    EXPECT_EQ(ledger.names().size(), 0U) << "the guest did not ask";
    const Frame spoken = udp(guest, 53, dns, 53, message);
    ledger.note(Side::Guest, filter.fromGuest(spoken, now), spoken, now);
    EXPECT_EQ(ledger.names().size(), 0U) << "the guest's own words";
    const Frame question = udp(guest, 4001, dns, 53, Frame(20));
    ledger.note(Side::Guest, filter.fromGuest(question, now), question, now);
    get(udp(dns, 53, guest, 4001, message));
    EXPECT_EQ(ledger.names().nameOf(ip("9.9.9.1")), "a.example");
}

} // namespace
} // namespace vitrine::softnet
