// SPDX-License-Identifier: Apache-2.0
#include "core/disk/disk_space.h"
#include "core/library/machine_operations.h"

#include "../disk/other_process.h"
#include "library_fixture.h"

#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

class MachineChange : public test::LibraryTest {
protected:
    MachineChange()
        : m_directory(addMachine(QStringLiteral("vm"))) {}
    Result<> change(const MachineChanges& changes) const {
        return changeMachine(m_library, name("vm"), changes);
    }
    [[nodiscard]] MachineConfig config() const { return *m_library.machine(name("vm"))->config; }
    [[nodiscard]] QString file(const char* name) const {
        return m_directory + QLatin1Char('/') + QLatin1String(name);
    }
    static Result<> validate(const MachineChanges& changes, const MachineConfig& config) {
        MachineInfo machine;
        machine.name = QStringLiteral("vm");
        machine.config = config;
        machine.diskSize = ByteCount::fromGB(10);
        return validateChanges(machine, changes);
    }
    static MachineConfig macConfig() {
        MachineConfig config;
        config.system = GuestSystem::Darwin;
        config.ecid = "abc";
        config.hardwareModel = "def";
        config.cpuCountMinimum = 4;
        config.memoryMinimum = ByteCount::fromMiB(4096);
        return config;
    }
    QString m_directory;
};

TEST_F(MachineChange, OnlyWhatIsAskedForChanges) {
    ASSERT_TRUE(change({.refit = Refit::Off}));
    ino_t inode = 0;
    struct stat info {};
    ::stat(QFile::encodeName(file("config.json")).constData(), &info);
    inode = info.st_ino;
    MachineConfig expected = config();
    expected.cpuCount = 6;
    expected.memory = ByteCount::fromMiB(2048);
    ASSERT_TRUE(change({.cpuCount = 6, .memory = ByteCount::fromMiB(2048)}));
    EXPECT_EQ(config(), expected) << "displayRefit must survive (M1)";
    ::stat(QFile::encodeName(file("config.json")).constData(), &info);
    EXPECT_EQ(info.st_ino, inode);
    EXPECT_FALSE(QFile::exists(file("config.json.new")));
}

TEST_F(MachineChange, ProcessorsThatNoBackendCanRunAreRefused) {
    EXPECT_FALSE(change({.cpuCount = 256}));
    EXPECT_FALSE(change({.cpuCount = 999}));
    EXPECT_TRUE(change({.cpuCount = 255}));
    EXPECT_EQ(config().cpuCount, 255);
}

TEST_F(MachineChange, DisplayRefitAndAddress) {
    MachineChanges changes;
    changes.display = DisplaySize{1920, 1080, DisplaySize::Unit::Pixels};
    changes.refit = Refit::On;
    changes.macAddress = MacAddress::fromText(u"02:11:22:33:44:55");
    ASSERT_TRUE(change(changes));
    EXPECT_EQ(config().display, *changes.display);
    EXPECT_EQ(config().refit, Refit::On);
    EXPECT_EQ(config().macAddress, *changes.macAddress);
    ASSERT_TRUE(change({.refit = Refit::Automatic, .randomMac = true}));
    EXPECT_EQ(config().refit, Refit::Automatic);
    EXPECT_NE(config().macAddress, *changes.macAddress);
    EXPECT_EQ(config().macAddress.toText().left(2).toInt(nullptr, 16) & 3, 2);
}

TEST_F(MachineChange, NothingAskedForIsNothingWritten) {
    const QByteArray before = test::get(file("config.json"));
    ASSERT_TRUE(change({}));
    EXPECT_EQ(test::get(file("config.json")), before);
    EXPECT_TRUE(MachineChanges().isEmpty());
}

TEST_F(MachineChange, ADiskGrowsSparselyAndNeverShrinks) {
    ASSERT_TRUE(change({.diskSize = ByteCount::fromGB(60)}));
    EXPECT_EQ(m_library.machine(name("vm"))->diskSize, ByteCount::fromGB(60));
    EXPECT_LT(fileSize(file("disk.img"))->allocated.bytes(), 100000U);
    EXPECT_TRUE(test::get(file("config.json")).contains("cpuCount"));
    ASSERT_TRUE(change({.diskSize = ByteCount::fromGB(60)})) << "the same size is no change";
    const auto shrunk = change({.diskSize = ByteCount::fromGB(50)});
    ASSERT_FALSE(shrunk);
    EXPECT_EQ(shrunk.error().kind, Error::Kind::Unsupported);
    EXPECT_EQ(m_library.machine(name("vm"))->diskSize, ByteCount::fromGB(60));
    EXPECT_FALSE(change({.diskSize = ByteCount::fromGB(65536)}));
    EXPECT_FALSE(change({.diskSize = ByteCount::fromBytes(60000000001)}));
}

TEST_F(MachineChange, AVolumeThatTakesNoSuchDiskChangesNothing) {
    const QByteArray before = test::get(file("config.json"));
    rlimit limit{};
    ::getrlimit(RLIMIT_FSIZE, &limit);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{2000000, limit.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto changed = change({.cpuCount = 5, .diskSize = ByteCount::fromGB(1)});
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, handler);
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().kind, Error::Kind::Unsupported);
    EXPECT_EQ(m_library.machine(name("vm"))->diskSize.bytes(), 1000000U);
    EXPECT_EQ(test::get(file("config.json")), before);
}

TEST_F(MachineChange, AConfigThatCannotBeWrittenLeavesTheDiskAsItWas) {
    // Its folder holds something where the new text has to go.
    ASSERT_TRUE(QDir(m_directory).mkpath(QStringLiteral("config.json.new/x")));
    const auto changed = change({.cpuCount = 5, .diskSize = ByteCount::fromGB(1)});
    ASSERT_FALSE(changed);
    EXPECT_EQ(m_library.machine(name("vm"))->diskSize.bytes(), 1000000U);
    EXPECT_EQ(config().cpuCount, 2);
}

TEST_F(MachineChange, ARunningMachineIsLeftAlone) {
    const QByteArray before = test::get(file("config.json"));
    test::OtherProcess holder({QStringLiteral("hold"), file("config.json")});
    ASSERT_EQ(holder.word(), "held");
    EXPECT_EQ(change({.cpuCount = 5}).error().kind, Error::Kind::AlreadyRunning);
    EXPECT_EQ(test::get(file("config.json")), before);
    EXPECT_EQ(changeMachine(m_library, name("none"), {}).error().kind, Error::Kind::NotFound);
}

TEST_F(MachineChange, ASuspendedMachineTakesOnlyRefit) {
    test::put(file("state.qemu"), "x");
    EXPECT_TRUE(change({.refit = Refit::On}));
    const auto changed = change({.randomMac = true});
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(QFile::exists(file("state.qemu")));
}

TEST_F(MachineChange, AHalfWrittenConfigIsRestoredFirst) {
    MachineConfig wanted = config();
    wanted.cpuCount = 3;
    test::put(file("config.json"), "{\"version\":1,");
    test::put(file("config.json.new"), wanted.toJson());
    ASSERT_TRUE(change({.memory = ByteCount::fromMiB(512)}));
    EXPECT_EQ(config().cpuCount, 3);
    EXPECT_EQ(config().memory, ByteCount::fromMiB(512));
}

TEST_F(MachineChange, LimitsOfTheSpecification) {
    const MachineConfig linuxConfig;
    for (const int count : {0, -1, 5000})
        EXPECT_FALSE(validate({.cpuCount = count}, linuxConfig)) << count;
    EXPECT_TRUE(validate({.cpuCount = 1}, linuxConfig));
    EXPECT_FALSE(validate({.cpuCount = 3}, macConfig()));
    EXPECT_TRUE(validate({.cpuCount = 4}, macConfig()));
    EXPECT_FALSE(validate({.memory = ByteCount()}, linuxConfig));
    EXPECT_FALSE(validate({.memory = ByteCount::fromBytes(64000001)}, linuxConfig));
    EXPECT_FALSE(validate({.memory = ByteCount::fromMiB(1ULL << 31)}, linuxConfig));
    EXPECT_TRUE(validate({.memory = ByteCount::fromMiB(64)}, linuxConfig));
    EXPECT_FALSE(validate({.memory = ByteCount::fromMiB(4095)}, macConfig()));
    EXPECT_FALSE(validate({.display = DisplaySize{0, 5, {}}}, linuxConfig));
    EXPECT_FALSE(validate({.macAddress = MacAddress::fromText(u"01:00:5e:00:00:01")}, linuxConfig));
    EXPECT_FALSE(validate({.macAddress = MacAddress()}, linuxConfig));
    EXPECT_FALSE(
        validate({.randomMac = true, .macAddress = MacAddress::fromText(u"02:00:00:00:00:01")},
                 linuxConfig));
    EXPECT_FALSE(validate({.randomSerial = true}, linuxConfig));
    EXPECT_FALSE(validate({.randomSerial = true}, macConfig())) << "of an unknown form";
    MachineConfig asif;
    asif.diskFormat = DiskFormat::Asif;
    EXPECT_EQ(validate({.diskSize = ByteCount::fromGB(20)}, asif).error().kind,
              Error::Kind::Unsupported);
}

TEST_F(MachineChange, WaitingChangesAreAppliedAtTheEnd) {
    MachineChanges changes;
    changes.cpuCount = 8;
    changes.memory = ByteCount::fromMiB(1024);
    changes.display = DisplaySize{800, 600, DisplaySize::Unit::Unset};
    changes.refit = Refit::Off;
    changes.randomMac = true;
    changes.diskSize = ByteCount::fromGB(2);
    const auto pending = toPending(config(), ByteCount::fromBytes(1000000), changes);
    EXPECT_EQ(pending.size(), 6);
    ASSERT_TRUE(Sidecar::update(m_directory, [&](Sidecar& s) { s.pending = pending; }));
    auto lock = ConfigFile::tryLock(file("config.json"));
    const auto dropped = applyPending(*lock, m_directory);
    ASSERT_TRUE(dropped) << dropped.error().message.toStdString();
    EXPECT_TRUE(dropped->isEmpty());
    const MachineConfig now = *MachineConfig::fromJson(*lock->read());
    EXPECT_EQ(now.cpuCount, 8);
    EXPECT_EQ(now.memory, ByteCount::fromMiB(1024));
    EXPECT_EQ(now.display.width, 800);
    EXPECT_EQ(now.refit, Refit::Off);
    EXPECT_EQ(now.macAddress.toText(), pending[4].newValue.toString());
    EXPECT_EQ(fileSize(file("disk.img"))->logical, ByteCount::fromGB(2));
    EXPECT_TRUE(Sidecar::read(m_directory)->pending.isEmpty());
    EXPECT_TRUE(applyPending(*lock, m_directory)->isEmpty());
}

TEST_F(MachineChange, AWaitingChangeIsDroppedWithAWordWhenTheFileChangedMeanwhile) {
    const auto pending =
        toPending(config(), {}, {.cpuCount = 8, .memory = ByteCount::fromMiB(512)});
    ASSERT_TRUE(Sidecar::update(m_directory, [&](Sidecar& s) { s.pending = pending; }));
    ASSERT_TRUE(change({.cpuCount = 3}));
    auto lock = ConfigFile::tryLock(file("config.json"));
    const auto dropped = applyPending(*lock, m_directory);
    ASSERT_TRUE(dropped);
    ASSERT_EQ(dropped->size(), 1);
    EXPECT_TRUE(dropped->first().contains(QStringLiteral("number of CPUs")));
    EXPECT_EQ(MachineConfig::fromJson(*lock->read())->cpuCount, 3);
    EXPECT_EQ(MachineConfig::fromJson(*lock->read())->memory, ByteCount::fromMiB(512));
}

TEST_F(MachineChange, SenselessWaitingChangesAreDroppedAndHarmNothing) {
    const MachineConfig before = config();
    const QList<PendingChange> pending{
        {QStringLiteral("cpuCount"), 2, -5},
        {QStringLiteral("cpuCount"), 2, QStringLiteral("many")},
        {QStringLiteral("memorySize"), qint64(before.memory.bytes()), 1e300},
        {QStringLiteral("display"), before.display.toText(), QStringLiteral("0x0")},
        {QStringLiteral("displayRefit"), QJsonValue(QJsonValue::Null), 5},
        {QStringLiteral("macAddress"), before.macAddress.toText(), QStringLiteral("ff")},
        {QStringLiteral("diskSize"), 1000000, 5},
        {QStringLiteral("ecid"), QString(), QStringLiteral("abc")},
        {QStringLiteral("later"), 1, 2}};
    ASSERT_TRUE(Sidecar::update(m_directory, [&](Sidecar& s) { s.pending = pending; }));
    auto lock = ConfigFile::tryLock(file("config.json"));
    const auto dropped = applyPending(*lock, m_directory);
    ASSERT_TRUE(dropped);
    EXPECT_EQ(dropped->size(), pending.size());
    EXPECT_EQ(*MachineConfig::fromJson(*lock->read()), before);
    EXPECT_EQ(fileSize(file("disk.img"))->logical.bytes(), 1000000U);
    EXPECT_TRUE(Sidecar::read(m_directory)->pending.isEmpty());
}

TEST_F(MachineChange, AChangeThatWasAppliedBeforeAKillIsNotReported) {
    const auto pending = toPending(config(), {}, {.cpuCount = 8});
    ASSERT_TRUE(Sidecar::update(m_directory, [&](Sidecar& s) { s.pending = pending; }));
    ASSERT_TRUE(change({.cpuCount = 8}));
    auto lock = ConfigFile::tryLock(file("config.json"));
    EXPECT_TRUE(applyPending(*lock, m_directory)->isEmpty());
    EXPECT_TRUE(Sidecar::read(m_directory)->pending.isEmpty());
}

TEST_F(MachineChange, AWaitingChangeIsTakenBackAlsoWhileItIsSuspended) {
    const auto pending =
        toPending(config(), {}, {.cpuCount = 8, .memory = ByteCount::fromMiB(512)});
    ASSERT_TRUE(Sidecar::update(m_directory, [&](Sidecar& s) { s.pending = pending; }));
    test::put(file("state.qemu"), "x");
    const auto refused = change({.cpuCount = 6});
    ASSERT_FALSE(refused);
    EXPECT_EQ(Sidecar::read(m_directory)->pending.size(), 2);
    const auto taken = change({.cpuCount = config().cpuCount});
    ASSERT_TRUE(taken) << qPrintable(taken.error().message);
    const QList<PendingChange> left = Sidecar::read(m_directory)->pending;
    ASSERT_EQ(left.size(), 1);
    EXPECT_EQ(left.first().key, QLatin1String("memorySize"));
}

TEST_F(MachineChange, WaitingChangesOfASuspendedMachineGoOnWaiting) {
    const auto pending = toPending(config(), {}, {.cpuCount = 8});
    ASSERT_TRUE(Sidecar::update(m_directory, [&](Sidecar& s) { s.pending = pending; }));
    test::put(file("state.qemu"), "x");
    auto lock = ConfigFile::tryLock(file("config.json"));
    EXPECT_TRUE(applyPending(*lock, m_directory)->isEmpty());
    EXPECT_EQ(Sidecar::read(m_directory)->pending, pending);
}

TEST_F(MachineChange, ALaterChangeTakesThePlaceOfAnEarlierOne) {
    const MachineConfig now = config();
    auto waiting = mergePending({}, toPending(now, {}, {.cpuCount = 8, .refit = Refit::On}));
    waiting = mergePending(waiting, toPending(now, {}, {.cpuCount = 4}));
    ASSERT_EQ(waiting.size(), 2);
    EXPECT_EQ(waiting.last().newValue.toInt(), 4);
    waiting = mergePending(waiting, toPending(now, {}, {.cpuCount = now.cpuCount}));
    ASSERT_EQ(waiting.size(), 1);
    EXPECT_EQ(waiting.first().key, QStringLiteral("displayRefit"));
}

} // namespace
} // namespace vitrine
