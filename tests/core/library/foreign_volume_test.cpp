// SPDX-License-Identifier: Apache-2.0
#include "core/library/foreign_volume.h"

#include "library_fixture.h"

#include <QElapsedTimer>

#include <atomic>
#include <future>
#include <memory>
#include <sys/mount.h>
#include <thread>

namespace vitrine {
namespace {

TEST(HangGuard, AnAnswerComesBack) {
    EXPECT_EQ(HangGuard::call<int>(QStringLiteral("/a"), [] { return 7; }), 7);
}

TEST(HangGuard, WorkThatHangsIsLeftAndNotStartedAgain) {
    std::promise<void> released;
    auto gate = std::make_shared<std::shared_future<void>>(released.get_future());
    const QString directory = QStringLiteral("/hung");
    EXPECT_FALSE(HangGuard::call<int>(directory, [gate] {
        gate->wait();
        return 1;
    }));
    auto ran = std::make_shared<std::atomic<bool>>(false);
    const auto again = [&] {
        return HangGuard::call<int>(directory, [ran] {
            *ran = true;
            return 2;
        });
    };
    QElapsedTimer timer;
    timer.start();
    EXPECT_FALSE(again());
    EXPECT_LT(timer.elapsed(), HangGuard::patience.count()) << "gives up at once";
    EXPECT_FALSE(*ran);
    EXPECT_EQ(HangGuard::call<int>(QStringLiteral("/other"), [] { return 3; }), 3);
    released.set_value();
    std::optional<int> answer;
    timer.start();
    while (!(answer = again()) && timer.elapsed() < 20000)
        std::this_thread::yield();
    EXPECT_EQ(answer, 2);
}

class ForeignVolumeTest : public test::LibraryTest {};

TEST_F(ForeignVolumeTest, LinksAreForeignAndFoldersAreNot) {
    const QString inside = addMachine(QStringLiteral("inside"));
    const QString outside = m_folder.filePath(QStringLiteral("out side"));
    test::fillMachine(outside);
    const QString link = m_library.machinesPath() + QStringLiteral("/link");
    ASSERT_TRUE(QFile::link(outside, link));
    const ForeignVolumes volumes(m_library.home());
    EXPECT_FALSE(volumes.contains(inside));
    EXPECT_TRUE(volumes.contains(link));
    EXPECT_EQ(m_library.machine(name("link"))->state, MachineState::Stopped);
    EXPECT_EQ(m_library.stateOf(link), MachineState::Stopped);
    EXPECT_EQ(m_library.machines()->size(), 2);
}

TEST_F(ForeignVolumeTest, MountedMachinesAreForeign_NeedsRootForATmpfs) {
    const QString mounted = m_library.machinesPath() + QStringLiteral("/a b\\c");
    ASSERT_TRUE(QDir().mkpath(mounted));
    if (::mount("vitrine-test", QFile::encodeName(mounted).constData(), "tmpfs", 0, "size=4m") != 0)
        GTEST_SKIP() << "mounting needs root";
    const bool foreign = ForeignVolumes(m_library.home()).contains(mounted);
    ::umount2(QFile::encodeName(mounted).constData(), MNT_DETACH);
    EXPECT_TRUE(foreign);
    EXPECT_FALSE(ForeignVolumes(m_library.home()).contains(mounted));
}

} // namespace
} // namespace vitrine
