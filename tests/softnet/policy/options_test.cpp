// SPDX-License-Identifier: Apache-2.0
#include "softnet/policy/options.h"

#include <gtest/gtest.h>

namespace vitrine::softnet {
namespace {

Checked<Options> parse(std::vector<std::string_view> extra, bool required = true) {
    std::vector<std::string_view> arguments;
    if (required) {
        arguments = {"--vm-fd", "0", "--vm-mac-address", "02:00:00:00:00:01"};
    }
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    return Options::parse(arguments);
}

std::string refusal(std::vector<std::string_view> extra, bool required = true) {
    const auto options = parse(std::move(extra), required);
    return options ? std::string() : options.error().message;
}

TEST(OptionsTest, DefaultsAreSoftnets) {
    const auto options = parse({});
    ASSERT_TRUE(options) << options.error().message;
    EXPECT_EQ(options->vmFd, 0);
    EXPECT_EQ(options->guestMac.text(), "02:00:00:00:00:01");
    EXPECT_EQ(options->network, Options::Network::Nat);
    EXPECT_EQ(options->profile(), Profile::Softnet);
    EXPECT_EQ(options->leaseSeconds, 600U);
    EXPECT_EQ(options->policy, Policy{});
    EXPECT_TRUE(options->exposures.empty());
    EXPECT_EQ(options->controlFd, -1);
    EXPECT_FALSE(options->user || options->group);
}

TEST(OptionsTest, AllowAndBlockTakeTargetsSeparatedByCommas) {
    const auto options = parse({"--allow", "10.0.0.0/8,@host", "--block=0.0.0.0/0"});
    ASSERT_TRUE(options) << options.error().message;
    ASSERT_EQ(options->policy.allow.size(), 2U);
    EXPECT_EQ(options->policy.allow[0].text(), "10.0.0.0/8");
    EXPECT_EQ(options->policy.allow[1].text(), "@host");
    ASSERT_EQ(options->policy.block.size(), 1U);
    EXPECT_EQ(options->policy.block[0].text(), "0.0.0.0/0");
}

TEST(OptionsTest, AnOptionGivenTwiceIsRefused) {
    EXPECT_NE(refusal({"--allow", "10.0.0.0/8", "--allow", "11.0.0.0/8"}), "");
    EXPECT_NE(refusal({"--vm-fd", "1"}), "");
}

TEST(OptionsTest, MalformedTargetsAreRefused) {
    for (const std::string_view list : {"",
                                        "10.0.0.0/8,",
                                        ",10.0.0.0/8",
                                        "10.0.0.0/8, 11.0.0.0/8",
                                        " 10.0.0.0/8",
                                        "10.0.0.1",
                                        "10.0.0.1/33",
                                        "10.0.0.1/008",
                                        "10.0.0.1/",
                                        "10.0.0/8",
                                        "10.0.0.0.0/8",
                                        "256.0.0.0/8",
                                        "0001.0.0.0/8",
                                        "::/0",
                                        "2001:db8::/32",
                                        "@HOST",
                                        "@host/32",
                                        "host"}) {
        EXPECT_NE(refusal({"--allow", list}), "") << '"' << list << '"';
        EXPECT_NE(refusal({"--block", list}), "") << '"' << list << '"';
    }
    EXPECT_NE(refusal({"--allow="}).find("invalid IP address syntax"), std::string::npos);
}

TEST(OptionsTest, HostBitsAndLeadingZerosAreAccepted) {
    const auto options = parse({"--allow", "10.0.0.5/8,010.000.0.1/08"});
    ASSERT_TRUE(options) << options.error().message;
    EXPECT_EQ(options->policy.allow[0].text(), "10.0.0.0/8");
    EXPECT_EQ(options->policy.allow[1].text(), "10.0.0.0/8");
    EXPECT_EQ(options->policy.allow[1].prefix->address, Ipv4::of(10, 0, 0, 1));
}

TEST(OptionsTest, ExposeTakesPairsOfPorts) {
    const auto options = parse({"--expose", "2222:22,8080:80,0:22,+22:0022"});
    ASSERT_TRUE(options) << options.error().message;
    ASSERT_EQ(options->exposures.size(), 4U);
    EXPECT_EQ(options->exposures[0], (Exposure{{}, 2222, 22}));
    EXPECT_EQ(options->exposures[1], (Exposure{{}, 8080, 80}));
    EXPECT_EQ(options->exposures[2], (Exposure{{}, 0, 22}));
    EXPECT_EQ(options->exposures[3], (Exposure{{}, 22, 22}));
}

TEST(OptionsTest, ExposeTakesAnAddressInFront) {
    const auto options = parse({"--expose", "127.0.0.1:2222:22"});
    ASSERT_TRUE(options) << options.error().message;
    EXPECT_EQ(options->exposures[0], (Exposure{Ipv4::of(127, 0, 0, 1), 2222, 22}));
    EXPECT_EQ(options->exposures[0].text(), "127.0.0.1:2222:22");
}

TEST(OptionsTest, MalformedExposuresAreRefusedWithTheirReason) {
    EXPECT_NE(refusal({"--expose", "70000:22"}).find("invalid external port"), std::string::npos);
    EXPECT_NE(refusal({"--expose", "22:70000"}).find("invalid internal port"), std::string::npos);
    EXPECT_NE(refusal({"--expose", "22"}).find("format should be EXTERNAL:INTERNAL"),
              std::string::npos);
    for (const std::string_view list :
         {"", "22:", ":22", "2222:22,", "1:2:3", "a:b", "-1:22", "1.2.3.4:1:2:3", "2222: 22"}) {
        EXPECT_NE(refusal({"--expose", list}), "") << '"' << list << '"';
    }
}

TEST(OptionsTest, FileDescriptorsAreNotNegative) {
    for (const auto& arguments :
         std::vector<std::vector<std::string_view>>{{"--vm-fd", "-1"},
                                                    {"--vm-fd=-1"},
                                                    {"--vm-fd=x"},
                                                    {"--vm-fd="},
                                                    {"--vm-fd"},
                                                    {"--vm-fd=2147483648"}}) {
        auto all = arguments;
        all.insert(all.begin(), {"--vm-mac-address", "02:00:00:00:00:01"});
        EXPECT_NE(refusal(all, false), "") << arguments.front();
    }
    EXPECT_NE(refusal({"--control-fd=-1"}), "");
    EXPECT_NE(refusal({"--control-fd", "0"}), "") << "the same as --vm-fd";
    EXPECT_EQ(parse({"--control-fd", "5"})->controlFd, 5);
}

TEST(OptionsTest, WhatIsUnknownOrMissingIsRefused) {
    EXPECT_NE(refusal({"--vm-net-type", "HOST"}), "");
    EXPECT_NE(refusal({"--bootpd-lease-time", "-1"}), "");
    EXPECT_NE(refusal({"--bootpd-lease-time=-1"}), "");
    EXPECT_NE(refusal({"--bootpd-lease-time", "4294967296"}), "");
    EXPECT_NE(refusal({"stray"}), "");
    EXPECT_NE(refusal({"--unknown"}), "");
    EXPECT_NE(refusal({"--help=yes"}), "");
    EXPECT_NE(refusal({}, false), "");
    EXPECT_NE(refusal({"--vm-fd", "0"}, false), "");
    EXPECT_NE(refusal({"--vm-mac-address", "02:00:00:00:00:01"}, false), "");
    EXPECT_NE(refusal({"--strict-softnet"}), "") << "only the tests have it";
}

TEST(OptionsTest, OtherValuesAreRead) {
    const auto options = parse({"--vm-net-type",
                                "host",
                                "--bootpd-lease-time",
                                "4294967295",
                                "--user",
                                "nobody",
                                "--group",
                                "nogroup"});
    ASSERT_TRUE(options) << options.error().message;
    EXPECT_EQ(options->profile(), Profile::Host);
    EXPECT_EQ(options->leaseSeconds, 4294967295U);
    EXPECT_EQ(options->user, "nobody");
    EXPECT_EQ(options->group, "nogroup");
    EXPECT_EQ(parse({"--profile", "nat"})->profile(), Profile::Nat);
    EXPECT_NE(refusal({"--profile", "nat", "--vm-net-type", "host"}), "");
}

TEST(OptionsTest, HelpAndVersionNeedNothingElse) {
    EXPECT_EQ(parse({"-h"}, false)->ask, Options::Ask::Help);
    EXPECT_EQ(parse({"--help"})->ask, Options::Ask::Help);
    EXPECT_EQ(parse({"--version"}, false)->ask, Options::Ask::Version);
    EXPECT_EQ(parse({"--sudo-escalation-probing"})->ask, Options::Ask::Nothing);
    EXPECT_EQ(parse({"--sudo-escalation-done"})->ask, Options::Ask::Run);
    EXPECT_NE(Options::help().find("--control-fd"), std::string_view::npos);
}

TEST(OptionsTest, TheLargestPacketHasLimits) {
    EXPECT_EQ(parse({})->mtu, 1500);
    EXPECT_EQ(parse({"--mtu", "9000"})->mtu, 9000);
    EXPECT_EQ(parse({"--mtu=576"})->mtu, 576);
    for (const char* text : {"575", "9001", "", "1k"}) {
        const std::string option = std::string("--mtu=") + text;
        EXPECT_FALSE(parse({option})) << text;
    }
}

TEST(OptionsTest, MacAddressesHaveTheFormsOfSoftnet) {
    for (const std::string_view text : {"02:00:00:00:00:aB",
                                        "02-00-00-00-00-AB",
                                        "02:00-00:00-00:ab",
                                        "0200000000ab",
                                        "+2:00:00:00:00:ab"}) {
        const auto mac = Mac::parse(text);
        ASSERT_TRUE(mac) << text;
        EXPECT_EQ(mac->text(), "02:00:00:00:00:ab");
    }
    for (const std::string_view text : {"",
                                        "02:00:00:00:00",
                                        "02:00:00:00:00:0",
                                        "02:00:00:00:00:0g",
                                        "02.00.00.00.00.01",
                                        "0200.0000.0001",
                                        "02:00:00:00:00:01:",
                                        "02:00:00:00:00:+ "}) {
        EXPECT_FALSE(Mac::parse(text)) << text;
    }
}

} // namespace
} // namespace vitrine::softnet
