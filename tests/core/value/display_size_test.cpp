// SPDX-License-Identifier: Apache-2.0
#include "core/value/display_size.h"

#include <gtest/gtest.h>

namespace vitrine {
namespace {

TEST(DisplaySize, WellFormedTextIsRead) {
    const std::pair<const char*, DisplaySize> rows[] = {
        {"1234x5678", {1234, 5678, DisplaySize::Unit::Unset}},
        {"1234x5678pt", {1234, 5678, DisplaySize::Unit::Points}},
        {"1234x5678px", {1234, 5678, DisplaySize::Unit::Pixels}},
        {"1x1", {1, 1, DisplaySize::Unit::Unset}},
        {"16384x16384", {16384, 16384, DisplaySize::Unit::Unset}},
    };
    for (const auto& [text, size] : rows) {
        const auto read = DisplaySize::fromText(QString::fromLatin1(text));
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(*read, size) << text;
        EXPECT_EQ(read->toText(), QLatin1String(text));
    }
}

TEST(DisplaySize, EverythingElseIsRefused) {
    // Most of these Tart takes for sizes with a zero in them.
    for (const char* text :
         {"",        "x",       "axb",     "px",          "1200",         "x800",
          "1x2x3",   "-5x10",   "0x10",    "1920X1080",   "1920x1080PX",  "1200 x 800",
          "1x2ptpx", "1x2pxpt", "16385x1", "99999x99999", "4294967297x1", " 1x1",
          "1x1 ",    "+1x1",    "1.0x1",   "1x",          "0x0"}) {
        EXPECT_FALSE(DisplaySize::fromText(QString::fromLatin1(text))) << text;
    }
    EXPECT_FALSE(DisplaySize::fromText(QStringLiteral("١x٢"))) << "digits of other scripts";
}

} // namespace
} // namespace vitrine
