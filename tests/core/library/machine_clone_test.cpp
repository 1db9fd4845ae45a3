// SPDX-License-Identifier: Apache-2.0
#include "core/disk/disk_space.h"
#include "core/library/machine_operations.h"

#include "../disk/other_process.h"
#include "library_fixture.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <thread>

namespace vitrine {
namespace {

class MachineClone : public test::LibraryTest {
protected:
    Result<> clone(const QString& source, const char* target, const JobContext& context = {}) {
        return cloneMachine(m_library, source, name(target), context);
    }
    [[nodiscard]] QString path(const char* machine) const {
        return m_library.machinePath(name(machine));
    }
    void expectNothingLeft(const char* target) const {
        EXPECT_FALSE(QFile::exists(path(target)));
        EXPECT_TRUE(temporaryEntries().isEmpty());
    }
};

TEST_F(MachineClone, IsAMachineOfItsOwn) {
    const QString source = addMachine(QStringLiteral("debian"));
    ASSERT_TRUE(clone(QStringLiteral("debian"), "ubuntu"));
    const auto info = m_library.machine(name("ubuntu"));
    ASSERT_TRUE(info);
    EXPECT_EQ(info->state, MachineState::Stopped);
    EXPECT_EQ(test::get(path("ubuntu") + QStringLiteral("/disk.img")),
              test::get(source + QStringLiteral("/disk.img")));
    EXPECT_EQ(test::get(path("ubuntu") + QStringLiteral("/nvram.bin")), "variables");
    EXPECT_NE(info->config->macAddress, m_library.machine(name("debian"))->config->macAddress);
    EXPECT_EQ(info->allocated.bytes() / 8192,
              m_library.machine(name("debian"))->allocated.bytes() / 8192);
    expectNothingLeft("other");
    EXPECT_EQ(names(*m_library.machines()),
              QStringList({QStringLiteral("debian"), QStringLiteral("ubuntu")}));
}

TEST_F(MachineClone, GoesIntoAnotherLibrary) {
    const QString source = addMachine(QStringLiteral("debian"));
    const auto aside = m_library.makeThrowAway();
    ASSERT_TRUE(aside);
    const auto other = Library::open(aside->path + QStringLiteral("/library"));
    ASSERT_TRUE(other);
    ASSERT_TRUE(cloneMachineTo(m_library, QStringLiteral("debian"), *other, name("guest"), {}));
    EXPECT_EQ(names(*other->machines()), QStringList(QStringLiteral("guest")));
    EXPECT_EQ(names(*m_library.machines()), QStringList(QStringLiteral("debian")));
    EXPECT_EQ(test::get(other->machinePath(name("guest")) + QStringLiteral("/disk.img")),
              test::get(source + QStringLiteral("/disk.img")));
    EXPECT_EQ(temporaryEntries(), QStringList(QFileInfo(aside->path).fileName()));
}

TEST_F(MachineClone, TheDiskStaysSparse) {
    addMachine(QStringLiteral("big"));
    QFile disk(path("big") + QStringLiteral("/disk.img"));
    ASSERT_TRUE(disk.resize(50000000000));
    ASSERT_TRUE(clone(QStringLiteral("big"), "copy"));
    EXPECT_EQ(m_library.machine(name("copy"))->diskSize.bytes(), 50000000000U);
    EXPECT_LT(m_library.machine(name("copy"))->allocated.bytes(), 1000000U);
}

TEST_F(MachineClone, ANameIsNeverOverwritten) {
    addMachine(QStringLiteral("a"));
    const QString target = addMachine(QStringLiteral("b"), test::configText(9));
    const auto cloned = clone(QStringLiteral("a"), "b");
    ASSERT_FALSE(cloned);
    EXPECT_EQ(cloned.error().kind, Error::Kind::AlreadyExists);
    EXPECT_EQ(m_library.machine(name("b"))->config->cpuCount, 9);
    // Also not an empty folder that is nobody's machine yet, nor a link that leads nowhere.
    ASSERT_TRUE(QDir().mkpath(path("empty")));
    EXPECT_FALSE(clone(QStringLiteral("a"), "empty"));
    ASSERT_TRUE(QFile::link(QStringLiteral("/nowhere"), path("link")));
    EXPECT_FALSE(clone(QStringLiteral("a"), "link"));
    EXPECT_TRUE(QFileInfo(path("link")).isSymLink());
    EXPECT_TRUE(temporaryEntries().isEmpty());
}

TEST_F(MachineClone, ANameTakenDuringTheCopyIsNotOverwritten) {
    addMachine(QStringLiteral("a"));
    JobContext context;
    context.log = [this](const QString&) { addMachine(QStringLiteral("b"), test::configText(9)); };
    const auto cloned = clone(QStringLiteral("a"), "b", context);
    ASSERT_FALSE(cloned);
    EXPECT_EQ(cloned.error().kind, Error::Kind::AlreadyExists);
    EXPECT_EQ(m_library.machine(name("b"))->config->cpuCount, 9);
    EXPECT_TRUE(temporaryEntries().isEmpty());
}

TEST_F(MachineClone, TwoAtOnceToOneNameGiveOneMachine) {
    addMachine(QStringLiteral("a"));
    std::atomic<int> succeeded = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] { succeeded += clone(QStringLiteral("a"), "b") ? 1 : 0; });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(succeeded, 1);
    EXPECT_EQ(m_library.machine(name("b"))->state, MachineState::Stopped);
    EXPECT_TRUE(temporaryEntries().isEmpty());
}

TEST_F(MachineClone, SeveralOfOneSourceMayRunAtOnce) {
    addMachine(QStringLiteral("a"));
    std::atomic<int> succeeded = 0;
    std::vector<std::thread> threads;
    for (const char* target : {"b", "c", "d"})
        threads.emplace_back(
            [&, target] { succeeded += clone(QStringLiteral("a"), target) ? 1 : 0; });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(succeeded, 3);
}

TEST_F(MachineClone, TheSourceCannotStartMeanwhileAndIsShownAsStopped) {
    const QString source = addMachine(QStringLiteral("a"));
    QByteArray answer;
    MachineState state = MachineState::Broken;
    JobContext context;
    context.log = [&](const QString&) {
        answer = test::ask({QStringLiteral("hold"), source + QStringLiteral("/config.json")});
        state = m_library.stateOf(source);
    };
    ASSERT_TRUE(clone(QStringLiteral("a"), "b", context));
    EXPECT_EQ(answer, "failed");
    EXPECT_EQ(state, MachineState::Stopped);
}

TEST_F(MachineClone, ARunningSourceIsRefused) {
    const QString source = addMachine(QStringLiteral("a"));
    test::OtherProcess holder({QStringLiteral("hold"), source + QStringLiteral("/config.json")});
    ASSERT_EQ(holder.word(), "held");
    const auto cloned = clone(QStringLiteral("a"), "b");
    ASSERT_FALSE(cloned);
    EXPECT_EQ(cloned.error().kind, Error::Kind::AlreadyRunning);
    expectNothingLeft("b");
}

TEST_F(MachineClone, ABrokenOrMissingSourceSaysWhy) {
    EXPECT_EQ(clone(QStringLiteral("none"), "b").error().kind, Error::Kind::NotFound);
    addMachine(QStringLiteral("broken"), "{");
    const auto cloned = clone(QStringLiteral("broken"), "b");
    ASSERT_FALSE(cloned);
    EXPECT_TRUE(cloned.error().message.contains(QStringLiteral("config.json")));
    expectNothingLeft("b");
}

TEST_F(MachineClone, ASuspendedSourceKeepsItsAddressAndState) {
    const QString source = addMachine(QStringLiteral("a"));
    test::put(source + QStringLiteral("/state.qemu"), "memory");
    test::put(source + QStringLiteral("/state.qemu.json"), "{}");
    const timespec old[2] = {{1000000000, 0}, {1234567890, 5}};
    ::utimensat(
        AT_FDCWD, QFile::encodeName(source + QStringLiteral("/disk.img")).constData(), old, 0);
    ASSERT_TRUE(clone(QStringLiteral("a"), "b"));
    EXPECT_EQ(m_library.machine(name("b"))->state, MachineState::Suspended);
    EXPECT_EQ(m_library.machine(name("b"))->config->macAddress,
              m_library.machine(name("a"))->config->macAddress);
    EXPECT_EQ(test::get(path("b") + QStringLiteral("/state.qemu")), "memory");
    EXPECT_EQ(test::get(path("b") + QStringLiteral("/state.qemu.json")), "{}");
    EXPECT_EQ(QFileInfo(path("b") + QStringLiteral("/disk.img")).lastModified().toSecsSinceEpoch(),
              1234567890);
}

TEST_F(MachineClone, OnlyWhatBelongsToTheMachineIsCopied) {
    const QString source = addMachine(QStringLiteral("a"));
    for (const char* file : {"efivars-amd64.fd",
                             "manifest.json",
                             "control.sock",
                             "notes.txt",
                             ".explicitly-pulled",
                             "config.json.new",
                             "state.vzvmsave.used"})
        test::put(source + QLatin1Char('/') + QLatin1String(file), "x");
    ASSERT_TRUE(QDir().mkpath(source + QStringLiteral("/snapshots/1")));
    ASSERT_TRUE(clone(QStringLiteral("a"), "b"));
    QStringList files =
        QDir(path("b")).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot);
    files.removeIf([](const QString& file) { return file.startsWith(QStringLiteral("vitrine")); });
    EXPECT_EQ(files,
              QStringList({QStringLiteral("config.json"),
                           QStringLiteral("disk.img"),
                           QStringLiteral("efivars-amd64.fd"),
                           QStringLiteral("nvram.bin")}));
}

TEST_F(MachineClone, TheSidecarComesWithoutForwardsEventsAndSnapshots) {
    const QString source = addMachine(QStringLiteral("a"));
    ASSERT_TRUE(Sidecar::update(source, [](Sidecar& sidecar) {
        sidecar.run.forwards = {{0, 22}};
        sidecar.run.audio = false;
        sidecar.events = {QStringLiteral("e")};
        sidecar.notes = QStringLiteral("n");
        sidecar.efivars = QStringLiteral("nvram");
        sidecar.pending = {{QStringLiteral("macAddress"), 1, 2},
                           {QStringLiteral("cpuCount"), 2, 3}};
        sidecar.snapshots = {{QStringLiteral("current"), QStringLiteral("a1")}};
        sidecar.unknown = {{QStringLiteral("shares"), 2}};
    }));
    ASSERT_TRUE(clone(QStringLiteral("a"), "b"));
    const auto sidecar = Sidecar::read(path("b"));
    ASSERT_TRUE(sidecar);
    EXPECT_TRUE(sidecar->run.forwards.isEmpty());
    EXPECT_FALSE(sidecar->run.audio);
    ASSERT_EQ(sidecar->events.size(), 1); // its own
    EXPECT_EQ(sidecar->events.first().toObject().value(QStringLiteral("text")).toString(),
              QStringLiteral("Made as a copy of \"a\"."));
    EXPECT_EQ(sidecar->notes, QStringLiteral("n"));
    EXPECT_EQ(sidecar->efivars, QStringLiteral("nvram"));
    EXPECT_EQ(sidecar->pending.size(), 1);
    EXPECT_TRUE(sidecar->snapshots.isEmpty());
    EXPECT_EQ(sidecar->unknown, QJsonObject({{QStringLiteral("shares"), 2}}));
}

TEST_F(MachineClone, KeysOfOtherProgramsInTheConfigSurvive) {
    QJsonObject object = QJsonDocument::fromJson(test::configText()).object();
    object[QStringLiteral("zoo")] = 5;
    addMachine(QStringLiteral("a"), QJsonDocument(object).toJson());
    ASSERT_TRUE(clone(QStringLiteral("a"), "b"));
    EXPECT_EQ(m_library.machine(name("b"))->config->unknown.value(QStringLiteral("zoo")).toInt(),
              5);
}

TEST_F(MachineClone, AMacGuestGetsANewIdentifier) {
    const QByteArray ecid = "bplist00\xd1\x01\x02\x54"
                            "ECID\x13" +
                            QByteArray(8, 'n') + "rest";
    MachineConfig config;
    config.system = GuestSystem::Darwin;
    config.ecid = ecid;
    config.hardwareModel = "model";
    addMachine(QStringLiteral("mac"), config.toJson());
    ASSERT_TRUE(clone(QStringLiteral("mac"), "b"));
    const auto cloned = m_library.machine(name("b"));
    EXPECT_NE(cloned->config->ecid, ecid);
    EXPECT_EQ(cloned->config->hardwareModel, "model");
    test::put(path("mac") + QStringLiteral("/state.vzvmsave"), "s");
    ASSERT_TRUE(clone(QStringLiteral("mac"), "c"));
    EXPECT_EQ(m_library.machine(name("c"))->config->ecid, ecid);
}

TEST_F(MachineClone, AnImageIsClonedByTagAndByDigest) {
    const QString digest = addImage(QStringLiteral("ghcr.io/a/b"), u'1', QStringLiteral("latest"));
    test::put(digest + QStringLiteral("/manifest.json"), "{}");
    test::put(digest + QStringLiteral("/vitrine.json"), R"({"notes":"a stranger's"})");
    for (const auto& [source, target] :
         {std::pair(QStringLiteral("ghcr.io/a/b:latest"), "tag"),
          std::pair(QStringLiteral("ghcr.io/a/b"), "implied"),
          std::pair(QStringLiteral("ghcr.io/a/b@sha256:") + QString(64, u'1'), "digest")}) {
        ASSERT_TRUE(clone(source, target)) << target;
        EXPECT_EQ(m_library.machine(name(target))->state, MachineState::Stopped);
        EXPECT_FALSE(QFile::exists(path(target) + QStringLiteral("/manifest.json")));
        const auto sidecar = Sidecar::read(path(target));
        ASSERT_EQ(sidecar->events.size(), 1);
        EXPECT_EQ(sidecar->events.first().toObject().value(QStringLiteral("text")).toString(),
                  QStringLiteral("Made from the image \"%1\".").arg(sidecar->sourceImage));
        EXPECT_EQ(ImageReference::fromText(sidecar->sourceImage)->toText(),
                  ImageReference::fromText(source)->toText());
        EXPECT_TRUE(sidecar->notes.isEmpty());
    }
    EXPECT_EQ(clone(QStringLiteral("ghcr.io/a/none"), "x").error().kind, Error::Kind::NotFound);
}

TEST_F(MachineClone, ACancelLeavesNothing) {
    addMachine(QStringLiteral("a"));
    std::stop_source stop;
    JobContext context;
    context.stop = stop.get_token();
    context.report = [&stop](const Progress&) { stop.request_stop(); };
    const auto cloned = clone(QStringLiteral("a"), "b", context);
    ASSERT_FALSE(cloned);
    EXPECT_TRUE(cloned.error().isCancelled());
    expectNothingLeft("b");
    EXPECT_TRUE(clone(QStringLiteral("a"), "b"));
}

TEST_F(MachineClone, ProgressReachesItsTotal) {
    addMachine(QStringLiteral("a"));
    Progress last;
    JobContext context;
    context.report = [&last](Progress progress) {
        EXPECT_GE(progress.done, last.done);
        last = std::move(progress);
    };
    ASSERT_TRUE(clone(QStringLiteral("a"), "b", context));
    ASSERT_TRUE(last.total);
    EXPECT_LE(last.done, *last.total);
    EXPECT_GE(last.done, 8192U);
}

TEST_F(MachineClone, AFullDiskIsToldBeforehandAndLeavesNothing_NeedsRootForATmpfs) {
    const QString small = m_folder.filePath(QStringLiteral("small"));
    ASSERT_TRUE(QDir().mkpath(small));
    if (::mount("vitrine-test", QFile::encodeName(small).constData(), "tmpfs", 0, "size=3m") != 0)
        GTEST_SKIP() << "mounting needs root";
    const auto library = Library::open(small + QStringLiteral("/home"));
    test::fillMachine(library->machinesPath() + QStringLiteral("/a"));
    test::put(library->machinesPath() + QStringLiteral("/a/disk.img"), QByteArray(2000000, 'x'));
    const auto cloned = cloneMachine(*library, QStringLiteral("a"), name("b"), {});
    const auto machines = library->machines();
    const auto left = QDir(library->temporaryPath()).isEmpty();
    ::umount2(QFile::encodeName(small).constData(), MNT_DETACH);
    ASSERT_FALSE(cloned);
    EXPECT_EQ(cloned.error().kind, Error::Kind::DiskFull);
    EXPECT_TRUE(cloned.error().message.contains(QStringLiteral("needs")));
    EXPECT_EQ(machines->size(), 1);
    EXPECT_TRUE(left);
}

TEST_F(MachineClone, ADiskThatFillsUpDuringTheCopyLeavesNothing_NeedsRootForATmpfs) {
    const QString small = m_folder.filePath(QStringLiteral("filling"));
    ASSERT_TRUE(QDir().mkpath(small));
    if (::mount("vitrine-test", QFile::encodeName(small).constData(), "tmpfs", 0, "size=24m") != 0)
        GTEST_SKIP() << "mounting needs root";
    const auto library = Library::open(small + QStringLiteral("/home"));
    test::fillMachine(library->machinesPath() + QStringLiteral("/a"));
    test::put(library->machinesPath() + QStringLiteral("/a/disk.img"), QByteArray(8 << 20, 'x'));
    // There is room when it begins; another program takes it then.
    bool filled = false;
    JobContext context;
    context.report = [&](const Progress& progress) {
        if (filled || progress.done == 0)
            return;
        filled = true;
        QFile other(small + QStringLiteral("/other"));
        ASSERT_TRUE(other.open(QIODevice::WriteOnly));
        while (other.write(QByteArray(64 << 10, 'y')) > 0 && other.flush()) {
        }
    };
    const auto cloned = cloneMachine(*library, QStringLiteral("a"), name("b"), context);
    const auto machines = library->machines();
    const auto left = QDir(library->temporaryPath()).isEmpty();
    const bool whole = test::get(library->machinesPath() + QStringLiteral("/a/disk.img")) ==
                       QByteArray(8 << 20, 'x');
    ::umount2(QFile::encodeName(small).constData(), MNT_DETACH);
    ASSERT_TRUE(filled);
    ASSERT_FALSE(cloned);
    EXPECT_EQ(cloned.error().kind, Error::Kind::DiskFull);
    EXPECT_EQ(machines->size(), 1);
    EXPECT_TRUE(left);
    EXPECT_TRUE(whole);
}

TEST_F(MachineClone, TheSourceIsMarkedAsUsed) {
    const QString source = addMachine(QStringLiteral("a"));
    const timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
    ::utimensat(AT_FDCWD, QFile::encodeName(source).constData(), old, 0);
    ASSERT_TRUE(clone(QStringLiteral("a"), "b"));
    EXPECT_GT(m_library.machine(name("a"))->accessed.toSecsSinceEpoch(), 1000000000);
    EXPECT_EQ(QFileInfo(source).lastModified().toSecsSinceEpoch(), 1000000000);
}

} // namespace
} // namespace vitrine
