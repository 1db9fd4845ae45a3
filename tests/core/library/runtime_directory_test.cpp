// SPDX-License-Identifier: Apache-2.0
#include "core/library/runtime_directory.h"

#include "../disk/other_process.h"
#include "library_fixture.h"

#include <QRegularExpression>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace vitrine {
namespace {

class RuntimeDirectoryTest : public test::LibraryTest {
protected:
    RuntimeDirectoryTest()
        : m_machine(addMachine(QStringLiteral("vm"))) {}
    [[nodiscard]] Result<RuntimeDirectory> locate() const {
        return RuntimeDirectory::locate(m_library.home(), m_machine);
    }
    static mode_t modeOf(const QString& path) {
        struct stat info {};
        ::stat(QFile::encodeName(path).constData(), &info);
        return info.st_mode & 07777;
    }
    QString m_machine;
};

TEST_F(RuntimeDirectoryTest, LocatingMakesNothing) {
    const auto runtime = locate();
    ASSERT_TRUE(runtime);
    EXPECT_FALSE(QFile::exists(runtime->path()));
    EXPECT_FALSE(runtime->isAlive());
    const QRegularExpression shape(QStringLiteral("^%1/run/[0-9a-f]{12}$").arg(m_library.home()));
    EXPECT_TRUE(shape.match(runtime->path()).hasMatch()) << runtime->path().toStdString();
}

TEST_F(RuntimeDirectoryTest, ClaimingMakesItPrivateAndAlive) {
    const auto runtime = locate();
    {
        const auto alive = runtime->claim();
        ASSERT_TRUE(alive) << alive.error().message.toStdString();
        EXPECT_TRUE(runtime->isAlive());
        EXPECT_EQ(modeOf(runtime->path()), 0700U);
        EXPECT_EQ(modeOf(m_library.home() + QStringLiteral("/run")), 0700U);
        const QStringList lines =
            QString::fromUtf8(test::get(runtime->path() + QStringLiteral("/machine"))).split(u'\n');
        ASSERT_EQ(lines.size(), 6);
        EXPECT_EQ(lines[4], m_machine);
        EXPECT_EQ(m_library.stateOf(m_machine), MachineState::ShuttingDown)
            << "QEMU outlives its killed parent for a moment";
    }
    EXPECT_FALSE(runtime->isAlive());
    EXPECT_EQ(m_library.stateOf(m_machine), MachineState::Stopped);
}

TEST_F(RuntimeDirectoryTest, ClaimingEmptiesWhatTheLastRunLeft) {
    const auto runtime = locate();
    ASSERT_TRUE(runtime->claim());
    test::put(runtime->logFile(), "old");
    ASSERT_TRUE(QDir().mkpath(runtime->path() + QStringLiteral("/share/x")));
    ASSERT_TRUE(runtime->claim());
    EXPECT_EQ(QDir(runtime->path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot),
              QStringList({QStringLiteral("machine")}));
}

TEST_F(RuntimeDirectoryTest, ARenameOfTheMachineKeepsIt) {
    const auto before = locate();
    const auto alive = before->claim();
    const QString moved = m_library.machinesPath() + QStringLiteral("/other");
    ASSERT_TRUE(QDir().rename(m_machine, moved));
    const auto after = RuntimeDirectory::locate(m_library.home(), moved);
    ASSERT_TRUE(after);
    EXPECT_EQ(after->path(), before->path());
    EXPECT_TRUE(after->isAlive());
}

TEST_F(RuntimeDirectoryTest, ASecondClaimIsRefused) {
    const auto runtime = locate();
    const auto alive = runtime->claim();
    ASSERT_TRUE(alive);
    const auto second = runtime->claim();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().kind, Error::Kind::Busy);
}

TEST_F(RuntimeDirectoryTest, AnOpenOrForeignFolderIsNotUsed) {
    const auto runtime = locate();
    (void)runtime->claim();
    ::chmod(QFile::encodeName(runtime->path()).constData(), 0755);
    EXPECT_EQ(locate().error().kind, Error::Kind::Permission);
    EXPECT_EQ(runtime->claim().error().kind, Error::Kind::Permission);
    ASSERT_TRUE(QDir(runtime->path()).removeRecursively());
    const QString trap = m_folder.filePath(QStringLiteral("trap"));
    ASSERT_TRUE(QDir().mkpath(trap));
    ASSERT_TRUE(QFile::link(trap, runtime->path()));
    EXPECT_EQ(locate().error().kind, Error::Kind::Permission);
    EXPECT_EQ(runtime->claim().error().kind, Error::Kind::Permission);
    EXPECT_TRUE(QDir(trap).isEmpty());
}

TEST_F(RuntimeDirectoryTest, AFolderOfAnotherMachineIsNotUsed) {
    const auto runtime = locate();
    (void)runtime->claim();
    test::put(runtime->path() + QStringLiteral("/machine"), "a\nb\n1\n2\n/elsewhere\n");
    test::put(runtime->path() + QStringLiteral("/kept"), "x");
    EXPECT_EQ(locate().error().kind, Error::Kind::Internal);
    EXPECT_FALSE(runtime->claim());
    EXPECT_TRUE(QFile::exists(runtime->path() + QStringLiteral("/kept")));
}

TEST_F(RuntimeDirectoryTest, FoldersOfAnotherBootAreCollected) {
    const auto runtime = locate();
    (void)runtime->claim();
    const QString machine = runtime->path() + QStringLiteral("/machine");
    EXPECT_TRUE(m_library.collectTemporary().isEmpty());
    EXPECT_TRUE(QFile::exists(machine));
    QList<QByteArray> lines = test::get(machine).split('\n');
    lines[1] = "00000000-0000-0000-0000-000000000000";
    test::put(machine, lines.join('\n'));
    {
        const auto lock = DirectoryLock::tryLock(runtime->path());
        EXPECT_TRUE(m_library.collectTemporary().isEmpty()) << "its lock is held";
    }
    lines[0] = "another-host";
    test::put(machine, lines.join('\n'));
    EXPECT_TRUE(m_library.collectTemporary().isEmpty()) << "another host's";
    (void)QFile::remove(machine);
    ASSERT_TRUE(runtime->claim());
    lines = test::get(machine).split('\n');
    lines[1] = "00000000-0000-0000-0000-000000000000";
    test::put(machine, lines.join('\n'));
    EXPECT_EQ(m_library.collectTemporary(), QStringList({runtime->path()}));
    EXPECT_FALSE(QFile::exists(runtime->path()));
}

TEST_F(RuntimeDirectoryTest, TheLockStaysWithAChildThatInheritedIt) {
    const auto runtime = locate();
    auto alive = runtime->claim();
    ASSERT_TRUE(alive && alive->setInheritable(true));
    test::OtherProcess child({QStringLiteral("flock"), m_machine});
    ASSERT_EQ(child.word(), "held");
    alive = fail(Error::cancelled()); // as after a SIGKILL of the holder
    EXPECT_TRUE(runtime->isAlive());
    child.kill();
    EXPECT_FALSE(runtime->isAlive());
}

TEST(SocketAddress, ShortPathsStayAsTheyAre) {
    const auto address = SocketAddress::of(QStringLiteral("/tmp/a.sock"));
    ASSERT_TRUE(address);
    EXPECT_EQ(address->text(), QStringLiteral("/tmp/a.sock"));
    EXPECT_EQ(address->descriptor(), -1);
}

TEST(SocketAddress, LongPathsCanBeBoundAndConnected) {
    const QTemporaryDir folder;
    const QString deep = folder.filePath(QString(120, u'd'));
    ASSERT_TRUE(QDir().mkpath(deep));
    const auto address = SocketAddress::of(deep + QStringLiteral("/vitrine.sock"));
    ASSERT_TRUE(address);
    EXPECT_LE(address->text().size(), 100);
    sockaddr_un raw{};
    raw.sun_family = AF_UNIX;
    const QByteArray text = address->text().toLocal8Bit();
    std::copy(text.begin(), text.end(), raw.sun_path);
    const FileDescriptor server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(server.get(), reinterpret_cast<sockaddr*>(&raw), sizeof raw), 0);
    ASSERT_EQ(::listen(server.get(), 1), 0);
    EXPECT_TRUE(QFile::exists(deep + QStringLiteral("/vitrine.sock")));
    const FileDescriptor client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(client.get(), reinterpret_cast<sockaddr*>(&raw), sizeof raw), 0);
}

TEST(SocketAddress, AFolderThatIsMissingIsNotFound) {
    const auto address =
        SocketAddress::of(QStringLiteral("/nowhere/") + QString(120, u'd') + QStringLiteral("/s"));
    ASSERT_FALSE(address);
    EXPECT_EQ(address.error().kind, Error::Kind::NotFound);
}

} // namespace
} // namespace vitrine
