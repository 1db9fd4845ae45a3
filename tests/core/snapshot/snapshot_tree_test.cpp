// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/snapshot_tree.h"

#include <QJsonArray>

#include <gtest/gtest.h>

using namespace vitrine;

namespace {

Snapshot point(const char* id, const char* name, int second) {
    Snapshot snapshot;
    snapshot.id = QLatin1String(id);
    snapshot.name = QLatin1String(name);
    snapshot.created = QDateTime(QDate(2026, 11, 30), QTime(12, 0, second), Qt::UTC);
    return snapshot;
}

SnapshotTree line() {
    SnapshotTree tree;
    tree.add(point("a1", "one", 1));
    tree.add(point("b2", "two", 2));
    tree.add(point("c3", "three", 3));
    return tree;
}

} // namespace

TEST(SnapshotTreeTest, EachIsAChildOfWhereTheMachineIs) {
    SnapshotTree tree = line();
    tree.setCurrent(QStringLiteral("a1"));
    tree.add(point("d4", "four", 4));
    EXPECT_EQ(tree.find(QStringLiteral("b2"))->parent, QStringLiteral("a1"));
    EXPECT_EQ(tree.find(QStringLiteral("d4"))->parent, QStringLiteral("a1"));
    ASSERT_EQ(tree.rows().size(), 4);
    EXPECT_EQ(tree.rows().at(2).depth, 2);
    EXPECT_EQ(tree.rows().at(3).depth, 1);
}

TEST(SnapshotTreeTest, IsTheSameAfterWritingAndReading) {
    const SnapshotTree tree = line();
    const QJsonObject json = tree.toJson({{QStringLiteral("automatic"), true}});
    const SnapshotTree again = SnapshotTree::fromJson(json);
    EXPECT_EQ(again.all(), tree.all());
    EXPECT_EQ(again.current(), tree.current());
    EXPECT_TRUE(again.toJson(json).value(QLatin1String("automatic")).toBool());
}

TEST(SnapshotTreeTest, RemovingOneGivesItsChildrenToItsParent) {
    SnapshotTree tree = line();
    tree.remove(QStringLiteral("b2"));
    EXPECT_EQ(tree.find(QStringLiteral("c3"))->parent, QStringLiteral("a1"));
    tree.remove(QStringLiteral("a1"));
    EXPECT_EQ(tree.find(QStringLiteral("c3"))->parent, QString());
    tree.remove(QStringLiteral("c3"));
    EXPECT_TRUE(tree.all().isEmpty());
    EXPECT_TRUE(tree.current().isEmpty());
}

TEST(SnapshotTreeTest, CirclesAndMissingParentsAreRepaired) {
    Snapshot a = point("a1", "one", 1);
    a.parent = QStringLiteral("b2");
    Snapshot b = point("b2", "two", 2);
    b.parent = QStringLiteral("a1");
    Snapshot c = point("c3", "three", 3);
    c.parent = QStringLiteral("gone");
    const SnapshotTree tree = SnapshotTree::fromJson(
        {{QStringLiteral("list"), QJsonArray{a.toJson(), b.toJson(), c.toJson(), c.toJson()}},
         {QStringLiteral("current"), QStringLiteral("nothing")}});
    EXPECT_EQ(tree.all().size(), 3);
    EXPECT_EQ(tree.rows().size(), 3) << "all can be reached";
    EXPECT_TRUE(tree.current().isEmpty());
}

TEST(SnapshotTreeTest, ANameThatCouldLeaveTheFolderIsNone) {
    for (const char* id : {"", "..", "a/b", "../../etc", ".x", "a b", "-x"}) {
        QJsonObject json = point("a1", "one", 1).toJson();
        json.insert(QStringLiteral("id"), QLatin1String(id));
        EXPECT_FALSE(Snapshot::fromJson(json)) << id;
    }
    EXPECT_TRUE(isSnapshotId(newSnapshotId(QDateTime::currentDateTime())));
}

TEST(SnapshotTreeTest, IsChosenByIdentifierBeginningOrName) {
    SnapshotTree tree;
    tree.add(point("20261130-100000-aaaa", "clean", 1));
    tree.add(point("20261130-110000-bbbb", "clean", 2));
    tree.add(point("20261201-110000-cccc", "patched", 3));
    EXPECT_EQ(tree.choose(QStringLiteral("20261201"))->name, QStringLiteral("patched"));
    EXPECT_EQ(tree.choose(QStringLiteral("patched"))->id, QStringLiteral("20261201-110000-cccc"));
    EXPECT_EQ(tree.choose(QStringLiteral("clean")).error().kind, Error::Kind::InvalidInput);
    EXPECT_EQ(tree.choose(QStringLiteral("nothing")).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(tree.choose(QStringLiteral("20261130-110000-bbbb"))->name, QStringLiteral("clean"));
}
