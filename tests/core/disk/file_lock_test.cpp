// SPDX-License-Identifier: Apache-2.0
#include "core/disk/file_lock.h"

#include "other_process.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <atomic>
#include <fcntl.h>
#include <thread>

namespace vitrine {
namespace {

TEST(DirectoryLock, IsHeldForTheLifeOfTheValue) {
    const QTemporaryDir folder;
    EXPECT_FALSE(DirectoryLock::isHeld(folder.path()));
    {
        const auto lock = DirectoryLock::tryLock(folder.path());
        ASSERT_TRUE(lock);
        EXPECT_TRUE(DirectoryLock::isHeld(folder.path()));
    }
    EXPECT_FALSE(DirectoryLock::isHeld(folder.path()));
}

TEST(DirectoryLock, ASecondDescriptorOfTheSameProcessIsRefused) {
    const QTemporaryDir folder;
    const auto first = DirectoryLock::tryLock(folder.path());
    const auto second = DirectoryLock::tryLock(folder.path());
    ASSERT_TRUE(first);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, Error::Kind::Busy);
    EXPECT_TRUE(second.error().message.contains(folder.path()));
}

TEST(DirectoryLock, AnotherProcessIsSeenAndItsDeathFreesTheLock) {
    const QTemporaryDir folder;
    test::OtherProcess other({QStringLiteral("flock"), folder.path()});
    ASSERT_EQ(other.word(), "held");
    EXPECT_TRUE(DirectoryLock::isHeld(folder.path()));
    EXPECT_FALSE(DirectoryLock::tryLock(folder.path()));
    other.kill();
    EXPECT_TRUE(DirectoryLock::tryLock(folder.path()));
}

TEST(DirectoryLock, WaitingEndsWithTheTime) {
    const QTemporaryDir folder;
    const auto first = DirectoryLock::tryLock(folder.path());
    QElapsedTimer timer;
    timer.start();
    const auto second = DirectoryLock::lock(folder.path(), 120);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, Error::Kind::Busy);
    EXPECT_GE(timer.elapsed(), 120);
}

TEST(DirectoryLock, WaitingCanBeCancelled) {
    const QTemporaryDir folder;
    const auto first = DirectoryLock::tryLock(folder.path());
    int asked = 0;
    const auto second =
        DirectoryLock::lock(folder.path(), 60000, [&asked] { return ++asked == 3; });
    ASSERT_FALSE(second);
    EXPECT_TRUE(second.error().isCancelled());
}

TEST(DirectoryLock, AMissingPathIsNotFoundAndNotHeld) {
    const QTemporaryDir folder;
    const QString missing = folder.filePath(QStringLiteral("none"));
    EXPECT_FALSE(DirectoryLock::isHeld(missing));
    const auto lock = DirectoryLock::tryLock(missing);
    ASSERT_FALSE(lock);
    EXPECT_EQ(lock.error().kind, Error::Kind::NotFound);
}

TEST(DirectoryLock, LooksOfOthersDoNotMakeATryFail) {
    const QTemporaryDir folder;
    std::atomic<bool> stop = false;
    std::thread looker([&] {
        while (!stop)
            (void)DirectoryLock::isHeld(folder.path());
    });
    int refused = 0;
    for (int i = 0; i < 200; ++i)
        refused += DirectoryLock::tryLock(folder.path()) ? 0 : 1;
    stop = true;
    looker.join();
    EXPECT_EQ(refused, 0);
}

TEST(DirectoryLock, CanBePassedOnToAChildAndStaysHeldByIt) {
    const QTemporaryDir folder;
    auto lock = DirectoryLock::tryLock(folder.path());
    ASSERT_TRUE(lock);
    EXPECT_NE(::fcntl(lock->descriptor(), F_GETFD) & FD_CLOEXEC, 0);
    ASSERT_TRUE(lock->setInheritable(true));
    QProcess child;
    child.start(QStringLiteral("/bin/cat"), {});
    ASSERT_TRUE(child.waitForStarted());
    lock = fail(Error::cancelled()); // closes ours
    EXPECT_TRUE(DirectoryLock::isHeld(folder.path()));
    child.closeWriteChannel();
    ASSERT_TRUE(child.waitForFinished());
    EXPECT_FALSE(DirectoryLock::isHeld(folder.path()));
}

} // namespace
} // namespace vitrine
