// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/machine_launcher.h"

#include "tests/support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace vitrine;
using vitrine::test::waitUntil;

namespace {

// A vitrinectl that writes down what it was given, in PATH.
class MachineLauncher : public testing::Test {
protected:
    MachineLauncher()
        : library(*Library::open(folder.filePath(QStringLiteral("the library"))))
        , path(qgetenv("PATH")) {
        qputenv("PATH", (folder.path() + QLatin1String("/bin:")).toLocal8Bit() + path);
        QDir(folder.path()).mkdir(QStringLiteral("bin"));
    }
    ~MachineLauncher() override { qputenv("PATH", path); }

    void install(const QByteArray& script) {
        QFile file(folder.filePath(QStringLiteral("bin/vitrinectl")));
        file.open(QIODevice::WriteOnly);
        file.write(script);
        file.close();
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    static QString contentOf(const QString& file) {
        QFile output(file);
        output.open(QIODevice::ReadOnly);
        return QString::fromUtf8(output.readAll());
    }
    static QString waitForEnd(const LaunchedMachine& machine) {
        EXPECT_TRUE(waitUntil(
            [&] { return contentOf(machine.outputFile).contains(QLatin1String("END")); }));
        return contentOf(machine.outputFile);
    }

    QTemporaryDir folder;
    Library library;
    QByteArray path;
};

} // namespace

TEST_F(MachineLauncher, StartsTheMachineDetachedWithItsOutputInAFile) {
    install("#!/bin/sh\n"
            "for word in \"$@\"; do echo \"<$word>\"; done\n"
            "echo home=$VITRINE_HOME token=${SOME_TOKEN:-none} >&2\n"
            "echo session=$(ps -o sid= -p $$) pid=$$\n"
            "echo END\n");
    qputenv("SOME_TOKEN", "secret");
    const auto machine =
        launchMachine(library, QStringLiteral("a name"), {QStringLiteral("--extra")});
    qunsetenv("SOME_TOKEN");
    ASSERT_TRUE(machine) << qPrintable(machine.error().message);
    const QString output = waitForEnd(*machine);
    EXPECT_TRUE(output.startsWith(
        QStringLiteral("<run>\n<a name>\n<--no-graphics>\n<--extra>\nhome=%1 token=none\n")
            .arg(library.home())))
        << qPrintable(output);
    EXPECT_FALSE(output.contains(QStringLiteral("session=%1 ").arg(::getsid(0))));
    EXPECT_TRUE(output.contains(QStringLiteral("pid=%1").arg(machine->processId)));
    EXPECT_EQ(machine->outputFile,
              QStringLiteral("%1/run/start-%2.log").arg(library.home()).arg(machine->processId));
    EXPECT_EQ(QFile(machine->outputFile).permissions() & (QFile::ReadGroup | QFile::ReadOther), 0);
}

TEST_F(MachineLauncher, HandsOverNoDescriptorAndNoBlockedSignal) {
    install("#!/bin/sh\nls /proc/$$/fd; grep -E 'SigBlk|SigIgn' /proc/self/status; echo END\n");
    const int leaked = ::open("/dev/null", O_RDONLY); // without O_CLOEXEC
    ::signal(SIGUSR2, SIG_IGN);
    sigset_t set;
    sigset_t before;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGINT);
    ::sigprocmask(SIG_BLOCK, &set, &before);
    const auto machine = launchMachine(library, QStringLiteral("m"));
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    ::signal(SIGUSR2, SIG_DFL);
    ASSERT_TRUE(machine);
    const QStringList lines = waitForEnd(*machine).split(QLatin1Char('\n'));
    ::close(leaked);
    EXPECT_TRUE(lines.contains(QStringLiteral("0")));
    EXPECT_FALSE(lines.contains(QString::number(leaked)));
    EXPECT_TRUE(lines.contains(QStringLiteral("SigBlk:\t0000000000000000")));
    EXPECT_TRUE(lines.contains(QStringLiteral("SigIgn:\t0000000000000000")));
}

TEST_F(MachineLauncher, IsNotAChildOfThisProcess) {
    install("#!/bin/sh\nwhile :; do read line || exec sleep 600; done\n");
    const auto machine = launchMachine(library, QStringLiteral("m"));
    ASSERT_TRUE(machine);
    QFile status(QStringLiteral("/proc/%1/status").arg(machine->processId));
    ASSERT_TRUE(status.open(QIODevice::ReadOnly));
    EXPECT_FALSE(status.readAll().contains("PPid:\t" + QByteArray::number(::getpid()) + "\n"));
    vitrine::test::sendSignal(static_cast<pid_t>(machine->processId), SIGKILL);
}

TEST_F(MachineLauncher, SaysWhenTheProgramCannotBeRun) {
    install("#!/no/such/interpreter\n");
    const auto machine = launchMachine(library, QStringLiteral("m"));
    ASSERT_FALSE(machine);
    EXPECT_TRUE(machine.error().message.contains(QStringLiteral("vitrinectl")));
}

TEST_F(MachineLauncher, SaysWhenTheProgramIsMissing) {
    qputenv("PATH", folder.path().toLocal8Bit());
    const auto machine = launchMachine(library, QStringLiteral("m"));
    ASSERT_FALSE(machine);
    EXPECT_EQ(machine.error().kind, Error::Kind::NotFound);
}

TEST_F(MachineLauncher, RemovesOldOutputOfProcessesThatAreGone) {
    install("#!/bin/sh\necho END\n");
    QDir(library.home()).mkdir(QStringLiteral("run"));
    const QString gone = library.home() + QLatin1String("/run/start-4194304.log");
    const QString alive = QStringLiteral("%1/run/start-%2.log").arg(library.home()).arg(::getpid());
    const QString fresh = library.home() + QLatin1String("/run/start-4194303.log");
    for (const QString& file : {gone, alive, fresh}) {
        QFile log(file);
        log.open(QIODevice::WriteOnly);
        if (file != fresh) {
            log.setFileTime(QDateTime::currentDateTime().addDays(-2),
                            QFileDevice::FileModificationTime);
        }
    }
    ASSERT_TRUE(launchMachine(library, QStringLiteral("m")));
    EXPECT_FALSE(QFile::exists(gone));
    EXPECT_TRUE(QFile::exists(alive));
    EXPECT_TRUE(QFile::exists(fresh));
}
