// SPDX-License-Identifier: Apache-2.0
// The real helper and the real virtiofsd, without QEMU; as root and as an ordinary user.
#include "qemu/sharing/share_daemon.h"

#include "core/channel/local_socket.h"
#include "qemu/sharing/share_transport.h"
#include "tests/support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::qemu {
namespace {

using test::waitUntil;

class ShareDaemonTest : public testing::Test {
protected:
    void SetUp() override {
        // The program is beside vitrinectl, not beside the tests.
        transport = findShareTransport();
        ASSERT_EQ(transport.kind, ShareTransport::Kind::Virtiofs) << qPrintable(transport.note);
        ASSERT_TRUE(QDir(folder.path()).mkpath(QStringLiteral("shared")));
        shared = folder.filePath(QStringLiteral("shared"));
        if (::geteuid() == 0) {
            ASSERT_EQ(::chown(QFile::encodeName(shared).constData(), 1234, 1234), 0);
        }
    }

    Result<> start(const ShareGroup& group) {
        const auto arguments = helperArguments(transport, GuestUser(), group);
        if (!arguments) {
            return fail(arguments.error());
        }
        ShareDaemon::Setup setup;
        setup.helper = transport.helper;
        setup.arguments = *arguments;
        setup.workingDirectory = folder.path();
        setup.logFile = folder.filePath(QStringLiteral("log"));
        return finished([&](const ShareDaemon::Done& done) {
            const auto started = daemon.start(setup, done);
            if (!started) {
                done(started);
            }
        });
    }
    Result<> add(const char* name, bool readOnly, const QString& path) {
        return finished([&](const ShareDaemon::Done& done) {
            daemon.add(QLatin1String(name), readOnly, path, done);
        });
    }
    Result<> remove(const char* name) {
        return finished(
            [&](const ShareDaemon::Done& done) { daemon.remove(QLatin1String(name), done); });
    }
    Result<> run() {
        const auto socket = listenOnLocalSocket(folder.filePath(QStringLiteral("s")));
        EXPECT_TRUE(socket);
        const FileDescriptor owned(*socket);
        return finished([&](const ShareDaemon::Done& done) { daemon.run(owned.get(), done); });
    }
    static Result<> finished(const std::function<void(const ShareDaemon::Done&)>& begin) {
        const auto answer = std::make_shared<std::optional<Result<>>>();
        begin([answer](const Result<>& result) { *answer = result; });
        if (!waitUntil([&] { return answer->has_value(); }, 20000)) {
            return fail(Error::Kind::Timeout, QStringLiteral("no answer"));
        }
        return **answer;
    }
    [[nodiscard]] ShareGroup named() const {
        return {QStringLiteral("t"), {{QStringLiteral("a"), shared, false, QStringLiteral("t")}}};
    }

    QTemporaryDir folder;
    QString shared;
    ShareTransport transport;
    ShareDaemon daemon;
};

std::string textOf(const Result<>& result) {
    return result ? "done" : result.error().message.toStdString();
}

TEST_F(ShareDaemonTest, AddsAndRemovesNamedFoldersWhileVirtiofsdRuns) {
    ASSERT_TRUE(start(named()));
    auto result = add("a", false, shared);
    EXPECT_TRUE(result) << textOf(result);
    EXPECT_FALSE(add("a", true, shared)) << "the name is taken";
    result = run();
    ASSERT_TRUE(result) << textOf(result);
    result = add("b", true, shared);
    EXPECT_TRUE(result) << textOf(result);
    result = remove("a");
    EXPECT_TRUE(result) << textOf(result);
    EXPECT_FALSE(remove("a"));
    EXPECT_TRUE(add("a", true, shared));
    for (const char* name : {"..", ".", "x/y"}) {
        EXPECT_FALSE(add(name, true, shared)) << name;
        EXPECT_FALSE(remove(name)) << name;
    }
}

TEST_F(ShareDaemonTest, AWholeFolderIsAloneUnderItsTag) {
    ASSERT_TRUE(start({QStringLiteral("t"), {{{}, shared, false, QStringLiteral("t")}}}));
    EXPECT_TRUE(add("", false, shared));
    EXPECT_FALSE(add("b", false, shared));
    EXPECT_FALSE(add("", false, shared));
}

TEST_F(ShareDaemonTest, AFolderThatCannotBeReachedIsRefusedWithTheReason) {
    ASSERT_TRUE(start(named()));
    ASSERT_EQ(::chmod(QFile::encodeName(shared).constData(), 0), 0);
    if (::geteuid() == 0) {
        const auto locked = add("a", true, shared);
        ASSERT_FALSE(locked);
        EXPECT_EQ(locked.error().kind, Error::Kind::Permission);
        EXPECT_TRUE(locked.error().message.contains(shared));
    } else {
        EXPECT_FALSE(add("a", true, QStringLiteral("/root")));
    }
    ASSERT_EQ(::chmod(QFile::encodeName(shared).constData(), 0555), 0);
    EXPECT_FALSE(add("c", true, folder.filePath(QStringLiteral("none"))));
    EXPECT_FALSE(add("d", true, folder.filePath(QStringLiteral("log")))) << "a file";
    ASSERT_TRUE(QFile::link(shared, folder.filePath(QStringLiteral("link"))));
    EXPECT_FALSE(add("e", true, folder.filePath(QStringLiteral("link"))))
        << "swapped for a link after it was looked at";
    ASSERT_EQ(::chmod(QFile::encodeName(shared).constData(), 0755), 0);
}

TEST_F(ShareDaemonTest, TellsWhenVirtiofsdIsKilled) {
    ASSERT_TRUE(start(named()));
    ASSERT_TRUE(add("a", false, shared));
    bool ended = false;
    QObject::connect(&daemon, &ShareDaemon::ended, &daemon, [&] { ended = true; });
    ASSERT_TRUE(run());
    const qint64 helper = daemon.processId();
    QFile children(QStringLiteral("/proc/%1/task/%1/children").arg(helper));
    ASSERT_TRUE(children.open(QIODevice::ReadOnly));
    const auto virtiofsd = children.readAll().simplified().split(' ').first().toInt();
    ASSERT_GT(virtiofsd, 0);
    EXPECT_FALSE(ended);
    ASSERT_EQ(vitrine::test::sendSignal(virtiofsd, SIGKILL), 0);
    EXPECT_TRUE(waitUntil([&] { return ended; }));
}

TEST(ShareTransport, RootAlwaysHasIdsAndOthersTheirLargestRange) {
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("subuid"));
    QFile list(file);
    ASSERT_TRUE(list.open(QIODevice::WriteOnly));
    list.write(
        "me:100000:1000\nother:1:99999999\n7:300000:65536\nme:200000:5000\nme:0:99999\nbad\n");
    list.close();
    EXPECT_EQ(subordinateIds(file, QStringLiteral("me"), 5).first, 200000U);
    EXPECT_EQ(subordinateIds(file, QStringLiteral("me"), 5).count, 5000U);
    EXPECT_EQ(subordinateIds(file, QStringLiteral("me"), 7).first, 300000U);
    EXPECT_EQ(subordinateIds(file, QStringLiteral("other"), 5).count, 65536U) << "more is not used";
    EXPECT_EQ(subordinateIds(file, QStringLiteral("nobody"), 5).count, 0U);
    EXPECT_EQ(subordinateIds(folder.filePath(QStringLiteral("none")), {}, 5).count, 0U);
}

TEST(ShareTransport, WithoutVirtiofsAnOrdinaryUserGets9pAndRootNothing) {
    ProgramPaths paths;
    paths.virtiofsd.clear();
    const ShareTransport transport = findShareTransport(paths);
    EXPECT_EQ(transport.kind,
              ::geteuid() == 0 ? ShareTransport::Kind::None : ShareTransport::Kind::Plan9);
    EXPECT_TRUE(transport.note.contains(QStringLiteral("virtiofsd"))) << qPrintable(transport.note);
}

TEST(ShareTransport, WhatIsWishedForIsTakenOrNothing) {
    ShareOptions wanted;
    wanted.transport = QStringLiteral("9p");
    const ShareTransport plan9 = findShareTransport({}, wanted);
    EXPECT_EQ(plan9.kind,
              ::geteuid() == 0 ? ShareTransport::Kind::None : ShareTransport::Kind::Plan9);
    wanted.transport = QStringLiteral("virtiofs");
    wanted.cache = QStringLiteral("always");
    ShareTransport transport = findShareTransport({}, wanted);
    EXPECT_EQ(transport.cache, QStringLiteral("always"));
    transport.users = transport.groups = {100000, 2000};
    const ShareGroup group{QStringLiteral("t"),
                           {{{}, QStringLiteral("/usr"), true, QStringLiteral("t")}}};
    const auto arguments = helperArguments(transport, GuestUser{0, 0, {}}, group);
    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->last(), QStringLiteral("always"));
    transport.cache.clear();
    EXPECT_EQ(helperArguments(transport, GuestUser{0, 0, {}}, group)->size(),
              arguments->size() - 1);
}

TEST(ShareTransport, AGuestUserBeyondTheRangeIsRefused) {
    ShareTransport transport;
    transport.users = transport.groups = {100000, 2000};
    const ShareGroup group{QStringLiteral("t"),
                           {{{}, QStringLiteral("/usr"), true, QStringLiteral("t")}}};
    EXPECT_TRUE(helperArguments(transport, GuestUser{1000, 1000, {}}, group));
    EXPECT_FALSE(helperArguments(transport, GuestUser{5000, 1000, {}}, group));
}

} // namespace
} // namespace vitrine::qemu
