// SPDX-License-Identifier: Apache-2.0
#include "core/disk/file_lock.h"
#include "core/disk/small_file.h"

#include "other_process.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <atomic>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace vitrine {
namespace {

class ConfigFileTest : public testing::Test {
protected:
    ConfigFileTest() {
        QDir(m_folder.path()).mkdir(QStringLiteral("debian"));
        put(path(), R"({"version":1})");
    }
    [[nodiscard]] QString path() const {
        return m_folder.filePath(QStringLiteral("debian/config.json"));
    }
    [[nodiscard]] QString newPath() const { return path() + QStringLiteral(".new"); }
    static void put(const QString& file, const QByteArray& bytes) {
        QFile out(file);
        ASSERT_TRUE(out.open(QIODevice::WriteOnly | QIODevice::Truncate));
        out.write(bytes);
    }
    static QByteArray get(const QString& file) {
        QFile in(file);
        return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray("missing");
    }
    static ino_t inodeOf(const QString& file) {
        struct stat info {};
        ::stat(QFile::encodeName(file).constData(), &info);
        return info.st_ino;
    }
    [[nodiscard]] qint64 seenByOthers() const {
        return test::ask({QStringLiteral("look"), path()}).toLongLong();
    }
    QTemporaryDir m_folder;
};

TEST_F(ConfigFileTest, AFreeFileHasNoHolder) {
    const auto holder = ConfigFile::holder(path());
    ASSERT_TRUE(holder);
    EXPECT_FALSE(holder->has_value());
    EXPECT_EQ(*ConfigFile::read(path()), R"({"version":1})");
}

TEST_F(ConfigFileTest, TheHolderOfAnotherProcessIsToldByItsPid) {
    test::OtherProcess other({QStringLiteral("hold"), path()});
    ASSERT_EQ(other.word(), "held");
    const auto holder = ConfigFile::holder(path());
    ASSERT_TRUE(holder && holder->has_value());
    EXPECT_EQ((*holder)->pid, other.pid());
    const auto lock = ConfigFile::tryLock(path());
    ASSERT_FALSE(lock);
    EXPECT_EQ(lock.error().kind, Error::Kind::AlreadyRunning);
    EXPECT_TRUE(lock.error().message.contains(QString::number(other.pid())));
    EXPECT_TRUE(lock.error().message.contains(QStringLiteral("debian")));
    other.kill();
    EXPECT_TRUE(ConfigFile::tryLock(path()));
}

TEST_F(ConfigFileTest, AHolderWithoutAPidIsRunningElsewhere) {
    test::OtherProcess other({QStringLiteral("ofd"), path()});
    ASSERT_EQ(other.word(), "held");
    const auto holder = ConfigFile::holder(path());
    ASSERT_TRUE(holder && holder->has_value());
    EXPECT_LE((*holder)->pid, 0);
    const auto lock = ConfigFile::tryLock(path());
    ASSERT_FALSE(lock);
    EXPECT_EQ(lock.error().kind, Error::Kind::AlreadyRunning);
    EXPECT_TRUE(lock.error().message.contains(QStringLiteral("another computer")));
}

TEST_F(ConfigFileTest, OurLockIsSeenByOthersAndByUs) {
    const auto lock = ConfigFile::tryLock(path());
    ASSERT_TRUE(lock);
    EXPECT_EQ(seenByOthers(), ::getpid());
    const auto holder = ConfigFile::holder(path());
    ASSERT_TRUE(holder && holder->has_value());
    EXPECT_EQ((*holder)->pid, ::getpid());
    EXPECT_EQ(test::ask({QStringLiteral("hold"), path()}), "failed");
}

TEST_F(ConfigFileTest, NothingThisProcessDoesDropsItsLock) {
    auto lock = ConfigFile::tryLock(path());
    ASSERT_TRUE(lock);
    (void)ConfigFile::read(path());
    (void)ConfigFile::holder(path());
    (void)ConfigFile::inspect(path());
    (void)ConfigFile::tryLock(path());
    (void)ConfigFile::tryLock(path(), ConfigFile::Mode::Shared);
    const QString link = m_folder.filePath(QStringLiteral("link"));
    ASSERT_TRUE(QFile::link(m_folder.filePath(QStringLiteral("debian")), link));
    (void)ConfigFile::read(link + QStringLiteral("/config.json"));
    ASSERT_TRUE(lock->write(R"({"version":2})"));
    (void)lock->recover();
    EXPECT_EQ(seenByOthers(), ::getpid());
    const auto second = ConfigFile::tryLock(path());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, Error::Kind::Busy);
}

TEST_F(ConfigFileTest, TheLockEndsWithTheValueAndAMoveKeepsIt) {
    auto lock = ConfigFile::tryLock(path());
    ASSERT_TRUE(lock);
    {
        const ConfigFile moved = *std::move(lock);
        EXPECT_EQ(seenByOthers(), ::getpid());
    }
    EXPECT_EQ(seenByOthers(), 0);
    EXPECT_TRUE(ConfigFile::tryLock(path()));
}

TEST_F(ConfigFileTest, ReadersOfManyThreadsLeaveTheLockAlone) {
    std::atomic<bool> stop = false;
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i)
        readers.emplace_back([&] {
            while (!stop)
                (void)ConfigFile::inspect(path());
        });
    int wrong = 0;
    for (int round = 0; round < 20; ++round) {
        const auto lock = ConfigFile::tryLock(path());
        if (!lock || seenByOthers() != ::getpid())
            ++wrong;
    }
    stop = true;
    for (std::thread& reader : readers)
        reader.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(ConfigFileTest, LockingAndLettingGoFromManyThreadsNeverLosesALock) {
    std::atomic<int> holders = 0;
    std::atomic<int> tooMany = 0;
    std::atomic<int> gained = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            for (int round = 0; round < 300; ++round)
                if (const auto lock = ConfigFile::tryLock(path())) {
                    tooMany += ++holders > 1 ? 1 : 0;
                    ++gained;
                    --holders;
                }
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(tooMany, 0);
    EXPECT_GT(gained, 0);
    EXPECT_EQ(seenByOthers(), 0);
}

TEST_F(ConfigFileTest, SharedLocksGoTogetherAndKeepARunAway) {
    const auto first = ConfigFile::tryLock(path(), ConfigFile::Mode::Shared);
    ASSERT_TRUE(first);
    {
        const auto second = ConfigFile::tryLock(path(), ConfigFile::Mode::Shared);
        ASSERT_TRUE(second);
    }
    test::OtherProcess other({QStringLiteral("share"), path()});
    EXPECT_EQ(other.word(), "held");
    EXPECT_EQ(seenByOthers(), 0) << "a copy must not look like a running machine";
    EXPECT_EQ(test::ask({QStringLiteral("hold"), path()}), "failed");
    EXPECT_FALSE(ConfigFile::tryLock(path()));
    EXPECT_FALSE(ConfigFile::holder(path())->has_value());
}

TEST_F(ConfigFileTest, AWriteKeepsTheInodeAndLeavesNothingBehind) {
    const ino_t before = inodeOf(path());
    auto lock = ConfigFile::tryLock(path());
    ASSERT_TRUE(lock->write(R"({"version":1,"more":true})"));
    EXPECT_EQ(get(path()), R"({"version":1,"more":true})");
    ASSERT_TRUE(lock->write("{}"));
    EXPECT_EQ(get(path()), "{}");
    EXPECT_EQ(inodeOf(path()), before);
    EXPECT_FALSE(QFile::exists(newPath()));
    EXPECT_EQ(*lock->read(), "{}");
}

TEST_F(ConfigFileTest, AWriteThroughARenamedFolderGoesToTheSameFile) {
    auto lock = ConfigFile::tryLock(path());
    const QString moved = m_folder.filePath(QStringLiteral("ubuntu"));
    ASSERT_TRUE(QDir().rename(m_folder.filePath(QStringLiteral("debian")), moved));
    ASSERT_TRUE(lock->write(R"({"version":3})"));
    EXPECT_EQ(get(moved + QStringLiteral("/config.json")), R"({"version":3})");
    EXPECT_EQ(QDir(moved).entryList(QDir::Files).size(), 1);
}

TEST_F(ConfigFileTest, AKillInTheMiddleOfAWriteLosesNothing) {
    const QByteArray longText = R"({"version":1,"text":")" + QByteArray(9000, 'a') + R"("})";
    const QByteArray shortText = R"({"version":2})";
    for (const auto& [from, to] : {std::pair(longText, shortText), std::pair(shortText, longText)})
        for (const char* step :
             {"new written", "new synced", "overwritten", "truncated", "synced"}) {
            put(path(), from);
            test::OtherProcess other({QStringLiteral("write"),
                                      path(),
                                      QString::fromLatin1(to),
                                      QString::fromLatin1(step)});
            EXPECT_TRUE(other.crashed()) << step;
            auto lock = ConfigFile::tryLock(path());
            ASSERT_TRUE(lock) << step;
            ASSERT_TRUE(lock->recover()) << step;
            const QByteArray now = get(path()).trimmed();
            EXPECT_TRUE(now == from || now == to) << step << now.left(80).constData();
            EXPECT_FALSE(QFile::exists(newPath())) << step;
        }
}

TEST_F(ConfigFileTest, ATornFileIsRestoredFromTheNewText) {
    put(path(), R"({"version":2,"te)");
    put(newPath(), R"({"version":2,"text":"x"})");
    auto lock = ConfigFile::tryLock(path());
    const auto recovered = lock->recover();
    ASSERT_TRUE(recovered);
    EXPECT_TRUE(*recovered);
    EXPECT_EQ(seenByOthers(), ::getpid());
    EXPECT_EQ(*lock->read(), R"({"version":2,"text":"x"})");
    EXPECT_FALSE(QFile::exists(newPath()));
}

TEST_F(ConfigFileTest, ATornNewTextIsNotTakenForTheTruth) {
    put(path(), R"({"version":2,"te)");
    put(newPath(), R"({"version":)");
    auto lock = ConfigFile::tryLock(path());
    const auto recovered = lock->recover();
    ASSERT_TRUE(recovered);
    EXPECT_FALSE(*recovered);
    EXPECT_EQ(get(path()), R"({"version":2,"te)") << "nothing may make it worse";
}

TEST_F(ConfigFileTest, AnOldNewTextBesideAGoodFileIsRemoved) {
    put(newPath(), R"({"version":9})");
    auto lock = ConfigFile::tryLock(path());
    EXPECT_FALSE(*lock->recover());
    EXPECT_EQ(get(path()), R"({"version":1})");
    EXPECT_FALSE(QFile::exists(newPath()));
}

TEST_F(ConfigFileTest, AFileReplacedByRenameIsLockedAnew) {
    // The old inode stays locked by another process, as after an editor saved by rename.
    test::OtherProcess other({QStringLiteral("hold"), path()});
    ASSERT_EQ(other.word(), "held");
    put(path() + QStringLiteral("~"), R"({"version":5})");
    ASSERT_EQ(::rename(QFile::encodeName(path() + QStringLiteral("~")).constData(),
                       QFile::encodeName(path()).constData()),
              0);
    const auto lock = ConfigFile::tryLock(path());
    ASSERT_TRUE(lock);
    EXPECT_EQ(*lock->read(), R"({"version":5})");
    EXPECT_EQ(seenByOthers(), ::getpid());
}

TEST_F(ConfigFileTest, RenamesBetweenOpenAndLockNeverGiveALockOnADeadInode) {
    std::atomic<bool> stop = false;
    std::thread replacer([&] {
        for (int i = 0; !stop; ++i) {
            const QString fresh = path() + QString::number(i);
            put(fresh, R"({"version":1})");
            ::rename(QFile::encodeName(fresh).constData(), QFile::encodeName(path()).constData());
            std::this_thread::yield();
        }
    });
    int gained = 0;
    for (int i = 0; i < 400; ++i) {
        const auto lock = ConfigFile::tryLock(path());
        if (lock)
            ++gained;
        else
            EXPECT_EQ(lock.error().kind, Error::Kind::Busy);
    }
    stop = true;
    replacer.join();
    EXPECT_GT(gained, 0);
    const auto last = ConfigFile::tryLock(path());
    ASSERT_TRUE(last);
    EXPECT_EQ(seenByOthers(), ::getpid());
}

TEST_F(ConfigFileTest, WhatIsNoFileIsAnErrorAndNeverWaitedFor) {
    ASSERT_TRUE(QFile::remove(path()));
    EXPECT_EQ(ConfigFile::tryLock(path()).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(ConfigFile::holder(path()).error().kind, Error::Kind::NotFound);
    ASSERT_EQ(::mkfifo(QFile::encodeName(path()).constData(), 0600), 0);
    EXPECT_EQ(ConfigFile::read(path()).error().kind, Error::Kind::Integrity);
    EXPECT_EQ(ConfigFile::tryLock(path()).error().kind, Error::Kind::Integrity);
    ASSERT_TRUE(QFile::remove(path()));
    ASSERT_TRUE(QDir().mkdir(path()));
    EXPECT_EQ(ConfigFile::read(path()).error().kind, Error::Kind::Integrity);
    EXPECT_EQ(ConfigFile::tryLock(path()).error().kind, Error::Kind::Integrity);
}

TEST_F(ConfigFileTest, AHugeFileIsRefusedAndItsHolderStillTold) {
    test::OtherProcess other({QStringLiteral("hold"), path()});
    ASSERT_EQ(other.word(), "held");
    QFile file(path());
    ASSERT_TRUE(file.resize(1LL << 40));
    const auto inspection = ConfigFile::inspect(path());
    ASSERT_TRUE(inspection);
    EXPECT_FALSE(inspection->content);
    ASSERT_TRUE(inspection->holder);
    EXPECT_EQ(inspection->holder->pid, other.pid());
    EXPECT_EQ(ConfigFile::read(path()).error().kind, Error::Kind::Integrity);
}

TEST_F(ConfigFileTest, TooMuchTextIsNotWritten) {
    auto lock = ConfigFile::tryLock(path());
    const auto written = lock->write(QByteArray((1 << 20) + 1, ' '));
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, Error::Kind::InvalidInput);
    EXPECT_EQ(get(path()), R"({"version":1})");
}

TEST_F(ConfigFileTest, AFolderWithoutWriteRightRefusesTheWrite_NeedsOrdinaryUser) {
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may write everywhere";
    auto lock = ConfigFile::tryLock(path());
    const QString folder = m_folder.filePath(QStringLiteral("debian"));
    ASSERT_EQ(::chmod(QFile::encodeName(folder).constData(), 0500), 0);
    const auto written = lock->write(R"({"version":7})");
    ::chmod(QFile::encodeName(folder).constData(), 0700);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, Error::Kind::Permission);
    EXPECT_EQ(get(path()), R"({"version":1})");
}

} // namespace
} // namespace vitrine
