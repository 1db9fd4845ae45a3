// SPDX-License-Identifier: Apache-2.0
// What a child gets and how it ends; its death with this process: machine_process_test.cpp.
#include "qemu/child_process.h"

#include "tests/support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QFile>
#include <QTemporaryDir>

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

using vitrine::Error;
using vitrine::FileDescriptor;
using vitrine::qemu::ChildProcess;
using vitrine::test::waitUntil;

namespace {

class ChildProcessTest : public testing::Test {
protected:
    ChildProcessTest() {
        QObject::connect(&child, &ChildProcess::finished, &child, [this] { finished = true; });
        request.program = QStringLiteral("/bin/sh");
        request.workingDirectory = folder.path();
        request.logFile = folder.filePath(QStringLiteral("log"));
    }
    void run(const char* script) {
        request.arguments = {QStringLiteral("-c"), QString::fromLatin1(script)};
        ASSERT_TRUE(child.start(request));
        ASSERT_TRUE(waitUntil([this] { return finished; }));
    }
    [[nodiscard]] QByteArray log() const {
        QFile file(request.logFile);
        file.open(QIODevice::ReadOnly);
        return file.readAll();
    }

    QTemporaryDir folder;
    ChildProcess::Request request;
    ChildProcess child;
    bool finished = false;
};

} // namespace

TEST_F(ChildProcessTest, KeepsTheLogForItsOwnerAndTheLastLines) {
    run("for i in $(seq 1 50); do echo line $i >&2; done; printf 'the last, unfinished' >&2");
    EXPECT_TRUE(log().startsWith("line 1\nline 2\n"));
    EXPECT_EQ(child.lastLines().size(), 20);
    EXPECT_EQ(child.lastLines().last(), QStringLiteral("the last, unfinished"));
    struct stat info {};
    ASSERT_EQ(::stat(QFile::encodeName(request.logFile).constData(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(ChildProcessTest, DoesNotLetTheLogFillTheDisk) {
    run("yes some text | head -c 3000000 >&2");
    EXPECT_LT(log().size(), 2 << 20);
    EXPECT_TRUE(log().contains("the log is full"));
    EXPECT_EQ(child.lastLines().last(), QStringLiteral("some text"));
}

TEST_F(ChildProcessTest, RunsInItsFolderWithAPrivateUmaskAndAGroupOfItsOwn) {
    run("pwd >&2; umask >&2; touch made; ps -o pgid= -p $$ >&2; echo $$ >&2");
    const QStringList lines = child.lastLines();
    ASSERT_EQ(lines.size(), 4);
    EXPECT_EQ(lines.at(0), folder.path());
    EXPECT_EQ(lines.at(1), QStringLiteral("0077"));
    EXPECT_EQ(lines.at(2), lines.at(3)); // the leader of its process group
}

TEST_F(ChildProcessTest, InheritsOnlyWhatIsNamed) {
    // One descriptor that a careless library would leak, one that is meant.
    const FileDescriptor leaked(::open("/dev/null", O_RDONLY)); // without O_CLOEXEC
    const FileDescriptor meant(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
    request.inherited = {meant.get()};
    run("ls -l /proc/$$/fd >&2");
    const QString list = child.lastLines().join(QLatin1Char('\n'));
    EXPECT_TRUE(list.contains(QStringLiteral(" %1 -> /dev/zero").arg(meant.get())))
        << qPrintable(list);
    EXPECT_FALSE(list.contains(QStringLiteral(" %1 -> ").arg(leaked.get()))) << qPrintable(list);
}

TEST_F(ChildProcessTest, GetsNoSecrets) {
    request.environment.insert(QStringLiteral("REGISTRY_PASSWORD"), QStringLiteral("secret"));
    request.environment.insert(QStringLiteral("PLAIN"), QStringLiteral("plain"));
    run("echo \"${REGISTRY_PASSWORD:-none} $PLAIN\" >&2");
    EXPECT_EQ(child.lastLines(), QStringList{QStringLiteral("none plain")});
}

TEST_F(ChildProcessTest, TellsASignalFromAnExit) {
    run("exit 3");
    EXPECT_EQ(child.endedBySignal(), 0);
    EXPECT_EQ(child.exitCode(), 3);
}

TEST_F(ChildProcessTest, KnowsTheSignalThatEndedIt) {
    run("kill -9 $$");
    EXPECT_EQ(child.endedBySignal(), SIGKILL);
    EXPECT_FALSE(child.isRunning());
}

TEST_F(ChildProcessTest, IsDeafToTheSignalsOfASessionThatEnds) {
    run("kill -TERM $$; kill -HUP $$; kill -INT $$; echo alive >&2");
    EXPECT_EQ(child.lastLines(), QStringList{QStringLiteral("alive")});
}

TEST_F(ChildProcessTest, SaysWhenTheProgramCannotBeRun) {
    request.program = QStringLiteral("/no/such/program");
    const auto started = child.start(request);
    ASSERT_FALSE(started);
    EXPECT_TRUE(started.error().message.contains(QStringLiteral("/no/such/program")));
    EXPECT_FALSE(child.isRunning());
}

TEST_F(ChildProcessTest, IsKilledWhenItsOwnerGoes) {
    auto own = std::make_unique<ChildProcess>();
    request.arguments = {QStringLiteral("-c"), QStringLiteral("exec sleep 600")};
    ASSERT_TRUE(own->start(request));
    const auto pid = static_cast<pid_t>(own->processId());
    EXPECT_EQ(vitrine::test::sendSignal(pid, 0), 0);
    own.reset();
    EXPECT_NE(vitrine::test::sendSignal(pid, 0), 0);
}
