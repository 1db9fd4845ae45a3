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

TEST(MachineName, NewMachinesGetNoNameThatIsKeptForOtherFolders) {
    for (const char* text : {".vitrine-tmp",
                             ".vitrine-new-1",
                             ".VITRINE-x",
                             ".Trash",
                             ".Trash-0",
                             ".Trash-1000",
                             "lost+found",
                             ".Trashes",
                             "$RECYCLE.BIN",
                             "System Volume Information"}) {
        EXPECT_FALSE(MachineName::forNewMachine(QString::fromUtf8(text))) << text;
        EXPECT_TRUE(MachineName::fromText(QString::fromUtf8(text))) << text << ": it may be there";
    }
    for (const char* text : {".hidden", ".vitrine", "vitrine-tmp", "Trash-0", ".Trashcan", "lost"})
        EXPECT_TRUE(MachineName::forNewMachine(QString::fromUtf8(text))) << text;
    EXPECT_FALSE(MachineName::forNewMachine(QStringLiteral("a/b")));
}

TEST(MachineName, NewMachinesGetNoNameThatReadsAsAnother) {
    for (const char32_t character : {0xADU,
                                     0x61CU,
                                     0x200BU,
                                     0x200DU,
                                     0x200EU,
                                     0x200FU,
                                     0x202AU,
                                     0x202EU,
                                     0x2060U,
                                     0x2066U,
                                     0x2069U,
                                     0x3164U,
                                     0xE0041U}) {
        const QString text = QStringLiteral("a") + QString::fromUcs4(&character, 1) + u'b';
        EXPECT_FALSE(MachineName::forNewMachine(text)) << static_cast<unsigned>(character);
        EXPECT_TRUE(MachineName::fromText(text)) << static_cast<unsigned>(character);
    }
    EXPECT_FALSE(MachineName::forNewMachine(QStringLiteral("a") + QChar(0xFEFF)));
    EXPECT_TRUE(MachineName::forNewMachine(QString::fromUtf8("שלום 日本 touché 😀")));
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
