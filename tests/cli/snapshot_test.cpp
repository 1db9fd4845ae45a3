// SPDX-License-Identifier: Apache-2.0
// `suspend` and `snapshot` of the built program; guests are in tests/vm.
#include "core/machine/sidecar.h"
#include "tests/cli/command_line_support.h"

#include <QJsonArray>
#include <QJsonObject>

namespace vitrine::test {

namespace {

class SnapshotCommand : public CommandLine {
protected:
    QJsonArray list() {
        return run({"snapshot", "web", "list", "--format", "json"}).json().array();
    }
    QString directory = add("web");
};

} // namespace

TEST_F(SnapshotCommand, OneIsTakenListedRestoredAndDeleted) {
    SmallLibrary::write(directory + s("/nvram.bin"), "before");
    const Finished created = run({"snapshot", "web", "create", "Clean"});
    ASSERT_EQ(created.code, 0) << created.err.toStdString();
    const QString id = QString::fromUtf8(created.out).trimmed();
    const QJsonArray found = list();
    ASSERT_EQ(found.size(), 1);
    EXPECT_EQ(found.first()[s("id")].toString(), id);
    EXPECT_EQ(found.first()[s("name")].toString(), s("Clean"));
    EXPECT_TRUE(found.first()[s("current")].toBool());
    EXPECT_TRUE(found.first()[s("exclusive")].isDouble());
    EXPECT_TRUE(run({"snapshot", "web", "list"}).out.contains("Clean *"));
    SmallLibrary::write(directory + s("/nvram.bin"), "after");
    EXPECT_EQ(run({"snapshot", "web", "restore", "Clean"}).code, 0);
    EXPECT_EQ(read(directory + s("/nvram.bin")), "before");
    EXPECT_EQ(run({s("snapshot"), s("web"), s("branch"), id, s("other")}).code, 0);
    EXPECT_TRUE(machineFolders().contains(s("other")));
    EXPECT_EQ(run({s("snapshot"), s("web"), s("delete"), id.left(20)}).code, 0);
    EXPECT_TRUE(list().isEmpty());
}

TEST_F(SnapshotCommand, GoingBackSaysWhatItDropsAndIsAnEvent) {
    ASSERT_EQ(run({"snapshot", "web", "create", "Clean"}).code, 0);
    ASSERT_EQ(run({"snapshot", "web", "create", "Later"}).code, 0);
    EXPECT_TRUE(run({"snapshot", "web", "list"}).out.contains("* "));
    const QByteArray last = run({"snapshot", "web", "list"}).out.trimmed().split('\n').last();
    EXPECT_TRUE(last.startsWith("* ")) << last.toStdString();
    const Finished restored = run({"snapshot", "web", "restore", "Clean"});
    EXPECT_EQ(restored.code, 0);
    EXPECT_TRUE(restored.err.contains("since")) << restored.err.toStdString();
    EXPECT_TRUE(restored.err.contains("\"Later\"")) << restored.err.toStdString();
    EXPECT_TRUE(restored.err.contains("--save-current")) << restored.err.toStdString();
    const QJsonArray events = Sidecar::read(directory)->events;
    ASSERT_FALSE(events.isEmpty());
    EXPECT_EQ(events.last()[s("kind")].toString(), s("restored"));
    EXPECT_TRUE(events.last()[s("text")].toString().contains(s("went back to the snapshot")));
    const Finished kept = run({"snapshot", "web", "restore", "Later", "--save-current"});
    EXPECT_EQ(kept.code, 0);
    EXPECT_FALSE(kept.err.contains("--save-current")) << kept.err.toStdString();
}

TEST_F(SnapshotCommand, DisksThatItHasNotAreToldWheneverThatMatters) {
    const QString data = directory + s("/../data.img");
    SmallLibrary::write(data, "data");
    ASSERT_EQ(run({s("set"), s("web"), s("--run-disk"), data}).code, 0);
    const Finished created = run({"snapshot", "web", "create", "Clean"});
    ASSERT_EQ(created.code, 0) << created.err.toStdString();
    EXPECT_TRUE(created.err.contains("data.img")) << created.err.toStdString();
    EXPECT_TRUE(created.err.contains("not part of the snapshot"));
    EXPECT_TRUE(run({"snapshot", "web", "list"}).out.contains("1 other not included"));
    EXPECT_EQ(list().first()[s("otherDisks")].toArray().size(), 1);
    const Finished restored = run({"snapshot", "web", "restore", "Clean"});
    EXPECT_EQ(restored.code, 0);
    EXPECT_TRUE(restored.err.contains("keeps what it has now")) << restored.err.toStdString();
}

TEST_F(SnapshotCommand, WhatIsMissingOrWrongHasItsExitCode) {
    EXPECT_EQ(run({"snapshot", "none", "list"}).code, 2);
    EXPECT_EQ(run({"snapshot", "web", "restore", "none"}).code, 2);
    EXPECT_EQ(run({"snapshot", "web", "restore"}).code, 64);
    EXPECT_EQ(run({"snapshot", "web", "branch", "x"}).code, 64);
    EXPECT_EQ(run({"snapshot", "web", "dance"}).code, 64);
    EXPECT_EQ(run({"snapshot", "web", "list", "x"}).code, 64);
}

TEST_F(SnapshotCommand, AChangeOfTheHardwareTakesOneWhenTheMachineAsksForIt) {
    EXPECT_EQ(run({"set", "web", "--cpu", "2"}).code, 0);
    EXPECT_TRUE(list().isEmpty());
    EXPECT_EQ(run({"snapshot", "web", "automatic", "on"}).code, 0);
    EXPECT_EQ(run({"set", "web", "--cpu", "3"}).code, 0);
    ASSERT_EQ(list().size(), 1);
    EXPECT_TRUE(list().first()[s("automatic")].toBool());
    EXPECT_EQ(run({"set", "web", "--disk-size", "0"}).code, 64);
    EXPECT_EQ(list().size(), 1) << "a change that is refused keeps nothing";
}

TEST_F(SnapshotCommand, WorkIsToldAsJsonLinesToo) {
    const Finished created = run({"snapshot", "--progress", "json", "--", "web", "create", "-x"});
    EXPECT_EQ(created.code, 0) << created.out.toStdString();
    EXPECT_TRUE(created.out.endsWith("{\"finished\":true}\n")) << created.out.toStdString();
    const Finished refused = run({"snapshot", "--progress", "json", "--", "web", "delete", "none"});
    EXPECT_TRUE(refused.out.contains("\"NotFound\"")) << refused.out.toStdString();
}

TEST_F(SnapshotCommand, AMachineThatDoesNotRunCannotBeSuspended) {
    EXPECT_EQ(run({"suspend", "web"}).code, 2);
    SmallLibrary::write(directory + s("/state.qemu"), "memory");
    const Finished again = run({"suspend", "web"});
    EXPECT_EQ(again.code, 0);
    EXPECT_TRUE(again.err.contains("already")) << again.err.toStdString();
}

TEST_F(SnapshotCommand, ASuspendedMachineGoesOnWithWhatItWasRunWithOnly) {
    SmallLibrary::write(directory + s("/state.qemu"), "memory");
    const Finished refused = run({"run", "web", "--no-graphics", "--accelerator", "tcg"});
    EXPECT_EQ(refused.code, 1);
    EXPECT_TRUE(refused.err.contains("--discard-state")) << refused.err.toStdString();
    const Finished unfit = run({"run", "web", "--no-graphics"});
    EXPECT_EQ(unfit.code, 1) << "nothing says what the state fits";
    EXPECT_TRUE(unfit.err.contains("--discard-state")) << unfit.err.toStdString();
    EXPECT_TRUE(QFile::exists(directory + s("/state.qemu")));
}

} // namespace vitrine::test
