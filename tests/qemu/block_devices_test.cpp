// SPDX-License-Identifier: Apache-2.0
#include "qemu/block_devices.h"

#include "qemu/qmp_client.h"
#include "tests/support/event_wait.h"
#include "tests/support/fake_qmp_server.h"

#include <QJsonArray>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;
using vitrine::test::FakeQmpServer;
using vitrine::test::waitUntil;

TEST(GrowDisk, ASizeThatTheVolumeCannotHoldIsToldWithWhatToDo) {
    const QTemporaryDir folder;
    FakeQmpServer server(folder.filePath(QStringLiteral("qmp")));
    server.answers[QStringLiteral("query-named-block-nodes")] = [](const QJsonObject&) {
        return FakeQmpServer::value(QJsonArray{QJsonObject{
            {QStringLiteral("node-name"), QStringLiteral("disk0")},
            {QStringLiteral("image"), QJsonObject{{QStringLiteral("virtual-size"), 1 << 20}}}}});
    };
    server.answers[QStringLiteral("block_resize")] = [](const QJsonObject&) {
        return FakeQmpServer::refusal(QStringLiteral("Failed to resize: File too large"));
    };
    QmpClient client;
    client.open(folder.filePath(QStringLiteral("qmp")), 5000);
    ASSERT_TRUE(waitUntil([&] { return client.isReady(); }));
    std::optional<Result<>> grown;
    growDisk(client, QStringLiteral("disk0"), ByteCount::fromGB(60000), [&grown](Result<> result) {
        grown = std::move(result);
    });
    ASSERT_TRUE(waitUntil([&] { return grown.has_value(); }));
    ASSERT_FALSE(*grown);
    EXPECT_EQ(grown->error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(grown->error().message.contains(QStringLiteral("smaller")))
        << grown->error().message.toStdString();
    EXPECT_FALSE(grown->error().message.contains(QStringLiteral("File too large")));
}
