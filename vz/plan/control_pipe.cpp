// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/control_pipe.h"

#include "core/channel/local_socket.h"
#include "core/library/runtime_directory.h"
#include "core/posix/descriptors.h"
#include "vz/plan/stream_splice.h"

#include <QFile>
#include <QPointer>
#include <QSocketNotifier>
#include <QTimer>

#include <cerrno>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace vitrine::vz {

namespace {

constexpr const char* fileName = "control.sock";
constexpr int shortOfDescriptors = 200; // ms until the next try

} // namespace

Result<std::unique_ptr<ControlPipe>> ControlPipe::listen(const QString& machineDirectory,
                                                         Open open) {
    const QString path = machineDirectory + QLatin1Char('/') + QLatin1String(fileName);
    FileDescriptor directory(::open(QFile::encodeName(machineDirectory).constData(),
                                    O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!directory.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot open the folder \"%1\".").arg(machineDirectory),
                                     errno));
    if (::unlinkat(directory.get(), fileName, 0) != 0 && errno != ENOENT)
        return fail(Error::fromErrno(
            Tr::tr("Cannot remove \"%1\", which an earlier run of the machine left.").arg(path),
            errno));
    const auto address = SocketAddress::of(path);
    if (!address)
        return fail(address.error());
    const auto listener = listenOnLocalSocket(address->text());
    if (!listener)
        return fail(listener.error());
    return std::unique_ptr<ControlPipe>(
        new ControlPipe(std::move(directory), FileDescriptor(*listener), std::move(open)));
}

ControlPipe::ControlPipe(FileDescriptor directory, FileDescriptor listener, Open open)
    : m_directory(std::move(directory))
    , m_listener(std::move(listener))
    , m_open(std::move(open)) {
    struct stat file {};
    if (::fstatat(m_directory.get(), fileName, &file, AT_SYMLINK_NOFOLLOW) == 0) {
        m_device = file.st_dev;
        m_inode = file.st_ino;
    }
    const int fd = m_listener.get();
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
    m_incoming = std::make_unique<QSocketNotifier>(fd, QSocketNotifier::Read);
    connect(m_incoming.get(), &QSocketNotifier::activated, this, [this] { acceptAll(); });
}

ControlPipe::~ControlPipe() {
    struct stat file {};
    if (::fstatat(m_directory.get(), fileName, &file, AT_SYMLINK_NOFOLLOW) == 0 &&
        file.st_dev == m_device && file.st_ino == m_inode)
        ::unlinkat(m_directory.get(), fileName, 0);
}

void ControlPipe::acceptAll() {
    while (m_connections < maximumConnections) {
        FileDescriptor accepted(posix::acceptLocal(m_listener.get()));
        if (!accepted.isValid()) {
            if (errno == EINTR || errno == ECONNABORTED)
                continue;
            if (errno != EAGAIN && errno != EWOULDBLOCK) {
                // Without descriptors the connection stays in the queue and would be told at once.
                m_incoming->setEnabled(false);
                QTimer::singleShot(
                    shortOfDescriptors, this, [this] { m_incoming->setEnabled(true); });
            }
            return;
        }
        ++m_connections;
        const QPointer<ControlPipe> self(this);
        const auto client = std::make_shared<FileDescriptor>(std::move(accepted));
        m_open([self, client](const Result<int>& opened) {
            FileDescriptor guest(opened ? *opened : -1);
            if (!self)
                return;
            if (guest.isValid()) {
                self->join(std::move(*client), std::move(guest));
                return;
            }
            client->reset();
            self->endOne();
            Q_EMIT self->refused(opened.error());
        });
        if (!self)
            return;
    }
    m_incoming->setEnabled(false);
}

void ControlPipe::join(FileDescriptor client, FileDescriptor guest) {
    auto* const splice = new StreamSplice(std::move(client), std::move(guest), this);
    connect(splice, &StreamSplice::finished, this, [this, splice] {
        splice->deleteLater();
        endOne();
    });
}

void ControlPipe::endOne() {
    --m_connections;
    m_incoming->setEnabled(true);
}

} // namespace vitrine::vz
