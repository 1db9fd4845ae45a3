// SPDX-License-Identifier: Apache-2.0
#include "qemu/partition_watch.h"

#include "core/machine/sidecar.h"
#include "tests/support/event_wait.h"

#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;

TEST(PartitionWatch, AGuestWithoutAnAgentIsToldAboutOnceAndStillWaitedFor) {
    const QTemporaryDir folder;
    ASSERT_TRUE(
        Sidecar::update(folder.path(), [](Sidecar& sidecar) { sidecar.growPartition = true; }));
    MachineSession::Setup setup;
    setup.runtimePath = setup.socketFolder = folder.path();
    MachineSession session(std::move(setup));
    PartitionWatch watch(&session, folder.path(), 1);
    QStringList told;
    QObject::connect(
        &watch, &PartitionWatch::told, &watch, [&told](const QString& text) { told << text; });
    Q_EMIT session.started();
    ASSERT_TRUE(test::waitUntil([&told] { return !told.isEmpty(); }));
    EXPECT_TRUE(told.first().contains(QStringLiteral("growpart"))) << told.first().toStdString();
    EXPECT_TRUE(Sidecar::read(folder.path())->growPartition);
}

TEST(PartitionWatch, NothingIsSaidWhenNoDiskHasGrown) {
    const QTemporaryDir folder;
    ASSERT_TRUE(Sidecar::update(folder.path(), [](Sidecar&) {}));
    MachineSession::Setup setup;
    setup.runtimePath = setup.socketFolder = folder.path();
    MachineSession session(std::move(setup));
    PartitionWatch watch(&session, folder.path(), 0);
    bool told = false;
    QObject::connect(&watch, &PartitionWatch::told, &watch, [&told] { told = true; });
    Q_EMIT session.started();
    bool turned = false;
    QTimer::singleShot(20, &watch, [&turned] { turned = true; });
    ASSERT_TRUE(test::waitUntil([&turned] { return turned; }));
    EXPECT_FALSE(told);
}
