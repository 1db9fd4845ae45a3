// SPDX-License-Identifier: Apache-2.0
#include "core/registry/http_sockets.h"

#include <QEvent>
#include <QSocketNotifier>
#include <QThread>

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <netinet/in.h>
#include <optional>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#ifdef __linux__
#include <linux/tcp.h>
#endif

namespace vitrine {
namespace {

struct Owner {
    int users = 0;
    std::map<int, ino_t> sockets; // by descriptor
};
struct Seen {
    std::mutex mutex;
    std::map<const QThread*, Owner> owners;
};
Seen& seen() {
    static auto* const all = new Seen; // threads of Qt may outlive everything else
    return *all;
}

// A number may be another file by now.
bool isStill(int descriptor, ino_t inode) {
    struct stat info {};
    return ::fstat(descriptor, &info) == 0 && S_ISSOCK(info.st_mode) && info.st_ino == inode;
}

// Before every event of the program: the first event of a connection tells its descriptor. Qt's
// network thread is an object of the thread that owns the manager. Where a Qt gives that thread
// another name, nothing is seen, and only the time that a head may take is limited.
bool look(void** parameters) {
    if (static_cast<QEvent*>(parameters[1])->type() != QEvent::SockAct)
        return false;
    const QThread* const thread = QThread::currentThread();
    const auto* const notifier =
        qobject_cast<QSocketNotifier*>(static_cast<QObject*>(parameters[0]));
    if (!notifier || thread->thread() == thread ||
        thread->objectName() != QLatin1String("QNetworkAccessManager thread"))
        return false;
    const int descriptor = static_cast<int>(notifier->socket());
    struct stat info {};
    if (::fstat(descriptor, &info) != 0 || !S_ISSOCK(info.st_mode))
        return false;
    const std::scoped_lock lock(seen().mutex);
    if (const auto owner = seen().owners.find(thread->thread()); owner != seen().owners.end())
        owner->second.sockets[descriptor] = info.st_ino;
    return false;
}
// Before any thread is there: Qt's list has no lock.
[[maybe_unused]] const bool looking =
    QInternal::registerCallback(QInternal::EventNotifyCallback, look);

struct Bytes {
    quint64 received = 0; // by this computer
    quint64 taken = 0;    // of these by Qt
};
// nullopt where the system does not say.
std::optional<Bytes> bytesOf(int descriptor) {
#ifdef __linux__
    tcp_info info{};
    socklen_t size = sizeof info;
    int unread = 0;
    if (::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 ||
        size < offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received ||
        ::ioctl(descriptor, FIONREAD, &unread) != 0)
        return std::nullopt;
    const quint64 received = info.tcpi_bytes_received;
    return Bytes{received,
                 received - std::min(received, static_cast<quint64>(std::max(unread, 0)))};
#else
    Q_UNUSED(descriptor)
    return std::nullopt;
#endif
}

void end(int descriptor) {
#ifdef __linux__
    // Throws away what was not read too: Qt reads a head byte by byte.
    sockaddr nobody{};
    nobody.sa_family = AF_UNSPEC;
    if (::connect(descriptor, &nobody, sizeof nobody) == 0)
        return;
#endif
    ::shutdown(descriptor, SHUT_RDWR);
}

// Calls `use` with the descriptor and the inode of each connection that is still there.
template <class Use>
void forEach(const QThread* thread, const Use& use) {
    const std::scoped_lock lock(seen().mutex);
    auto& sockets = seen().owners[thread].sockets;
    for (auto socket = sockets.begin(); socket != sockets.end();) {
        if (!isStill(socket->first, socket->second)) {
            socket = sockets.erase(socket);
            continue;
        }
        use(socket->first, socket->second);
        ++socket;
    }
}

} // namespace

HttpSockets::HttpSockets()
    : m_owner(QThread::currentThread()) {
    const std::scoped_lock lock(seen().mutex);
    ++seen().owners[m_owner].users;
}

HttpSockets::~HttpSockets() {
    const std::scoped_lock lock(seen().mutex);
    const auto owner = seen().owners.find(m_owner);
    if (owner != seen().owners.end() && --owner->second.users == 0)
        seen().owners.erase(owner);
}

void HttpSockets::start() {
    m_before.clear();
    forEach(m_owner, [this](int descriptor, ino_t inode) {
        m_before[inode] = bytesOf(descriptor).value_or(Bytes()).taken;
    });
}

quint64 HttpSockets::takenBefore(ino_t inode) const {
    const auto before = m_before.find(inode);
    return before == m_before.end() ? 0 : before->second;
}

quint64 HttpSockets::taken() const {
    quint64 sum = 0;
    forEach(m_owner, [this, &sum](int descriptor, ino_t inode) {
        const quint64 now = bytesOf(descriptor).value_or(Bytes()).taken;
        sum += now - std::min(now, takenBefore(inode));
    });
    return sum;
}

void HttpSockets::endUsed() const {
    forEach(m_owner, [this](int descriptor, ino_t inode) {
        const auto now = bytesOf(descriptor);
        if (!now || now->received > takenBefore(inode))
            end(descriptor);
    });
}

void HttpSockets::endAll() const {
    forEach(m_owner, [](int descriptor, ino_t) { end(descriptor); });
}

} // namespace vitrine
