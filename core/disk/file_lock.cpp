// SPDX-License-Identifier: Apache-2.0
#include "core/disk/file_lock.h"

#include <QDeadlineTimer>
#include <QElapsedTimer>
#include <QFile>
#include <QThread>

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>

namespace vitrine {

namespace {

constexpr int longestLook = 2000; // ms that looks of others, one after another, may take

FileDescriptor openForLock(const QString& path) {
    return FileDescriptor(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
}

int flockRetrying(int fd, int operation) {
    int status = 0;
    do {
        status = ::flock(fd, operation);
    } while (status != 0 && errno == EINTR);
    return status;
}

} // namespace

Result<DirectoryLock> DirectoryLock::tryLock(const QString& path) {
    FileDescriptor fd = openForLock(path);
    if (!fd.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot open \"%1\" to lock it.").arg(path), errno));
    // isHeld() of another program holds a shared lock for a moment: that is nobody's lock.
    const QDeadlineTimer deadline(longestLook);
    while (true) {
        if (flockRetrying(fd.get(), LOCK_EX | LOCK_NB) == 0)
            return DirectoryLock(std::move(fd));
        if (errno != EWOULDBLOCK)
            return fail(Error::fromErrno(Tr::tr("Cannot lock \"%1\".").arg(path), errno));
        // A real holder lets nobody share.
        if (flockRetrying(fd.get(), LOCK_SH | LOCK_NB) != 0 || deadline.hasExpired())
            break;
        (void)flockRetrying(fd.get(), LOCK_UN);
        QThread::usleep(500);
    }
    return fail(
        Error::Kind::Busy,
        Tr::tr("\"%1\" is in use by another program. Wait until it has finished and try again.")
            .arg(path));
}

Result<DirectoryLock> DirectoryLock::lock(const QString& path,
                                          int timeoutMilliseconds,
                                          const std::function<bool()>& cancelled) {
    QElapsedTimer timer;
    timer.start();
    while (true) {
        if (cancelled && cancelled())
            return fail(Error::cancelled());
        auto lock = tryLock(path);
        if (lock || lock.error().kind != Error::Kind::Busy)
            return lock;
        const qint64 left = timeoutMilliseconds - timer.elapsed();
        if (left <= 0)
            return lock;
        QThread::msleep(static_cast<unsigned long>(qMin<qint64>(50, left)));
    }
}

Result<> DirectoryLock::setInheritable(bool inheritable) {
    if (::fcntl(m_fd.get(), F_SETFD, inheritable ? 0 : FD_CLOEXEC) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot pass a lock on to another program."), errno));
    return {};
}

bool DirectoryLock::isHeld(const QString& path) {
    const FileDescriptor fd = openForLock(path);
    if (!fd.isValid())
        return false;
    return flockRetrying(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

} // namespace vitrine
