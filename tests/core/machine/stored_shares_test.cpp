// SPDX-License-Identifier: Apache-2.0
#include "core/machine/stored_shares.h"

#include "core/machine/sidecar.h"

#include <QDir>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

class StoredShares : public testing::Test {
protected:
    void SetUp() override {
        machine = folder.filePath(QStringLiteral("library/vms/web"));
        photos = folder.filePath(QStringLiteral("photos"));
        ASSERT_TRUE(QDir().mkpath(machine));
        ASSERT_TRUE(QDir().mkpath(photos));
    }
    [[nodiscard]] QStringList libraries() const {
        return {folder.filePath(QStringLiteral("library"))};
    }
    [[nodiscard]] QList<ShareSpec> shares() const { return Sidecar::read(machine)->run.shares; }

    QTemporaryDir folder;
    QString machine;
    QString photos;
};

TEST_F(StoredShares, AreAddedWithATagOfTheirOwnChangedAndRemoved) {
    ShareSpec share;
    share.path = photos;
    share.readOnly = true;
    const auto added = addStoredShare(machine, share, libraries());
    ASSERT_TRUE(added) << added.error().message.toStdString();
    EXPECT_EQ(added->share.tag, QStringLiteral("photos"));
    share.name = QStringLiteral("photos");
    EXPECT_EQ(addStoredShare(machine, share, libraries())->share.tag, QStringLiteral("photos-2"));
    ASSERT_EQ(shares().size(), 2);
    ASSERT_TRUE(changeStoredShare(machine,
                                  QStringLiteral("photos"),
                                  {},
                                  {.readOnly = false, .name = QStringLiteral("pictures")},
                                  libraries()));
    EXPECT_EQ(shares().first().tag, QStringLiteral("pictures"));
    EXPECT_FALSE(shares().first().readOnly);
    EXPECT_TRUE(removeStoredShare(machine, QStringLiteral("photos-2"), {}));
    EXPECT_EQ(removeStoredShare(machine, QStringLiteral("photos-2"), {}).error().kind,
              Error::Kind::NotFound);
    EXPECT_EQ(shares().size(), 1);
}

TEST_F(StoredShares, WhatIsRefusedChangesNothing) {
    ShareSpec share;
    share.path = machine;
    EXPECT_FALSE(addStoredShare(machine, share, libraries())) << "writable, in the library";
    share.readOnly = true;
    ASSERT_TRUE(addStoredShare(machine, share, libraries()));
    const QList<ShareSpec> before = shares();
    EXPECT_FALSE(changeStoredShare(
        machine, QStringLiteral("web"), {}, {.readOnly = false, .name = {}}, libraries()));
    EXPECT_FALSE(changeStoredShare(
        machine, QStringLiteral("web"), {}, {.readOnly = {}, .name = QStringLiteral("a/b")}, {}));
    share.path = photos;
    share.tag = QStringLiteral("web");
    EXPECT_FALSE(addStoredShare(machine, share, libraries())) << "two folders, no names";
    EXPECT_EQ(shares(), before);
}

} // namespace
} // namespace vitrine
