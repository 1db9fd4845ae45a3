// SPDX-License-Identifier: Apache-2.0
// One guest, booted once from a kernel, with extra disks. The last tests end it.
#include "core/machine/sidecar.h"
#include "running_guest.h"
#include "support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

std::unique_ptr<RunningGuest> guest;

QString makeDisk(const QString& path, const QByteArray& head) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(head);
    file.resize(64 << 20);
    return path;
}

qint64 allocated(const QString& path) {
    struct stat status {};
    EXPECT_EQ(::stat(QFile::encodeName(path).constData(), &status), 0);
    return status.st_blocks * 512;
}

class KernelGuest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        RunningGuest::Setup setup;
        setup.byKernel = true;
        setup.change = [](RunOptions& options, const QString& folder) {
            options.rootDisk.caching = Caching::Uncached;
            ExtraDisk writable;
            writable.path = makeDisk(folder + QStringLiteral("/a, \"b\".img"), "written here");
            writable.options.synchronisation = Synchronisation::None;
            ExtraDisk readOnly;
            readOnly.path = makeDisk(folder + QStringLiteral("/c.img"), "read only");
            readOnly.options.readOnly = true;
            options.disks = {writable, readOnly};
            options.forwards = {PortForward{0, 7}};
        };
        guest = std::make_unique<RunningGuest>(setup);
        guest->start();
        m_ready = guest->waitUntilReady();
    }
    static void TearDownTestSuite() { guest.reset(); }
    void SetUp() override { ASSERT_TRUE(m_ready) << "the guest did not become ready"; }

    static inline bool m_ready = false;
};

} // namespace

TEST_F(KernelGuest, BecomesReadyWithoutFirmware) {
    RecordProperty("seconds_to_ready", std::to_string(guest->secondsToReady()));
    EXPECT_EQ(guest->shell(QStringLiteral("[ -d /sys/firmware/efi ] || echo none")),
              QLatin1String("none"));
    EXPECT_EQ(Sidecar::read(guest->machineDirectory())->efivars, QString());
}

TEST_F(KernelGuest, SeesItsExtraDisksInOrder) {
    EXPECT_EQ(guest->shell(QStringLiteral("head -c12 /dev/vdb")), QLatin1String("written here"));
    EXPECT_EQ(guest->shell(QStringLiteral("head -c9 /dev/vdc")), QLatin1String("read only"));
    EXPECT_EQ(guest->shell(QStringLiteral("cat /sys/block/vdb/ro /sys/block/vdc/ro | tr -d '\\n'")),
              QLatin1String("01"));
}

TEST_F(KernelGuest, WritesReachTheFileOfTheDisk) {
    EXPECT_EQ(
        guest->shell(QStringLiteral(
            "printf changed | dd of=/dev/vdb conv=fsync 2>/dev/null; sync; head -c7 /dev/vdb")),
        QLatin1String("changed"));
    QFile file(guest->folder() + QStringLiteral("/a, \"b\".img"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.read(7), "changed");
}

TEST_F(KernelGuest, UncachedMeansWithoutThePageCache) {
    // The flags of QEMU's descriptor, octal.
    const qint64 pid = guest->qemuProcessId();
    ASSERT_GT(pid, 0);
    const QString disk = guest->machineDirectory() + QStringLiteral("/disk.img");
    bool direct = false;
    for (int descriptor = 3; descriptor < 200; ++descriptor) {
        if (QFile::symLinkTarget(QStringLiteral("/proc/%1/fd/%2").arg(pid).arg(descriptor)) != disk)
            continue;
        QFile info(QStringLiteral("/proc/%1/fdinfo/%2").arg(pid).arg(descriptor));
        ASSERT_TRUE(info.open(QIODevice::ReadOnly));
        const QByteArray text = info.readAll();
        const QByteArray flags =
            text.mid(text.indexOf("flags:") + 6).simplified().split(' ').first();
        direct = direct || (flags.toLongLong(nullptr, 8) & O_DIRECT) != 0;
    }
    EXPECT_TRUE(direct);
}

TEST_F(KernelGuest, ForwardsTheStoredPort) {
    const auto answer = guest->call("forward.list");
    ASSERT_TRUE(answer);
    EXPECT_TRUE(QString::fromUtf8(QJsonDocument(answer->toObject()).toJson())
                    .contains(QLatin1String("\"guestPort\": 7")));
}

TEST_F(KernelGuest, IsTrimmedSoThatTheFileShrinks) {
    // Written, then given back: the space of the file on this computer follows.
    const QString disk = guest->folder() + QStringLiteral("/a, \"b\".img");
    EXPECT_EQ(guest->shell(QStringLiteral("dd if=/dev/urandom of=/dev/vdb bs=1M seek=8 count=16 "
                                          "conv=fsync 2>/dev/null && echo done")),
              QLatin1String("done"));
    const qint64 full = allocated(disk);
    EXPECT_EQ(
        guest->shell(QStringLiteral("blkdiscard -o 8388608 -l 16777216 /dev/vdb && echo done")),
        QLatin1String("done"));
    EXPECT_LT(allocated(disk), full - (12 << 20));
}

TEST_F(KernelGuest, DiesWithQemuAndSaysSo) {
    const qint64 pid = guest->qemuProcessId();
    ASSERT_GT(pid, 0);
    ASSERT_EQ(vitrine::test::sendSignal(static_cast<pid_t>(pid), SIGKILL), 0);
    EXPECT_EQ(guest->waitUntilEnded(), 1) << qPrintable(guest->said());
    EXPECT_FALSE(guest->said().isEmpty());
    EXPECT_EQ(guest->library().stateOf(guest->machineDirectory()), MachineState::Stopped);
}
