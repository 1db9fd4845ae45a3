// SPDX-License-Identifier: Apache-2.0
#include "core/library/saved_state.h"

#include "core/disk/file_descriptor.h"
#include "tests/core/library/library_fixture.h"
#include "tests/support/loop_device.h"

#include <QDateTime>
#include <QFileInfo>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

class SavedStateTest : public LibraryTest {
protected:
    SavedStateTest()
        : m_directory(addMachine(QStringLiteral("m"))) {
        saved.emulator = QStringLiteral("7.2.22");
        saved.machineType = QStringLiteral("pc-q35-7.2");
        saved.accelerator = QStringLiteral("tcg");
        saved.processor = QStringLiteral("max");
        saved.nat = QLatin1String(natOfSoftnet);
        saved.devices = {QStringLiteral("virtio-vga,id=display"),
                         QStringLiteral("virtio-net-pci,id=network")};
        saved.files = *fingerprintFiles(
            m_directory, {m_directory + QStringLiteral("/disk.img"), QStringLiteral("nvram.bin")});
        saved.run.pointer = false;
    }
    // The reason, for a change of one thing.
    QString reasonWith(const std::function<void(StateFingerprint&)>& change) const {
        StateFingerprint now = saved;
        change(now);
        return misfit(saved, now).value_or(QString());
    }
    QString m_directory;
    StateFingerprint saved;
};

} // namespace

TEST_F(SavedStateTest, IsTheSameAfterWritingAndReading) {
    ASSERT_TRUE(saved.write(m_directory));
    const auto again = StateFingerprint::read(m_directory);
    ASSERT_TRUE(again) << qPrintable(again.error().message);
    EXPECT_EQ(*again, saved);
    EXPECT_EQ(saved.files.first().path, QStringLiteral("disk.img")) << "the machine may be renamed";
}

TEST_F(SavedStateTest, OneThatDoesNotTellItsNatHadQemus) {
    saved.nat.clear();
    ASSERT_TRUE(saved.write(m_directory));
    EXPECT_EQ(StateFingerprint::read(m_directory)->nat, QLatin1String(natOfQemu));
    saved.run.network.mode = NetworkMode::HostOnly;
    ASSERT_TRUE(saved.write(m_directory));
    EXPECT_EQ(StateFingerprint::read(m_directory)->nat, QString());
}

TEST_F(SavedStateTest, FitsTheMachineItWasTakenFromAndNoOther) {
    EXPECT_EQ(reasonWith([](StateFingerprint&) {}), QString());
    EXPECT_TRUE(reasonWith([](StateFingerprint& now) {
                    now.machineType = QStringLiteral("pc-q35-8.0");
                }).contains(QLatin1String("pc-q35-8.0")));
    EXPECT_FALSE(reasonWith([](StateFingerprint& now) {
                     now.accelerator = QStringLiteral("kvm");
                 }).isEmpty());
    EXPECT_FALSE(reasonWith([](StateFingerprint& now) {
                     now.processor = QStringLiteral("host");
                 }).isEmpty());
    EXPECT_TRUE(reasonWith([](StateFingerprint& now) {
                    now.devices.removeLast();
                }).contains(QLatin1String("virtio-net-pci")));
    EXPECT_TRUE(reasonWith([](StateFingerprint& now) {
                    now.devices << QStringLiteral("virtio-rng-pci,id=rng");
                }).contains(QLatin1String("virtio-rng-pci")))
        << "QEMU itself does not notice a device too many";
    EXPECT_TRUE(reasonWith([](StateFingerprint& now) {
                    now.files.first().modified += 1;
                }).contains(QLatin1String("disk.img")));
    EXPECT_FALSE(reasonWith([](StateFingerprint& now) { now.files.first().size += 1; }).isEmpty());
    EXPECT_FALSE(reasonWith([](StateFingerprint& now) { now.files.removeLast(); }).isEmpty());
    EXPECT_FALSE(reasonWith([](StateFingerprint& now) {
                     now.files.append({QStringLiteral("/other.img"), 1, 1});
                 }).isEmpty());
}

TEST_F(SavedStateTest, ANewerEmulatorMayGoOnAndAnOlderMayNot) {
    EXPECT_EQ(reasonWith([](StateFingerprint& now) { now.emulator = QStringLiteral("7.2.23"); }),
              QString());
    EXPECT_TRUE(reasonWith([](StateFingerprint& now) {
                    now.emulator = QStringLiteral("7.2.9");
                }).contains(QLatin1String("7.2.9")));
}

TEST_F(SavedStateTest, ACopyGetsAFingerprintOfItsOwnFiles) {
    ASSERT_TRUE(saved.write(m_directory));
    const QString copy = addMachine(QStringLiteral("copy"));
    ASSERT_TRUE(renewFingerprint(m_directory, copy));
    const auto renewed = StateFingerprint::read(copy);
    ASSERT_TRUE(renewed);
    StateFingerprint now = saved;
    now.files = *fingerprintFiles(copy, {QStringLiteral("disk.img"), QStringLiteral("nvram.bin")});
    EXPECT_FALSE(misfit(*renewed, now));
}

TEST_F(SavedStateTest, ACopyOfADiskThatWasWrittenDoesNotFitEither) {
    ASSERT_TRUE(saved.write(m_directory));
    QFile disk(m_directory + QStringLiteral("/disk.img"));
    ASSERT_TRUE(disk.open(QIODevice::ReadWrite));
    ASSERT_TRUE(
        disk.setFileTime(QDateTime(QDate(2020, 1, 1), QTime()), QFileDevice::FileModificationTime));
    disk.close();
    const QString copy = addMachine(QStringLiteral("copy"));
    ASSERT_TRUE(renewFingerprint(m_directory, copy));
    StateFingerprint now = saved;
    now.files = *fingerprintFiles(copy, {QStringLiteral("disk.img"), QStringLiteral("nvram.bin")});
    EXPECT_TRUE(misfit(*StateFingerprint::read(copy), now));
}

TEST_F(SavedStateTest, OfADeviceItsIdentitySizeAndWritesCountAndNotItsTime) {
    const auto device = [](const char* identity, quint64 size, const char* writes) {
        return StateFingerprint::File{
            QStringLiteral("/dev/sdx"), size, 0, QLatin1String(identity), QLatin1String(writes)};
    };
    saved.files.append(device("serial 1", 1000, "boot-a 7 40"));
    ASSERT_TRUE(saved.write(m_directory));
    EXPECT_EQ(*StateFingerprint::read(m_directory), saved);
    const auto reasonFor = [&](const StateFingerprint::File& now) {
        return reasonWith([&now](StateFingerprint& changed) { changed.files.last() = now; });
    };
    EXPECT_EQ(reasonFor(device("serial 1", 1000, "boot-a 7 40")), QString());
    EXPECT_TRUE(
        reasonFor(device("serial 2", 1000, "boot-a 7 40")).contains(QLatin1String("/dev/sdx")));
    EXPECT_FALSE(reasonFor(device("serial 1", 1001, "boot-a 7 40")).isEmpty());
    EXPECT_TRUE(
        reasonFor(device("serial 1", 1000, "boot-a 7 48")).contains(QLatin1String("written")));
    EXPECT_EQ(reasonFor(device("serial 1", 1000, "boot-b 3 0")), QString())
        << "the counter starts anew with this computer";
    EXPECT_EQ(reasonFor(device("serial 1", 1000, "boot-a 9 0")), QString())
        << "and when it is plugged in again";
}

TEST_F(SavedStateTest, ADeviceThatWasOpenedFitsAndOneThatWasWrittenDoesNot_NeedsRoot) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "Making a loop device needs root.";
    const QString image = m_directory + QStringLiteral("/device.img");
    put(image, QByteArray(4 << 20, '\0'));
    const LoopDevice loop(image);
    ASSERT_FALSE(loop.path().isEmpty()) << qPrintable(loop.problem());
    const auto now = [&] {
        StateFingerprint fingerprint = saved;
        fingerprint.files = *fingerprintFiles(m_directory, {loop.path()});
        return fingerprint;
    };
    const StateFingerprint before = now();
    EXPECT_EQ(before.files.first().size, 4U << 20);
    EXPECT_TRUE(before.files.first().identity.contains(image));
    // As QEMU and the check before each start open it; the time of its file changes by that.
    {
        const FileDescriptor opened(
            ::open(QFile::encodeName(loop.path()).constData(), O_RDWR | O_EXCL | O_CLOEXEC));
        ASSERT_TRUE(opened.isValid());
    }
    ASSERT_EQ(::utimensat(AT_FDCWD, QFile::encodeName(loop.path()).constData(), nullptr, 0), 0);
    EXPECT_EQ(misfit(before, now()).value_or(QString()), QString());
    {
        const FileDescriptor opened(
            ::open(QFile::encodeName(loop.path()).constData(), O_WRONLY | O_CLOEXEC));
        ASSERT_EQ(::pwrite(opened.get(), "guest", 5, 4096), 5);
        ASSERT_EQ(::fsync(opened.get()), 0);
    }
    EXPECT_TRUE(misfit(before, now()).value_or(QString()).contains(loop.path()));
}

TEST_F(SavedStateTest, DiscardingRemovesEveryFileOfIt) {
    for (const char* name :
         {"state.qemu", "state.qemu.used", "state.qemu.part", "state.qemu.json", "state.vzvmsave"})
        put(m_directory + QLatin1Char('/') + QLatin1String(name), "x");
    ASSERT_TRUE(discardSavedState(m_directory));
    EXPECT_EQ(QDir(m_directory).entryList({QStringLiteral("state.*")}, QDir::Files), QStringList());
    EXPECT_TRUE(QFileInfo::exists(m_directory + QStringLiteral("/disk.img")));
}

TEST_F(SavedStateTest, SharesAndForwardsOfOneRunGoOnAndThoseChangedMeanwhileCount) {
    const ShareSpec typed{QString(), QStringLiteral("/typed"), true, QStringLiteral("typed")};
    const ShareSpec kept{QString(), QStringLiteral("/kept"), false, QStringLiteral("kept")};
    const ShareSpec gone{QString(), QStringLiteral("/gone"), false, QStringLiteral("gone")};
    const ShareSpec fresh{QString(), QStringLiteral("/new"), false, QStringLiteral("new")};
    saved.run.shares = {typed, kept, gone};
    saved.run.forwards = {{8080, 80}, {0, 443}};
    saved.run.clipboard = false;
    saved.stored.shares = {kept, gone};
    saved.stored.forwards = {{0, 443}};
    RunOptions stored;
    stored.shares = {kept, fresh};
    stored.nested = true;
    const RunOptions options = optionsToGoOnWith(saved, stored);
    EXPECT_EQ(options.shares, (QList<ShareSpec>{typed, kept, fresh}));
    EXPECT_EQ(options.forwards, (QList<PortForward>{{8080, 80}}));
    EXPECT_FALSE(options.clipboard) << "it was off in that run and nobody switched it on";
    EXPECT_FALSE(options.nested) << "part of the guest";
    EXPECT_FALSE(options.pointer);
    // Rules that were changed while it is suspended count, the others are those of that run.
    saved.run.network = {NetworkMode::Softnet, {}, QStringLiteral("10.0.0.0/8"), {}, {}};
    saved.stored.network = {NetworkMode::Softnet, {}, {}, {}, {}};
    stored.network = {NetworkMode::Softnet, {}, {}, QStringLiteral("8.8.8.8/32"), {}};
    const NetworkOptions rules = optionsToGoOnWith(saved, stored).network;
    EXPECT_EQ(rules.allow, QStringLiteral("10.0.0.0/8"));
    EXPECT_EQ(rules.block, QStringLiteral("8.8.8.8/32"));
    stored.network.mode = NetworkMode::Nat;
    EXPECT_EQ(optionsToGoOnWith(saved, stored).network, saved.run.network);
    // Two of one name do not go together: then the stored ones.
    stored.shares = {{QString(), QStringLiteral("/other"), false, QStringLiteral("typed")}};
    EXPECT_EQ(optionsToGoOnWith(saved, stored).shares, stored.shares);
}
