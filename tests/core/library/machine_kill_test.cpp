// SPDX-License-Identifier: Apache-2.0
// kill -9 of `set`, rename and delete at random moments: the old or the new state, nothing lost.
#include "core/library/machine_operations.h"

#include "library_fixture.h"

#include <QProcess>

#include <random>

namespace vitrine {
namespace {

#ifdef VITRINE_SANITIZED
constexpr int kills = 10; // of each kind; the program starts slowly
#else
constexpr int kills = 60; // of each kind
#endif
constexpr int longestWork = 20; // milliseconds after the first round

class MachineKill : public test::LibraryTest {
protected:
    MachineKill() {
        addMachine(QStringLiteral("a"));
        m_disk = test::get(path("a") + QStringLiteral("/disk.img"));
    }
    [[nodiscard]] QString path(const char* machine) const {
        return m_library.machinePath(name(machine));
    }
    // Starts the worker, lets it work and kills it at some moment.
    void killAtWork(const QStringList& work) {
        QProcess worker;
        worker.start(QStringLiteral(LIBRARY_WORKER),
                     QStringList{work.first(), m_library.home()} + work.sliced(1));
        ASSERT_TRUE(worker.waitForReadyRead(30000)) << worker.exitCode();
        const int moment = std::uniform_int_distribution(0, longestWork)(m_random);
        EXPECT_FALSE(worker.waitForFinished(moment));
        worker.kill();
        ASSERT_TRUE(worker.waitForFinished(30000));
        ASSERT_EQ(worker.exitStatus(), QProcess::CrashExit) << "the work failed by itself";
    }
    // All of the machine is there under that name and can be worked with.
    void expectWhole(const char* machine) {
        const auto info = m_library.machine(name(machine));
        ASSERT_TRUE(info);
        ASSERT_EQ(info->state, MachineState::Stopped) << info->brokenReason.toStdString();
        EXPECT_TRUE(info->config->cpuCount == 2 || info->config->cpuCount == 3);
        EXPECT_TRUE(test::get(path(machine) + QStringLiteral("/disk.img")).startsWith(m_disk));
        EXPECT_EQ(test::get(path(machine) + QStringLiteral("/nvram.bin")), "variables");
        EXPECT_TRUE(changeMachine(m_library, name(machine), {.cpuCount = 3}));
        EXPECT_FALSE(QFile::exists(path(machine) + QStringLiteral("/config.json.new")));
    }

    QByteArray m_disk;
    std::mt19937 m_random{std::random_device{}()};
};

TEST_F(MachineKill, AKilledSetLeavesTheOldOrTheNewConfiguration) {
    for (int i = 0; i < kills && !HasFatalFailure(); ++i) {
        killAtWork({QStringLiteral("set"), QStringLiteral("a")});
        // What a kill in the middle of the write left is put right by the next holder of the lock.
        ASSERT_TRUE(lockStopped(m_library, path("a")));
        expectWhole("a");
    }
}

TEST_F(MachineKill, AKilledGrowthLosesNeitherDiskNorConfiguration) {
    for (int i = 0; i < kills && !HasFatalFailure(); ++i) {
        const auto before = m_library.machine(name("a"));
        killAtWork({QStringLiteral("grow"), QStringLiteral("a")});
        ASSERT_TRUE(lockStopped(m_library, path("a")));
        const auto after = m_library.machine(name("a"));
        ASSERT_TRUE(before && after && after->config);
        EXPECT_GT(after->diskSize, before->diskSize);
        EXPECT_GT(after->config->memory, before->config->memory);
        expectWhole("a");
    }
}

TEST_F(MachineKill, AKilledRenameLeavesTheMachineUnderOneName) {
    for (int i = 0; i < kills && !HasFatalFailure(); ++i) {
        killAtWork({QStringLiteral("rename"), QStringLiteral("a"), QStringLiteral("b")});
        const QStringList there = names(*m_library.machines());
        ASSERT_EQ(there.size(), 1) << there.join(u' ').toStdString();
        const bool isBack = there.first() == QLatin1String("a") ||
                            renameMachine(m_library, name("b"), name("a")).has_value();
        ASSERT_TRUE(isBack);
        expectWhole("a");
    }
}

TEST_F(MachineKill, AKilledDeletionLeavesAWholeMachineOrNone) {
    for (int i = 0; i < kills && !HasFatalFailure(); ++i) {
        killAtWork({QStringLiteral("delete"), QStringLiteral("a"), QStringLiteral("b")});
        const QStringList there = names(*m_library.machines());
        EXPECT_TRUE(there.contains(QStringLiteral("a")));
        expectWhole("a");
        if (there.contains(QStringLiteral("b"))) {
            expectWhole("b");
            ASSERT_TRUE(deleteMachine(m_library, QStringLiteral("b"), DeleteMode::Permanent));
        }
        EXPECT_EQ(m_library.machines()->size(), 1);
    }
    // What was half deleted or half copied lies where it is collected, and is not locked.
    for (const QString& left : temporaryEntries()) {
        const QString folder = m_library.temporaryPath() + QLatin1Char('/') + left;
        EXPECT_FALSE(DirectoryLock::isHeld(folder)) << left.toStdString();
    }
}

} // namespace
} // namespace vitrine
