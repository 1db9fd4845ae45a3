// SPDX-License-Identifier: Apache-2.0
#include "app/single_window.h"

#include "core/library/runtime_directory.h"
#include "core/posix/descriptors.h"
#include "core/run/run_request_file.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QSocketNotifier>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace vitrine::app {

namespace {

constexpr int patience = 1000;      // ms
constexpr int startPatience = 5000; // ms; two windows would share the machines
constexpr int retryInterval = 20;   // ms
constexpr qsizetype longestWish = 4096;
const char* const answer = "ok\n";

FileDescriptor makeSocket() {
    return FileDescriptor(posix::makeLocalSocket());
}

std::optional<sockaddr_un> addressOf(const QString& path) {
    const QByteArray bytes = QFile::encodeName(path);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (bytes.size() >= qsizetype(sizeof(address.sun_path)))
        return std::nullopt;
    std::memcpy(address.sun_path, bytes.constData(), static_cast<size_t>(bytes.size()));
    return address;
}

bool isThisUser(int socket) {
    posix::Peer peer;
    return posix::peerOf(socket, peer) && peer.user == ::geteuid();
}

bool waitFor(int descriptor, short events, int milliseconds) {
    pollfd wanted{descriptor, events, 0};
    int ready = 0;
    do
        ready = ::poll(&wanted, 1, milliseconds);
    while (ready < 0 && errno == EINTR);
    return ready == 1;
}

// Whoever has the lock listens from the next moment on.
FileDescriptor connectTo(const sockaddr_un& address) {
    const timeval limit{patience / 1000, 0};
    const QDeadlineTimer deadline(patience);
    for (;;) {
        FileDescriptor client = makeSocket();
        if (!client.isValid())
            return {};
        ::setsockopt(client.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
        if (::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ==
            0)
            return client;
        if ((errno != ENOENT && errno != ECONNREFUSED) || deadline.hasExpired())
            return {};
        ::poll(nullptr, 0, retryInterval);
    }
}

struct Wish {
    QString console;
    QString start;
};

std::optional<Wish> wishOf(QByteArray line) {
    if (!line.endsWith('\n'))
        return std::nullopt;
    line.chop(1);
    if (line.startsWith("show "))
        return Wish{QString::fromUtf8(line.sliced(5).trimmed()), {}};
    if (!line.startsWith("start "))
        return std::nullopt;
    const QString rest = QString::fromUtf8(line.sliced(6));
    const Wish wish{rest.section(QLatin1Char(' '), 1), rest.section(QLatin1Char(' '), 0, 0)};
    return wish.console.isEmpty() || !RunRequestFile::isId(wish.start) ? std::nullopt
                                                                       : std::optional(wish);
}

} // namespace

SingleWindow::SingleWindow(QString libraryHome, QObject* parent)
    : QObject(parent)
    , m_folder(std::move(libraryHome) + QLatin1String("/run")) {}

SingleWindow::~SingleWindow() {
    if (m_server.isValid())
        QFile::remove(m_folder + QLatin1String("/window.sock"));
}

SingleWindow::Role SingleWindow::enter(const QString& console, const QString& start) {
    const QByteArray folder = QFile::encodeName(m_folder);
    ::mkdir(folder.constData(), 0700);
    struct stat info {};
    // Nobody else may put a socket here.
    if (::lstat(folder.constData(), &info) != 0 || !S_ISDIR(info.st_mode) ||
        info.st_uid != ::geteuid() || (info.st_mode & 022) != 0)
        return Role::Alone;
    const QString lockPath = m_folder + QLatin1String("/window.lock");
    FileDescriptor made(
        ::open(QFile::encodeName(lockPath).constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!made.isValid())
        return Role::Alone;
    auto lock = DirectoryLock::tryLock(lockPath);
    if (lock) {
        m_lock.emplace(std::move(*lock));
        listen();
        return Role::First;
    }
    return handOver(console, start) ? Role::HandedOver : Role::Alone;
}

void SingleWindow::listen() {
    const QString path = m_folder + QLatin1String("/window.sock");
    QFile::remove(path); // of a window that was killed; the lock says it is gone
    const auto place = SocketAddress::of(path);
    const auto address = place ? addressOf(place->text()) : std::nullopt;
    FileDescriptor server = makeSocket();
    if (!address || !server.isValid())
        return;
    ::fchmod(server.get(), 0600);
    if (::bind(server.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof(*address)) != 0 ||
        ::chmod(QFile::encodeName(path).constData(), 0600) != 0 || ::listen(server.get(), 4) != 0)
        return;
    m_server = std::move(server);
    m_notifier = std::make_unique<QSocketNotifier>(m_server.get(), QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &SingleWindow::accept);
}

void SingleWindow::accept() {
    auto peer = std::make_shared<FileDescriptor>(posix::acceptLocal(m_server.get()));
    if (!peer->isValid() || !isThisUser(peer->get()))
        return;
    // The wish comes in one packet right after connecting; a peer that says nothing is dropped when
    // it goes.
    auto* notifier = new QSocketNotifier(peer->get(), QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [this, notifier, peer] {
        QByteArray line(longestWish, '\0');
        const ssize_t got = ::read(peer->get(), line.data(), static_cast<size_t>(line.size()));
        notifier->setEnabled(false);
        notifier->deleteLater();
        if (got <= 0)
            return;
        line.truncate(got);
        const std::optional<Wish> wish = wishOf(line);
        if (!wish)
            return;
        [[maybe_unused]] const ssize_t told = ::write(peer->get(), answer, std::strlen(answer));
        Q_EMIT asked(wish->console, wish->start);
    });
}

bool SingleWindow::handOver(const QString& console, const QString& start) const {
    const QString path = m_folder + QLatin1String("/window.sock");
    const auto place = SocketAddress::of(path);
    const auto address = place ? addressOf(place->text()) : std::nullopt;
    if (!address)
        return false;
    const FileDescriptor client = connectTo(*address);
    if (!client.isValid() || !isThisUser(client.get()))
        return false;
    const QByteArray wish =
        (start.isEmpty() ? "show " : "start " + start.toUtf8() + ' ') + console.toUtf8() + '\n';
    if (wish.size() > longestWish)
        return false;
    if (::send(
            client.get(), wish.constData(), static_cast<size_t>(wish.size()), posix::sendFlags) !=
        wish.size())
        return false;
    char reply[8] = {};
    return waitFor(client.get(), POLLIN, start.isEmpty() ? patience : startPatience) &&
           ::read(client.get(), reply, sizeof(reply)) > 0 && std::strncmp(reply, answer, 2) == 0;
}

} // namespace vitrine::app
