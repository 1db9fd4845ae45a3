// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/control_server.h"

#include "core/channel/json_channel.h"
#include "core/channel/local_socket.h"
#include "core/disk/real_path.h"
#include "core/hypervisor/control_message.h"
#include "core/hypervisor/machine_client.h"
#include "core/library/runtime_directory.h"

#include <QFile>
#include <QHash>
#include <QJsonDocument>
#include <QLocalServer>
#include <QPointer>
#include <QTimer>

#include <optional>
#include <utility>

namespace vitrine {

namespace {
constexpr int maximumClients = 32;
constexpr int silenceLimit = 5000;          // ms, until a client has said its first word
constexpr int maximumRequestsUnderWay = 64; // of one client
constexpr qint64 maximumUnsent = 8LL << 20;
} // namespace

class ControlServer::Private {
public:
    struct Client {
        JsonChannel* channel = nullptr;
        bool subscribed = false;
        int underWay = 0;
        bool spoke = false;
        quint64 heard = 0; // when last, counted in messages and arrivals
    };

    QLocalServer server;
    QHash<QString, Handler> handlers;
    QHash<JsonChannel*, Client> clients;
    std::optional<SocketAddress> address;
    quint64 moments = 0;

    bool makeRoom();
    static void refuse(std::unique_ptr<QLocalSocket> socket, ControlServer* owner);
    void accept(ControlServer* owner);
    void handle(JsonChannel* channel, const QJsonObject& message);
    void answerLater(JsonChannel* channel,
                     const QJsonValue& id,
                     const Handler& handler,
                     const QJsonObject& parameters);
};

ControlServer::ControlServer(QObject* parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>()) {
    connect(&m_d->server, &QLocalServer::newConnection, this, [this] { m_d->accept(this); });
}

ControlServer::~ControlServer() {
    close();
}

void ControlServer::on(const QString& method, Handler handler) {
    m_d->handlers.insert(method, std::move(handler));
}

QStringList ControlServer::methods() const {
    QStringList names = m_d->handlers.keys();
    if (!names.contains(QLatin1String("subscribe"))) {
        names.append(QStringLiteral("subscribe"));
    }
    names.sort();
    return names;
}

Result<> ControlServer::listen(const QString& socketPath) {
    Result<SocketAddress> address = SocketAddress::of(socketPath);
    if (!address) {
        return fail(address.error());
    }
    const Result<int> fd = listenOnLocalSocket(address->text());
    if (!fd) {
        return fail(withRealPaths(fd.error()));
    }
    if (!m_d->server.listen(static_cast<qintptr>(*fd))) {
        ::close(*fd);
        return fail(Error::Kind::Internal,
                    tr("Cannot listen on \"%1\".").arg(socketPath),
                    m_d->server.errorString());
    }
    m_d->server.setMaxPendingConnections(maximumClients);
    m_d->address = std::move(*address);
    return {};
}

void ControlServer::notify(const QString& method, const QJsonObject& parameters) {
    const QJsonObject message = control::notification(method, parameters);
    const QList<JsonChannel*> channels = m_d->clients.keys();
    for (JsonChannel* channel : channels) {
        // Sending to one may close and remove another only through its own signal.
        if (m_d->clients.value(channel).subscribed) {
            channel->send(message);
        }
    }
}

void ControlServer::close() {
    m_d->server.close();
    if (m_d->address) {
        QFile::remove(m_d->address->text());
        m_d->address.reset();
    }
    const QList<JsonChannel*> channels = m_d->clients.keys();
    for (JsonChannel* channel : channels) {
        channel->close();
    }
}

// Drops a client that waits for nothing: one that never said anything, else the one that was idle
// for longest. False when there is none.
bool ControlServer::Private::makeRoom() {
    const Client* idlest = nullptr;
    for (const Client& client : std::as_const(clients)) {
        if (client.subscribed || client.underWay > 0) {
            continue;
        }
        if (!idlest ||
            std::pair(client.spoke, client.heard) < std::pair(idlest->spoke, idlest->heard)) {
            idlest = &client;
        }
    }
    if (!idlest) {
        return false;
    }
    idlest->channel->close(); // which takes it out
    return true;
}

void ControlServer::Private::refuse(std::unique_ptr<QLocalSocket> socket, ControlServer* owner) {
    auto* channel =
        new JsonChannel(std::move(socket), {control::maximumLine, maximumUnsent}, owner);
    channel->send(control::response(
        QJsonValue(),
        fail(Error::Kind::Busy,
             Tr::tr(
                 "%1 programs are connected to the machine's process, and it takes no more. Close "
                 "windows of the machine or end commands that work with it, and try again.")
                 .arg(maximumClients))));
    channel->close();
    channel->deleteLater();
}

void ControlServer::Private::accept(ControlServer* owner) {
    while (QLocalSocket* accepted = server.nextPendingConnection()) {
        accepted->setParent(nullptr);
        std::unique_ptr<QLocalSocket> socket(accepted);
        if (!checkPeerIsThisUser(socket->socketDescriptor())) {
            socket->abort();
            continue;
        }
        if (clients.size() >= maximumClients && !makeRoom()) {
            refuse(std::move(socket), owner);
            continue;
        }
        auto* channel =
            new JsonChannel(std::move(socket), {control::maximumLine, maximumUnsent}, owner);
        clients.insert(channel, {channel, false, 0, false, ++moments});
        QTimer::singleShot(silenceLimit, channel, [this, channel] {
            if (const auto found = clients.constFind(channel);
                found != clients.constEnd() && !found->spoke) {
                channel->close();
            }
        });
        QObject::connect(channel, &JsonChannel::closed, owner, [this, channel] {
            clients.remove(channel);
            channel->deleteLater();
        });
        QObject::connect(channel, &JsonChannel::malformed, owner, [channel] {
            channel->send(control::protocolError(
                {}, control::ProtocolError::Parse, QStringLiteral("not a JSON object")));
        });
        QObject::connect(channel,
                         &JsonChannel::received,
                         owner,
                         [this, channel](const QJsonObject& message) { handle(channel, message); });
    }
}

void ControlServer::Private::handle(JsonChannel* channel, const QJsonObject& message) {
    clients[channel].spoke = true;
    clients[channel].heard = ++moments;
    const QJsonValue id = message.value(QLatin1String("id"));
    const QJsonValue method = message.value(QLatin1String("method"));
    const QJsonValue parameters = message.value(QLatin1String("params"));
    if (!method.isString() || id.isUndefined() || id.isObject() || id.isArray() ||
        !(parameters.isUndefined() || parameters.isObject())) {
        channel->send(control::protocolError(id.isDouble() || id.isString() ? id : QJsonValue(),
                                             control::ProtocolError::InvalidRequest,
                                             QStringLiteral("not a request with an id")));
        return;
    }
    const QString name = method.toString();
    if (name == QLatin1String("subscribe")) {
        clients[channel].subscribed = true;
        if (!handlers.contains(name)) {
            channel->send(control::response(id, QJsonValue(QJsonObject{})));
            return;
        }
    }
    const auto handler = handlers.constFind(name);
    if (handler == handlers.constEnd()) {
        channel->send(control::protocolError(
            id,
            control::ProtocolError::UnknownMethod,
            Tr::tr("The machine's process does not know \"%1\". It may be of an older version: "
                   "restart the machine to use this.")
                .arg(name.left(64))));
        return;
    }
    answerLater(channel, id, *handler, parameters.toObject());
}

void ControlServer::Private::answerLater(JsonChannel* channel,
                                         const QJsonValue& id,
                                         const Handler& handler,
                                         const QJsonObject& parameters) {
    if (clients.value(channel).underWay >= maximumRequestsUnderWay) {
        channel->send(control::response(
            id,
            fail(Error::Kind::Busy,
                 Tr::tr("Too many requests wait for an answer. Try again in a moment."))));
        return;
    }
    ++clients[channel].underWay;
    const QPointer<JsonChannel> client(channel);
    const auto answered = std::make_shared<bool>(false);
    handler(parameters, [this, client, id, answered](const Result<QJsonValue>& result) {
        if (*answered || !client) {
            return;
        }
        *answered = true;
        if (const auto found = clients.find(client.data()); found != clients.end()) {
            --found->underWay;
        }
        QByteArray line =
            QJsonDocument(control::response(id, result)).toJson(QJsonDocument::Compact);
        if (line.size() > control::maximumLine) {
            line =
                QJsonDocument(
                    control::response(
                        id,
                        fail(Error::Kind::Unsupported,
                             Tr::tr("The answer is too long to be sent (%1 bytes). Ask for less.")
                                 .arg(line.size()))))
                    .toJson(QJsonDocument::Compact);
        }
        client->sendBytes(line + '\n');
    });
}

} // namespace vitrine
