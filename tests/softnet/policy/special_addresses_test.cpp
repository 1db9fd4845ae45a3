// SPDX-License-Identifier: Apache-2.0
#include "softnet/global_addresses.h"
#include "softnet/policy/special_addresses.h"

#include <gtest/gtest.h>

namespace vitrine::softnet {
namespace {

TEST(SpecialAddressesTest, GlobalAgreesWithTheTableOnADenseSample) {
    // Every /24 at its ends and in the middle, and every address around each border of the table.
    for (std::uint32_t top = 0; top < 1U << 24; ++top) {
        for (const std::uint32_t low : {0U, 9U, 10U, 255U}) {
            const Ipv4 address{top << 8 | low};
            ASSERT_EQ(isGlobal(address), isGlobalByTable(address)) << address.text();
        }
    }
    for (std::uint32_t low = 0; low < 1U << 16; ++low) {
        const Ipv4 address{Ipv4::of(192, 0, 0, 0).value | low};
        ASSERT_EQ(isGlobal(address), isGlobalByTable(address)) << address.text();
    }
}

TEST(SpecialAddressesTest, LoopbackAndMulticastAreTheirBlocks) {
    EXPECT_TRUE(isLoopback(Ipv4::of(127, 255, 255, 255)));
    EXPECT_TRUE(isLoopback(Ipv4::of(0, 0, 0, 0)));
    EXPECT_FALSE(isLoopback(Ipv4::of(128, 0, 0, 0)));
    EXPECT_TRUE(isMulticast(Ipv4::of(224, 0, 0, 0)));
    EXPECT_TRUE(isMulticast(Ipv4::of(239, 255, 255, 255)));
    EXPECT_FALSE(isMulticast(Ipv4::of(240, 0, 0, 0)));
}

} // namespace
} // namespace vitrine::softnet
