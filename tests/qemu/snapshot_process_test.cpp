// SPDX-License-Identifier: Apache-2.0
// Snapshots of a running machine against a pretended QEMU: what goes wrong, and for how long the
// guest stands still.
#include "tests/qemu/machine_process_fixture.h"
#include "tests/support/send_signal.h"

using namespace vitrine;
using namespace vitrine::test;

namespace {

// Memory is no file system that shares blocks, so that QEMU has to copy the disk.
struct InMemory {
    InMemory() { qputenv("TMPDIR", "/dev/shm"); }
    ~InMemory() { qputenv("TMPDIR", before); }
    InMemory(const InMemory&) = delete;
    InMemory& operator=(const InMemory&) = delete;
    const QByteArray before = qgetenv("TMPDIR");
};

class SnapshotProcessTest : public InMemory, public MachineProcessTest {
protected:
    void startWithAgent(const QString& behaviour = {}) {
        startAndConnect(QStringLiteral("agent,") + behaviour);
        ASSERT_TRUE(waitUntil([this] { return client.status().agentAnswers; }));
    }
    Result<QJsonValue> snapshot(bool memory) {
        return call(
            "snapshot.create",
            {{QStringLiteral("name"), QStringLiteral("s")}, {QStringLiteral("memory"), memory}});
    }
    [[nodiscard]] QStringList snapshotFolders() const {
        return QDir(directory + QStringLiteral("/snapshots"))
            .entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    }
    [[nodiscard]] QByteArray goneOn() const {
        QFile note(program->runtime().path() + QStringLiteral("/gone-on"));
        return note.open(QIODevice::ReadOnly) ? note.readAll() : QByteArray();
    }
    [[nodiscard]] QString remarks() const {
        QString text;
        const auto sidecar = Sidecar::read(directory);
        for (const QJsonValue& event : sidecar->events)
            if (event[QLatin1String("kind")] == QLatin1String("remark"))
                text += event[QLatin1String("text")].toString();
        return text;
    }
    // `vitrinectl snapshot m …`, under way.
    std::unique_ptr<QProcess> vitrinectl(const QStringList& words) {
        auto process = std::make_unique<QProcess>();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("VITRINE_HOME"), library.library.home());
        process->setProcessEnvironment(environment);
        process->start(QStringLiteral(VITRINE_BIN_DIR "/vitrinectl"),
                       QStringList{QStringLiteral("snapshot"), name} + words);
        EXPECT_TRUE(process->waitForStarted(-1));
        return process;
    }
    // Nothing is left of it, the guest goes on and the next one is not in its way.
    void expectNothingLeft() {
        EXPECT_TRUE(waitUntil([this] { return snapshotFolders().isEmpty(); }));
        EXPECT_TRUE(waitForState(MachineState::Running));
        EXPECT_TRUE(Sidecar::read(directory)->snapshots.isEmpty());
        EXPECT_TRUE(call("pause")) << "nobody holds the machine any more";
    }
};

} // namespace

TEST_F(SnapshotProcessTest, TheGuestIsThawedBeforeTheCopyIsOnTheDisk) {
    startWithAgent();
    const auto taken = snapshot(false);
    ASSERT_TRUE(taken) << qPrintable(taken.error().message);
    EXPECT_FALSE((*taken)[QLatin1String("crashConsistent")].toBool());
    EXPECT_EQ(goneOn(), "thaw\n");
    ASSERT_EQ(snapshotFolders().size(), 1);
    EXPECT_TRUE(QFile::exists(directory + QStringLiteral("/snapshots/") +
                              snapshotFolders().constFirst() + QStringLiteral("/disk.img")));
}

TEST_F(SnapshotProcessTest, WithMemoryTheGuestGoesOnBeforeTheCopyIsOnTheDisk) {
    startWithAgent();
    const auto taken = snapshot(true);
    ASSERT_TRUE(taken) << qPrintable(taken.error().message);
    EXPECT_EQ(goneOn(), "cont\n");
    ASSERT_EQ(snapshotFolders().size(), 1);
    const QString folder =
        directory + QStringLiteral("/snapshots/") + snapshotFolders().constFirst();
    for (const char* file : {"/disk.img", "/state.qemu", "/state.qemu.json", "/snapshot.json"})
        EXPECT_TRUE(QFile::exists(folder + QLatin1String(file))) << file;
}

TEST_F(SnapshotProcessTest, ThawingIsTriedAgain) {
    startWithAgent(QStringLiteral("thaws-late"));
    EXPECT_TRUE(snapshot(false));
    EXPECT_EQ(goneOn().count("thaw"), 2);
    EXPECT_EQ(remarks(), QString());
}

TEST_F(SnapshotProcessTest, AGuestThatStaysFrozenIsToldOf) {
    startWithAgent(QStringLiteral("never-thaws"));
    EXPECT_TRUE(snapshot(false));
    EXPECT_EQ(goneOn().count("thaw"), 3);
    EXPECT_TRUE(waitUntil([this] {
        return remarks().contains(QStringLiteral("frozen")) &&
               remarks().contains(QStringLiteral("failed to thaw"));
    })) << qPrintable(remarks());
}

TEST_F(SnapshotProcessTest, AGuestThatCannotBeFrozenGivesOneAsAfterAPowerCut) {
    startWithAgent(QStringLiteral("no-freeze"));
    const auto taken = snapshot(false);
    ASSERT_TRUE(taken) << qPrintable(taken.error().message);
    EXPECT_TRUE((*taken)[QLatin1String("crashConsistent")].toBool());
    EXPECT_EQ(goneOn().count("thaw"), 1) << "perhaps it froze and could not say so";
}

TEST_F(SnapshotProcessTest, ACopyThatDoesNotFitLeavesNothing) {
    startWithAgent(QStringLiteral("mirror-full"));
    const auto taken = snapshot(false);
    ASSERT_FALSE(taken);
    EXPECT_TRUE(taken.error().message.contains(QStringLiteral("No space left")))
        << qPrintable(taken.error().message);
    expectNothingLeft();
}

TEST_F(SnapshotProcessTest, MemoryThatCannotBeWrittenLeavesNothing) {
    startWithAgent(QStringLiteral("unsaved"));
    EXPECT_FALSE(snapshot(true));
    expectNothingLeft();
}

TEST_F(SnapshotProcessTest, IsCancelledWhileTheDiskIsCopied) {
    startWithAgent(QStringLiteral("mirror-endless"));
    std::optional<Result<QJsonValue>> taken;
    client.call(QStringLiteral("snapshot.create"),
                {{QStringLiteral("memory"), false}},
                [&taken](const Result<QJsonValue>& answer) { taken = answer; });
    ASSERT_TRUE(waitUntil([this] {
        const auto progress = call("snapshot.progress");
        return progress && (*progress)[QLatin1String("done")].toInteger() == 1 << 19;
    }));
    EXPECT_FALSE(taken);
    EXPECT_FALSE(call("pause")) << "nobody else may stop it meanwhile";
    EXPECT_TRUE(call("snapshot.cancel"));
    ASSERT_TRUE(waitUntil([&taken] { return taken.has_value(); }));
    ASSERT_FALSE(*taken);
    EXPECT_EQ(taken->error().kind, Error::Kind::Cancelled);
    expectNothingLeft();
}

TEST_F(SnapshotProcessTest, TheCommandLineTakesOneAndShowsHowFarItIs) {
    startWithAgent();
    const auto command = vitrinectl({QStringLiteral("create"), QStringLiteral("Typed")});
    ASSERT_TRUE(waitUntil([&] { return command->state() == QProcess::NotRunning; }));
    EXPECT_EQ(command->exitCode(), 0) << command->readAllStandardError().constData();
    ASSERT_EQ(snapshotFolders().size(), 1);
    EXPECT_EQ(command->readAllStandardOutput().trimmed(), snapshotFolders().first().toUtf8());
    const auto diskOnly = vitrinectl({QStringLiteral("create"),
                                      QStringLiteral("--disk-only"),
                                      QStringLiteral("--format"),
                                      QStringLiteral("json")});
    ASSERT_TRUE(waitUntil([&] { return diskOnly->state() == QProcess::NotRunning; }));
    EXPECT_EQ(diskOnly->exitCode(), 0) << diskOnly->readAllStandardError().constData();
    EXPECT_EQ(snapshotFolders().size(), 2);
}

TEST_F(SnapshotProcessTest, AnInterruptOfTheCommandLineCancelsIt) {
    startWithAgent(QStringLiteral("mirror-endless"));
    const auto command = vitrinectl({QStringLiteral("create"), QStringLiteral("--disk-only")});
    ASSERT_TRUE(waitUntil([this] {
        const auto progress = call("snapshot.progress");
        return progress && (*progress)[QLatin1String("done")].toInteger() == 1 << 19;
    }));
    vitrine::test::sendSignal(static_cast<pid_t>(command->processId()), SIGINT);
    ASSERT_TRUE(waitUntil([&] { return command->state() == QProcess::NotRunning; }));
    EXPECT_EQ(command->exitStatus(), QProcess::NormalExit);
    EXPECT_NE(command->exitCode(), 0);
    expectNothingLeft();
}

TEST_F(SnapshotProcessTest, IsCancelledAtOnce) {
    startWithAgent(QStringLiteral("mirror-endless"));
    std::optional<Result<QJsonValue>> taken;
    client.call(QStringLiteral("snapshot.create"),
                {{QStringLiteral("memory"), false}},
                [&taken](const Result<QJsonValue>& answer) { taken = answer; });
    EXPECT_TRUE(call("snapshot.cancel"));
    ASSERT_TRUE(waitUntil([&taken] { return taken.has_value(); }));
    ASSERT_FALSE(*taken);
    EXPECT_EQ(taken->error().kind, Error::Kind::Cancelled);
    expectNothingLeft();
}

TEST_F(SnapshotProcessTest, MemoryIsRefusedBesideAnotherDiskThatTheGuestWrites) {
    const QString other = directory + QStringLiteral("/other.img");
    SmallLibrary::write(other, QByteArray(1 << 20, '\0'));
    ASSERT_TRUE(Sidecar::update(directory, [&other](Sidecar& sidecar) {
        ExtraDisk disk;
        disk.path = other;
        sidecar.run.disks = {disk};
    }));
    startWithAgent();
    const auto refused = snapshot(true);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(refused.error().message.contains(other)) << qPrintable(refused.error().message);
    EXPECT_TRUE(refused.error().message.contains(QStringLiteral("without memory")));
    EXPECT_EQ(goneOn(), QByteArray()) << "it was never stopped";
    EXPECT_TRUE(snapshot(false));
}
