// SPDX-License-Identifier: Apache-2.0
#include "core/value/mac_address.h"

#include <QSet>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

TEST(MacAddress, AnyCaseIsReadAndLowerCaseWritten) {
    const auto mac = MacAddress::fromText(u"AA:bb:0C:dD:ee:01");
    ASSERT_TRUE(mac);
    EXPECT_EQ(mac->toText(), QStringLiteral("aa:bb:0c:dd:ee:01"));
}

TEST(MacAddress, OtherFormsAreRefused) {
    for (const char* text : {"",
                             "1:2:3:4:5:6",
                             "11:22:33:44:55",
                             "11:22:33:44:55:66:77",
                             "11-22-33-44-55-66",
                             "112233445566",
                             "gg:22:33:44:55:66",
                             "11:22:33:44:55:6 ",
                             " 1:22:33:44:55:66",
                             "+1:22:33:44:55:66",
                             "11:22:33:44:55:66:"})
        EXPECT_FALSE(MacAddress::fromText(QString::fromLatin1(text))) << text;
}

TEST(MacAddress, ARandomOneIsLocalUnicastAndNew) {
    QSet<QString> seen;
    for (int i = 0; i < 200; ++i) {
        const QString text = MacAddress::random().toText();
        EXPECT_EQ(text.left(2).toInt(nullptr, 16) & 3, 2) << text.toStdString();
        EXPECT_TRUE(MacAddress::fromText(text));
        seen.insert(text);
    }
    EXPECT_EQ(seen.size(), 200);
}

} // namespace
} // namespace vitrine
