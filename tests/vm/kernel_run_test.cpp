// SPDX-License-Identifier: Apache-2.0
// `vitrinectl kernel run` with the sample guest's kernel and this computer's root file system.
#include "core/machine/machine_config.h"
#include "support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <csignal>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

constexpr int patience = 120000; // ms

QDir guestOf(Architecture architecture) {
    return QDir(qEnvironmentVariable("VITRINE_SAMPLE_GUEST") + QLatin1Char('/') +
                toText(architecture));
}

class KernelRunProcess : public testing::Test {
protected:
    struct Run {
        int code = -1;
        QByteArray output;
        QByteArray errors;
    };

    static QStringList kernel(Architecture architecture = Architecture::Amd64) {
        const QDir guest = guestOf(architecture);
        return {QStringLiteral("kernel"),
                QStringLiteral("run"),
                QStringLiteral("-k"),
                guest.filePath(QStringLiteral("boot/vmlinux")),
                QStringLiteral("--modules"),
                guest.filePath(QStringLiteral("modules")),
                QStringLiteral("--accelerator"),
                QStringLiteral("tcg"),
                QStringLiteral("--memory"),
                QStringLiteral("384")};
    }
    void start(QProcess& process, const QStringList& arguments) {
        process.setWorkingDirectory(m_folder.path());
        process.start(QStringLiteral(VITRINE_BIN_DIR "/vitrinectl"), arguments);
    }
    Run run(const QStringList& arguments) {
        QProcess process;
        start(process, arguments);
        EXPECT_TRUE(process.waitForFinished(patience));
        return {
            process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    QString write(const QString& name, const QByteArray& bytes) {
        const QString path = m_folder.filePath(name);
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write(bytes);
        return path;
    }
    QByteArray read(const QString& name) {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir m_folder{QDir::tempPath() + QStringLiteral("/vitrine-kernel-XXXXXX")};
    void SetUp() override {
        // The guest's user is another one where root runs this.
        ASSERT_EQ(::chmod(QFile::encodeName(m_folder.path()).constData(), 0755), 0);
    }
};

QList<qint64> childrenOf(qint64 process) {
    QFile file(QStringLiteral("/proc/%1/task/%1/children").arg(process));
    QList<qint64> all;
    if (file.open(QIODevice::ReadOnly)) {
        for (const QByteArray& word : file.readAll().simplified().split(' ')) {
            if (const qint64 child = word.toLongLong(); child > 0) {
                all.append(child);
                all.append(childrenOf(child));
            }
        }
    }
    return all;
}

bool isAlive(qint64 process) {
    QFile file(QStringLiteral("/proc/%1/stat").arg(process));
    if (!file.open(QIODevice::ReadOnly)) {
        return false;
    }
    const QByteArray text = file.readAll();
    return text.mid(text.lastIndexOf(')') + 2, 1) != "Z";
}

} // namespace

TEST_F(KernelRunProcess, WorksFromAFolderThatIsClosedToOthers) {
    const QString closed = m_folder.filePath(QStringLiteral("closed"));
    ASSERT_TRUE(QDir().mkpath(closed));
    for (const char* file : {"vitrinectl", "vitrine-shares", "vitrine-shares-open.so"})
        ASSERT_TRUE(QFile::copy(QStringLiteral(VITRINE_BIN_DIR "/") + QLatin1String(file),
                                closed + QLatin1Char('/') + QLatin1String(file)));
    ASSERT_EQ(::chmod(QFile::encodeName(closed).constData(), 0700), 0);
    QProcess process;
    process.setWorkingDirectory(m_folder.path());
    process.start(closed + QStringLiteral("/vitrinectl"),
                  kernel() + QStringList{QStringLiteral("--share"),
                                         QStringLiteral("virtiofs"),
                                         QStringLiteral("echo here")});
    ASSERT_TRUE(process.waitForFinished(patience));
    EXPECT_EQ(process.exitCode(), 0) << process.readAllStandardError().constData();
    EXPECT_EQ(process.readAllStandardOutput(), QByteArray("here\n"));
}

TEST_F(KernelRunProcess, TheSuiteBootToCommandIsMeasuredOverBoth) {
    const QString library = m_folder.filePath(QStringLiteral("library"));
    qputenv("VITRINE_HOME", library.toUtf8());
    const QDir guest = guestOf(Architecture::Amd64);
    const Run measured = run({QStringLiteral("bench"),
                              QStringLiteral("run"),
                              QStringLiteral("--suite"),
                              QStringLiteral("boot-to-command"),
                              QStringLiteral("--rounds"),
                              QStringLiteral("1"),
                              QStringLiteral("--kernel"),
                              guest.filePath(QStringLiteral("boot/vmlinux")),
                              QStringLiteral("--modules"),
                              guest.filePath(QStringLiteral("modules"))});
    EXPECT_EQ(measured.code, 0) << measured.errors.constData();
    const Run shown = run({QStringLiteral("bench"),
                           QStringLiteral("show"),
                           QString::fromUtf8(measured.output.trimmed()),
                           QStringLiteral("--format"),
                           QStringLiteral("json")});
    qunsetenv("VITRINE_HOME");
    const QJsonArray runs = QJsonDocument::fromJson(shown.output)[QLatin1String("runs")].toArray();
    ASSERT_EQ(runs.size(), 2) << shown.errors.constData();
    QStringList executors;
    for (const QJsonValue& one : runs) {
        executors.append(one[QLatin1String("executor")].toString());
        EXPECT_GT(one[QLatin1String("elapsed_s")].toDouble(), 0.1)
            << one[QLatin1String("failure")].toString().toStdString();
    }
    executors.sort();
    EXPECT_EQ(executors,
              QStringList({QStringLiteral("kernel:9p"), QStringLiteral("kernel:virtiofs")}));
}

TEST_F(KernelRunProcess, OutputIsByteExactTheExitCodeComesBackAndThisComputerIsUnchanged) {
    for (const char* share : {"virtiofs", "9p"}) {
        write(QStringLiteral("mine"), "before\n");
        const Run result = run(
            kernel() +
            QStringList{QStringLiteral("--share"),
                        QString::fromLatin1(share),
                        QStringLiteral("pwd; cat mine; echo after > mine && cat mine; "
                                       "printf 'a\\000b\\377\\r\\n'; echo wrong >&2; "
                                       "echo again > /dev/stderr; head -c 300000 /dev/zero; "
                                       "touch /here && rm /etc/hostname; sleep 1000 & exit 7")});
        EXPECT_EQ(result.code, 7) << share << result.errors.constData();
        const QByteArray expected = QFile::encodeName(m_folder.path()) + "\nbefore\nafter\n" +
                                    QByteArray("a\0b\377\r\n", 6) + QByteArray(300000, '\0');
        EXPECT_TRUE(result.output == expected) << share << result.output.left(200).constData();
        EXPECT_TRUE(result.errors.endsWith("wrong\nagain\n")) << result.errors.constData();
        EXPECT_TRUE(result.errors.contains("read-only"));
        EXPECT_EQ(read(QStringLiteral("mine")), "before\n");
        EXPECT_FALSE(QFile::exists(QStringLiteral("/here")));
        EXPECT_TRUE(QFile::exists(QStringLiteral("/etc/hostname")));
    }
}

TEST_F(KernelRunProcess, ARootOfItsOwnForArm64IsWrittenOnlyIfThatIsAskedFor) {
    const QString root = m_folder.filePath(QStringLiteral("root"));
    for (const char* name : {"bin", "proc", "sys", "dev", "run", "tmp", "data"}) {
        ASSERT_TRUE(QDir().mkpath(root + QLatin1Char('/') + QLatin1String(name)));
    }
    const QString busybox = root + QStringLiteral("/bin/busybox");
    ASSERT_TRUE(QFile::copy(guestOf(Architecture::Arm64).filePath(QStringLiteral("boot/busybox")),
                            busybox));
    ASSERT_TRUE(QFile::link(QStringLiteral("busybox"), root + QStringLiteral("/bin/sh")));
    QStringList arguments =
        kernel(Architecture::Arm64) + QStringList{QStringLiteral("-r"),
                                                  root,
                                                  QStringLiteral("-a"),
                                                  QStringLiteral("arm64"),
                                                  QStringLiteral("--kernel-args"),
                                                  QStringLiteral("vitrine.test=1")};
    if (::geteuid() == 0) {
        // Nobody writes as root.
        const Run refused = run(
            arguments + QStringList{QStringLiteral("--rw"), QStringLiteral("echo x > /data/file")});
        EXPECT_EQ(refused.code, 125);
        EXPECT_TRUE(refused.errors.contains("root"));
    } else {
        arguments.append(QStringLiteral("--rw"));
    }
    const Run result =
        run(arguments + QStringList{QStringLiteral(
                            "busybox uname -m; busybox cat /proc/cmdline; echo x > /data/file; "
                            "nothing-like-this")});
    EXPECT_EQ(result.code, 127) << result.errors.constData();
    EXPECT_TRUE(result.output.startsWith("aarch64\n"));
    EXPECT_TRUE(result.output.contains("vitrine.test=1"));
    EXPECT_EQ(read(QStringLiteral("root/data/file")), ::geteuid() == 0 ? "" : "x\n");
}

TEST_F(KernelRunProcess, AListTellsEachTargetsEndAndOneThatFailsMakesItFail) {
    const QDir guest = guestOf(Architecture::Amd64);
    const QByteArray common =
        "kernel = \"" + QFile::encodeName(guest.filePath(QStringLiteral("boot/vmlinux"))) +
        "\"\nmodules = \"" + QFile::encodeName(guest.filePath(QStringLiteral("modules"))) +
        "\"\nmemory = 384\n";
    ASSERT_TRUE(QDir().mkpath(m_folder.filePath(QStringLiteral("data"))));
    write(QStringLiteral("data/file"), "content\n");
    const QString list = write(
        QStringLiteral("list.toml"),
        "[[target]]\nname = \"mounted\"\ncommand = \"cat /mnt/there/file; ! echo x > "
        "/mnt/there/file\"\nmounts = [\"data:/mnt/there:ro\"]\n" +
            common + "[[target]]\nname = \"too long\"\ncommand = \"sleep 100\"\ntimeout = 3\n" +
            common +
            "[[target]]\nname = \"panic\"\ncommand = \"echo begun; echo c > "
            "/proc/sysrq-trigger; sleep 100\"\n" +
            common);
    const Run result = run({QStringLiteral("kernel"),
                            QStringLiteral("run"),
                            QStringLiteral("--config"),
                            list,
                            QStringLiteral("--format"),
                            QStringLiteral("json")});
    EXPECT_EQ(result.code, 1) << result.errors.constData();
    const QJsonArray ends = QJsonDocument::fromJson(result.output).array();
    ASSERT_EQ(ends.size(), 3) << result.errors.constData();
    const auto text = [&](int index, const char* key) {
        return ends.at(index).toObject().value(QLatin1String(key)).toString();
    };
    EXPECT_EQ(text(0, "State"), QStringLiteral("passed")) << text(0, "Reason").toStdString();
    EXPECT_EQ(text(0, "Output"), QStringLiteral("content\n"));
    EXPECT_GT(ends.at(0).toObject().value(QLatin1String("Seconds")).toDouble(), 0);
    EXPECT_EQ(text(1, "State"), QStringLiteral("error"));
    EXPECT_TRUE(text(1, "Reason").contains(QStringLiteral("time limit")));
    EXPECT_EQ(text(2, "State"), QStringLiteral("error"));
    EXPECT_EQ(text(2, "Output"), QStringLiteral("begun\n"));
    EXPECT_TRUE(text(2, "Reason").contains(QStringLiteral("Kernel panic")))
        << text(2, "Reason").toStdString();
}

TEST_F(KernelRunProcess, NothingStaysWhenItIsKilledAndCtrlCEndsIt) {
    for (const int signal : {SIGKILL, SIGINT}) {
        QProcess process;
        start(process, kernel() + QStringList{QStringLiteral("echo here; sleep 1000")});
        ASSERT_TRUE(process.waitForStarted());
        ASSERT_TRUE(
            waitUntil([&] { return process.readAllStandardOutput() == "here\n"; }, patience));
        const QList<qint64> all = childrenOf(process.processId());
        EXPECT_GE(all.size(), 2); // QEMU, and the folders' server or its helper
        vitrine::test::sendSignal(static_cast<pid_t>(process.processId()), signal);
        ASSERT_TRUE(process.waitForFinished(patience));
        if (signal == SIGINT) {
            EXPECT_EQ(process.exitCode(), 130);
        }
        for (const qint64 child : all) {
            EXPECT_TRUE(waitUntil([child] { return !isAlive(child); }, 20000)) << child;
        }
    }
}

TEST_F(KernelRunProcess, AKernelThatLacksWhatIsNeededIsToldBeforeTheStart) {
    ASSERT_TRUE(QDir().mkpath(m_folder.filePath(QStringLiteral("modules"))));
    write(QStringLiteral("modules/modules.dep"), "kernel/fs/overlayfs/overlay.ko:\n");
    write(QStringLiteral("modules/modules.builtin"),
          "kernel/drivers/virtio/virtio_pci.ko\nkernel/drivers/char/virtio_console.ko\n");
    QStringList arguments = kernel();
    arguments[arguments.indexOf(QStringLiteral("--modules")) + 1] =
        m_folder.filePath(QStringLiteral("modules"));
    const Run result = run(arguments + QStringList{QStringLiteral("true")});
    EXPECT_EQ(result.code, 125);
    EXPECT_TRUE(result.errors.contains("CONFIG_FUSE_FS, CONFIG_VIRTIO_FS"))
        << result.errors.constData();
    EXPECT_TRUE(result.errors.contains("CONFIG_9P_FS")) << result.errors.constData();
}
