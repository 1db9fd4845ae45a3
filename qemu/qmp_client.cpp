// SPDX-License-Identifier: Apache-2.0
#include "qemu/qmp_client.h"

#include "core/channel/json_channel.h"

#include <QDeadlineTimer>
#include <QHash>
#include <QLocalSocket>
#include <QPointer>
#include <QTimer>

#include <utility>

namespace vitrine::qemu {

namespace {
constexpr qsizetype maximumLine = 16 << 20;
constexpr int defaultTimeout = 10000; // ms
constexpr int connectRetry = 10;      // ms; QEMU makes its sockets within the first 50 ms
} // namespace

class QmpClient::Private {
public:
    struct Waiting {
        QString command;
        Reply reply;
        QTimer* limit = nullptr;
    };
    enum class Phase { Idle, Connecting, Greeting, Capabilities, Ready, Closed };

    explicit Private(QmpClient* client)
        : q(client) {
        retry.setSingleShot(true);
        QObject::connect(&retry, &QTimer::timeout, q, [this] { tryConnect(); });
        opening.setSingleShot(true);
        QObject::connect(&opening, &QTimer::timeout, q, [this] {
            finish({Error::Kind::Timeout,
                    tr("QEMU did not answer on its control socket in time. It may hang, or this "
                       "computer is very busy."),
                    {}});
        });
    }

    void tryConnect();
    void adopt();
    void handle(const QJsonObject& message);
    void finish(const Error& reason);
    void send(const QString& command,
              const QJsonObject& arguments,
              Reply reply,
              int timeout,
              int descriptor = -1);

    QmpClient* q;
    Phase phase = Phase::Idle;
    QString socketPath;
    QString version;
    QTimer retry;
    QTimer opening;
    std::unique_ptr<QLocalSocket> connecting;
    JsonChannel* channel = nullptr;
    QHash<qint64, Waiting> waiting;
    qint64 nextId = 1;
};

void QmpClient::Private::tryConnect() {
    if (phase != Phase::Connecting) {
        return;
    }
    connecting = std::make_unique<QLocalSocket>();
    QObject::connect(
        connecting.get(), &QLocalSocket::connected, q, [this] { adopt(); }, Qt::QueuedConnection);
    QObject::connect(
        connecting.get(),
        &QLocalSocket::errorOccurred,
        q,
        [this] {
            if (connecting) {
                connecting->disconnect(q);
                connecting.release()->deleteLater();
                retry.start(connectRetry);
            }
        },
        Qt::QueuedConnection);
    connecting->connectToServer(socketPath);
}

void QmpClient::Private::adopt() {
    if (phase != Phase::Connecting || !connecting ||
        connecting->state() != QLocalSocket::ConnectedState) {
        return;
    }
    phase = Phase::Greeting;
    connecting->disconnect(q);
    channel = new JsonChannel(std::move(connecting), {maximumLine, maximumLine}, q);
    QObject::connect(channel, &JsonChannel::received, q, [this](const QJsonObject& message) {
        handle(message);
    });
    QObject::connect(channel, &JsonChannel::malformed, q, [this] {
        finish({Error::Kind::Integrity,
                tr("QEMU sent something on its control socket that is not JSON."),
                {}});
    });
    QObject::connect(
        channel, &JsonChannel::closed, q, [this](const Error& reason) { finish(reason); });
}

void QmpClient::Private::handle(const QJsonObject& message) {
    if (const QJsonValue greeting = message.value(QLatin1String("QMP")); greeting.isObject()) {
        if (phase != Phase::Greeting) {
            return;
        }
        const QJsonObject numbers = greeting.toObject()
                                        .value(QLatin1String("version"))
                                        .toObject()
                                        .value(QLatin1String("qemu"))
                                        .toObject();
        version = QStringLiteral("%1.%2.%3")
                      .arg(numbers.value(QLatin1String("major")).toInt())
                      .arg(numbers.value(QLatin1String("minor")).toInt())
                      .arg(numbers.value(QLatin1String("micro")).toInt());
        phase = Phase::Capabilities;
        send(
            QStringLiteral("qmp_capabilities"),
            {},
            [this](const Result<QJsonValue>& answer) {
                if (!answer) {
                    finish(answer.error());
                    return;
                }
                opening.stop();
                phase = Phase::Ready;
                Q_EMIT q->ready();
            },
            opening.remainingTime());
        return;
    }
    if (const QJsonValue name = message.value(QLatin1String("event")); name.isString()) {
        Q_EMIT q->eventArrived(name.toString().left(100),
                               message.value(QLatin1String("data")).toObject());
        return;
    }
    const auto found = waiting.constFind(message.value(QLatin1String("id")).toInteger(-1));
    if (found == waiting.constEnd()) {
        return; // too late, or not ours
    }
    const Waiting entry = *found;
    waiting.erase(found);
    delete entry.limit;
    if (!entry.reply) {
        return;
    }
    if (message.contains(QLatin1String("return"))) {
        entry.reply(message.value(QLatin1String("return")));
        return;
    }
    const QJsonObject error = message.value(QLatin1String("error")).toObject();
    const QString kind = error.value(QLatin1String("class")).toString();
    entry.reply(fail(
        kind == QLatin1String("CommandNotFound") ? Error::Kind::Unsupported : Error::Kind::Internal,
        tr("QEMU refused %1. It says: %2")
            .arg(entry.command, error.value(QLatin1String("desc")).toString().left(1000)),
        kind));
}

void QmpClient::Private::finish(const Error& reason) {
    if (phase == Phase::Closed) {
        return;
    }
    phase = Phase::Closed;
    retry.stop();
    opening.stop();
    if (connecting) {
        connecting->disconnect(q);
        connecting.release()->deleteLater();
    }
    if (channel) {
        channel->disconnect(q);
        channel->close();
        channel->deleteLater();
        channel = nullptr;
    }
    const QHash<qint64, Waiting> unanswered = std::exchange(waiting, {});
    const QPointer<QmpClient> alive(q);
    for (const Waiting& entry : unanswered) {
        entry.limit->deleteLater();
    }
    for (const Waiting& entry : unanswered) {
        if (entry.reply) {
            entry.reply(fail(Error::Kind::NotRunning,
                             tr("QEMU ended before it answered %1.").arg(entry.command),
                             reason.message));
        }
        if (!alive) {
            return;
        }
    }
    Q_EMIT q->closed(reason);
}

void QmpClient::Private::send(const QString& command,
                              const QJsonObject& arguments,
                              Reply reply,
                              int timeout,
                              int descriptor) {
    const qint64 id = nextId++;
    QJsonObject message{{QStringLiteral("execute"), command}, {QStringLiteral("id"), id}};
    if (!arguments.isEmpty()) {
        message.insert(QStringLiteral("arguments"), arguments);
    }
    auto* limit = new QTimer(q);
    limit->setSingleShot(true);
    QObject::connect(limit, &QTimer::timeout, q, [this, id, timeout] {
        const auto found = waiting.constFind(id);
        if (found == waiting.constEnd()) {
            return;
        }
        const Waiting entry = *found;
        waiting.erase(found);
        entry.limit->deleteLater();
        if (entry.reply) {
            entry.reply(
                fail(Error::Kind::Timeout,
                     tr("QEMU did not answer %1 within %2 s. It may hang; force the machine "
                        "off if this stays so.")
                         .arg(entry.command)
                         .arg((timeout + 999) / 1000)));
        }
    });
    limit->start(qMax(0, timeout));
    waiting.insert(id, {command, std::move(reply), limit});
    if (descriptor < 0) {
        channel->send(message);
    } else if (!channel->sendWithDescriptor(message, descriptor)) {
        limit->start(0); // QEMU does not read
    }
}

QmpClient::QmpClient(QObject* parent)
    : QObject(parent)
    , m_d(std::make_unique<Private>(this)) {}

QmpClient::~QmpClient() {
    if (m_d->channel) {
        m_d->channel->disconnect(this);
    }
    if (m_d->connecting) {
        m_d->connecting->disconnect(this);
    }
}

void QmpClient::open(const QString& socketPath, int timeoutMilliseconds) {
    if (m_d->phase != Private::Phase::Idle) {
        return;
    }
    m_d->phase = Private::Phase::Connecting;
    m_d->socketPath = socketPath;
    m_d->opening.start(timeoutMilliseconds);
    m_d->tryConnect();
}

bool QmpClient::isReady() const {
    return m_d->phase == Private::Phase::Ready;
}

QString QmpClient::version() const {
    return m_d->version;
}

void QmpClient::execute(const QString& command,
                        const QJsonObject& arguments,
                        Reply reply,
                        int timeoutMilliseconds) {
    if (isReady()) {
        m_d->send(command, arguments, std::move(reply), timeoutMilliseconds);
        return;
    }
    if (reply) {
        QMetaObject::invokeMethod(
            this,
            [reply = std::move(reply), command] {
                reply(fail(Error::Kind::NotRunning,
                           tr("QEMU does not run, so it cannot be asked to do %1.").arg(command)));
            },
            Qt::QueuedConnection);
    }
}

void QmpClient::executeWithDescriptor(const QString& command,
                                      const QJsonObject& arguments,
                                      int descriptor,
                                      Reply reply) {
    if (isReady()) {
        m_d->send(command, arguments, std::move(reply), defaultTimeout, descriptor);
    } else {
        execute(command, arguments, std::move(reply)); // says why not
    }
}

void QmpClient::executeMonitor(const QString& line, Reply reply, int timeoutMilliseconds) {
    execute(QStringLiteral("human-monitor-command"),
            {{QStringLiteral("command-line"), line}},
            std::move(reply),
            timeoutMilliseconds);
}

void QmpClient::close() {
    m_d->finish({Error::Kind::Cancelled, tr("The connection was closed here."), {}});
}

} // namespace vitrine::qemu
