// SPDX-License-Identifier: Apache-2.0
// What runs in guests, run by shells of this computer.
#include "core/bench/guest_executor.h"

#include "tests/core/bench/bench_support.h"
#include "tests/support/event_wait.h"

#include <QDeadlineTimer>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <thread>

namespace vitrine::bench {

namespace {

class LocalShell final : public GuestShell {
public:
    explicit LocalShell(QStringList words, QString before = {})
        : m_words(std::move(words))
        , m_before(std::move(before)) {}
    [[nodiscard]] Result<Executor::Output> run(const QString& script,
                                               const QStringList& arguments,
                                               std::stop_token stop,
                                               int /*limit*/) override {
        QElapsedTimer clock;
        clock.start();
        QProcess process;
        process.start(m_words.first(),
                      m_words.mid(1) + QStringList{s("-c"), m_before + script, s("benchmark")} +
                          arguments);
        EXPECT_TRUE(process.waitForStarted(-1));
        while (!process.waitForFinished(20) && process.state() != QProcess::NotRunning)
            if (stop.stop_requested()) {
                process.kill(); // what it started goes on
                process.waitForFinished(-1);
                return fail(Error::cancelled());
            }
        return Executor::Output{process.exitCode(),
                                process.readAllStandardOutput(),
                                process.readAllStandardError(),
                                static_cast<double>(clock.nsecsElapsed()) / 1e9};
    }

private:
    QStringList m_words;
    QString m_before; // the script
};

// Those of this computer that guests may have, too.
QList<QStringList> shells() {
    QList<QStringList> found{{s("/bin/sh")}, {s("bash")}};
    for (const char* program : {"busybox", "zsh", "ksh"})
        if (!QStandardPaths::findExecutable(s(program)).isEmpty())
            found.append(QLatin1String(program) == QLatin1String("busybox")
                             ? QStringList{s("busybox"), s("sh")}
                             : QStringList{s(program)});
    return found;
}

std::unique_ptr<GuestExecutor>
openedBy(const QStringList& shell, const QString& place, const char* name = "files") {
    auto executor = GuestExecutor::open({s("default"), {{s("kind"), s("vm")}}, s(name), place},
                                        std::make_unique<LocalShell>(shell),
                                        GuestExecutor::Fio::NotNeeded,
                                        {});
    EXPECT_TRUE(executor) << (executor ? "" : executor.error().message.toStdString());
    return executor ? *std::move(executor) : nullptr;
}

Executor::Output printed(const char* text, int exitCode = 0) {
    return {exitCode, text, {}, 0};
}

bool hasEnded(const QByteArray& pid) {
    QFile status(s("/proc/%1/stat").arg(QString::fromLatin1(pid)));
    return pid.isEmpty() || !status.open(QIODevice::ReadOnly) || status.readAll().contains(") Z ");
}

// The script as a guest runs it, with these package managers only. What each was called with, one a
// line; the last line is the exit code.
QStringList installedBy(const QStringList& managers, int user, bool works = true) {
    const QTemporaryDir folder;
    const auto put = [&folder](const QString& name, const QByteArray& text) {
        QFile file(folder.filePath(name));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\n" + text);
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    };
    put(s("id"), "echo " + QByteArray::number(user) + '\n');
    put(s("env"), "exec /usr/bin/env \"$@\"\n");
    put(s("sudo"), "echo \"sudo $1\" >> \"$LOG\"; shift; exec \"$@\"\n");
    for (const QString& name : managers)
        put(name,
            "echo \"" + name.toUtf8() + " $DEBIAN_FRONTEND $*\" >> \"$LOG\"\n" +
                (works ? "case \"$*\" in *fio*) /bin/cp \"$0\" \"${0%/*}/fio\" ;; esac\n"
                       : "echo no network; exit 9\n"));
    QString script = guest::installFioScript();
    const QString places = s("PATH=$PATH:");
    EXPECT_TRUE(script.contains(places)) << "Homebrew's folder is in none by itself";
    EXPECT_TRUE(script.contains(s("/opt/homebrew/bin")));
    script.replace(places, s("PATH=$PATH:/nonexistent; OTHERS="));
    QProcess process;
    QProcessEnvironment environment;
    environment.insert(s("PATH"), folder.path());
    environment.insert(s("LOG"), folder.filePath(s("log")));
    process.setProcessEnvironment(environment);
    process.start(s("/bin/sh"), {s("-c"), script});
    EXPECT_TRUE(process.waitForFinished());
    QFile log(folder.filePath(s("log")));
    QStringList lines;
    if (log.open(QIODevice::ReadOnly))
        lines = QString::fromUtf8(log.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    if (!works)
        lines.append(QString::fromUtf8(process.readAllStandardError()).trimmed());
    lines.append(QString::number(process.exitCode()));
    return lines;
}

} // namespace

TEST(InstallFio, TakesTheFirstPackageManagerAndAsksNothing) {
    const QStringList all{s("apt-get"), s("dnf"), s("apk"), s("brew")};
    const QStringList apt = installedBy(all, 0);
    ASSERT_EQ(apt.size(), 3) << apt.join(QLatin1Char('\n')).toStdString();
    EXPECT_TRUE(apt.at(0).startsWith(s("apt-get noninteractive -qq ")));
    EXPECT_TRUE(apt.at(0).endsWith(s(" update")));
    EXPECT_TRUE(apt.at(1).startsWith(s("apt-get noninteractive -qq ")));
    EXPECT_TRUE(apt.at(1).endsWith(s(" -y --no-install-recommends install fio")));
    EXPECT_EQ(apt.at(2), s("0"));
    EXPECT_EQ(installedBy(all.mid(1), 0), (QStringList{s("dnf  -q -y install fio"), s("0")}));
    EXPECT_EQ(installedBy(all.mid(2), 0), (QStringList{s("apk  -q add fio"), s("0")}));
}

TEST(InstallFio, UsesSudoForUsersOnlyAndNeverForHomebrew) {
    EXPECT_EQ(installedBy({s("dnf")}, 1000),
              (QStringList{s("sudo -n"), s("dnf  -q -y install fio"), s("0")}));
    EXPECT_EQ(installedBy({s("brew")}, 501), (QStringList{s("brew  install --quiet fio"), s("0")}));
}

TEST(InstallFio, SaysWhyItCouldNot) {
    const QStringList failed = installedBy({s("apk")}, 0, false);
    EXPECT_EQ(failed.mid(0, 2), (QStringList{s("apk  -q add fio"), s("no network")}));
    EXPECT_NE(failed.last(), s("0"));
    const QStringList none = installedBy({}, 0, false);
    EXPECT_TRUE(none.first().contains(s("no apt, dnf, apk or brew")));
    EXPECT_NE(none.last(), s("0"));
}

TEST(GuestExecutor, RunsInAFolderThatGoesWithIt) {
    for (const QStringList& shell : shells()) {
        QTemporaryDir place;
        {
            const auto executor = openedBy(shell, place.path());
            ASSERT_TRUE(executor);
            EXPECT_EQ(executor->opened().folder, place.filePath(s("files")));
            EXPECT_TRUE(
                executor->opened().facts.value(s("kernel")).toString().startsWith(s("Linux ")));
            EXPECT_GE(executor->opened().facts.value(s("cpus")).toInt(), 1);
            EXPECT_GT(executor->opened().facts.value(s("memory_bytes")).toDouble(), 1e7);
            EXPECT_FALSE(executor->opened().facts.value(s("os")).toString().isEmpty());
            const auto output =
                executor->run(s("pwd; echo \"it's\" \\$1 >&2; touch made; sleep 0.3; exit 7"), {});
            ASSERT_TRUE(output) << shell.first().toStdString();
            EXPECT_EQ(output->exitCode, 7);
            EXPECT_EQ(output->out.trimmed(), place.filePath(s("files")).toUtf8());
            EXPECT_EQ(output->err, QByteArray("it's $1")) << "without the line of the time";
            EXPECT_GE(output->seconds, 0.25);
            EXPECT_EQ(executor->run(s("exit 255"), {})->exitCode, 254)
                << "255 says that ssh has failed";
            EXPECT_GT(executor->freeSpace().value_or(0), 0U);
            EXPECT_TRUE(executor->canDropCaches());
            EXPECT_TRUE(executor->dropCaches());
            EXPECT_TRUE(QFile::exists(place.filePath(s("files/made"))));
        }
        EXPECT_FALSE(QFileInfo::exists(place.filePath(s("files")))) << shell.first().toStdString();
    }
}

TEST(GuestExecutor, AWorkloadThatRemovesItsFolderIsNotInTheWayOfTheNext) {
    for (const QStringList& shell : shells()) {
        QTemporaryDir place;
        const auto executor = openedBy(shell, place.path());
        ASSERT_TRUE(executor);
        ASSERT_TRUE(executor->run(s("rm -rf \"$PWD\""), {}));
        const auto next = executor->run(s("pwd"), {});
        ASSERT_TRUE(next);
        EXPECT_EQ(next->exitCode, 0) << shell.first().toStdString() << next->err.toStdString();
        EXPECT_EQ(next->out.trimmed(), place.filePath(s("files")).toUtf8());
    }
}

TEST(GuestExecutor, StoppingEndsTheEmptyingOfThePageCache) {
    QTemporaryDir place;
    std::stop_source source;
    const QString before = s("[ ! -e '%1' ] || sleep 30\n").arg(place.filePath(s("hang")));
    auto executor = GuestExecutor::open({s("default"), {}, s("files"), place.path()},
                                        std::make_unique<LocalShell>(QStringList{s("sh")}, before),
                                        GuestExecutor::Fio::NotNeeded,
                                        source.get_token());
    ASSERT_TRUE(executor);
    ASSERT_TRUE(QFile(place.filePath(s("hang"))).open(QIODevice::WriteOnly));
    source.request_stop();
    const auto dropped = (*executor)->dropCaches();
    ASSERT_FALSE(dropped);
    EXPECT_TRUE(dropped.error().isCancelled());
    ASSERT_TRUE(QFile::remove(place.filePath(s("hang"))));
    executor->reset();
    EXPECT_FALSE(QFile::exists(place.filePath(s("files")))) << "cleaned up all the same";
}

TEST(GuestExecutor, AGuestThatIsGoneIsNotAskedToCleanUp) {
    // Its answers end when it has died.
    class DyingShell final : public GuestShell {
    public:
        DyingShell(int& calls, const bool& isDead)
            : m_calls(calls)
            , m_isDead(isDead) {}
        [[nodiscard]] Result<Executor::Output>
        run(const QString&, const QStringList&, std::stop_token, int) override {
            ++m_calls;
            if (m_isDead)
                return fail(Error::Kind::Timeout, s("nothing heard"));
            return Executor::Output{0, "folder=/x\ndropped=dd\n", {}, 0};
        }

    private:
        int& m_calls;
        const bool& m_isDead;
    };
    for (const bool byDrop : {false, true}) {
        int calls = 0;
        bool isDead = false;
        auto executor = GuestExecutor::open({s("running"), {}, s("files"), {}},
                                            std::make_unique<DyingShell>(calls, isDead),
                                            GuestExecutor::Fio::NotNeeded,
                                            {});
        ASSERT_TRUE(executor) << executor.error().message.toStdString();
        isDead = true;
        calls = 0;
        if (byDrop)
            EXPECT_FALSE((*executor)->dropCaches());
        else
            EXPECT_FALSE((*executor)->run(s("true"), {}));
        executor->reset();
        EXPECT_EQ(calls, byDrop ? 1 : 2) << "the command, and the end of it";
    }
}

TEST(GuestExecutor, StoppingEndsWhatLeftTheGroupToo) {
    for (const QStringList& shell : shells()) {
        QTemporaryDir place;
        const auto executor = openedBy(shell, place.path());
        ASSERT_TRUE(executor);
        std::stop_source source;
        const QString pids = place.filePath(s("files/pids"));
        std::thread stopper([&] {
            const QDeadlineTimer deadline(30000);
            while (!QFileInfo::exists(pids) && !deadline.hasExpired())
                std::this_thread::yield();
            source.request_stop();
        });
        // As fio does: a child in a session of its own.
        const auto output =
            executor->run(s("setsid sleep 1000 & one=$!; sleep 1000 & "
                            "until [ \"$(cat /proc/$one/comm)\" = sleep ]; do :; done; "
                            "echo $one $! > part; mv part pids; wait"),
                          source.get_token());
        stopper.join();
        ASSERT_FALSE(output);
        EXPECT_TRUE(output.error().isCancelled());
        QFile file(pids);
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> both = file.readAll().trimmed().split(' ');
        ASSERT_EQ(both.size(), 2);
        for (const QByteArray& pid : both)
            EXPECT_TRUE(test::waitUntil([&pid] { return hasEnded(pid); }))
                << shell.first().toStdString();
    }
}

TEST(GuestExecutor, TestFilesCanBeRemovedBeforeItsEnd) {
    QTemporaryDir place;
    auto executor = openedBy({s("/bin/sh")}, place.path());
    ASSERT_TRUE(executor);
    ASSERT_TRUE(executor->run(s("mkdir -p a/b; touch -- a/b/c '-rf' 'x y'"), {}));
    ASSERT_TRUE(executor->removeTestFiles({}));
    const QDir folder(place.filePath(s("files")));
    EXPECT_EQ(folder.entryList(QDir::NoDotAndDotDot | QDir::AllEntries), QStringList());
    executor.reset();
    EXPECT_FALSE(folder.exists()) << "its mark was kept";
}

TEST(GuestExecutor, AFolderOfSomebodyElseIsNotRemovedAndAPlaceThatIsNotThereIsTold) {
    QTemporaryDir place;
    {
        const auto executor = openedBy({s("/bin/sh")}, place.path());
        ASSERT_TRUE(executor);
        ASSERT_TRUE(QFile::remove(place.filePath(s("files/.vitrine-benchmark"))));
    }
    EXPECT_TRUE(QFileInfo::exists(place.filePath(s("files")))) << "its mark was gone";
    const auto nowhere =
        GuestExecutor::open({s("default"), {}, s("files"), s("/proc/none")},
                            std::make_unique<LocalShell>(QStringList{s("/bin/sh")}),
                            GuestExecutor::Fio::NotNeeded,
                            {});
    ASSERT_FALSE(nowhere);
    EXPECT_TRUE(nowhere.error().message.contains(s("/proc/none")))
        << nowhere.error().message.toStdString();
}

TEST(GuestExecutor, AMachineOfTheUsersGetsNoFioAndAGuestWithoutInstallerSaysSo) {
    QTemporaryDir place;
    const auto opened = [&](GuestExecutor::Fio fio) {
        // A guest with next to nothing: no fio, no way to get it.
        return GuestExecutor::open(
            {s("default"), {}, s("files"), place.path()},
            std::make_unique<LocalShell>(QStringList{s("/bin/sh")}, s("command() { false; }\n")),
            fio,
            {});
    };
    const auto required = opened(GuestExecutor::Fio::Required);
    ASSERT_FALSE(required);
    EXPECT_EQ(required.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(required.error().message.contains(s("Install it there")))
        << required.error().message.toStdString();
    const auto install = opened(GuestExecutor::Fio::Install);
    ASSERT_FALSE(install);
    EXPECT_TRUE(install.error().message.contains(s("no apt, dnf, apk or brew")))
        << install.error().message.toStdString();
}

TEST(GuestScripts, FreeSpaceIsReadFromDf) {
    const auto bytes = [](const char* text) {
        return guest::freeSpaceFrom(printed(text)).value_or(~quint64{0});
    };
    EXPECT_EQ(bytes("Filesystem 1024-blocks Used Available Capacity Mounted on\n"
                    "/dev/vda2 2000000 1000000 900000 53% /\n"),
              900000ULL * 1024);
    EXPECT_EQ(bytes("Filesystem  1024-blocks      Used Available Capacity  Mounted on\n"
                    "map auto home          0         0  1234     100%    /System/a b\n"),
              1234ULL * 1024)
        << "a name with blanks";
    EXPECT_EQ(bytes("F\n/dev/vda2 2000000 2000000 -5 101% /\n"), 0U) << "root has used the rest";
    for (const char* text : {"", "df: no", "/dev/vda2 x y z 5% /", "/dev/vda2 1 1 1 /"})
        EXPECT_FALSE(guest::freeSpaceFrom(printed(text))) << text;
    EXPECT_FALSE(guest::freeSpaceFrom(printed("/dev/vda2 1 1 1 5% /\n", 1)));
}

TEST(GuestScripts, WhatAGuestSaysIsNotTrusted) {
    EXPECT_FALSE(guest::openedFrom(printed("folder=relative\n")));
    EXPECT_FALSE(guest::openedFrom(printed("folder=/x\n", 1)));
    EXPECT_FALSE(guest::openedFrom(printed("")));
    const auto opened = guest::openedFrom(printed(
        "folder=/"
        "x\nos=\x1b[31mred\ncpus=-4\nkibibytes=nan\nbytes=1e300\nroot=no\nfilesystem=ext4\n"));
    ASSERT_TRUE(opened);
    EXPECT_FALSE(opened->isOnRoot);
    EXPECT_EQ(opened->facts.value(s("os")), s("\\x1b[31mred"));
    EXPECT_EQ(opened->facts.keys(), QStringList{s("os")});
    EXPECT_FALSE(guest::hasDropped(printed("dropped=no\n")));
    EXPECT_FALSE(guest::hasDropped(printed("")));
    EXPECT_TRUE(guest::hasDropped(printed("dropped=dd\n")));
}

TEST(GuestScripts, TheGuestsClockCountsIfItCanBe) {
    const auto taken = [](const char* err) {
        Executor::Output output{0, {}, err, 5};
        guest::takeTime(output);
        return output;
    };
    EXPECT_EQ(taken("VITRINE-TIME 10.50 14.75\n").seconds, 4.25);
    EXPECT_EQ(taken("words\nVITRINE-TIME 1 2\n").err, QByteArray("words"));
    EXPECT_EQ(taken("VITRINE-TIME 10.5 10.5\n").seconds, 5) << "less than a tick";
    EXPECT_EQ(taken("VITRINE-TIME 10 90\n").seconds, 5) << "longer than it took from here";
    EXPECT_EQ(taken("VITRINE-TIME  \n").seconds, 5) << "it has no such clock";
    EXPECT_EQ(taken("VITRINE-TIME 1 2 \n").err, QByteArray("VITRINE-TIME 1 2 \n"));
}

} // namespace vitrine::bench
