// SPDX-License-Identifier: Apache-2.0
#include "core/disk/disk_space.h"

#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

TEST(DiskSpace, AVolumeHasSpace) {
    const auto space = volumeSpace(QStringLiteral("/"));
    ASSERT_TRUE(space);
    EXPECT_GT(space->total.bytes(), 0U);
    EXPECT_LE(space->available, space->total);
}

TEST(DiskSpace, ASparseFileTakesLessThanItIsLong) {
    const QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("disk"));
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly) && file.resize(10000000));
    const auto size = fileSize(path);
    ASSERT_TRUE(size);
    EXPECT_EQ(size->logical.bytes(), 10000000U);
    EXPECT_LT(size->allocated.bytes(), 100000U);
}

TEST(DiskSpace, MissingPathsAreNotFound) {
    const QString missing = QStringLiteral("/nowhere/at/all");
    EXPECT_EQ(volumeSpace(missing).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(fileSize(missing).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(syncDirectory(missing).error().kind, Error::Kind::NotFound);
}

TEST(DiskSpace, SyncNamesThePathWhenItFails) {
    const auto synced = syncFile(-1, QStringLiteral("/the/path"));
    ASSERT_FALSE(synced);
    EXPECT_TRUE(synced.error().message.contains(QStringLiteral("/the/path")));
    EXPECT_TRUE(syncDirectory(QStringLiteral("/tmp")));
}

} // namespace
} // namespace vitrine
