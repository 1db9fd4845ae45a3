// SPDX-License-Identifier: Apache-2.0
#include "core/sharing/share_spec.h"

#include <QDir>
#include <QJsonObject>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

struct Row {
    const char* text;
    const char* name;
    const char* path;
    bool readOnly;
    const char* tag;
};

// Both tables of the specification, 5.3: the rows that are shares.
const Row rows[] = {
    {"build:/Users/admin/build", "build", "/Users/admin/build", false, defaultShareTag},
    {"build:/Users/admin/build:ro", "build", "/Users/admin/build", true, defaultShareTag},
    {"/Users/admin/build", "", "/Users/admin/build", false, defaultShareTag},
    {"/Users/admin/build:ro", "", "/Users/admin/build", true, defaultShareTag},
    {"/Users/admin/build:tag=foo-bar", "", "/Users/admin/build", false, "foo-bar"},
    {"/Users/admin/build:ro,tag=foo-bar", "", "/Users/admin/build", true, "foo-bar"},
    {"/Users/admin/build:tag=foo-bar,ro", "", "/Users/admin/build", true, "foo-bar"},
    {"https://example.com/archive.tar.gz",
     "",
     "https://example.com/archive.tar.gz",
     false,
     defaultShareTag},
    {"https://example.com/archive.tar.gz:ro,tag=sometag",
     "",
     "https://example.com/archive.tar.gz",
     true,
     "sometag"},
    {"somename:https://example.com/archive.tar.gz:ro,tag=sometag",
     "somename",
     "https://example.com/archive.tar.gz",
     true,
     "sometag"},
    {"https://h:8443/a.tgz", "", "https://h:8443/a.tgz", false, defaultShareTag},
    {"a:b:c", "a", "b:c", false, defaultShareTag},
    {"n:http://h/a.tgz", "n", "http://h/a.tgz", false, defaultShareTag},
    {"/tmp/ro", "", "/tmp/ro", false, defaultShareTag},
    // Empty pieces are dropped.
    {"a::/b:", "a", "/b", false, defaultShareTag},
    {"/a:,ro,", "", "/a", true, defaultShareTag},
};

TEST(ShareSpec, EveryRowOfTheTableIsRead) {
    for (const Row& row : rows) {
        const auto share = ShareSpec::fromText(QLatin1String(row.text));
        ASSERT_TRUE(share) << row.text << ": " << share.error().message.toStdString();
        EXPECT_EQ(share->name, QLatin1String(row.name)) << row.text;
        EXPECT_EQ(share->path, QLatin1String(row.path)) << row.text;
        EXPECT_EQ(share->readOnly, row.readOnly) << row.text;
        EXPECT_EQ(share->tag, QLatin1String(row.tag)) << row.text;
        EXPECT_EQ(share->isArchive(), QByteArray(row.path).startsWith("http")) << row.text;
        const auto again = ShareSpec::fromText(share->toText());
        ASSERT_TRUE(again) << share->toText().toStdString();
        EXPECT_EQ(*again, *share) << share->toText().toStdString();
    }
}

TEST(ShareSpec, WhatCrashesTartOrIsMisreadByItIsAnError) {
    const std::pair<const char*, const char*> bad[] = {{"/p:rw", "/"},
                                                       {"/p:rw,ro", "rw"},
                                                       {"/p:tag=", "tag"},
                                                       {"ro", "path"},
                                                       {"tag=x", "path"},
                                                       {"", "path"},
                                                       {"::", "path"},
                                                       {"..:/p", ".."},
                                                       {"/p:tag=a/b", "a/b"},
                                                       {"/p:tag=a b", "a b"}};
    for (const auto& [text, word] : bad) {
        const auto share = ShareSpec::fromText(QLatin1String(text));
        ASSERT_FALSE(share) << text;
        EXPECT_EQ(share.error().kind, Error::Kind::InvalidInput);
        EXPECT_TRUE(share.error().message.contains(QLatin1String(word)))
            << share.error().message.toStdString();
    }
    EXPECT_FALSE(ShareSpec::fromText(QStringLiteral("/p:tag=") + QString(37, u'x')));
    EXPECT_TRUE(ShareSpec::fromText(QStringLiteral("/p:tag=") + QString(36, u'x')));
}

TEST(ShareSpec, APathThatLooksLikeOptionsSurvivesItsText) {
    const ShareSpec share{QStringLiteral("n"), QStringLiteral("/a:ro"), false};
    const auto again = ShareSpec::fromText(share.toText());
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, share);
}

TEST(ShareSpec, ALeadingTildeIsTheHomeFolder) {
    EXPECT_EQ(ShareSpec::fromText(QStringLiteral("~/src"))->folder(QStringLiteral("/x")),
              QDir::homePath() + QStringLiteral("/src"));
    EXPECT_EQ(ShareSpec::fromText(QStringLiteral("n:~"))->folder(QStringLiteral("/x")),
              QDir::homePath());
    EXPECT_EQ(ShareSpec::fromText(QStringLiteral("a/../b"))->folder(QStringLiteral("/x")),
              QStringLiteral("/x/b"));
}

TEST(ShareSpec, SaysWhereItIsInTheGuest) {
    const auto pathOf = [](const char* text) {
        return ShareSpec::fromText(QLatin1String(text))->guestPath().toStdString();
    };
    EXPECT_EQ(pathOf("/a:tag=src"), "/mnt/vitrine/src");
    EXPECT_EQ(pathOf("build:/a:tag=src"), "/mnt/vitrine/src/build");
    EXPECT_EQ(pathOf("build:/a"), "/mnt/vitrine/shared/build");
    EXPECT_EQ(ShareSpec::fromText(QStringLiteral("/a:tag=src"))->displayName(),
              QStringLiteral("src"));
    EXPECT_EQ(ShareSpec::fromText(QStringLiteral("b:/a"))->displayName(), QStringLiteral("b"));
}

TEST(ShareSpec, IsKeptInJsonWhateverItsPath) {
    const QList<ShareSpec> shares{{QStringLiteral("n"), QStringLiteral("/a:ro,b"), true},
                                  {{}, QStringLiteral("/x"), false, QStringLiteral("t")}};
    const auto again = ShareSpec::listFromJson(ShareSpec::listToJson(shares));
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, shares);
    EXPECT_TRUE(ShareSpec::listFromJson(QJsonValue(QJsonValue::Undefined))->isEmpty());
    EXPECT_FALSE(ShareSpec::listFromJson(QStringLiteral("x")));
    EXPECT_FALSE(ShareSpec::listFromJson(QJsonArray{QJsonObject{}}));
    const QJsonObject climbing{{QStringLiteral("path"), QStringLiteral("/a")},
                               {QStringLiteral("name"), QStringLiteral("../b")}};
    EXPECT_FALSE(ShareSpec::listFromJson(QJsonArray{climbing}));
}

TEST(ShareGroup, SharesOfOneTagAreOneDevice) {
    const auto parse = [](std::initializer_list<const char*> texts) {
        QList<ShareSpec> list;
        for (const char* text : texts)
            list.append(*ShareSpec::fromText(QLatin1String(text)));
        return groupShares(list);
    };
    const auto groups = parse({"a:/a", "/x:tag=x", "b:/b:ro"});
    ASSERT_TRUE(groups);
    ASSERT_EQ(groups->size(), 2);
    EXPECT_EQ(groups->at(0).members.size(), 2);
    EXPECT_EQ(groups->at(0).tag, QLatin1String(defaultShareTag));
    EXPECT_FALSE(groups->at(0).isFolderItself());
    EXPECT_TRUE(groups->at(1).isFolderItself());
    EXPECT_FALSE(parse({"/a", "/b"}));
    EXPECT_FALSE(parse({"a:/a", "/b"}));
    EXPECT_FALSE(parse({"a:/a", "a:/b"}));
    EXPECT_TRUE(parse({"a:/a", "a:/b:tag=t"}));
    EXPECT_FALSE(parse({"/a", "/b:tag=shared"})) << "both would be at /mnt/vitrine/shared";
}

TEST(ShareGroup, ADroppedFolderGetsATagOfItsOwn) {
    const auto tag = [](const char* folder, const QStringList& taken = {}) {
        return freeShareTag(QString::fromUtf8(folder), taken).toStdString();
    };
    EXPECT_EQ(tag("/home/me/photos"), "photos");
    EXPECT_EQ(tag("/home/me/photos/", {QStringLiteral("photos")}), "photos-2");
    EXPECT_EQ(tag("/home/me/My photos (2)"), "My-photos--2-");
    EXPECT_EQ(tag("/home/me/.cache"), "cache");
    EXPECT_EQ(tag("/home/me/\xc3\xa4\xc3\xb6"), "folder");
    EXPECT_EQ(tag("/"), "folder");
    EXPECT_EQ(tag("/x/shared"), "shared-2");
    EXPECT_TRUE(
        isShareTag(freeShareTag(QStringLiteral("/") + QString(200, u'n'), {QString(32, u'n')})));
}

} // namespace
} // namespace vitrine
