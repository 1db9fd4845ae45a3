// SPDX-License-Identifier: Apache-2.0
#include "qemu/kernel_run/kernel_share_servers.h"

#include "core/channel/local_socket.h"
#include "core/sharing/share_spec.h"

#include <QFile>
#include <QTemporaryDir>

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>

namespace vitrine::qemu {

namespace {

struct Connection {
    FileDescriptor listening;
    FileDescriptor connected;
};

// Both ends of a connection whose one end is to be accepted: what virtiofsd takes. The name that is
// needed for it is gone when this returns.
Result<Connection> makeConnection() {
    const QTemporaryDir folder;
    if (!folder.isValid()) {
        return fail(Error::Kind::Internal,
                    Tr::tr("Cannot make a temporary folder. The system says: %1.")
                        .arg(folder.errorString()));
    }
    const QString path = folder.filePath(QStringLiteral("s"));
    const Result<int> listening = listenOnLocalSocket(path);
    if (!listening) {
        return fail(listening.error());
    }
    Connection connection;
    connection.listening = FileDescriptor(*listening);
    connection.connected = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const QByteArray name = QFile::encodeName(path);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(static_cast<char*>(address.sun_path),
                name.constData(),
                std::min(sizeof(address.sun_path) - 1, static_cast<std::size_t>(name.size())));
    // It waits in the queue until the program that is started next accepts it.
    if (::connect(connection.connected.get(),
                  reinterpret_cast<const sockaddr*>(&address),
                  sizeof(address)) != 0) {
        return fail(Error::fromErrno(Tr::tr("Folders cannot be shared."), errno));
    }
    return connection;
}

} // namespace

KernelShareServers::KernelShareServers(QObject* parent)
    : QObject(parent) {}

void KernelShareServers::start(const KernelRunPlan& plan, Done done) {
    m_done = std::move(done);
    m_servers.resize(static_cast<std::size_t>(plan.shares.size()));
    for (std::size_t i = 0; i < m_servers.size(); ++i) {
        const KernelShare& share = plan.shares.at(static_cast<qsizetype>(i));
        ShareGroup group{share.tag, {}};
        ShareSpec member;
        member.path = share.hostPath;
        member.readOnly = share.readOnly;
        member.tag = share.tag;
        group.members.append(member);
        // The guest's root is whoever runs this, so that nothing changes its owner.
        const Result<QStringList> arguments =
            helperArguments(plan.transport, GuestUser{0, 0, QStringLiteral("root")}, group);
        if (!arguments) {
            finish(fail(arguments.error()));
            return;
        }
        auto daemon = std::make_unique<ShareDaemon>();
        connect(daemon.get(), &ShareDaemon::ended, this, &KernelShareServers::ended);
        const ShareDaemon::Setup setup{plan.transport.helper,
                                       *arguments,
                                       QStringLiteral("/"),
                                       QStringLiteral("/dev/null"),
                                       {}};
        const Result<> started = daemon->start(setup, [this, i, share](const Result<>& ready) {
            if (!ready) {
                finish(ready);
                return;
            }
            addFolder(i, share);
        });
        if (!started) {
            finish(started);
            return;
        }
        m_servers.at(i).daemon = std::move(daemon);
    }
}

QList<int> KernelShareServers::descriptors() const {
    QList<int> all;
    for (const Server& server : m_servers) {
        all.append(server.connection.get());
    }
    return all;
}

void KernelShareServers::addFolder(std::size_t index, const KernelShare& share) {
    m_servers.at(index).daemon->add(
        {}, share.readOnly, share.hostPath, [this, index](const Result<>& added) {
            if (!added) {
                finish(added);
                return;
            }
            runDaemon(index);
        });
}

void KernelShareServers::runDaemon(std::size_t index) {
    Result<Connection> connection = makeConnection();
    if (!connection) {
        finish(fail(connection.error()));
        return;
    }
    Server& server = m_servers.at(index);
    server.connection = std::move(connection->connected);
    server.daemon->run(connection->listening.get(), [this](const Result<>& running) {
        if (!running) {
            finish(running);
            return;
        }
        if (++m_running == m_servers.size()) {
            finish({});
        }
    });
}

void KernelShareServers::finish(const Result<>& result) {
    if (const Done done = std::exchange(m_done, {})) {
        done(result);
    }
}

} // namespace vitrine::qemu
