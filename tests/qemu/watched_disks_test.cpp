// SPDX-License-Identifier: Apache-2.0
#include "qemu/watched_disks.h"

#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;

TEST(WatchedDisks, AnExtraDiskThatLosesItsNameIsToldToo) {
    const QTemporaryDir folder;
    LaunchPlan plan;
    plan.diskPath = folder.filePath(QStringLiteral("disk.img"));
    PlannedDisk extra;
    extra.path = folder.filePath(QStringLiteral("extra.img"));
    PlannedDisk server;
    server.path = QStringLiteral("nbd://127.0.0.1:1/x");
    server.kind = ExtraDisk::Kind::NetworkDisk;
    plan.disks << server << extra;
    for (const QString& path : {plan.diskPath, extra.path}) {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    }
    WatchedDisks disks;
    disks.watch(plan);
    EXPECT_TRUE(disks.missing().isEmpty());
    ASSERT_TRUE(QFile::remove(extra.path));
    EXPECT_EQ(disks.missing(), extra.path);
    ASSERT_TRUE(QFile::remove(plan.diskPath));
    EXPECT_EQ(disks.missing(), plan.diskPath);
}
