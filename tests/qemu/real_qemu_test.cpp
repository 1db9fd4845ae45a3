// SPDX-License-Identifier: Apache-2.0
// The command line and the test guest against the QEMU that is installed. No guest system boots.
#include "qemu/accelerator_probe.h"
#include "qemu/launch_planner.h"

#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalSocket>
#include <QProcess>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::qemu;

namespace {

// QEMU with its processors stopped, worked over QMP.
class StoppedQemu final {
public:
    explicit StoppedQemu(LaunchPlan plan) {
        m_process.setWorkingDirectory(m_runtime.path());
        if (plan.usesSoftnet()) { // the other end stays here, without a helper
            EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, m_wire), 0);
            plan.softnetSocket = m_wire[0];
        }
        m_process.start(plan.emulator, commandLine(plan) << QStringLiteral("-S"));
        m_process.waitForStarted();
        const QDeadlineTimer deadline(20000);
        while (m_socket.state() != QLocalSocket::ConnectedState && !deadline.hasExpired() &&
               !m_process.waitForFinished(20)) // the pause between two tries
            m_socket.connectToServer(m_runtime.filePath(QLatin1String(qmpSocketName)));
        if (m_socket.state() == QLocalSocket::ConnectedState) {
            // The greeting comes from a thread of its own before the devices are made; the first
            // command is answered only after that.
            readLine();
            m_answers = execute("qmp_capabilities").contains(QStringLiteral("return"));
        }
    }
    ~StoppedQemu() {
        m_process.kill();
        m_process.waitForFinished();
        for (const int end : m_wire)
            ::close(end);
    }

    [[nodiscard]] bool answers() const { return m_answers; }
    bool waitForEnd() { return m_process.waitForFinished(20000); }
    [[nodiscard]] std::string errors() { return m_process.readAllStandardError().toStdString(); }

    QJsonObject execute(const char* command, const QJsonObject& arguments = {}) {
        m_socket.write(
            QJsonDocument(QJsonObject{{QStringLiteral("execute"), QLatin1String(command)},
                                      {QStringLiteral("arguments"), arguments}})
                .toJson(QJsonDocument::Compact) +
            '\n');
        while (true) {
            const QJsonObject reply = readLine();
            if (reply.isEmpty() || !reply.contains(QStringLiteral("event")))
                return reply;
        }
    }
    // Exit code after "quit".
    int quit() {
        execute("quit");
        return waitForEnd() ? m_process.exitCode() : -1;
    }

private:
    QJsonObject readLine() {
        const QDeadlineTimer deadline(20000);
        while (!m_socket.canReadLine() && !deadline.hasExpired() &&
               m_socket.waitForReadyRead(20000))
            ;
        return QJsonDocument::fromJson(m_socket.readLine()).object();
    }

    QTemporaryDir m_runtime;
    QProcess m_process;
    QLocalSocket m_socket;
    bool m_answers = false;
    int m_wire[2] = {-1, -1};
};

class RealQemu : public testing::TestWithParam<Architecture> {
protected:
    void SetUp() override {
        m_machine.name = QStringLiteral("real");
        m_machine.directory = m_folder.path();
        MachineConfig config;
        config.architecture = GetParam();
        config.cpuCount = 2;
        config.memory = ByteCount::fromMiB(256);
        config.macAddress = *MacAddress::fromText(u"7e:11:22:33:44:55");
        m_machine.config = config;
        makeDisk("disk.img");
        m_options.accelerator = AcceleratorChoice::Automatic;
        m_paths.cacheFile = m_folder.filePath(QStringLiteral("cache.json"));
    }
    QString makeDisk(const QString& name) {
        QFile disk(m_folder.filePath(name));
        EXPECT_TRUE(disk.open(QIODevice::WriteOnly));
        EXPECT_TRUE(disk.resize(1 << 20));
        return disk.fileName();
    }
    QString makeDisk(const char* name) { return makeDisk(QLatin1String(name)); }
    LaunchPlan plan() {
        const auto planned = planLaunch(m_machine, m_options, m_paths);
        EXPECT_TRUE(planned) << (planned ? "" : qPrintable(planned.error().message));
        return planned.value_or(LaunchPlan{});
    }

    QTemporaryDir m_folder;
    ProgramPaths m_paths;
    MachineInfo m_machine;
    RunOptions m_options;
};

} // namespace

TEST_P(RealQemu, AcceptsAMachineWithFirmware) {
    StoppedQemu qemu(plan());
    ASSERT_TRUE(qemu.answers()) << qemu.errors();
    EXPECT_EQ(qemu.quit(), 0);
    EXPECT_EQ(qemu.errors(), "");
}

TEST_P(RealQemu, AcceptsAMachineWithAKernelAndDisks) {
    // The head of an x86 kernel (boot protocol 2.06); arm64 looks at nothing.
    QFile kernel(makeDisk("kernel"));
    ASSERT_TRUE(kernel.open(QIODevice::ReadWrite));
    kernel.seek(0x1f1);
    kernel.putChar(4);
    kernel.seek(0x202);
    kernel.write("HdrS\x06\x02");
    kernel.seek(0x22c);
    kernel.write("\xff\xff\xff\x37");
    kernel.close();
    KernelBoot boot;
    boot.kernel = kernel.fileName();
    boot.initrd = makeDisk("initrd");
    boot.commandLine = QStringLiteral("root=LABEL=root, quiet");
    m_options.kernel = boot;
    ExtraDisk disk;
    disk.path = makeDisk("data.img");
    m_options.disks = {disk};
    StoppedQemu qemu(plan());
    ASSERT_TRUE(qemu.answers()) << qemu.errors();
}

TEST_P(RealQemu, AcceptsEveryOptionAtOnce) {
    m_options.rootDisk.readOnly = true;
    for (int i = 0; i < maximumExtraDisks; ++i) {
        ExtraDisk disk;
        disk.path = makeDisk(QStringLiteral("data, %1 \"=\" é.img").arg(i));
        disk.options.caching = static_cast<Caching>(i % 3);
        disk.options.synchronisation = static_cast<Synchronisation>(i / 3 % 3);
        disk.options.readOnly = i % 2 == 0;
        m_options.disks << disk;
    }
    m_options.pointer = false;
    m_options.keyboard = false;
    StoppedQemu qemu(plan());
    ASSERT_TRUE(qemu.answers()) << qemu.errors();
    EXPECT_EQ(qemu.execute("query-block").value(QStringLiteral("return")).toArray().size(),
              maximumExtraDisks + 1 + 2)
        << "and the two of the firmware";
}

TEST_P(RealQemu, HasEveryPairOfCachingAndSynchronisationOnBothNodes) {
    QList<DiskOptions> wanted;
    for (const Caching caching : {Caching::Automatic, Caching::Cached, Caching::Uncached}) {
        for (const Synchronisation synchronisation :
             {Synchronisation::None, Synchronisation::Fsync, Synchronisation::Full}) {
            DiskOptions options;
            options.caching = caching;
            options.synchronisation = synchronisation;
            wanted << options;
        }
    }
    m_options.rootDisk = wanted.first();
    for (qsizetype i = 1; i < wanted.size(); ++i) {
        m_options.disks << ExtraDisk{makeDisk(QStringLiteral("data%1.img").arg(i)), wanted.at(i)};
    }
    StoppedQemu qemu(plan());
    ASSERT_TRUE(qemu.answers()) << qemu.errors();
    const auto arrayOf = [&qemu](const char* command, const QJsonObject& arguments = {}) {
        return qemu.execute(command, arguments).value(QStringLiteral("return")).toArray();
    };
    const auto cacheOf = [](const QJsonObject& node) {
        return node.value(QStringLiteral("cache")).toObject();
    };
    const QJsonArray devices = arrayOf("query-block");
    const QJsonArray nodes = arrayOf("query-named-block-nodes", {{QStringLiteral("flat"), true}});
    for (qsizetype i = 0; i < wanted.size(); ++i) {
        const DiskOptions& options = wanted.at(i);
        SCOPED_TRACE(options.toText().toStdString());
        const bool direct = options.caching == Caching::Uncached;
        const bool ignoresFlushes = options.synchronisation == Synchronisation::None;
        int seen = 0;
        QString file;
        const auto expectCache = [&](const QJsonObject& node) {
            ++seen;
            EXPECT_EQ(cacheOf(node).value(QStringLiteral("direct")), QJsonValue(direct));
            EXPECT_EQ(cacheOf(node).value(QStringLiteral("no-flush")), QJsonValue(ignoresFlushes));
        };
        for (const QJsonValue& device : devices) {
            const QJsonObject inserted =
                device.toObject().value(QStringLiteral("inserted")).toObject();
            if (inserted.value(QStringLiteral("node-name")).toString() != diskNode(i)) {
                continue;
            }
            expectCache(inserted);
            // The guest is told of a cache that can be flushed, whatever becomes of the flush.
            EXPECT_EQ(cacheOf(inserted).value(QStringLiteral("writeback")), QJsonValue(true));
            file = inserted.value(QStringLiteral("file")).toString();
        }
        EXPECT_EQ(seen, 1) << "in query-block";
        // The node of the format and the one of the file below it.
        for (const QJsonValue& node : nodes) {
            if (node.toObject().value(QStringLiteral("file")).toString() == file) {
                expectCache(node.toObject());
            }
        }
        EXPECT_EQ(seen, 3);
    }
}

TEST_P(RealQemu, TakesDevicesOnEverySpareRootPort) {
    StoppedQemu qemu(plan());
    ASSERT_TRUE(qemu.answers()) << qemu.errors();
    for (int port = 0; port < spareRootPorts; ++port) {
        const QJsonObject reply =
            qemu.execute("device_add",
                         {{QStringLiteral("driver"), QStringLiteral("virtio-rng-pci")},
                          {QStringLiteral("id"), QStringLiteral("added%1").arg(port)},
                          {QStringLiteral("bus"), QStringLiteral("rp%1").arg(port)}});
        EXPECT_TRUE(reply.contains(QStringLiteral("return")))
            << QJsonDocument(reply).toJson().toStdString();
    }
}

TEST_P(RealQemu, RefusesADiskThatAnotherMachineWrites) {
    const LaunchPlan first = plan();
    StoppedQemu one(first);
    ASSERT_TRUE(one.answers()) << one.errors();
    StoppedQemu two(first);
    EXPECT_FALSE(two.answers());
    EXPECT_TRUE(two.waitForEnd());
    EXPECT_NE(two.errors().find("lock"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Guests,
                         RealQemu,
                         testing::Values(Architecture::Amd64, Architecture::Arm64),
                         [](const auto& guest) { return toText(guest.param).toStdString(); });

TEST(RealAccelerator, GivesAVerdictWithinTwoSeconds) {
    const QTemporaryDir folder;
    ProgramPaths paths;
    paths.cacheFile = folder.filePath(QStringLiteral("cache.json"));
    QElapsedTimer clock;
    clock.start();
    const AcceleratorVerdict verdict = acceleratorVerdict(paths);
    EXPECT_LT(clock.elapsed(), 2500) << "two seconds and what a busy computer adds";
    RecordProperty("verdict", verdict.usable() ? "KVM" : verdict.reason().toStdString());
    clock.restart();
    EXPECT_EQ(acceleratorVerdict(paths), verdict);
    EXPECT_LT(clock.elapsed(), 100) << "from the cache";
}

// Under emulation everything works, so the test guest must come to its end.
TEST(RealAccelerator, TheTestGuestComesToItsEndUnderEmulation) {
    QTemporaryDir folder;
    QFile rom(folder.filePath(QStringLiteral("rom")));
    ASSERT_TRUE(rom.open(QIODevice::WriteOnly));
    rom.write(probeRom());
    rom.close();
    const bool arm = hostArchitecture() == Architecture::Arm64;
    QStringList arguments{QStringLiteral("-accel"),
                          QStringLiteral("tcg"),
                          QStringLiteral("-m"),
                          QStringLiteral("64"),
                          QStringLiteral("-nodefaults"),
                          QStringLiteral("-no-reboot"),
                          QStringLiteral("-display"),
                          QStringLiteral("none"),
                          QStringLiteral("-bios"),
                          rom.fileName()};
    arguments += arm ? QStringList{QStringLiteral("-machine"),
                                   QStringLiteral("virt"),
                                   QStringLiteral("-cpu"),
                                   QStringLiteral("max"),
                                   QStringLiteral("-serial"),
                                   QStringLiteral("stdio")}
                     : QStringList{QStringLiteral("-machine"),
                                   QStringLiteral("q35"),
                                   QStringLiteral("-device"),
                                   QStringLiteral("isa-debug-exit,iobase=0xf4,iosize=4"),
                                   QStringLiteral("-debugcon"),
                                   QStringLiteral("stdio")};
    const ProgramPaths paths;
    const BriefRun run = runBriefly(paths.find(emulatorName(hostArchitecture())), arguments, 20000);
    EXPECT_EQ(run.exitCode, arm ? 0 : 33) << run.errors.toStdString();
    EXPECT_EQ(run.output.toStdString(), arm ? "VMFCU" : "RPLFCU");
}
