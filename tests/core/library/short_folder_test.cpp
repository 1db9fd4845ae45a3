// SPDX-License-Identifier: Apache-2.0
#include "core/library/short_folder.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;

namespace {

QString own(const QTemporaryDir& base) {
    return base.filePath(QStringLiteral("vitrine-%1").arg(::geteuid()));
}

} // namespace

TEST(ShortFolder, LeadsToTheFolderAndStaysTheSame) {
    const QTemporaryDir base;
    const QString folder = base.filePath(QString(120, QLatin1Char('d')));
    ASSERT_TRUE(QDir().mkpath(folder));
    const auto first = shortFolder(folder, base.path());
    ASSERT_TRUE(first) << first.error().message.toStdString();
    EXPECT_LT(first->size(), base.path().size() + 40);
    QFile file(*first + QStringLiteral("/mark"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    EXPECT_TRUE(QFile::exists(folder + QStringLiteral("/mark")));
    EXPECT_EQ(*shortFolder(folder, base.path()), *first);
    EXPECT_NE(*shortFolder(base.path(), base.path()), *first);
}

TEST(ShortFolder, ALinkThatLeadsElsewhereIsPutRight) {
    const QTemporaryDir base;
    const QString folder = base.filePath(QStringLiteral("folder"));
    const auto link = shortFolder(folder, base.path());
    ASSERT_TRUE(link);
    ASSERT_TRUE(QFile::remove(*link));
    ASSERT_TRUE(QFile::link(base.path(), *link));
    ASSERT_TRUE(shortFolder(folder, base.path()));
    EXPECT_EQ(QFile::symLinkTarget(*link), folder);
    EXPECT_EQ(QDir(own(base)).entryList(QDir::AllEntries | QDir::System | QDir::NoDotAndDotDot),
              QStringList{QFileInfo(*link).fileName()});
}

TEST(ShortFolder, AFolderThatOthersReachIsRefused) {
    const QTemporaryDir base;
    ASSERT_EQ(::mkdir(QFile::encodeName(own(base)).constData(), 0700), 0);
    ASSERT_EQ(::chmod(QFile::encodeName(own(base)).constData(), 0755), 0);
    const auto link = shortFolder(base.path(), base.path());
    ASSERT_FALSE(link);
    EXPECT_EQ(link.error().kind, Error::Kind::Permission);
    EXPECT_TRUE(link.error().message.contains(own(base)));
}

TEST(ShortFolder, ALinkInItsPlaceIsRefused) {
    const QTemporaryDir base;
    ASSERT_TRUE(QFile::link(base.path(), own(base)));
    const auto link = shortFolder(base.path(), base.path());
    ASSERT_FALSE(link);
    EXPECT_EQ(link.error().kind, Error::Kind::Permission);
}
