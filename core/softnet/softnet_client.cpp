// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_client.h"

#include <QDeadlineTimer>
#include <QPointer>
#include <QRandomGenerator>

#include <algorithm>
#include <limits>
#include <utility>

namespace vitrine {

namespace {

constexpr int expiryPeriod = 100; // ms

qint64 now() {
    return QDeadlineTimer::current(Qt::PreciseTimer).deadline();
}

Error errorOf(const QJsonObject& error) {
    const QString said = error.value(QLatin1String("message")).toString().left(500);
    switch (error.value(QLatin1String("code")).toInt()) {
    case -32601:
        return {Error::Kind::Unsupported,
                Tr::tr("This version of Softnet cannot do that. Start the machine again, or update "
                       "Softnet."),
                said};
    case -32602:
        return {Error::Kind::InvalidInput, Tr::tr("Softnet refuses that: %1").arg(said), said};
    case -32001:
        return {Error::Kind::Busy,
                Tr::tr("The rules were changed by somebody else meanwhile. Look at them and try "
                       "again."),
                said};
    case -32002:
        return {Error::Kind::Unsupported,
                Tr::tr("This change takes effect only when the machine is started again: it "
                       "changes whether machines reach each other."),
                said};
    case -32003:
        return {Error::Kind::AlreadyExists,
                Tr::tr("That port of this computer cannot lead to the guest: %1").arg(said),
                said};
    case -32005:
        return {Error::Kind::Permission,
                Tr::tr("That port of this computer cannot lead to the guest: %1").arg(said),
                said};
    case -32006:
        return {Error::Kind::Unsupported,
                Tr::tr("That port of this computer cannot lead to the guest: %1").arg(said),
                said};
    case -32004:
        return {Error::Kind::NotFound, Tr::tr("That port is not exposed."), said};
    default:
        return {Error::Kind::Internal, Tr::tr("Softnet answers: %1").arg(said), said};
    }
}

} // namespace

SoftnetClient::SoftnetClient(FileDescriptor socket, QObject* parent)
    : QObject(parent)
    , m_revisions(QString::number(QRandomGenerator::system()->generate64(), 16)) {
    auto stream = std::make_unique<QLocalSocket>();
    stream->setSocketDescriptor(socket.release());
    m_channel =
        std::make_unique<JsonChannel>(std::move(stream), JsonChannel::Limits{1 << 20, 4 << 20});
    connect(m_channel.get(), &JsonChannel::received, this, &SoftnetClient::receive);
    connect(m_channel.get(), &JsonChannel::closed, this, [this] {
        const QPointer<SoftnetClient> alive(this);
        const QList<qint64> ids = m_questions.keys();
        for (const qint64 id : ids) {
            finish(id,
                   fail(Error::Kind::NotRunning,
                        tr("The network of the machine does not answer. It is being started "
                           "again; try once more.")));
            if (!alive)
                return;
        }
        Q_EMIT closed();
    });
    connect(&m_expiry, &QTimer::timeout, this, &SoftnetClient::expire);
}

SoftnetClient::~SoftnetClient() {
    m_channel->disconnect(this);
}

bool SoftnetClient::isOpen() const {
    return m_channel->isOpen();
}

void SoftnetClient::call(const QString& method,
                         const QJsonObject& parameters,
                         Reply reply,
                         int timeoutMilliseconds) {
    const qint64 id = ++m_lastId;
    const bool full = m_questions.size() >= mostQuestions;
    m_questions.insert(id, {std::move(reply), now() + timeoutMilliseconds});
    if (full || !isOpen()) {
        const Error error =
            full ? Error{Error::Kind::Busy,
                         tr("The network of the machine is asked too much at once. Try again."),
                         {}}
                 : Error{Error::Kind::NotRunning,
                         tr("The network of the machine does not answer. It is being started "
                            "again; try once more."),
                         {}};
        QMetaObject::invokeMethod(
            this, [this, id, error] { finish(id, fail(error)); }, Qt::QueuedConnection);
        return;
    }
    QJsonObject message{{QStringLiteral("jsonrpc"), QStringLiteral("2.0")},
                        {QStringLiteral("id"), id},
                        {QStringLiteral("method"), method}};
    if (!parameters.isEmpty())
        message.insert(QStringLiteral("params"), parameters);
    if (!m_expiry.isActive())
        m_expiry.start(expiryPeriod);
    m_channel->send(message);
}

void SoftnetClient::setPolicy(const SoftnetPolicy& policy, Reply reply) {
    QJsonObject parameters = policy.toJson();
    parameters.insert(QStringLiteral("desiredRevision"),
                      QStringLiteral("%1-%2").arg(m_revisions).arg(m_lastId + 1));
    call(QStringLiteral("softnet.policy.set"), parameters, std::move(reply));
}

void SoftnetClient::close() {
    m_channel->close();
}

void SoftnetClient::receive(const QJsonObject& message) {
    const QString method = message.value(QLatin1String("method")).toString();
    if (!method.isEmpty()) {
        Q_EMIT notified(method, message.value(QLatin1String("params")).toObject());
        return;
    }
    const qint64 id = message.value(QLatin1String("id")).toInteger(-1);
    const QJsonValue error = message.value(QLatin1String("error"));
    if (error.isObject())
        finish(id, fail(errorOf(error.toObject())));
    else
        finish(id, message.value(QLatin1String("result")).toObject());
}

void SoftnetClient::expire() {
    const QPointer<SoftnetClient> alive(this);
    const qint64 time = now();
    QList<qint64> late;
    for (auto it = m_questions.cbegin(); it != m_questions.cend(); ++it)
        if (it->deadline <= time)
            late.append(it.key());
    for (const qint64 id : late) {
        finish(id,
               fail(Error::Kind::Timeout,
                    tr("The network of the machine does not answer in time. Try again.")));
        if (!alive)
            return;
    }
    if (m_questions.isEmpty())
        m_expiry.stop();
}

void SoftnetClient::finish(qint64 id, const Result<QJsonObject>& result) {
    const auto found = m_questions.find(id);
    if (found == m_questions.end())
        return; // answered too late
    const Reply reply = std::move(found->reply);
    m_questions.erase(found);
    if (reply)
        reply(result);
}

} // namespace vitrine
