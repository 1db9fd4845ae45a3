// SPDX-License-Identifier: Apache-2.0
#include "tests/vz/plan/pretended_mac.h"
#include "vz/plan/display_policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace vitrine;
using namespace vitrine::vz;
using Unit = DisplaySize::Unit;

TEST(DisplayPolicy, PointsAreForMacGuestsWithAScreen) {
    struct Case {
        GuestSystem system;
        Unit unit;
        bool screen;
        DisplayPlan::Kind kind;
    };
    using Kind = DisplayPlan::Kind;
    for (const Case& c : {Case{GuestSystem::Darwin, Unit::Unset, true, Kind::PointsOfMainScreen},
                          Case{GuestSystem::Darwin, Unit::Points, true, Kind::PointsOfMainScreen},
                          Case{GuestSystem::Darwin, Unit::Pixels, true, Kind::Pixels},
                          Case{GuestSystem::Darwin, Unit::Unset, false, Kind::Pixels},
                          Case{GuestSystem::Darwin, Unit::Points, false, Kind::Pixels},
                          Case{GuestSystem::Linux, Unit::Unset, true, Kind::Pixels},
                          Case{GuestSystem::Linux, Unit::Points, true, Kind::Pixels}}) {
        MachineConfig config;
        config.system = c.system;
        config.display = {1440, 900, c.unit};
        HostCaps host = vz::test::pretendedMac();
        if (!c.screen)
            host.screens.clear();
        const DisplayPlan plan = planDisplay(config, host);
        EXPECT_EQ(plan.kind, c.kind) << static_cast<int>(c.system) << static_cast<int>(c.unit);
        EXPECT_EQ(plan.width, 1440);
        EXPECT_EQ(plan.height, 900);
        EXPECT_EQ(plan.pixelsPerInch, 72);
    }
}

TEST(DisplayPolicy, RefitIsAutomaticForAllButLinux) {
    struct Case {
        GuestSystem system;
        Refit refit;
        SystemVersion version;
        bool refits;
    };
    for (const Case& c : {Case{GuestSystem::Darwin, Refit::Automatic, macOs14, true},
                          Case{GuestSystem::Darwin, Refit::Off, macOs14, false},
                          Case{GuestSystem::Darwin, Refit::On, macOs14, true},
                          Case{GuestSystem::Linux, Refit::Automatic, macOs14, false},
                          Case{GuestSystem::Linux, Refit::Off, macOs14, false},
                          Case{GuestSystem::Linux, Refit::On, macOs14, true},
                          Case{GuestSystem::Darwin, Refit::On, {13, 6, 9}, false}}) {
        HostCaps host = vz::test::pretendedMac();
        host.system = c.version;
        EXPECT_EQ(refits(c.system, c.refit, host), c.refits);
    }
}

TEST(DisplayPolicy, PixelsAreEvenAndWithinBounds) {
    EXPECT_EQ(pixelsOf(800.4, 600.6, 2), (PixelSize{1600, 1200}));
    EXPECT_EQ(pixelsOf(801.5, 601, 1), (PixelSize{800, 600}));
    EXPECT_EQ(pixelsOf(801, 601, 1.5), (PixelSize{1200, 900}));
    EXPECT_EQ(pixelsOf(1e9, 1e9, 2), (PixelSize{16384, 16384}));
    EXPECT_EQ(pixelsOf(0, -5, 2), (PixelSize{64, 64}));
    EXPECT_EQ(pixelsOf(std::numeric_limits<double>::quiet_NaN(), 100, 0), (PixelSize{64, 100}));
}

TEST(ResizeThrottle, TellsASizeOnceItIsQuiet) {
    ResizeThrottle throttle({800, 600});
    EXPECT_FALSE(throttle.nextTime());
    throttle.wanted({900, 600}, 1000);
    throttle.wanted({1000, 600}, 1100);
    EXPECT_FALSE(throttle.due(1299));
    EXPECT_EQ(throttle.nextTime(), 1300);
    throttle.wanted({1000, 600}, 1250); // the same again does not start anew
    EXPECT_EQ(throttle.due(1300), (PixelSize{1000, 600}));
    EXPECT_FALSE(throttle.due(5000));
    EXPECT_FALSE(throttle.nextTime());
}

TEST(ResizeThrottle, WaitsForTheGuestButNotForEver) {
    ResizeThrottle throttle({800, 600});
    throttle.wanted({900, 600}, 0);
    ASSERT_TRUE(throttle.due(200));
    throttle.wanted({1000, 600}, 300);
    EXPECT_FALSE(throttle.due(500));
    EXPECT_EQ(throttle.nextTime(), 3200);
    throttle.reconfigurationEnded();
    EXPECT_EQ(throttle.due(500), (PixelSize{1000, 600}));
    throttle.wanted({1100, 600}, 600);
    EXPECT_FALSE(throttle.due(3499)); // the guest never answers
    EXPECT_EQ(throttle.due(3500), (PixelSize{1100, 600}));
}

TEST(ResizeThrottle, AWayThereAndBackTellsNothing) {
    ResizeThrottle throttle({800, 600});
    throttle.wanted({900, 600}, 0);
    throttle.wanted({800, 600}, 100);
    EXPECT_FALSE(throttle.nextTime());
    EXPECT_FALSE(throttle.due(10000));
}
