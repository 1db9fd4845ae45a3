// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QDateTime>
#include <QJsonObject>
#include <QJsonValue>
#include <QObject>

#include <functional>
#include <memory>

namespace vitrine::qemu {

// QEMU's machine protocol (QMP, QEMU's docs/interop/qmp-spec) over a Unix socket: greeting,
// capabilities, answers matched by id, events. Lines are limited to 16 MiB, so a broken QEMU cannot
// use up memory. Lives on one thread; nothing blocks. Every reply comes exactly once unless this
// object is destroyed first. QEMU serves one client at a time: only one object per socket.
class QmpClient final : public QObject {
    Q_OBJECT
public:
    using Reply = std::function<void(Result<QJsonValue>)>;

    explicit QmpClient(QObject* parent = nullptr);
    ~QmpClient() override;

    // Tries until the socket exists and greets: ready(), or closed() when the time is over. A path
    // of at most 107 bytes. Once.
    void open(const QString& socketPath, int timeoutMilliseconds);
    [[nodiscard]] bool isReady() const;
    [[nodiscard]] QString version() const; // "7.2.22"; empty before ready()

    // Default limit 10 s, then Timeout; an answer that comes later is dropped. Internal with QEMU's
    // own words when QEMU refuses.
    void execute(const QString& command,
                 const QJsonObject& arguments = {},
                 Reply reply = {},
                 int timeoutMilliseconds = 10000);
    // The same with a descriptor of this process passed along ("getfd").
    void executeWithDescriptor(const QString& command,
                               const QJsonObject& arguments,
                               int descriptor,
                               Reply reply);
    // A line of the human monitor; the reply is its text.
    void executeMonitor(const QString& line, Reply reply, int timeoutMilliseconds = 10000);
    void close();

Q_SIGNALS:
    void ready();
    void eventArrived(const QString& name, const QJsonObject& data);
    void closed(const vitrine::Error& reason); // once

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

} // namespace vitrine::qemu
