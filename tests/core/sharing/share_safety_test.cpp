// SPDX-License-Identifier: Apache-2.0
#include "core/sharing/share_safety.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

class ShareSafety : public testing::Test {
protected:
    void SetUp() override {
        home = folder.filePath(QStringLiteral("home"));
        library = home + QStringLiteral("/.local/share/vitrine");
        for (const QString& path : {library + QStringLiteral("/vms/web"),
                                    home + QStringLiteral("/src"),
                                    home + QStringLiteral("/.ssh")})
            ASSERT_TRUE(QDir().mkpath(path));
        before = qgetenv("HOME");
        qputenv("HOME", QFile::encodeName(home));
    }
    void TearDown() override { qputenv("HOME", before); }

    [[nodiscard]] Result<QString> check(const QString& path, ShareAccess access) const {
        return checkSharedFolder(path, access, {library});
    }

    QTemporaryDir folder;
    QString home;
    QString library;
    QByteArray before;
};

TEST_F(ShareSafety, AnOrdinaryFolderIsSharedWithoutAWord) {
    for (const ShareAccess access : {ShareAccess::ReadOnly, ShareAccess::Writable}) {
        const auto checked = check(home + QStringLiteral("/src"), access);
        ASSERT_TRUE(checked) << checked.error().message.toStdString();
        EXPECT_EQ(*checked, QString());
    }
}

TEST_F(ShareSafety, WhatAGuestMustNotWriteIsRefusedWritable) {
    for (const QString& path : {QStringLiteral("/"),
                                QStringLiteral("/etc"),
                                QStringLiteral("/etc/ssl"),
                                QStringLiteral("/dev"),
                                QStringLiteral("/dev/shm"),
                                library,
                                library + QStringLiteral("/vms/web"),
                                home + QStringLiteral("/.local"),
                                home}) {
        if (!QDir(path).exists())
            continue;
        const auto checked = check(path, ShareAccess::Writable);
        ASSERT_FALSE(checked) << path.toStdString();
        EXPECT_EQ(checked.error().kind, Error::Kind::InvalidInput);
        EXPECT_TRUE(check(path, ShareAccess::ReadOnly)) << path.toStdString();
    }
}

TEST_F(ShareSafety, ALinkDoesNotHideWhereItLeads) {
    const QString link = folder.filePath(QStringLiteral("innocent"));
    ASSERT_TRUE(QFile::link(library, link));
    EXPECT_FALSE(check(link, ShareAccess::Writable));
    const QString toEtc = folder.filePath(QStringLiteral("configuration"));
    ASSERT_TRUE(QFile::link(QStringLiteral("/etc"), toEtc));
    EXPECT_FALSE(check(toEtc, ShareAccess::Writable));
}

TEST_F(ShareSafety, AFolderThatOnlyBeginsLikeAForbiddenOneIsNone) {
    const QString beside = library + QStringLiteral("-files");
    ASSERT_TRUE(QDir().mkpath(beside));
    EXPECT_TRUE(checkSharedFolder(beside, ShareAccess::Writable, {library}));
}

TEST_F(ShareSafety, TheHomeFolderAndItsDotFoldersAreWarnedAbout) {
    for (const QString& path : {home, home + QStringLiteral("/.ssh")}) {
        EXPECT_TRUE(isPrivateFolder(path));
        const auto checked = check(path, ShareAccess::ReadOnly);
        ASSERT_TRUE(checked);
        EXPECT_FALSE(checked->isEmpty());
    }
    EXPECT_FALSE(isPrivateFolder(home + QStringLiteral("/src")));
    const auto writable = check(home + QStringLiteral("/.ssh"), ShareAccess::Writable);
    ASSERT_TRUE(writable);
    EXPECT_FALSE(writable->isEmpty());
}

TEST_F(ShareSafety, WhatIsNoFolderIsSaidSo) {
    EXPECT_EQ(check(home + QStringLiteral("/none"), ShareAccess::ReadOnly).error().kind,
              Error::Kind::NotFound);
    QFile file(home + QStringLiteral("/file"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    EXPECT_EQ(check(file.fileName(), ShareAccess::ReadOnly).error().kind, Error::Kind::Unsupported);
    EXPECT_EQ(check(QStringLiteral("/proc/self"), ShareAccess::ReadOnly).error().kind,
              Error::Kind::Unsupported);
}

} // namespace
} // namespace vitrine
