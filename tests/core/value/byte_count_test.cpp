// SPDX-License-Identifier: Apache-2.0
#include "core/value/byte_count.h"

#include <QLocale>

#include <gtest/gtest.h>

#include <limits>

namespace vitrine {
namespace {

class ByteCountText : public testing::Test {
protected:
    ByteCountText() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }
    ~ByteCountText() override { QLocale::setDefault(QLocale::system()); }
    // With an ordinary space, so that rows can be read.
    static QString text(quint64 bytes) {
        return ByteCount::fromBytes(bytes).toText().replace(QChar(0x00A0), u' ');
    }
    static QString memory(quint64 bytes) {
        return ByteCount::fromBytes(bytes).toMemoryText().replace(QChar(0x00A0), u' ');
    }
};

TEST_F(ByteCountText, SizesAreDecimal) {
    const std::pair<quint64, const char*> rows[] = {
        {0, "0 B"},
        {1, "1 B"},
        {999, "999 B"},
        {1000, "1 kB"},
        {412000000, "412 MB"},
        {999600000, "1.0 GB"},
        {999499999, "999 MB"},
        {999999999, "1.0 GB"},
        {12100000000, "12.1 GB"},
        {999950000000, "1.0 TB"},
        {50000000000000, "50.0 TB"},
        {std::numeric_limits<quint64>::max(), "18,446.7 PB"},
    };
    for (const auto& [bytes, expected] : rows)
        EXPECT_EQ(text(bytes), QLatin1String(expected)) << bytes;
}

TEST_F(ByteCountText, MemoryIsBinary) {
    EXPECT_EQ(memory(512ULL << 20), QStringLiteral("512 MB"));
    EXPECT_EQ(memory(8ULL << 30), QStringLiteral("8.0 GB"));
    EXPECT_EQ(memory(1536ULL << 20), QStringLiteral("1.5 GB"));
    EXPECT_EQ(memory(1023ULL << 20), QStringLiteral("1,023 MB"));
}

TEST_F(ByteCountText, NumbersFollowTheUsersLocale) {
    QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
    EXPECT_EQ(text(12100000000), QStringLiteral("12,1 GB"));
}

TEST(ByteCount, FactoriesAndReadersNameTheirUnit) {
    EXPECT_EQ(ByteCount::fromGB(50).bytes(), 50000000000U);
    EXPECT_EQ(ByteCount::fromMiB(4096).bytes(), 4294967296U);
    EXPECT_EQ(ByteCount::fromBytes(4294967295).wholeMiB(), 4095U);
    EXPECT_EQ(ByteCount::fromBytes(1999999999).wholeGB(), 1U);
    EXPECT_EQ(ByteCount::fromBytes(1) + ByteCount::fromBytes(2), ByteCount::fromBytes(3));
    EXPECT_LT(ByteCount::fromMiB(1), ByteCount::fromGB(1));
}

} // namespace
} // namespace vitrine
