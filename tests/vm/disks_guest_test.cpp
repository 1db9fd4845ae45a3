// SPDX-License-Identifier: Apache-2.0
// One guest, booted once from a kernel, with a disk of each kind, viewers and a host-only network.
// The last test ends it.
#include "core/disk/file_lock.h"
#include "core/machine/sidecar.h"
#include "running_guest.h"
#include "support/archive_maker.h"
#include "support/event_wait.h"
#include "support/http_stub.h"
#include "support/loop_device.h"
#include "support/nbd_server.h"
#include "vm/vnc_password.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTcpServer>
#include <QTcpSocket>
#include <QtEndian>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

std::unique_ptr<RunningGuest> guest;
std::unique_ptr<QProcess> nbdServer;
std::unique_ptr<NbdServer> plainServer;     // /dev/vde
std::unique_ptr<NbdServer> encryptedServer; // /dev/vdf
std::unique_ptr<LoopDevice> device;         // /dev/vdg, as root
std::unique_ptr<HttpStub> server;           // of an archive
QByteArray archiveBytes;

QString makeDisk(const QString& path, const QByteArray& head, qint64 size = 64 << 20) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(head);
    EXPECT_TRUE(file.resize(size));
    return path;
}

QByteArray headOf(const QString& path, qint64 size) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.read(size) : QByteArray();
}

// A real server of the network block device protocol on a local socket.
QString serveNetworkDisk(const QString& folder) {
    const QString socket = folder + QStringLiteral("/nbd.sock");
    nbdServer = std::make_unique<QProcess>();
    nbdServer->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    nbdServer->start(QStringLiteral("nbdkit"),
                     {QStringLiteral("-f"),
                      QStringLiteral("-U"),
                      socket,
                      QStringLiteral("file"),
                      makeDisk(folder + QStringLiteral("/served.img"), "served here")});
    EXPECT_TRUE(nbdServer->waitForStarted()) << "nbdkit is missing";
    EXPECT_TRUE(waitUntil([&] { return QFile::exists(socket); }, 10000));
    return QStringLiteral("nbd+unix:///?socket=") + socket;
}

QString plainAddress() {
    return QStringLiteral("nbd://127.0.0.1:%1/").arg(plainServer->port());
}

// What QEMU says of a password: 0 is good, 1 is not; nullopt when it hung up before.
std::optional<quint32> logIn(quint16 port, const QByteArray& password) {
    QTcpSocket socket;
    socket.connectToHost(QHostAddress(QHostAddress::LocalHost), port);
    const auto take = [&socket](qint64 size) {
        waitUntil([&] { return socket.bytesAvailable() >= size; }, 10000);
        return socket.read(size);
    };
    if (take(12) != "RFB 003.008\n")
        return std::nullopt;
    socket.write("RFB 003.008\n");
    if (take(2) != QByteArray("\x01\x02", 2))
        return std::nullopt;
    socket.write("\x02", 1);
    const QByteArray challenge = take(16);
    if (challenge.size() != 16)
        return std::nullopt;
    socket.write(vncAnswer(challenge, password));
    const QByteArray result = take(4);
    return result.size() == 4 ? std::optional(qFromBigEndian<quint32>(result.constData()))
                              : std::nullopt;
}

class DisksGuest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        RunningGuest::Setup setup;
        setup.byKernel = true;
        setup.change = [](RunOptions& options, const QString& folder) {
            ExtraDisk file{makeDisk(folder + QStringLiteral("/fast.img"), "fast"), {}};
            file.options.caching = Caching::Uncached;
            file.options.synchronisation = Synchronisation::None;
            const ExtraDisk cd{makeDisk(folder + QStringLiteral("/installer.iso"), "a cd"), {}};
            const ExtraDisk image{QStringLiteral("registry.test/images/data:v1"), {}};
            const ExtraDisk network{serveNetworkDisk(folder), {}};
            const QString certificates = folder + QStringLiteral("/certificates");
            NbdServer::makeCertificates(certificates);
            plainServer = std::make_unique<NbdServer>(
                makeDisk(folder + QStringLiteral("/plain.img"), "by its port"));
            encryptedServer = std::make_unique<NbdServer>(
                makeDisk(folder + QStringLiteral("/encrypted.img"), "secretly"), certificates);
            const ExtraDisk encrypted{QStringLiteral("nbds://127.0.0.1:%1/?tls-certificates=%2")
                                          .arg(encryptedServer->port())
                                          .arg(certificates),
                                      {}};
            options.disks = {file, cd, image, network, {plainAddress(), {}}, encrypted};
            if (::geteuid() == 0) {
                device = std::make_unique<LoopDevice>(
                    makeDisk(folder + QStringLiteral("/device.img"), "a device"));
                options.disks.append({device->path(), {}});
            }
            options.rootDisk.caching = Caching::Cached;
            options.rootDisk.synchronisation = Synchronisation::Fsync;
            options.network.mode = NetworkMode::HostOnly;
            options.serial = {SerialLine::Kind::NewTerminal, {}};
            options.vncServer = true;
        };
        guest = std::make_unique<RunningGuest>(setup);
        m_image = guest->library().imagesPath() +
                  QStringLiteral("/registry.test/images/data/sha256:") +
                  QString(64, QLatin1Char('a'));
        ASSERT_TRUE(QDir().mkpath(m_image));
        for (const char* name : {"config.json", "nvram.bin"})
            QFile::copy(guest->machineDirectory() + QLatin1Char('/') + QLatin1String(name),
                        m_image + QLatin1Char('/') + QLatin1String(name));
        makeDisk(m_image + QStringLiteral("/disk.img"), "an image");
        ASSERT_TRUE(QFile::link(m_image, QFileInfo(m_image).path() + QStringLiteral("/v1")));
        guest->start();
        m_ready = guest->waitUntilReady();
    }
    static void TearDownTestSuite() {
        guest.reset();
        if (nbdServer) {
            nbdServer->kill();
            nbdServer->waitForFinished();
        }
        nbdServer.reset();
        plainServer.reset();
        encryptedServer.reset();
        device.reset();
        server.reset();
    }
    void SetUp() override { ASSERT_TRUE(m_ready) << "the guest did not become ready"; }

    static QJsonObject disk(int index) {
        const auto answer = guest->call("disk.list");
        EXPECT_TRUE(answer) << (answer ? "" : answer.error().message.toStdString());
        if (!answer)
            return {};
        return answer->toObject().value(QStringLiteral("disks")).toArray().at(index).toObject();
    }
    // Into the first bytes of the plain server's disk; what became of it is in /tmp/written.
    static void beginToWrite(const char* word) {
        guest->shell(QStringLiteral("rm -f /tmp/written; setsid sh -c 'printf %1 | dd of=/dev/vde "
                                    "conv=fsync,notrunc && echo yes > /tmp/written || echo no > "
                                    "/tmp/written' > /dev/null 2>&1 < /dev/null &")
                         .arg(QLatin1String(word)));
    }
    static QStringList copies() {
        return QDir(guest->library().temporaryPath())
            .entryList({QStringLiteral("run-disk-*")}, QDir::Files);
    }

    static inline bool m_ready = false;
    static inline QString m_image;
    static inline QByteArray m_password; // of the viewers, in the first run
};

} // namespace

TEST_F(DisksGuest, QemuHasTheOptionsOfEachDisk) {
    EXPECT_EQ(disk(0).value(QStringLiteral("noFlush")).toBool(true), false);
    EXPECT_EQ(disk(0).value(QStringLiteral("direct")).toBool(true), false);
    EXPECT_TRUE(disk(1).value(QStringLiteral("noFlush")).toBool());
    EXPECT_TRUE(disk(1).value(QStringLiteral("direct")).toBool());
    EXPECT_FALSE(disk(1).value(QStringLiteral("readOnly")).toBool());
    EXPECT_TRUE(disk(2).value(QStringLiteral("readOnly")).toBool());
    EXPECT_TRUE(
        disk(3).value(QStringLiteral("file")).toString().contains(QLatin1String("/tmp/run-disk-")));
    EXPECT_TRUE(
        disk(4).value(QStringLiteral("file")).toString().startsWith(QLatin1String("nbd+unix:")));
}

TEST_F(DisksGuest, TheGuestSeesAnIsoAsACd) {
    EXPECT_EQ(
        guest->shell(QStringLiteral("modprobe virtio_scsi; modprobe sr_mod; head -c4 /dev/sr0")),
        QLatin1String("a cd"));
}

TEST_F(DisksGuest, ACachedImageIsWrittenInACopyOnly) {
    EXPECT_EQ(guest->shell(QStringLiteral("head -c8 /dev/vdc")), QLatin1String("an image"));
    EXPECT_EQ(
        guest->shell(QStringLiteral(
            "printf CHANGED | dd of=/dev/vdc conv=fsync,notrunc 2>/dev/null; head -c7 /dev/vdc")),
        QLatin1String("CHANGED"));
    EXPECT_EQ(headOf(m_image + QStringLiteral("/disk.img"), 8), "an image");
    ASSERT_EQ(copies().size(), 1);
    const QString copy = guest->library().temporaryPath() + QLatin1Char('/') + copies().first();
    EXPECT_EQ(headOf(copy, 7), "CHANGED");
    EXPECT_TRUE(DirectoryLock::isHeld(copy)) << "anybody may collect it";
    struct stat status {};
    ASSERT_EQ(::stat(QFile::encodeName(copy).constData(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(DisksGuest, ANetworkDiskIsReadAndWrittenThroughItsServer) {
    EXPECT_EQ(guest->shell(QStringLiteral("head -c11 /dev/vdd")), QLatin1String("served here"));
    EXPECT_EQ(guest->shell(QStringLiteral(
                  "printf WRITTEN | dd of=/dev/vdd conv=fsync,notrunc 2>/dev/null; echo done")),
              QLatin1String("done"));
    EXPECT_EQ(headOf(guest->folder() + QStringLiteral("/served.img"), 7), "WRITTEN");
}

TEST_F(DisksGuest, ANetworkDiskIsAlsoReachedByPortAndEncrypted) {
    EXPECT_EQ(guest->shell(QStringLiteral("head -c11 /dev/vde")), QLatin1String("by its port"));
    EXPECT_EQ(guest->shell(QStringLiteral("head -c8 /dev/vdf")), QLatin1String("secretly"));
    EXPECT_EQ(guest->shell(QStringLiteral(
                  "for d in vde vdf; do printf WRITTEN | dd of=/dev/$d conv=fsync,notrunc "
                  "2>/dev/null; done; echo done")),
              QLatin1String("done"));
    EXPECT_EQ(headOf(guest->folder() + QStringLiteral("/plain.img"), 7), "WRITTEN");
    EXPECT_EQ(headOf(guest->folder() + QStringLiteral("/encrypted.img"), 7), "WRITTEN");
}

TEST_F(DisksGuest, ABlockDeviceIsReadAndWritten_NeedsRoot) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "only root can make a block device";
    ASSERT_FALSE(device->path().isEmpty()) << qPrintable(device->problem());
    EXPECT_EQ(disk(7).value(QStringLiteral("file")).toString(), device->path());
    EXPECT_EQ(guest->shell(QStringLiteral("head -c8 /dev/vdg")), QLatin1String("a device"));
    EXPECT_EQ(guest->shell(QStringLiteral(
                  "printf WRITTEN | dd of=/dev/vdg conv=fsync,notrunc 2>/dev/null; echo done")),
              QLatin1String("done"));
    EXPECT_EQ(headOf(guest->folder() + QStringLiteral("/device.img"), 7), "WRITTEN");
    EXPECT_TRUE(DirectoryLock::isHeld(device->path()));
}

TEST_F(DisksGuest, AWriteWaitsForAServerThatComesBack) {
    plainServer->kill();
    beginToWrite("PATIENT");
    EXPECT_EQ(guest->shell(QStringLiteral("cat /tmp/written || echo waits")),
              QLatin1String("waits"));
    EXPECT_EQ(guest->status().state, MachineState::Running);
    plainServer->start();
    EXPECT_TRUE(
        guest->waitUntilShellPrints(QStringLiteral("cat /tmp/written"), QStringLiteral("yes")));
    EXPECT_EQ(headOf(guest->folder() + QStringLiteral("/plain.img"), 7), "PATIENT");
    EXPECT_FALSE(guest->said().contains(plainAddress())) << guest->said().toStdString();
}

// Half a minute: so long it may be away.
TEST_F(DisksGuest, AServerThatStaysAwayIsToldToTheGuestAndToPeople) {
    plainServer->kill();
    beginToWrite("LOST...");
    EXPECT_TRUE(
        guest->waitUntilShellPrints(QStringLiteral("cat /tmp/written"), QStringLiteral("no")));
    EXPECT_EQ(guest->status().state, MachineState::Running);
    EXPECT_TRUE(waitUntil([] { return guest->said().contains(plainAddress()); }))
        << guest->said().toStdString();
    EXPECT_TRUE(waitUntil([] {
        return QJsonDocument(Sidecar::read(guest->machineDirectory())->events)
            .toJson()
            .contains(plainAddress().toUtf8());
    }));
    plainServer->start();
    EXPECT_TRUE(guest->waitUntilShellPrints(
        QStringLiteral(
            "printf AGAIN | dd of=/dev/vde conv=fsync,notrunc 2>/dev/null && echo written"),
        QStringLiteral("written")));
    EXPECT_EQ(headOf(guest->folder() + QStringLiteral("/plain.img"), 5), "AGAIN");
}

TEST_F(DisksGuest, AWrittenFileIsLockedAgainstOthers) {
    EXPECT_TRUE(DirectoryLock::isHeld(guest->folder() + QStringLiteral("/fast.img")));
    EXPECT_FALSE(DirectoryLock::isHeld(guest->folder() + QStringLiteral("/installer.iso")));
}

TEST_F(DisksGuest, HostOnlyLetsNothingOutAndForwardsIn) {
    QTcpServer server;
    ASSERT_TRUE(server.listen(QHostAddress::LocalHost));
    EXPECT_EQ(
        guest->shell(QStringLiteral("nc -w 3 10.0.2.2 %1 < /dev/null && echo out || echo kept")
                         .arg(server.serverPort())),
        QLatin1String("kept"));
    ASSERT_NE(guest->status().sshPort, 0);
    QTcpSocket socket;
    socket.connectToHost(QHostAddress(QHostAddress::LocalHost), guest->status().sshPort);
    EXPECT_TRUE(waitUntil([&] { return socket.bytesAvailable() > 4; }, 30000));
    EXPECT_TRUE(socket.readAll().startsWith("SSH-"));
}

TEST_F(DisksGuest, ForwardsComeAndGoWhileItRuns) {
    const auto added = guest->vitrinectl({QStringLiteral("forward"),
                                          QStringLiteral("guest"),
                                          QStringLiteral("add"),
                                          QStringLiteral("22")});
    ASSERT_EQ(added.exitCode, 0) << added.errors.toStdString();
    const QString port = added.output.section(QLatin1Char(':'), -1);
    const auto list = [] {
        return guest
            ->vitrinectl(
                {QStringLiteral("forward"), QStringLiteral("guest"), QStringLiteral("list")})
            .output;
    };
    EXPECT_TRUE(list().contains(added.output)) << list().toStdString();
    EXPECT_EQ(guest
                  ->vitrinectl({QStringLiteral("forward"),
                                QStringLiteral("guest"),
                                QStringLiteral("remove"),
                                port})
                  .exitCode,
              0);
    EXPECT_FALSE(list().contains(added.output));
}

TEST_F(DisksGuest, ViewersGetAPasswordAndALoopbackPort) {
    const auto answer = guest->call("viewers");
    ASSERT_TRUE(answer);
    const QJsonObject vnc = answer->toObject().value(QStringLiteral("vnc")).toObject();
    const QString url = vnc.value(QStringLiteral("url")).toString();
    EXPECT_TRUE(guest->said().contains(url)) << guest->said().toStdString();
    EXPECT_EQ(vnc.value(QStringLiteral("password")).toString().size(), 8);
    QTcpSocket socket;
    socket.connectToHost(QHostAddress(QHostAddress::LocalHost),
                         static_cast<quint16>(vnc.value(QStringLiteral("port")).toInt()));
    ASSERT_TRUE(waitUntil([&] { return socket.bytesAvailable() >= 12; }, 10000));
    EXPECT_EQ(socket.read(12), "RFB 003.008\n");
    socket.write("RFB 003.008\n");
    ASSERT_TRUE(waitUntil([&] { return socket.bytesAvailable() >= 2; }, 10000));
    // One kind of security, the password; never "none".
    EXPECT_EQ(socket.readAll(), QByteArray("\x01\x02"));
}

TEST_F(DisksGuest, ViewersGetInOnlyWithThePassword) {
    const auto answer = guest->call("viewers");
    ASSERT_TRUE(answer);
    const QJsonObject vnc = answer->toObject().value(QStringLiteral("vnc")).toObject();
    const auto port = static_cast<quint16>(vnc.value(QStringLiteral("port")).toInt());
    const QByteArray password = vnc.value(QStringLiteral("password")).toString().toLatin1();
    ASSERT_EQ(password.size(), 8);
    EXPECT_EQ(logIn(port, password), quint32{0});
    EXPECT_EQ(logIn(port, password.left(7) + (password.back() == 'x' ? 'y' : 'x')), quint32{1});
    EXPECT_EQ(logIn(port, QByteArray(8, '\0')), quint32{1});
    m_password = password;
    // Nobody outside this computer is even heard.
    const QString hexPort = QString::number(port, 16).toUpper().rightJustified(4, QLatin1Char('0'));
    QStringList listening;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        QFile file(QString::fromLatin1(table));
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        for (const QByteArray& line : file.readAll().split('\n')) {
            const QStringList fields = QString::fromLatin1(line).simplified().split(u' ');
            if (fields.value(3) == QLatin1String("0A") &&
                fields.value(1).endsWith(QLatin1Char(':') + hexPort))
                listening << fields.value(1);
        }
    }
    EXPECT_EQ(listening, QStringList{QStringLiteral("0100007F:") + hexPort});
}

TEST_F(DisksGuest, TheSerialLineHasATerminalWhoseNameIsTold) {
    const auto answer = guest->call("viewers");
    ASSERT_TRUE(answer);
    const QString terminal = answer->toObject().value(QStringLiteral("serial")).toString();
    EXPECT_TRUE(terminal.startsWith(QLatin1String("/dev/pts/"))) << terminal.toStdString();
    EXPECT_TRUE(guest->said().contains(terminal));
    EXPECT_TRUE(guest->serialLog().contains("VITRINE-GUEST-READY")) << "the log goes on";
    // Lines go both ways.
    const int line =
        ::open(QFile::encodeName(terminal).constData(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    ASSERT_GE(line, 0);
    termios settings{};
    ASSERT_EQ(::tcgetattr(line, &settings), 0);
    ::cfmakeraw(&settings);
    ASSERT_EQ(::tcsetattr(line, TCSANOW, &settings), 0);
    QByteArray seen;
    const auto sees = [&](const char* text) {
        return waitUntil(
            [&] {
                char buffer[4096];
                const ssize_t n = ::read(line, buffer, sizeof(buffer));
                if (n > 0)
                    seen.append(buffer, n);
                return seen.contains(text);
            },
            30000);
    };
    guest->shell(QStringLiteral("echo greeting-$((40+2)) > /dev/ttyS0"));
    EXPECT_TRUE(sees("greeting-42")) << seen.constData();
    ASSERT_EQ(::write(line, "\r", 1), 1);
    EXPECT_TRUE(sees("login:")) << seen.constData();
    ::close(line);
}

TEST_F(DisksGuest, ACopyOfAnImageForbidsSuspending) {
    const auto refused = guest->call("suspend");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(refused.error().message.contains(QLatin1String("cached image")))
        << qPrintable(refused.error().message);
    EXPECT_EQ(guest->status().state, MachineState::Running);
}

TEST_F(DisksGuest, TheGuestHasASoundCard) {
    EXPECT_EQ(guest->shell(QStringLiteral(
                  "modprobe snd_hda_intel; cat /sys/bus/pci/devices/0000:00:09.0/class")),
              QLatin1String("0x040300"));
}

TEST_F(DisksGuest, ADiskThatGrowsIsSeenAtOnceAndFilledByTheGuestsFileSystem) {
    const auto kilobytes = [] {
        return guest->shell(QStringLiteral("df -P / | tail -n 1 | tr -s ' ' | cut -d' ' -f2"))
            .toLongLong();
    };
    const qint64 before = kilobytes();
    ASSERT_GT(before, 0);
    const auto grown = guest->vitrinectl({QStringLiteral("set"),
                                          QStringLiteral("guest"),
                                          QStringLiteral("--disk-size"),
                                          QStringLiteral("4")},
                                         180000);
    ASSERT_EQ(grown.exitCode, 0) << grown.errors.toStdString();
    EXPECT_TRUE(grown.errors.contains(QLatin1String("fills the disk")))
        << grown.errors.toStdString();
    EXPECT_EQ(guest->shell(QStringLiteral("cat /sys/block/vda/size")), QLatin1String("7812500"));
    EXPECT_EQ(QFile(guest->machineDirectory() + QStringLiteral("/disk.img")).size(), 4000000000);
    EXPECT_GT(kilobytes(), before + 1500000);
    EXPECT_TRUE(guest->status().pending.isEmpty());
    // The window, which does not read what the command prints, has it as an event.
    EXPECT_TRUE(waitUntil([] {
        return QJsonDocument(Sidecar::read(guest->machineDirectory())->events)
            .toJson()
            .contains("fills the disk");
    }));
    const auto shrunk = guest->vitrinectl({QStringLiteral("set"),
                                           QStringLiteral("guest"),
                                           QStringLiteral("--disk-size"),
                                           QStringLiteral("3")});
    EXPECT_NE(shrunk.exitCode, 0);
    EXPECT_EQ(QFile(guest->machineDirectory() + QStringLiteral("/disk.img")).size(), 4000000000);
}

TEST_F(DisksGuest, AForcedEndWaitsForNoLostServerAndTheCopyGoesWithTheRun) {
    plainServer->kill();
    beginToWrite("NEVER");
    ASSERT_TRUE(guest->call("forceOff"));
    EXPECT_EQ(guest->waitUntilEnded(), 0);
    plainServer->start();
    EXPECT_TRUE(copies().isEmpty());
    EXPECT_EQ(headOf(m_image + QStringLiteral("/disk.img"), 8), "an image");
}

TEST_F(DisksGuest, AnArchiveThatCannotBeFetchedIsAClearErrorAndNothingStarts) {
    const HttpStub server(
        [](const StubRequest&, StubConnection& connection) { connection.answer(404, {}, {}); });
    const auto ran =
        guest->vitrinectl({QStringLiteral("run"),
                           QStringLiteral("guest"),
                           QStringLiteral("--no-graphics"),
                           QStringLiteral("--dir"),
                           QStringLiteral("http://%1/missing.tar.gz").arg(server.host())});
    EXPECT_EQ(ran.exitCode, 1);
    EXPECT_TRUE(ran.errors.contains(QLatin1String("missing.tar.gz"))) << ran.errors.toStdString();
    EXPECT_TRUE(ran.errors.contains(QLatin1String("404")));
    EXPECT_TRUE(QDir(guest->library().temporaryPath()).isEmpty());
}

TEST_F(DisksGuest, AServerThatNobodyVouchesForIsRefused) {
    const QString address = QStringLiteral("nbds://127.0.0.1:%1/").arg(encryptedServer->port());
    const auto ran = guest->vitrinectl({QStringLiteral("run"),
                                        QStringLiteral("guest"),
                                        QStringLiteral("--no-graphics"),
                                        QStringLiteral("--disk"),
                                        address});
    EXPECT_EQ(ran.exitCode, 1);
    EXPECT_TRUE(ran.errors.contains(address)) << ran.errors.toStdString();
    EXPECT_TRUE(ran.errors.contains(QLatin1String("certificate"))) << ran.errors.toStdString();
}

// A second start: the disk grew while the machine was off, and an archive is shared.
TEST_F(DisksGuest, ADiskThatGrewWhileItWasOffIsFinishedAtTheNextStart) {
    ArchiveMaker maker;
    maker.folder("bin").file("bin/tool", "#!/bin/sh\necho works\n", 0755);
    maker.symlink("link", "bin/tool");
    archiveBytes = maker.bytes();
    server = std::make_unique<HttpStub>([](const StubRequest&, StubConnection& connection) {
        connection.answer(200, {}, archiveBytes);
    });
    ASSERT_EQ(
        guest
            ->vitrinectl({QStringLiteral("set"),
                          QStringLiteral("guest"),
                          QStringLiteral("--disk-size"),
                          QStringLiteral("5"),
                          QStringLiteral("--net-nat"),
                          QStringLiteral("--dir"),
                          QStringLiteral("http://%1/tools.tar.gz:tag=tools").arg(server->host())})
            .exitCode,
        0);
    ASSERT_TRUE(Sidecar::read(guest->machineDirectory())->growPartition);
    guest->start();
    ASSERT_TRUE(guest->waitUntilReady());
    EXPECT_TRUE(waitUntil([] { return !Sidecar::read(guest->machineDirectory())->growPartition; },
                          longWait));
    EXPECT_GT(guest->shell(QStringLiteral("df -P / | tail -n 1 | tr -s ' ' | cut -d' ' -f2"))
                  .toLongLong(),
              4300000);
    EXPECT_TRUE(guest->said().contains(QLatin1String("fills the disk")));
}

TEST_F(DisksGuest, AnArchiveIsSharedAsAFolderAndGoesWithTheRun) {
    EXPECT_TRUE(guest->waitUntilShellPrints(QStringLiteral("sh /mnt/vitrine/tools/link"),
                                            QStringLiteral("works")))
        << guest->said().toStdString();
    EXPECT_TRUE(guest->said().contains(QLatin1String("/tools.tar.gz")))
        << guest->said().toStdString();
    // As root the files are root's, whom no guest may be; else they are the user's.
    const QString written = guest->shell(
        QStringLiteral("setpriv --reuid 1000 --regid 1000 --init-groups sh -c 'echo x > "
                       "/mnt/vitrine/tools/new' 2>/dev/null && echo written || echo refused"));
    EXPECT_EQ(written, ::geteuid() == 0 ? QStringLiteral("refused") : QStringLiteral("written"));
    const QStringList made = QDir(guest->library().temporaryPath())
                                 .entryList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::Hidden);
    EXPECT_EQ(made.size(), 1);
    // Another run has another password.
    const auto viewers = guest->call("viewers");
    ASSERT_TRUE(viewers);
    const QString password = (*viewers)[QLatin1String("vnc")][QLatin1String("password")].toString();
    EXPECT_EQ(password.size(), 8);
    EXPECT_NE(password.toLatin1(), m_password);
    ASSERT_TRUE(guest->call("forceOff"));
    EXPECT_EQ(guest->waitUntilEnded(), 0);
    EXPECT_TRUE(QDir(guest->library().temporaryPath()).isEmpty()) << "it is left";
    EXPECT_FALSE(guest->said().contains(QLatin1String("unexpectedly"))) << "its share ends with it";
    EXPECT_EQ(Sidecar::read(guest->machineDirectory())->run.shares.first().path,
              QStringLiteral("http://%1/tools.tar.gz").arg(server->host()));
}
