// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/guest_mounts.h"

#include "core/guest/guest_agent.h"
#include "tests/support/event_wait.h"
#include "tests/support/fake_guest_agent.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QProcess>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <unistd.h>

using vitrine::Error;
using vitrine::GuestAgent;
using vitrine::Result;
using vitrine::qemu::GuestMounts;
using vitrine::test::FakeGuestAgent;
using vitrine::test::waitUntil;

namespace {

// This computer stands in for the guest: the scripts run here, with a umount of the test's own.
class GuestMountsTest : public testing::Test {
protected:
    GuestMountsTest()
        : fake(folder.filePath(QStringLiteral("agent")))
        , agent(folder.filePath(QStringLiteral("agent")))
        , mounts(&agent, nullptr) {
        fake.answers[QStringLiteral("guest-exec")] = [this](const QJsonObject& asked) {
            QStringList words;
            for (const QJsonValue& word : asked.value(QLatin1String("arg")).toArray())
                words << word.toString();
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert(QStringLiteral("PATH"),
                               folder.path() + QLatin1Char(':') +
                                   environment.value(QStringLiteral("PATH")));
            process.setProcessEnvironment(environment);
            process.start(asked.value(QLatin1String("path")).toString(), words);
            process.waitForFinished();
            return FakeGuestAgent::value(QJsonObject{{QStringLiteral("pid"), 7}});
        };
        fake.answers[QStringLiteral("guest-exec-status")] = [this](const QJsonObject&) {
            return FakeGuestAgent::value(
                QJsonObject{{QStringLiteral("exited"), true},
                            {QStringLiteral("exitcode"), process.exitCode()},
                            {QStringLiteral("out-data"),
                             QString::fromLatin1(process.readAllStandardOutput().toBase64())},
                            {QStringLiteral("err-data"),
                             QString::fromLatin1(process.readAllStandardError().toBase64())}});
        };
    }

    // The first `failures` calls say that it is busy; then, if ever, it works.
    void makeUmount(int failures) {
        makeProgram("umount",
                    QStringLiteral("#!/bin/sh\necho call >> %1/calls\n"
                                   "[ $(wc -l < %1/calls) -gt %2 ] && exit 0\n"
                                   "echo \"umount: $1: target is busy.\" >&2\nexit 32\n")
                        .arg(folder.path())
                        .arg(failures));
        makeProgram("grep", QStringLiteral("#!/bin/sh\nexit 0\n")); // yes, that is mounted
        QDir(folder.path()).mkdir(QStringLiteral("place"));
    }
    void makeProgram(const char* name, const QString& text) {
        QFile program(folder.filePath(QLatin1String(name)));
        ASSERT_TRUE(program.open(QIODevice::WriteOnly));
        program.write(text.toUtf8());
        program.close();
        program.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    Result<> unmount() {
        std::optional<Result<>> answer;
        mounts.unmount(place(), [&answer](Result<> result) { answer = std::move(result); });
        EXPECT_TRUE(waitUntil([&answer] { return answer.has_value(); }));
        return answer.value_or(vitrine::fail(Error::cancelled()));
    }
    QString place() const { return folder.filePath(QStringLiteral("place")); }
    int calls() const {
        QFile file(folder.filePath(QStringLiteral("calls")));
        return file.open(QIODevice::ReadOnly) ? int(file.readAll().count('\n')) : 0;
    }

    QTemporaryDir folder;
    FakeGuestAgent fake;
    GuestAgent agent;
    GuestMounts mounts;
    QProcess process;
};

} // namespace

TEST_F(GuestMountsTest, AHolderThatEndedMeanwhileDoesNotMakeItFail) {
    makeUmount(2);
    const auto done = unmount();
    EXPECT_TRUE(done) << qPrintable(done.error().message);
    EXPECT_EQ(calls(), 3);
}

TEST_F(GuestMountsTest, BusyWithNobodyToNameIsGivenUpWithItsOwnWords) {
    makeUmount(1000);
    const auto done = unmount();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, Error::Kind::Busy);
    EXPECT_TRUE(done.error().message.contains(QStringLiteral("target is busy")));
    EXPECT_EQ(calls(), 5);
}

TEST_F(GuestMountsTest, AHolderIsNamedAtOnce) {
    makeUmount(1000);
    QFile held(place() + QStringLiteral("/file"));
    ASSERT_TRUE(held.open(QIODevice::WriteOnly));
    const auto done = unmount();
    held.close();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().kind, Error::Kind::Busy);
    EXPECT_TRUE(done.error().message.contains(QStringLiteral("(process %1)").arg(getpid())))
        << qPrintable(done.error().message);
    EXPECT_EQ(calls(), 1);
}
