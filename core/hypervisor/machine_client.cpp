// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/machine_client.h"

#include "core/channel/json_channel.h"
#include "core/channel/local_socket.h"
#include "core/disk/file_lock.h"
#include "core/hypervisor/control_message.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QPointer>
#include <QThreadPool>
#include <QTimer>

#include <mutex>
#include <optional>
#include <utility>

namespace vitrine {

namespace {

constexpr int helloTimeout = 5000;
constexpr int quickRetry = 100;    // ms, in the first seconds after attach()
constexpr int quickPeriod = 15000; // ms
constexpr int slowRetry = 1000;    // ms
constexpr qint64 maximumUnsent = 4 << 20;

// What a look at the lock and the runtime directory found; made off the client's thread.
struct Probe {
    bool held = false;
    std::optional<RuntimeDirectory> runtime;
    std::shared_ptr<SocketAddress> address;
};

// Locks of a library on a file system that hangs must not use up the threads of others.
QThreadPool& probePool() {
    static QThreadPool pool;
    static const bool prepared = [] {
        pool.setMaxThreadCount(8);
        pool.setExpiryTimeout(5000);
        return true;
    }();
    Q_UNUSED(prepared)
    return pool;
}

MachineStatus stoppedStatus(const QString& lastError = {}) {
    MachineStatus status;
    status.state = MachineState::Stopped;
    status.lastError = lastError;
    return status;
}

Probe look(const QString& libraryHome, const QString& machineDirectory) {
    Probe probe;
    const auto holder = ConfigFile::holder(machineDirectory + QLatin1String("/config.json"));
    probe.held = holder && holder->has_value() && (*holder)->pid > 0;
    Result<RuntimeDirectory> runtime = RuntimeDirectory::locate(libraryHome, machineDirectory);
    // `alive` alone: another program removed or replaced config.json under the running machine.
    probe.held = probe.held || (runtime && runtime->isAlive());
    if (!probe.held || !runtime) {
        return probe;
    }
    probe.runtime = std::move(*runtime);
    if (Result<SocketAddress> address = SocketAddress::of(probe.runtime->controlSocket())) {
        probe.address = std::make_shared<SocketAddress>(std::move(*address));
    }
    return probe;
}

} // namespace

class MachineClient::Private {
public:
    struct Waiting {
        Reply reply;
        QTimer* limit = nullptr;
    };
    // Where the pool leaves its findings; emptied when the client goes first.
    struct Mailbox {
        std::mutex mutex;
        Private* client = nullptr;
    };

    Private(MachineClient* client, QString home, QString directory)
        : q(client)
        , libraryHome(std::move(home))
        , machineDirectory(std::move(directory)) {
        mailbox->client = this;
        retry.setSingleShot(true);
        retry.setObjectName(QStringLiteral("MachineClient::retry"));
        QObject::connect(&retry, &QTimer::timeout, q, [this] { probe(); });
    }

    ~Private() {
        const std::lock_guard guard(mailbox->mutex);
        mailbox->client = nullptr;
    }

    void probe();
    void probed(const Probe& found);
    void connectTo(const QString& socket);
    void sayHello();
    void subscribe();
    void handle(const QJsonObject& message);
    void drop(const Error& reason);
    void send(const QString& method, const QJsonObject& parameters, Reply reply, int timeout);
    void retryLater();

    MachineClient* q;
    QString libraryHome;
    QString machineDirectory;
    std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
    QTimer retry;
    QElapsedTimer sinceAttach;
    bool attached = false;
    bool probing = false;
    bool connected = false;
    std::optional<RuntimeDirectory> runtime;
    std::shared_ptr<SocketAddress> address;
    std::unique_ptr<QLocalSocket> connecting;
    JsonChannel* channel = nullptr;
    QHash<qint64, Waiting> waiting;
    qint64 nextId = 1;
    MachineStatus status = stoppedStatus();
    QJsonObject hello;
};

void MachineClient::Private::probe() {
    if (!attached || probing || channel || connecting) {
        return;
    }
    probing = true;
    probePool().start([box = mailbox, home = libraryHome, directory = machineDirectory] {
        Probe found = look(home, directory);
        const std::lock_guard guard(box->mutex);
        if (box->client) {
            QMetaObject::invokeMethod(
                box->client->q,
                [box, found] {
                    // On the client's thread: it cannot go while this runs.
                    if (Private* const client = box->client) {
                        client->probed(found);
                    }
                },
                Qt::QueuedConnection);
        }
    });
}

void MachineClient::Private::probed(const Probe& found) {
    probing = false;
    if (!attached || channel || connecting) {
        return;
    }
    if (found.runtime) {
        runtime = found.runtime;
    }
    if (!found.held || !found.address) {
        retryLater();
        return;
    }
    address = found.address;
    connectTo(address->text());
}

void MachineClient::Private::retryLater() {
    if (attached) {
        retry.start(sinceAttach.elapsed() < quickPeriod ? quickRetry : slowRetry);
    }
}

void MachineClient::Private::connectTo(const QString& socket) {
    connecting = std::make_unique<QLocalSocket>();
    QObject::connect(
        connecting.get(),
        &QLocalSocket::connected,
        q,
        [this] { sayHello(); },
        Qt::QueuedConnection);
    QObject::connect(
        connecting.get(),
        &QLocalSocket::errorOccurred,
        q,
        [this] {
            if (connecting) {
                connecting.release()->deleteLater();
                retryLater();
            }
        },
        Qt::QueuedConnection);
    connecting->connectToServer(socket);
}

void MachineClient::Private::sayHello() {
    if (!connecting || connecting->state() != QLocalSocket::ConnectedState) {
        return;
    }
    if (!checkPeerIsThisUser(connecting->socketDescriptor())) {
        connecting.release()->deleteLater();
        retryLater();
        return;
    }
    connecting->disconnect(q);
    channel = new JsonChannel(std::move(connecting), {control::maximumLine, maximumUnsent}, q);
    connecting = nullptr;
    QObject::connect(channel, &JsonChannel::received, q, [this](const QJsonObject& message) {
        handle(message);
    });
    QObject::connect(
        channel, &JsonChannel::closed, q, [this](const Error& reason) { drop(reason); });
    const QJsonObject parameters{{QStringLiteral("protocol"), control::protocolVersion},
                                 {QStringLiteral("program"), QStringLiteral(VITRINE_VERSION)}};
    send(
        QStringLiteral("hello"),
        parameters,
        [this](const Result<QJsonValue>& answer) {
            if (answer) {
                hello = answer->toObject();
                subscribe();
            } else if (channel) {
                channel->close();
            }
        },
        helloTimeout);
}

void MachineClient::Private::subscribe() {
    send(
        QStringLiteral("subscribe"),
        {},
        [this](const Result<QJsonValue>& answer) {
            if (!answer) {
                if (channel) {
                    channel->close();
                }
                return;
            }
            status = MachineStatus::fromJson(answer->toObject());
            connected = true;
            Q_EMIT q->connectedChanged();
            Q_EMIT q->statusChanged();
        },
        helloTimeout);
}

void MachineClient::Private::handle(const QJsonObject& message) {
    const QJsonValue id = message.value(QLatin1String("id"));
    if (id.isDouble()) {
        const auto found = waiting.constFind(id.toInteger());
        if (found != waiting.constEnd()) {
            const Waiting entry = *found;
            waiting.erase(found);
            delete entry.limit;
            entry.reply(control::resultOf(message));
        }
        return;
    }
    if (message.contains(QLatin1String("error"))) { // the answer to no request: no place for us
        status.lastError = control::resultOf(message).error().message.left(2000);
        return;
    }
    const QString method = message.value(QLatin1String("method")).toString();
    const QJsonObject parameters = message.value(QLatin1String("params")).toObject();
    if (method == QLatin1String("status")) {
        const MachineStatus fresh = MachineStatus::fromJson(parameters);
        if (connected && fresh != status) {
            status = fresh;
            Q_EMIT q->statusChanged();
        }
    } else if (method == QLatin1String("clipboard") && connected) {
        Q_EMIT q->guestCopied(parameters.value(QLatin1String("serial")).toInteger());
    } else if (method == QLatin1String("event") && connected) {
        Q_EMIT q->eventHappened(
            parameters.value(QLatin1String("kind")).toString().left(100),
            parameters.value(QLatin1String("text")).toString().left(2000),
            QDateTime::fromString(parameters.value(QLatin1String("time")).toString(),
                                  Qt::ISODateWithMs)
                .toLocalTime());
    }
}

void MachineClient::Private::drop(const Error& reason) {
    if (channel) {
        channel->disconnect(q);
        channel->deleteLater();
        channel = nullptr;
    }
    const bool wasConnected = std::exchange(connected, false);
    hello = {};
    status = stoppedStatus(status.lastError);
    const QHash<qint64, Waiting> unanswered = std::exchange(waiting, {});
    sinceAttach.start(); // a restarted machine is found soon
    retryLater();
    const Error error{
        Error::Kind::NotRunning,
        tr("The machine's process ended or closed the connection before it answered."),
        reason.message};
    const std::shared_ptr<Mailbox> box = mailbox;
    for (const Waiting& entry : unanswered) {
        delete entry.limit;
        entry.reply(fail(error));
        if (!box->client) {
            return; // the reply destroyed this client
        }
    }
    if (wasConnected) {
        Q_EMIT q->connectedChanged();
        if (box->client) {
            Q_EMIT q->statusChanged();
        }
    }
}

void MachineClient::Private::send(const QString& method,
                                  const QJsonObject& parameters,
                                  Reply reply,
                                  int timeout) {
    const qint64 id = nextId++;
    const QByteArray line =
        QJsonDocument(control::request(id, method, parameters)).toJson(QJsonDocument::Compact);
    if (!channel || line.size() > control::maximumLine) {
        const Error error =
            channel ? Error{Error::Kind::InvalidInput,
                            tr("The request is too long (%1 bytes). Send less at once.")
                                .arg(line.size()),
                            {}}
                    : Error{Error::Kind::NotRunning,
                            tr("The machine's process does not answer on its socket. The machine "
                               "may be stopped or just starting."),
                            {}};
        QMetaObject::invokeMethod(
            q, [reply = std::move(reply), error] { reply(fail(error)); }, Qt::QueuedConnection);
        return;
    }
    auto* limit = new QTimer(q);
    limit->setSingleShot(true);
    QObject::connect(limit, &QTimer::timeout, q, [this, id, method, timeout] {
        const auto found = waiting.constFind(id);
        if (found == waiting.constEnd()) {
            return;
        }
        const Waiting entry = *found;
        waiting.erase(found);
        entry.limit->deleteLater();
        entry.reply(fail(Error::Kind::Timeout,
                         tr("The machine's process did not answer within %1 s. It may hang; force "
                            "it off if this stays so.")
                             .arg((timeout + 999) / 1000),
                         method));
    });
    waiting.insert(id, {std::move(reply), limit});
    limit->start(timeout);
    channel->sendBytes(line + '\n');
}

MachineClient::MachineClient(QString libraryHome, QString machineDirectory, QObject* parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>(this, std::move(libraryHome), std::move(machineDirectory))) {}

MachineClient::~MachineClient() {
    if (m_d->channel) {
        m_d->channel->disconnect(this);
    }
}

void MachineClient::attach() {
    m_d->attached = true;
    m_d->sinceAttach.start();
    m_d->retry.stop();
    m_d->probe();
}

void MachineClient::detach() {
    m_d->attached = false;
    m_d->retry.stop();
    if (m_d->connecting) {
        m_d->connecting.release()->deleteLater();
    }
    if (m_d->channel) {
        m_d->channel->close();
    }
}

bool MachineClient::isConnected() const {
    return m_d->connected;
}

const MachineStatus& MachineClient::status() const {
    return m_d->status;
}

const QJsonObject& MachineClient::hello() const {
    return m_d->hello;
}

bool MachineClient::supports(const QString& method) const {
    return m_d->hello.value(QLatin1String("methods")).toArray().contains(method);
}

QString MachineClient::displaySocket() const {
    return m_d->runtime ? m_d->runtime->displaySocket() : QString();
}

QString MachineClient::consoleSocket() const {
    return m_d->runtime ? m_d->runtime->consoleSocket() : QString();
}

QString MachineClient::logFile() const {
    return m_d->runtime ? m_d->runtime->logFile() : QString();
}

void MachineClient::call(const QString& method,
                         const QJsonObject& parameters,
                         Reply reply,
                         int timeoutMilliseconds) {
    if (!m_d->connected) {
        QMetaObject::invokeMethod(
            this,
            [reply = std::move(reply)] {
                reply(fail(Error::Kind::NotRunning,
                           tr("The machine's process does not answer on its socket. The machine "
                              "may be stopped or just starting.")));
            },
            Qt::QueuedConnection);
        return;
    }
    m_d->send(method, parameters, std::move(reply), timeoutMilliseconds);
}

bool MachineClient::waitForConnected(int timeoutMilliseconds) {
    if (!m_d->attached) {
        attach();
    }
    if (!isConnected()) {
        QEventLoop loop;
        connect(this, &MachineClient::connectedChanged, &loop, &QEventLoop::quit);
        QTimer::singleShot(timeoutMilliseconds, &loop, &QEventLoop::quit);
        loop.exec();
    }
    return isConnected();
}

Result<QJsonValue> MachineClient::callAndWait(const QString& method,
                                              const QJsonObject& parameters,
                                              int timeoutMilliseconds) {
    // The answer may come after this function has given up only if the limit below it failed; the
    // shared place keeps that harmless.
    const auto answer = std::make_shared<std::optional<Result<QJsonValue>>>();
    QEventLoop loop;
    const QPointer<QEventLoop> waitingLoop(&loop);
    call(
        method,
        parameters,
        [answer, waitingLoop](Result<QJsonValue> result) {
            *answer = std::move(result);
            if (waitingLoop) {
                waitingLoop->quit();
            }
        },
        timeoutMilliseconds);
    if (!*answer) {
        loop.exec();
    }
    if (!*answer) {
        return fail(Error::cancelled());
    }
    return **answer;
}

} // namespace vitrine
