// SPDX-License-Identifier: Apache-2.0
// The macOS files of core/posix over stand-ins of macOS's calls: what posix_test.cpp, which is
// part of the same program, does not ask for.
#include "core/credentials/credential_file.h"
#include "core/disk/file_copy.h"
#include "core/disk/file_descriptor.h"
#include "core/posix/descriptors.h"
#include "core/posix/files.h"
#include "core/posix/host.h"
#include "core/posix/processes.h"
#include "tests/core/posix_mac/mac_faults.h"
#include "tests/support/send_signal.h"
#include "vz/plan/saved_state.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <memory>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace vitrine;
using mac::Call;

namespace {

constexpr int patience = 10000; // ms
constexpr int always = 1 << 20;

bool isReadable(int fd, int timeout = patience) {
    struct pollfd entry {
        fd, POLLIN, 0
    };
    return ::poll(&entry, 1, timeout) == 1;
}

QByteArray write(const QTemporaryDir& folder, const char* name, const QByteArray& bytes) {
    const QString path = folder.filePath(QString::fromLatin1(name));
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    return QFile::encodeName(path);
}

QByteArray contentOf(const QByteArray& path) {
    QFile file(QFile::decodeName(path));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return file.readAll();
}

// What a child of this process ends with.
template <class Work>
int statusOf(Work work) {
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(work());
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return status;
}

struct Family {
    pid_t parent = 0;
    pid_t child = 0;
    std::shared_ptr<FileDescriptor> alive; // at its end when the child has ended
};

// A child of a child of this process that is to end with its parent. Both wait.
template <class Before>
Family parentAndChild(Before before) {
    std::array<int, 2> ends{-1, -1};
    EXPECT_TRUE(posix::makePipe(ends));
    Family family;
    family.alive = std::make_shared<FileDescriptor>(ends[0]);
    FileDescriptor writeEnd(ends[1]);
    family.parent = ::fork();
    if (family.parent == 0) {
        if (::fork() == 0) {
            const pid_t self = ::getpid();
            (void)!::write(writeEnd.get(), &self, sizeof(self));
            before();
            posix::endWithParent(SIGKILL);
            (void)!::write(writeEnd.get(), "r", 1);
        } else {
            ::close(writeEnd.get());
        }
        for (;;)
            ::pause();
    }
    writeEnd.reset();
    EXPECT_EQ(::read(family.alive->get(), &family.child, sizeof(pid_t)),
              static_cast<ssize_t>(sizeof(pid_t)));
    char ready = 0;
    EXPECT_GE(::read(family.alive->get(), &ready, 1), 0); // the end, when it was ended already
    return family;
}

class MacPosix : public ::testing::Test {
protected:
    MacPosix() { mac::forgetFaults(); }
    ~MacPosix() override { mac::forgetFaults(); }
};

class MacDescriptors : public MacPosix {};
class MacProcesses : public MacPosix {};
class MacHost : public MacPosix {};

class MacFiles : public MacPosix {
protected:
    // A source, and an empty new file beside it that is to become its clone.
    void prepare(mode_t mode = 0644) {
        source = write(folder, "source", QByteArray(100000, 'x'));
        ASSERT_EQ(::chmod(source.constData(), mode), 0);
        path = QFile::encodeName(folder.filePath(QStringLiteral("target")));
        from = FileDescriptor(::open(source.constData(), O_RDONLY | O_CLOEXEC));
        to = ::open(path.constData(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    ~MacFiles() override {
        if (to >= 0)
            ::close(to);
    }
    [[nodiscard]] struct stat target() const {
        struct stat info {};
        EXPECT_EQ(::fstat(to, &info), 0);
        return info;
    }

    QTemporaryDir folder;
    QByteArray source;
    QByteArray path;
    FileDescriptor from;
    int to = -1;
};

} // namespace

TEST_F(MacDescriptors, WhatCannotBeMadeIsTold) {
    mac::failNext(Call::Pipe, EMFILE);
    std::array<int, 2> ends{-1, -1};
    EXPECT_FALSE(posix::makePipe(ends));
    EXPECT_EQ(errno, EMFILE);
    mac::failNext(Call::Socket, ENFILE);
    EXPECT_EQ(posix::makeLocalSocket(), -1);
    EXPECT_EQ(errno, ENFILE);
    mac::failNext(Call::Accept, ECONNABORTED);
    EXPECT_EQ(posix::acceptLocal(0), -1);
    EXPECT_EQ(errno, ECONNABORTED);
}

TEST_F(MacDescriptors, AnAcceptedConnectionDoesNotWaitAndIsNotInherited) {
    const QTemporaryDir folder;
    const QByteArray path = QFile::encodeName(folder.filePath(QStringLiteral("s")));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(path.begin(), path.end(), address.sun_path);
    const FileDescriptor server(posix::makeLocalSocket());
    const auto* const where = reinterpret_cast<const sockaddr*>(&address);
    ASSERT_EQ(::bind(server.get(), where, sizeof(address)), 0);
    ASSERT_EQ(::listen(server.get(), 1), 0);
    FileDescriptor client(posix::makeLocalSocket());
    ASSERT_EQ(::connect(client.get(), where, sizeof(address)), 0);
    const FileDescriptor one(posix::acceptLocal(server.get()));
    ASSERT_TRUE(one.isValid());
    EXPECT_NE(::fcntl(one.get(), F_GETFL) & O_NONBLOCK, 0);
    EXPECT_NE(::fcntl(one.get(), F_GETFD) & FD_CLOEXEC, 0);
    client.reset();
    EXPECT_EQ(::send(one.get(), "x", 1, posix::sendFlags), -1);
    EXPECT_EQ(errno, EPIPE);
}

TEST_F(MacDescriptors, WritingToAConnectionThatHadEndedBeforeIsNoSignal) {
    // Such a socket takes no options any more, the one against the signal included.
    const int status = statusOf([] {
        std::array<int, 2> ends{-1, -1};
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
            return 1;
        ::signal(SIGPIPE, SIG_DFL);
        ::close(ends[1]);
        posix::silence(ends[0]);
        return ::send(ends[0], "x", 1, posix::sendFlags) == -1 && errno == EPIPE ? 7 : 2;
    });
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(MacDescriptors, AHandlerOfTheSignalIsLeftAlone) {
    const int status = statusOf([] {
        std::array<int, 2> ends{-1, -1};
        if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
            return 1;
        static volatile std::sig_atomic_t heard = 0;
        ::signal(SIGPIPE, [](int) { heard = 1; });
        ::close(ends[1]);
        posix::silence(ends[0]);
        posix::silence(-1);
        return ::send(ends[0], "x", 1, posix::sendFlags) == -1 && heard == 1 ? 7 : 2;
    });
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(MacDescriptors, APeerWhoseProcessIsNotToldIsItsUser) {
    std::array<int, 2> ends{-1, -1};
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    const FileDescriptor one(ends[0]);
    FileDescriptor other(ends[1]);
    posix::Peer peer;
    other.reset();
    ASSERT_TRUE(posix::peerOf(one.get(), peer));
    EXPECT_EQ(peer.user, ::geteuid());
    EXPECT_EQ(peer.process, 0);
}

TEST_F(MacDescriptors, AFolderThatMovedIsReachedWhereItIs) {
    const QTemporaryDir folder;
    ASSERT_TRUE(QDir(folder.path()).mkdir(QStringLiteral("before")));
    const FileDescriptor open(posix::openFolderForPath(
        QFile::encodeName(folder.filePath(QStringLiteral("before"))).constData()));
    ASSERT_TRUE(QDir(folder.path()).rename(QStringLiteral("before"), QStringLiteral("after")));
    EXPECT_EQ(QFile::decodeName(posix::pathThrough(open.get())),
              folder.filePath(QStringLiteral("after")));
    ASSERT_TRUE(QDir(folder.path()).rmdir(QStringLiteral("after")));
    EXPECT_TRUE(posix::pathThrough(open.get()).isEmpty());
    EXPECT_EQ(errno, ENOENT);
}

TEST_F(MacProcesses, AnUnreapedChildHasEnded) {
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(0);
    siginfo_t told{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &told, WEXITED | WNOWAIT), 0);
    EXPECT_EQ(posix::watchProcess(child), -1);
    EXPECT_EQ(errno, ESRCH);
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
}

TEST_F(MacProcesses, WithoutQueuesThereIsAnError) {
    mac::failNext(Call::Kqueue, EMFILE);
    EXPECT_EQ(posix::watchProcess(::getpid()), -1);
    EXPECT_EQ(errno, EMFILE);
    mac::failNext(Call::Kevent, ENOMEM);
    EXPECT_EQ(posix::watchProcess(::getpid()), -1);
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_FALSE(posix::signalWatched(-1, 0, SIGTERM));
    EXPECT_EQ(errno, EBADF);
}

TEST_F(MacProcesses, ASignalWhileAddingIsNoError) {
    mac::failNext(Call::Kevent, EINTR, 3);
    const FileDescriptor watch(posix::watchProcess(::getpid()));
    EXPECT_TRUE(watch.isValid());
    EXPECT_EQ(mac::timesCalled(Call::Kevent), 4);
}

TEST_F(MacProcesses, AWatchStaysReadableAndIsNotInherited) {
    const pid_t child = ::fork();
    if (child == 0)
        for (;;)
            ::pause();
    const FileDescriptor watch(posix::watchProcess(child));
    ASSERT_TRUE(watch.isValid());
    EXPECT_EQ(WEXITSTATUS(statusOf([&] { return ::fcntl(watch.get(), F_GETFD) == -1 ? 7 : 1; })),
              7);
    vitrine::test::sendSignal(child, SIGKILL);
    EXPECT_TRUE(isReadable(watch.get()));
    EXPECT_TRUE(isReadable(watch.get(), 0));
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_TRUE(isReadable(watch.get(), 0));
}

TEST_F(MacProcesses, WhoWaitsForAChildAndItsParentEndsWithEither) {
    // Orphans come here, so that their end is seen.
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    for (const bool parentFirst : {true, false}) {
        const auto [parent, child, alive] = parentAndChild([] {});
        vitrine::test::sendSignal(parentFirst ? parent : child, SIGKILL);
        EXPECT_TRUE(isReadable(alive->get()));
        if (!parentFirst)
            vitrine::test::sendSignal(parent, SIGKILL);
        // The parent, the child and who waited for them.
        int reaped = 0;
        while (::waitpid(-1, nullptr, 0) > 0)
            ++reaped;
        EXPECT_EQ(reaped, 3) << parentFirst;
    }
    ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

TEST_F(MacProcesses, AParentThatEndedBeforeItWasWatchedEndsItsChild) {
    const auto [parent, child, alive] =
        parentAndChild([] { mac::failNext(Call::Kevent, ESRCH, 1, 1); });
    EXPECT_TRUE(isReadable(alive->get()));
    vitrine::test::sendSignal(parent, SIGKILL);
    EXPECT_EQ(::waitpid(parent, nullptr, 0), parent);
}

TEST_F(MacProcesses, AChildWhoseParentCannotBeWatchedLives) {
    for (const int passed : {0, 1}) {
        const auto [parent, child, alive] =
            parentAndChild([=] { mac::failNext(Call::Kevent, ENOMEM, 1, passed); });
        EXPECT_FALSE(isReadable(alive->get(), 50)) << passed;
        vitrine::test::sendSignal(child, SIGKILL);
        EXPECT_TRUE(isReadable(alive->get()));
        vitrine::test::sendSignal(parent, SIGKILL);
        EXPECT_EQ(::waitpid(parent, nullptr, 0), parent);
    }
}

TEST_F(MacFiles, AVolumeWithoutExclusiveRenamesSaysSoInOneWay) {
    const QByteArray a = write(folder, "a", "a");
    mac::failNext(Call::RenameExclusive, ENOTSUP);
    EXPECT_FALSE(posix::renameExclusive(a.constData(), (a + "b").constData()));
    EXPECT_EQ(errno, EINVAL);
    mac::failNext(Call::RenameExclusive, EROFS);
    EXPECT_FALSE(posix::renameExclusive(a.constData(), (a + "b").constData()));
    EXPECT_EQ(errno, EROFS);
}

TEST_F(MacFiles, ACloneIsPrivateToItsOwner) {
    prepare(0444);
    ASSERT_TRUE(posix::cloneInto(from.get(), to, path.constData()));
    EXPECT_EQ(target().st_mode & 0777U, 0600U);
    EXPECT_EQ(contentOf(path), QByteArray(100000, 'x'));
    EXPECT_EQ(::pwrite(to, "y", 1, 0), 1);
    EXPECT_NE(::fcntl(to, F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(MacFiles, WithoutClonesThereIsAnEmptyFileToCopyTo) {
    prepare();
    mac::pretendClones(false);
    EXPECT_FALSE(posix::cloneInto(from.get(), to, path.constData()));
    EXPECT_EQ(errno, ENOTSUP);
    EXPECT_TRUE(posix::meansOtherWay(errno));
    EXPECT_EQ(target().st_size, 0);
    EXPECT_EQ(target().st_mode & 0777U, 0600U);
    EXPECT_EQ(::pwrite(to, "y", 1, 0), 1);
    EXPECT_FALSE(posix::canClone(from.get(), QFile::encodeName(folder.path()).constData()));
}

TEST_F(MacFiles, WhatOthersPutThereMeanwhileIsKept) {
    prepare();
    mac::failNext(Call::Clone, EEXIST);
    EXPECT_FALSE(posix::cloneInto(from.get(), to, path.constData()));
    EXPECT_EQ(errno, EEXIST);
    EXPECT_EQ(to, -1);
    EXPECT_FALSE(posix::meansOtherWay(EEXIST));
}

TEST_F(MacFiles, ACloneWhoseModeCannotBeSetIsNotLeft) {
    prepare();
    mac::failNext(Call::ChangeMode, EPERM, always);
    EXPECT_FALSE(posix::cloneInto(from.get(), to, path.constData()));
    EXPECT_EQ(errno, EPERM);
    EXPECT_EQ(to, -1);
    EXPECT_NE(::access(path.constData(), F_OK), 0);
}

TEST_F(MacFiles, WhetherClonesWorkIsAskedOfTheVolume) {
    prepare();
    const QByteArray here = QFile::encodeName(folder.path());
    EXPECT_TRUE(posix::canClone(from.get(), here.constData()));
    EXPECT_FALSE(posix::canClone(to, here.constData())) << "an empty file";
    EXPECT_FALSE(posix::canClone(from.get(), "/proc")) << "another volume";
    mac::failNext(Call::Attributes, EINVAL);
    EXPECT_FALSE(posix::canClone(from.get(), here.constData()));
    mac::failNext(Call::Statfs, EIO);
    EXPECT_FALSE(posix::canClone(from.get(), here.constData()));
    EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files).size(), 2);
}

TEST_F(MacFiles, PartsOfFilesAreNeitherSharedNorCopiedBehindTheScenes) {
    prepare();
    EXPECT_FALSE(posix::cloneRange(from.get(), 0, to, 0, 4096));
    EXPECT_TRUE(posix::meansOtherWay(errno));
    EXPECT_LT(posix::copyRange(from.get(), to, 0, 4096), 0);
    EXPECT_TRUE(posix::meansOtherWay(errno));
    EXPECT_EQ(posix::exclusiveBytes(to), std::nullopt);
    EXPECT_EQ(posix::openDirect(to), -1);
    EXPECT_FALSE(posix::writeBack(to, 0, 1));
    posix::startWriteBack(to, 0, 1);
}

TEST_F(MacFiles, AHoleOffTheBlocksIsToBeWritten) {
    const QByteArray file = write(folder, "file", QByteArray(1 << 20, 'x'));
    const FileDescriptor open(::open(file.constData(), O_RDWR | O_CLOEXEC));
    EXPECT_FALSE(posix::punchHole(open.get(), 100, 200));
    EXPECT_EQ(errno, EOPNOTSUPP);
    for (const int error : {ENOTSUP, ENOTTY, ENOSYS}) {
        mac::failNext(Call::PunchHole, error);
        EXPECT_FALSE(posix::punchHole(open.get(), 0, 4096));
        EXPECT_EQ(errno, EOPNOTSUPP);
    }
    mac::failNext(Call::PunchHole, EIO);
    EXPECT_FALSE(posix::punchHole(open.get(), 0, 4096));
    EXPECT_EQ(errno, EIO);
    EXPECT_TRUE(posix::punchHole(open.get(), 4096, 4096));
    EXPECT_EQ(contentOf(file),
              QByteArray(4096, 'x') + QByteArray(4096, '\0') + QByteArray((1 << 20) - 8192, 'x'));
}

TEST_F(MacFiles, FlushingGoesDownToWhatTheVolumeHas) {
    prepare();
    EXPECT_TRUE(posix::flush(to));
    EXPECT_EQ(mac::timesCalled(Call::FullSync), 1);
    EXPECT_EQ(mac::timesCalled(Call::OrdinarySync), 0);
    int expected = 0;
    for (const int error : {ENOTSUP, EINVAL, ENOTTY}) {
        mac::failNext(Call::FullSync, error);
        EXPECT_TRUE(posix::flush(to));
        EXPECT_EQ(mac::timesCalled(Call::OrdinarySync), ++expected);
    }
    mac::failNext(Call::FullSync, EINTR, 2);
    EXPECT_TRUE(posix::flush(to));
    EXPECT_EQ(mac::timesCalled(Call::OrdinarySync), expected);
    for (const int error : {EIO, ENOSPC}) {
        mac::failNext(Call::FullSync, error);
        EXPECT_FALSE(posix::flush(to));
        EXPECT_EQ(errno, error);
    }
    mac::failNext(Call::FullSync, ENOTSUP);
    mac::failNext(Call::OrdinarySync, EINTR, 2);
    EXPECT_TRUE(posix::flush(to));
    mac::failNext(Call::FullSync, ENOTSUP);
    mac::failNext(Call::OrdinarySync, EDQUOT);
    EXPECT_FALSE(posix::flush(to));
    EXPECT_EQ(errno, EDQUOT);
}

TEST_F(MacFiles, LoginsAndSavedStatesGoOntoTheMediumItself) {
    const CredentialFile logins(folder.filePath(QStringLiteral("logins")));
    ASSERT_TRUE(
        logins.store(QStringLiteral("localhost"), {QStringLiteral("me"), QStringLiteral("x")}));
    EXPECT_GE(mac::timesCalled(Call::FullSync), 2) << "the file and its folder";
    mac::forgetFaults();
    (void)write(folder, vz::vzStateName, "state");
    ASSERT_TRUE(vz::markStateUsed(folder.path()));
    EXPECT_GE(mac::timesCalled(Call::FullSync), 2);
    EXPECT_EQ(mac::timesCalled(Call::OrdinarySync), 0);
}

TEST_F(MacFiles, AVolumeThatKnowsNoHolesIsCopiedWhole) {
    prepare();
    mac::pretendClones(false);
    mac::failNext(Call::SeekData, ENOTTY, always);
    const QString copy = folder.filePath(QStringLiteral("copy"));
    const auto copied = copyDisk(QFile::decodeName(source), copy, {});
    ASSERT_TRUE(copied) << copied.error().message.toStdString();
    EXPECT_EQ(*copied, CopyMethod::Sparse);
    EXPECT_EQ(contentOf(QFile::encodeName(copy)), contentOf(source));
}

TEST_F(MacFiles, AVolumeIsFlushedAndAFileForgotten) {
    prepare();
    EXPECT_TRUE(posix::flushVolume(from.get()));
    EXPECT_EQ(mac::timesCalled(Call::SyncAll), 1);
    posix::forgetCached(from.get());
    posix::forgetCached(-1);
    EXPECT_EQ(mac::timesCalled(Call::OrdinarySync), 1);
    EXPECT_EQ(contentOf(source), QByteArray(100000, 'x'));
}

TEST_F(MacFiles, ADeviceTellsItsSize) {
    const QByteArray disk = write(folder, "disk", QByteArray(4096, 'x'));
    const FileDescriptor open(::open(disk.constData(), O_RDONLY | O_CLOEXEC));
    quint64 size = 0;
    ASSERT_TRUE(posix::blockDeviceSize(open.get(), size));
    EXPECT_EQ(size, 4096U);
    mac::failNext(Call::BlockCount, ENXIO);
    EXPECT_FALSE(posix::blockDeviceSize(open.get(), size));
    const FileDescriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_FALSE(posix::blockDeviceSize(null.get(), size));
    EXPECT_EQ(errno, ENOTTY);
}

TEST_F(MacFiles, ValuesOfAFolderAreReadAsTheyWereSetOrAreEmpty) {
    const QByteArray here = QFile::encodeName(folder.path());
    EXPECT_EQ(posix::attribute(here.constData(), "vitrine.used"), QByteArray());
    const bool isKept = posix::setAttribute(here.constData(), "vitrine.used", "1700000000");
    EXPECT_EQ(posix::attribute(here.constData(), "vitrine.used"),
              isKept ? QByteArray("1700000000") : QByteArray());
    mac::failNext(Call::SetAttribute, ENOTSUP);
    EXPECT_FALSE(posix::setAttribute(here.constData(), "vitrine.used", "1"));
    EXPECT_EQ(errno, ENOTSUP);
    mac::failNext(Call::GetAttribute, ENOTSUP);
    EXPECT_EQ(posix::attribute(here.constData(), "vitrine.used"), QByteArray());
}

TEST_F(MacHost, WhatCannotBeToldIsEmpty) {
    for (const Call call : {Call::BootId,
                            Call::HostId,
                            Call::MemorySize,
                            Call::MemoryLevel,
                            Call::ListVolumes,
                            Call::Statfs})
        mac::failNext(call, EPERM, always);
    EXPECT_TRUE(posix::bootId().isEmpty());
    EXPECT_TRUE(posix::hostId().isEmpty());
    EXPECT_EQ(posix::physicalMemory(), 0U);
    EXPECT_EQ(posix::availableMemory(), 0U);
    EXPECT_TRUE(posix::mountPoints().isEmpty());
    EXPECT_FALSE(posix::isForeignVolume("/"));
}

TEST_F(MacHost, IdentitiesAreTextsOfTheirLength) {
    EXPECT_EQ(posix::bootId().size(), 36);
    const QByteArray host = posix::hostId();
    EXPECT_TRUE(host.isEmpty() || host.size() == 32);
    EXPECT_EQ(posix::hostId(), host);
}

TEST_F(MacHost, VolumesOfOthersAreForeign) {
    EXPECT_FALSE(posix::isForeignVolume("/"));
    for (const char* kind : {"msdos", "exfat", "ntfs", "macfuse", "osxfuse"}) {
        mac::pretendVolume(kind);
        EXPECT_TRUE(posix::isForeignVolume("/")) << kind;
    }
    for (const char* kind : {"apfs", "hfs"}) {
        mac::pretendVolume(kind);
        EXPECT_FALSE(posix::isForeignVolume("/")) << kind;
    }
    mac::pretendVolume("smbfs", false);
    EXPECT_TRUE(posix::isForeignVolume("/"));
}
