// SPDX-License-Identifier: Apache-2.0
#include "core/machine/machine_name.h"

#include <gtest/gtest.h>

namespace vitrine {
namespace {

TEST(MachineName, OrdinaryNamesAreTaken) {
    for (const char* text : {"debian",
                             "macos-vm",
                             "Ubuntu 22.04",
                             "a",
                             ".hidden",
                             "touché",
                             "a:b",
                             "a@b",
                             "...",
                             "a-",
                             "日本"}) {
        const auto name = MachineName::fromText(QString::fromUtf8(text));
        ASSERT_TRUE(name) << text;
        EXPECT_EQ(name->text(), QString::fromUtf8(text));
    }
}

TEST(MachineName, NamesThatLeadElsewhereAreRefused) {
    for (const char* text : {"",
                             ".",
                             "..",
                             "../x",
                             "a/b",
                             "/",
                             "-f",
                             "--help",
                             "vms/ubuntu",
                             "ghcr.io/a/b:latest",
                             "a\nb",
                             "a\tb",
                             "\x7f",
                             "a\x1b[0m"}) {
        const auto name = MachineName::fromText(QString::fromUtf8(text));
        ASSERT_FALSE(name) << text;
        EXPECT_EQ(name.error().kind, Error::Kind::InvalidInput);
        EXPECT_TRUE(name.error().message.endsWith(QLatin1Char('.')));
    }
}

TEST(MachineName, OddCharactersAreRefused) {
    EXPECT_FALSE(MachineName::fromText(QString(QChar(u'\0'))));
    EXPECT_FALSE(MachineName::fromText(QString(QChar(0x85))));
    EXPECT_FALSE(MachineName::fromText(QString(QChar(0x2028))));
    EXPECT_FALSE(MachineName::fromText(QString(QChar(0xD800)))) << "half a surrogate pair";
}

TEST(MachineName, TheLengthIsThatOfAFileName) {
    EXPECT_TRUE(MachineName::fromText(QString(255, QLatin1Char('a'))));
    EXPECT_FALSE(MachineName::fromText(QString(256, QLatin1Char('a'))));
    EXPECT_TRUE(MachineName::fromText(QString(127, QChar(0xE9))));
    EXPECT_FALSE(MachineName::fromText(QString(128, QChar(0xE9)))) << "two bytes each";
}

TEST(MachineName, NamesAreOrderedByTheirText) {
    EXPECT_LT(*MachineName::fromText(QStringLiteral("a")),
              *MachineName::fromText(QStringLiteral("b")));
    EXPECT_EQ(*MachineName::fromText(QStringLiteral("a")),
              *MachineName::fromText(QStringLiteral("a")));
}

} // namespace
} // namespace vitrine
