// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/host_features.h"

#include "tests/vz/plan/pretended_mac.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace vitrine;
using namespace vitrine::vz;
using vitrine::vz::test::pretendedMac;

namespace {

constexpr int features = static_cast<int>(Feature::TrackpadChoice) + 1;

} // namespace

TEST(HostFeatures, AGoodMacLacksOnlyWhatTheFrameworkHasNot) {
    const HypervisorInfo info = describeHost(pretendedMac());
    QList<Feature> missing;
    for (int i = 0; i < features; ++i) {
        const auto feature = static_cast<Feature>(i);
        ASSERT_TRUE(info.features.contains(feature)) << i;
        if (!info.has(feature)) {
            missing << feature;
            EXPECT_FALSE(info.status(feature).reason.isEmpty()) << i;
        }
    }
    EXPECT_EQ(missing,
              (QList{Feature::AcceleratorChoice, Feature::Amd64Guests, Feature::PortForwards}));
    EXPECT_TRUE(std::all_of(info.checks.cbegin(), info.checks.cend(), [](const HostCheck& check) {
        return check.verdict == HostCheck::Verdict::Good && !check.finding.isEmpty();
    }));
    EXPECT_EQ(info.bridges.size(), 2);
    EXPECT_EQ(info.architecture, Architecture::Arm64);
    EXPECT_TRUE(info.name.contains(QLatin1String("macOS 15.5")));
    EXPECT_TRUE(info.diagnosis.contains(QLatin1String("Apple M3")));
}

TEST(HostFeatures, WhatAMacLacksHasItsReason) {
    struct Case {
        std::function<void(HostCaps&)> change;
        Feature feature;
        const char* says;
    };
    HostCaps without = pretendedMac();
    without.rosetta = RosettaState::NotInstalled;
    EXPECT_TRUE(describeHost(without).status(Feature::Rosetta).installable);
    EXPECT_FALSE(describeHost(pretendedMac()).status(Feature::Rosetta).installable);
    for (const Case& c :
         {Case{[](HostCaps& h) { h.system = macOs14; }, Feature::NestedVirtualization, "macOS 15"},
          Case{[](HostCaps& h) { h.nested = false; }, Feature::NestedVirtualization, "M3 or later"},
          Case{[](HostCaps& h) { h.system = macOs13; }, Feature::Suspend, "macOS 14"},
          Case{[](HostCaps& h) { h.system = macOs13; }, Feature::DisplayRefit, "macOS 14"},
          Case{[](HostCaps& h) { h.networkingEntitled = false; },
               Feature::Bridged,
               "com.apple.vm.networking"},
          Case{[](HostCaps& h) { h.interfaces.clear(); }, Feature::Bridged, "no interface"},
          Case{[](HostCaps& h) { h.rosetta = RosettaState::NotInstalled; },
               Feature::Rosetta,
               "softwareupdate"},
          Case{[](HostCaps& h) { h.architecture = Architecture::Amd64; },
               Feature::DarwinGuests,
               "Apple silicon"},
          Case{[](HostCaps& h) { h.architecture = Architecture::Amd64; },
               Feature::Arm64Guests,
               "amd64 machines only"},
          Case{[](HostCaps& h) { h.virtualization = false; },
               Feature::LinuxGuests,
               "no hardware virtualization"},
          Case{[](HostCaps& h) { h.virtualizationEntitled = false; },
               Feature::Clipboard,
               "not signed"}}) {
        HostCaps host = pretendedMac();
        ASSERT_TRUE(describeHost(host).has(c.feature)) << c.says;
        c.change(host);
        const FeatureStatus status = describeHost(host).status(c.feature);
        EXPECT_FALSE(status.available) << c.says;
        EXPECT_TRUE(status.reason.contains(QLatin1String(c.says))) << status.reason.toStdString();
    }
}

TEST(HostFeatures, WithoutAMicrophoneThereIsStillSound) {
    HostCaps host = pretendedMac();
    host.microphone = false;
    const FeatureStatus status = describeHost(host).status(Feature::Audio);
    EXPECT_TRUE(status.available);
    EXPECT_FALSE(status.reason.isEmpty());
}
