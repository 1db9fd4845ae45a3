// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/channel/json_channel.h"
#include "core/disk/file_descriptor.h"
#include "core/result/result.h"
#include "core/softnet/softnet_values.h"

#include <QHash>
#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>

namespace vitrine {

// The control channel of a running Softnet: newline JSON-RPC 2.0 over a connected stream socket.
// At most 64 questions at a time, each with a time limit; what the other side can make this process
// keep is bounded (JsonChannel). Lives on one thread; nothing blocks.
class SoftnetClient final : public QObject {
    Q_OBJECT
public:
    using Reply = std::function<void(Result<QJsonObject>)>;
    static constexpr int mostQuestions = 64;
    static constexpr int usualTime = 5000; // ms

    explicit SoftnetClient(FileDescriptor socket, QObject* parent = nullptr);
    ~SoftnetClient() override;

    [[nodiscard]] bool isOpen() const;
    // The reply comes from the event loop, exactly once unless this is destroyed first: NotRunning
    // when the channel closes, Timeout, Busy over the limit, InvalidInput for what the helper
    // refuses.
    void call(const QString& method,
              const QJsonObject& parameters,
              Reply reply,
              int timeoutMilliseconds = usualTime);
    // All rules at once or none; Busy when a later policy overtook this one.
    void setPolicy(const SoftnetPolicy& policy, Reply reply);
    void close(); // what is not answered yet fails at once

Q_SIGNALS:
    void notified(const QString& method, const QJsonObject& parameters);
    void closed();

private:
    void receive(const QJsonObject& message);
    void expire();
    void finish(qint64 id, const Result<QJsonObject>& result);

    struct Question {
        Reply reply;
        qint64 deadline = 0; // ms of a clock that only goes forward
    };
    std::unique_ptr<JsonChannel> m_channel;
    QHash<qint64, Question> m_questions;
    QTimer m_expiry;
    qint64 m_lastId = 0;
    QString m_revisions; // makes the ones of this connection its own
};

} // namespace vitrine
