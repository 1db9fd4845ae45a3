// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/share_daemon.h"

#include "qemu/sharing/share_protocol.h"

#include <QFile>
#include <QPointer>

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <utility>

namespace vitrine::qemu {

namespace {

namespace protocol = shareprotocol;

Error notHere(const QString& what, int errorNumber) {
    return {Error::Kind::Unsupported, what, QString::fromLocal8Bit(std::strerror(errorNumber))};
}

// What the helper could not do, as a sentence.
Error errorOf(const QByteArray& stage, int errorNumber, const QString& path) {
    if (stage == protocol::stageUserNamespace) {
        return notHere(Tr::tr("This computer does not let ordinary users make user namespaces, "
                              "which virtiofs needs (sysctl user.max_user_namespaces or "
                              "kernel.apparmor_restrict_unprivileged_userns)."),
                       errorNumber);
    }
    if (stage == protocol::stageUserMap || stage == protocol::stageGroupMap) {
        return notHere(Tr::tr("The subordinate ids of /etc/subuid and /etc/subgid cannot be used: "
                              "newuidmap and newgidmap (Debian: uidmap) refused them."),
                       errorNumber);
    }
    if (stage == protocol::stageMounts || errorNumber == ENOSYS) {
        return notHere(Tr::tr("This computer's kernel cannot make the mounts that virtiofs needs "
                              "(Linux 5.12 or later)."),
                       errorNumber);
    }
    if (stage == protocol::stageRead) {
        return {Error::Kind::Permission,
                Tr::tr("The folder \"%1\" cannot be reached for sharing: its owner or group is not "
                       "yours, or it does not let you in. Change its group or mode, or share "
                       "another folder.")
                    .arg(path),
                QString::fromLocal8Bit(std::strerror(errorNumber))};
    }
    if (stage == protocol::stageWrite) {
        return {Error::Kind::Permission,
                Tr::tr("The folder \"%1\" cannot be written, so it cannot be shared for writing. "
                       "Share it read-only, or change its owner or mode.")
                    .arg(path),
                QString::fromLocal8Bit(std::strerror(errorNumber))};
    }
    if (stage == protocol::stageInUse) {
        return {Error::Kind::Busy,
                Tr::tr("The share \"%1\" cannot become read-only: a program in the guest has a "
                       "file of it open for writing. Close it there and try again.")
                    .arg(path),
                QString::fromLocal8Bit(std::strerror(errorNumber))};
    }
    if (stage == protocol::stageName) {
        return {Error::Kind::AlreadyExists,
                Tr::tr("There is a share with this name already."),
                QString::fromLocal8Bit(std::strerror(errorNumber))};
    }
    if (stage == protocol::stageOwner) {
        return Error::fromErrno(Tr::tr("Not everything in \"%1\" is yours now.").arg(path),
                                errorNumber);
    }
    if (stage == protocol::stageStart) {
        return Error::fromErrno(Tr::tr("The program virtiofsd cannot be started."), errorNumber);
    }
    return Error::fromErrno(Tr::tr("The folder \"%1\" cannot be shared.").arg(path), errorNumber);
}

} // namespace

ShareDaemon::ShareDaemon(QObject* parent)
    : QObject(parent) {
    connect(&m_child, &ChildProcess::finished, this, &ShareDaemon::finish);
}

Result<> ShareDaemon::start(const Setup& setup, Done ready) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
        return fail(Error::fromErrno(tr("Folders cannot be shared."), errno));
    }
    m_socket = FileDescriptor(ends[0]);
    const FileDescriptor theirs(ends[1]);
    ChildProcess::Request request;
    request.program = setup.helper;
    request.arguments = QStringList{QString::number(theirs.get())} + setup.arguments;
    request.workingDirectory = setup.workingDirectory;
    request.logFile = setup.logFile;
    request.inherited = setup.inherited + QList<int>{theirs.get()};
    if (Result<> started = m_child.start(request); !started) {
        return started;
    }
    m_waiting.push_back({std::move(ready), {}});
    m_notifier = std::make_unique<QSocketNotifier>(m_socket.get(), QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &ShareDaemon::receive);
    return {};
}

void ShareDaemon::add(const QString& name, bool readOnly, const QString& path, Done done) {
    send({protocol::add,
          name.toUtf8(),
          readOnly ? protocol::readOnly : protocol::writable,
          QFile::encodeName(path)},
         -1,
         path,
         std::move(done));
}

void ShareDaemon::remove(const QString& name, Done done) {
    send({protocol::remove, name.toUtf8()}, -1, name, std::move(done));
}

void ShareDaemon::protect(const QString& name, Done done) {
    send({protocol::protect, name.toUtf8()}, -1, name, std::move(done));
}

void ShareDaemon::takeOwnership(const QString& path, std::function<void(Result<quint64>)> reply) {
    send({protocol::own, QFile::encodeName(path)},
         -1,
         path,
         [this, reply = std::move(reply)](const Result<>& taken) {
             reply(taken ? Result<quint64>(m_number) : fail(taken.error()));
         });
}

void ShareDaemon::run(int socket, Done done) {
    send({protocol::run}, socket, {}, [this, done = std::move(done)](const Result<>& result) {
        m_running = result.has_value();
        done(result);
    });
}

void ShareDaemon::send(const QList<QByteArray>& fields,
                       int descriptor,
                       const QString& path,
                       Done done) {
    QByteArray message = fields.join('\0');
    iovec part{message.data(), static_cast<size_t>(message.size())};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (descriptor >= 0) {
        header.msg_control = control.data();
        header.msg_controllen = control.size();
        cmsghdr* const head = CMSG_FIRSTHDR(&header);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof(int));
        std::memcpy(CMSG_DATA(head), &descriptor, sizeof(descriptor));
    }
    const bool fits = message.size() <= protocol::maximumMessage;
    if (m_over || !fits || ::sendmsg(m_socket.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        const Error error{Error::Kind::Internal,
                          tr("The program that shares folders does not answer. Restart the "
                             "machine."),
                          {}};
        QMetaObject::invokeMethod(
            this, [done = std::move(done), error] { done(fail(error)); }, Qt::QueuedConnection);
        return;
    }
    m_waiting.push_back({std::move(done), path});
}

void ShareDaemon::receive() {
    std::array<char, protocol::maximumMessage> bytes{};
    const QPointer<ShareDaemon> alive(this);
    while (alive && m_socket.isValid()) {
        const ssize_t size = ::recv(m_socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (size < 0 && (errno == EAGAIN || errno == EINTR)) {
            return;
        }
        if (size <= 0) {
            finish();
            return;
        }
        handle(QByteArray(bytes.data(), size).split('\0'));
    }
}

void ShareDaemon::handle(const QList<QByteArray>& fields) {
    const QByteArray& word = fields.first();
    if (word == protocol::ended) {
        finish();
        return;
    }
    if (m_waiting.empty()) {
        return;
    }
    const Waiting waiting = std::move(m_waiting.front());
    m_waiting.pop_front();
    if (word == protocol::error) {
        waiting.done(fail(errorOf(fields.value(1), fields.value(2).toInt(), waiting.path)));
    } else {
        m_number = fields.value(1).toULongLong();
        waiting.done({});
    }
}

void ShareDaemon::finish() {
    if (std::exchange(m_over, true)) {
        return;
    }
    if (m_notifier) {
        m_notifier->setEnabled(false); // it may be what called
    }
    const std::deque<Waiting> unanswered = std::exchange(m_waiting, {});
    const QPointer<ShareDaemon> alive(this);
    for (const Waiting& waiting : unanswered) {
        waiting.done(fail(Error::Kind::Internal,
                          tr("The program that shares folders ended. The machine's log says why."),
                          m_child.lastLines().join(QLatin1Char('\n'))));
        if (!alive) {
            return;
        }
    }
    if (m_running) {
        Q_EMIT ended();
    }
}

} // namespace vitrine::qemu
