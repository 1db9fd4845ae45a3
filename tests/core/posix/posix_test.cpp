// SPDX-License-Identifier: Apache-2.0
#include "core/disk/file_descriptor.h"
#include "core/posix/descriptors.h"
#include "core/posix/files.h"
#include "core/posix/host.h"
#include "core/posix/processes.h"
#include "tests/support/send_signal.h"

#include <QFile>
#include <QTemporaryDir>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace vitrine;

namespace {

constexpr int patience = 10000; // ms

bool isClosedByExec(int fd) {
    return (::fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0;
}

bool isReadable(int fd) {
    struct pollfd entry {
        fd, POLLIN, 0
    };
    return ::poll(&entry, 1, patience) == 1;
}

// A child that waits until it is ended.
pid_t waitingChild() {
    const pid_t child = ::fork();
    if (child == 0) {
        ::signal(SIGTERM, SIG_DFL);
        while (true)
            ::pause();
    }
    return child;
}

QByteArray write(const QTemporaryDir& folder, const char* name, const QByteArray& bytes) {
    const QString path = folder.filePath(QString::fromLatin1(name));
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    return QFile::encodeName(path);
}

} // namespace

TEST(PosixDescriptors, PipesAndSocketsAreNotInherited) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_TRUE(posix::makePipe(ends));
    const FileDescriptor readEnd(ends[0]);
    const FileDescriptor writeEnd(ends[1]);
    const FileDescriptor socket(posix::makeLocalSocket());
    EXPECT_TRUE(isClosedByExec(readEnd.get()));
    EXPECT_TRUE(isClosedByExec(writeEnd.get()));
    EXPECT_TRUE(isClosedByExec(socket.get()));
}

TEST(PosixDescriptors, TheOtherEndIsThisProcess) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    const FileDescriptor one(ends[0]);
    const FileDescriptor other(ends[1]);
    posix::Peer peer;
    ASSERT_TRUE(posix::peerOf(one.get(), peer));
    EXPECT_EQ(peer.user, ::geteuid());
    EXPECT_EQ(peer.process, ::getpid());
    EXPECT_FALSE(posix::peerOf(-1, peer));
}

TEST(PosixDescriptors, WritingToAClosedEndIsNoSignal) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    const FileDescriptor one(ends[0]);
    posix::silence(one.get());
    ::close(ends[1]);
    EXPECT_EQ(::send(one.get(), "x", 1, posix::sendFlags), -1);
    EXPECT_EQ(errno, EPIPE);
}

TEST(PosixDescriptors, AllButOneAreClosed) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_TRUE(posix::makePipe(ends));
    const FileDescriptor readEnd(ends[0]);
    const FileDescriptor writeEnd(ends[1]);
    const pid_t child = ::fork();
    if (child == 0) {
        posix::closeDescriptors(3, writeEnd.get());
        const bool isRight =
            ::fcntl(readEnd.get(), F_GETFD) == -1 && ::fcntl(writeEnd.get(), F_GETFD) != -1;
        ::_exit(isRight ? 7 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(PosixDescriptors, FromANumberOnTheyAreClosedByExec) {
    const FileDescriptor open(::fcntl(0, F_DUPFD, 200));
    const FileDescriptor below(::fcntl(0, F_DUPFD, 100));
    ASSERT_LT(below.get(), 200);
    const pid_t child = ::fork();
    if (child == 0) {
        posix::closeOnExec(200);
        ::_exit(isClosedByExec(open.get()) && !isClosedByExec(below.get()) ? 7 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(PosixDescriptors, AFolderIsReachedThroughItsDescriptor) {
    const QTemporaryDir folder;
    const QByteArray path = write(folder, "file", "text");
    const FileDescriptor open(
        posix::openFolderForPath(QFile::encodeName(folder.path()).constData()));
    ASSERT_TRUE(open.isValid());
    EXPECT_EQ(::access((posix::pathThrough(open.get()) + "/file").constData(), R_OK), 0);
    EXPECT_LT(posix::openFolderForPath(path.constData()), 0);
    EXPECT_EQ(errno, ENOTDIR);
}

TEST(PosixProcesses, TheEndOfAProcessIsReadable) {
    const pid_t child = waitingChild();
    const FileDescriptor watch(posix::watchProcess(child));
    ASSERT_TRUE(watch.isValid());
    EXPECT_TRUE(isClosedByExec(watch.get()));
    struct pollfd entry {
        watch.get(), POLLIN, 0
    };
    EXPECT_EQ(::poll(&entry, 1, 0), 0);
    EXPECT_TRUE(posix::signalWatched(watch.get(), child, SIGTERM));
    EXPECT_TRUE(isReadable(watch.get()));
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_FALSE(posix::signalWatched(watch.get(), child, SIGTERM));
    EXPECT_EQ(errno, ESRCH);
    EXPECT_LT(posix::watchProcess(child), 0);
    EXPECT_EQ(errno, ESRCH);
}

TEST(PosixProcesses, AChildEndsWithItsParent) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_TRUE(posix::makePipe(ends));
    const FileDescriptor readEnd(ends[0]);
    FileDescriptor writeEnd(ends[1]);
    const pid_t parent = ::fork();
    if (parent == 0) {
        const pid_t child = ::fork();
        if (child == 0) {
            posix::endWithParent(SIGKILL);
            const char byte = 'r';
            (void)!::write(writeEnd.get(), &byte, 1);
            while (true)
                ::pause();
        }
        while (true)
            ::pause();
    }
    writeEnd.reset();
    char byte = 0;
    ASSERT_EQ(::read(readEnd.get(), &byte, 1), 1);
    vitrine::test::sendSignal(parent, SIGKILL);
    ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
    // The end of the file: the child, which has the other end, is gone.
    ASSERT_TRUE(isReadable(readEnd.get()));
    EXPECT_EQ(::read(readEnd.get(), &byte, 1), 0);
}

TEST(PosixFiles, ARenameReplacesNothing) {
    const QTemporaryDir folder;
    const QByteArray from = write(folder, "from", "new");
    const QByteArray to = write(folder, "to", "old");
    if (posix::renameExclusive(from.constData(), to.constData()))
        FAIL() << "replaced";
    EXPECT_TRUE(errno == EEXIST || errno == EINVAL);
    QFile file(QFile::decodeName(to));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), QByteArray("old"));
}

TEST(PosixFiles, ACloneThatFailsLeavesAFileToWriteTo) {
    const QTemporaryDir folder;
    const QByteArray source = write(folder, "source", QByteArray(100000, 'x'));
    const QByteArray path = QFile::encodeName(folder.filePath(QStringLiteral("target")));
    const FileDescriptor from(::open(source.constData(), O_RDONLY | O_CLOEXEC));
    int to = ::open(path.constData(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    const bool cloned = posix::cloneInto(from.get(), to, path.constData());
    const int error = errno;
    const FileDescriptor target(to);
    struct stat info {};
    ASSERT_TRUE(target.isValid());
    ASSERT_EQ(::fstat(target.get(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
    EXPECT_EQ(info.st_size, cloned ? 100000 : 0);
    EXPECT_EQ(::pwrite(target.get(), "y", 1, 0), 1);
    EXPECT_TRUE(cloned || posix::meansOtherWay(error));
    EXPECT_EQ(posix::canClone(from.get(), QFile::encodeName(folder.path()).constData()), cloned);
}

TEST(PosixFiles, AHoleReadsAsZerosOrIsRefusedAsUnknown) {
    const QTemporaryDir folder;
    const QByteArray path = write(folder, "file", QByteArray(1 << 20, 'x'));
    const FileDescriptor file(::open(path.constData(), O_RDWR | O_CLOEXEC));
    if (!posix::punchHole(file.get(), 0, 1 << 19)) {
        EXPECT_EQ(errno, EOPNOTSUPP);
        return;
    }
    char byte = 'a';
    ASSERT_EQ(::pread(file.get(), &byte, 1, 4096), 1);
    EXPECT_EQ(byte, 0);
    ASSERT_EQ(::pread(file.get(), &byte, 1, 1 << 19), 1);
    EXPECT_EQ(byte, 'x');
}

TEST(PosixFiles, FlushingTellsWhatIsNoFile) {
    const QTemporaryDir folder;
    const QByteArray path = write(folder, "file", "text");
    const FileDescriptor file(::open(path.constData(), O_RDWR | O_CLOEXEC));
    EXPECT_TRUE(posix::flush(file.get()));
    EXPECT_FALSE(posix::flush(-1));
    EXPECT_EQ(errno, EBADF);
}

TEST(PosixFiles, TimesAreThoseThatWereSet) {
    const QTemporaryDir folder;
    const QByteArray path = write(folder, "file", "text");
    const timespec times[2] = {{1000, 500}, {2000, 700}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path.constData(), times, 0), 0);
    struct stat info {};
    ASSERT_EQ(::stat(path.constData(), &info), 0);
    EXPECT_EQ(posix::accessTime(info).tv_sec, 1000);
    EXPECT_EQ(posix::modificationTime(info).tv_sec, 2000);
    EXPECT_EQ(posix::modificationTime(info).tv_nsec, 700);
}

TEST(PosixHost, TheComputerTellsItsStartItsMemoryAndItsVolumes) {
    EXPECT_FALSE(posix::bootId().isEmpty());
    EXPECT_EQ(posix::bootId(), posix::bootId());
    EXPECT_GT(posix::physicalMemory(), quint64{64} << 20);
    EXPECT_LE(posix::availableMemory(), posix::physicalMemory());
    EXPECT_TRUE(posix::mountPoints().contains("/"));
    EXPECT_FALSE(posix::isForeignVolume("/nowhere/at/all"));
}
