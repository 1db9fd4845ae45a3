// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/share_set.h"

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::vz;
using Kind = ShareDevice::Kind;

namespace {

ShareSpec share(const char* text) {
    return *ShareSpec::fromText(QString::fromUtf8(text));
}

std::string textOf(const ShareDevice& device) {
    const char* const kinds[]{"empty", "single", "multiple", "rosetta"};
    std::string text = device.tag.toStdString() + ' ' + kinds[static_cast<int>(device.kind)];
    for (const SharedFolder& folder : device.folders)
        text += ' ' + folder.name.toStdString() + ':' + folder.path.toStdString() +
                (folder.readOnly ? ":ro" : "");
    return text;
}

std::string textOf(const Result<vz::ShareChange>& change) {
    return change ? textOf(change->device) : change.error().message.toStdString();
}

} // namespace

TEST(ShareSet, OneDeviceForEachTag) {
    const auto set = ShareSet::make({share("a:/a"), share("/b:tag=b"), share("c:/c:ro")}, 2);
    ASSERT_TRUE(set);
    ASSERT_EQ(set->devices().size(), 4);
    EXPECT_EQ(textOf(set->devices()[0]), "com.apple.virtio-fs.automount multiple a:/a c:/c:ro");
    EXPECT_EQ(textOf(set->devices()[1]), "b single :/b");
    EXPECT_EQ(textOf(set->devices()[2]), "vitrine-0 empty");
    EXPECT_EQ(textOf(set->devices()[3]), "vitrine-1 empty");
}

TEST(ShareSet, OneNamedFolderIsStillASubfolder) {
    const auto set = ShareSet::make({share("a:/a")}, 0);
    ASSERT_TRUE(set);
    EXPECT_EQ(textOf(set->devices()[0]), "com.apple.virtio-fs.automount multiple a:/a");
}

TEST(ShareSet, WhatTheFrameworkRefusesOrRaisesAtIsRefusedBefore) {
    ShareSpec longTag = share("/a");
    longTag.tag = QString(36, u't');
    EXPECT_EQ(ShareSet::make({longTag}, 0).error().kind, Error::Kind::InvalidInput);
    longTag.tag.chop(1);
    EXPECT_TRUE(ShareSet::make({longTag}, 0));
    longTag.tag = QString(18, u'ä'); // 36 bytes
    EXPECT_FALSE(ShareSet::make({longTag}, 0));
    longTag.tag.clear();
    EXPECT_FALSE(ShareSet::make({longTag}, 0));
    ShareSpec badName = share("a:/a");
    badName.name = QStringLiteral("x/y");
    EXPECT_FALSE(ShareSet::make({badName}, 0));
    EXPECT_FALSE(ShareSet::make({share("/a"), share("b:/b")}, 0));
    EXPECT_FALSE(ShareSet::make({share("a:/a"), share("a:/b")}, 0));
}

TEST(ShareSet, AFolderAddedLaterTakesASpareDevice) {
    auto set = ShareSet::make({share("/b:tag=b")}, 2);
    EXPECT_EQ(textOf(set->add(share("c:/c:ro"))), "vitrine-0 single :/c:ro");
    EXPECT_EQ(textOf(set->add(share("/d:tag=d"))), "vitrine-1 single :/d");
    ASSERT_EQ(set->shares().size(), 3);
    EXPECT_EQ(set->shares()[1].tag, QLatin1String("vitrine-0"));
    EXPECT_EQ(set->shares()[1].spec.name, QLatin1String("c"));
    const auto full = set->add(share("/e:tag=e"));
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(full.error().message.contains(QLatin1String("At most 2")));
    EXPECT_EQ(textOf(set->remove(share("c:/c"))), "vitrine-0 empty");
    EXPECT_EQ(textOf(set->add(share("/e:tag=e"))), "vitrine-0 single :/e");
}

TEST(ShareSet, AFolderOfTheStartKeepsItsKindOfDevice) {
    auto set = ShareSet::make({share("a:/a"), share("c:/c"), share("/b:tag=b")}, 0);
    EXPECT_EQ(textOf(set->remove(share("a:/a"))), "com.apple.virtio-fs.automount multiple c:/c");
    EXPECT_EQ(textOf(set->remove(share("c:/c"))), "com.apple.virtio-fs.automount multiple");
    EXPECT_EQ(textOf(set->remove(share("/b:tag=b"))), "b empty");
    EXPECT_EQ(set->remove(share("/b:tag=b")).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(textOf(set->add(share("x:/x"))), "b single :/x");
}

TEST(ShareSet, AccessChangesWhereTheFolderIs) {
    auto set = ShareSet::make({share("a:/a"), share("c:/c")}, 1);
    EXPECT_EQ(textOf(set->setReadOnly(share("c:/c"), true)),
              "com.apple.virtio-fs.automount multiple a:/a c:/c:ro");
    (void)set->add(share("/d:tag=d"));
    EXPECT_EQ(textOf(set->setReadOnly(share("/d:tag=d"), true)), "vitrine-0 single :/d:ro");
}

TEST(ShareSet, NothingIsSharedTwice) {
    auto set = ShareSet::make({share("a:/a")}, 4);
    EXPECT_EQ(set->add(share("a:/other")).error().kind, Error::Kind::AlreadyExists);
    EXPECT_EQ(set->add(share("/a:tag=z")).error().kind, Error::Kind::AlreadyExists);
    EXPECT_EQ(set->shares().size(), 1);
}

TEST(ShareSet, ASuspendableMachineSaysWhyNothingCanBeAdded) {
    auto set = ShareSet::make({}, 0);
    const auto added = set->add(share("/a"));
    ASSERT_FALSE(added);
    EXPECT_TRUE(added.error().message.contains(QLatin1String("suspended")));
}

TEST(ShareSet, SpareTagsAvoidThoseInUse) {
    const auto set = ShareSet::make({share("/a:tag=vitrine-0")}, 2);
    EXPECT_EQ(textOf(set->devices()[1]), "vitrine-1 empty");
    EXPECT_EQ(textOf(set->devices()[2]), "vitrine-2 empty");
}

TEST(ShareSet, ADifferenceRemovesBeforeItAdds) {
    auto set = ShareSet::make({}, 1);
    ASSERT_TRUE(set->add(share("/a:tag=a")));
    const auto difference = set->changeTo({share("/b:tag=b")});
    EXPECT_FALSE(difference.error);
    ASSERT_EQ(difference.changes.size(), 2);
    EXPECT_EQ(textOf(difference.changes[0].device), "vitrine-0 empty");
    EXPECT_EQ(textOf(difference.changes[1].device), "vitrine-0 single :/b");
    EXPECT_TRUE(set->changeTo({share("/b:tag=b")}).changes.isEmpty());
    EXPECT_EQ(textOf(set->changeTo({share("/b:tag=b,ro")}).changes.value(0).device),
              "vitrine-0 single :/b:ro");
    const auto tooMany = set->changeTo({share("/b:tag=b,ro"), share("/c:tag=c")});
    EXPECT_TRUE(tooMany.error);
    EXPECT_EQ(set->shares().size(), 1);
}

TEST(ShareSet, NamesOfFoldersAreMadeFree) {
    EXPECT_EQ(freeFolderName(QStringLiteral("src"), {}), QLatin1String("src"));
    EXPECT_EQ(freeFolderName(QStringLiteral("src"), {QStringLiteral("SRC")}),
              QLatin1String("src-2"));
    EXPECT_EQ(freeFolderName(QStringLiteral("a/b:c\n"), {}), QLatin1String("a-b-c-"));
    for (const QString& odd : {QString(), QStringLiteral("."), QStringLiteral("..")})
        EXPECT_EQ(freeFolderName(odd, {}), QLatin1String("folder"));
    const QString longName = freeFolderName(QString(400, u'ä'), {});
    EXPECT_TRUE(isShareName(longName));
    EXPECT_TRUE(isShareName(freeFolderName(longName, {longName})));
}
