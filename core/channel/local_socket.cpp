// SPDX-License-Identifier: Apache-2.0
#include "core/channel/local_socket.h"

#include "core/posix/descriptors.h"

#include <QFile>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace vitrine {

Result<int> listenOnLocalSocket(const QString& path) {
    const QByteArray name = QFile::encodeName(path);
    sockaddr_un address{};
    const QString what = Tr::tr("Cannot listen on \"%1\".").arg(path);
    if (name.size() >= static_cast<qsizetype>(sizeof(address.sun_path))) {
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Cannot listen on \"%1\". The path of a socket can have at most %2 "
                           "bytes. Move the library to a shorter path.")
                        .arg(path)
                        .arg(sizeof(address.sun_path) - 1));
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.constData(), static_cast<size_t>(name.size()));
    const int fd = posix::makeLocalSocket();
    if (fd < 0) {
        return fail(Error::fromErrno(what, errno));
    }
    const mode_t before = ::umask(0177);
    const int bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address));
    const int bindError = errno;
    ::umask(before);
    if (bound != 0) {
        ::close(fd);
        return fail(Error::fromErrno(what, bindError == EADDRINUSE ? EEXIST : bindError));
    }
    if (::listen(fd, 64) != 0) {
        const int listenError = errno;
        ::close(fd);
        ::unlink(name.constData());
        return fail(Error::fromErrno(what, listenError));
    }
    return fd;
}

Result<int> connectToLocalSocket(const QString& path) {
    const QByteArray name = QFile::encodeName(path);
    const QString what = Tr::tr("Cannot connect to \"%1\".").arg(path);
    sockaddr_un address{};
    if (name.size() >= static_cast<qsizetype>(sizeof(address.sun_path))) {
        return fail(Error::fromErrno(what, ENAMETOOLONG));
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.constData(), static_cast<size_t>(name.size()));
    const int fd = posix::makeLocalSocket();
    if (fd < 0) {
        return fail(Error::fromErrno(what, errno));
    }
    // With room in the queue of the listener it is done at once.
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
        return fd;
    }
    const int error = errno;
    ::close(fd);
    if (error == ECONNREFUSED || error == ENOENT) {
        return fail(Error::Kind::NotFound,
                    Tr::tr("Nobody listens on \"%1\". The program that did has ended.").arg(path));
    }
    if (error == EAGAIN || error == EINPROGRESS) {
        return fail(Error::Kind::Busy,
                    Tr::tr("Too many programs wait for an answer on \"%1\". Try again.").arg(path));
    }
    return fail(Error::fromErrno(what, error));
}

Result<> checkPeerIsThisUser(qintptr socketDescriptor) {
    posix::Peer peer;
    if (!posix::peerOf(static_cast<int>(socketDescriptor), peer)) {
        return fail(Error::fromErrno(Tr::tr("Cannot find out who is at the other end of a socket."),
                                     errno));
    }
    if (peer.user != ::geteuid()) {
        return fail(Error::Kind::Permission,
                    Tr::tr("The process at the other end of the socket belongs to another user. "
                           "Nothing was sent."),
                    QStringLiteral("peer uid %1").arg(peer.user));
    }
    return {};
}

} // namespace vitrine
