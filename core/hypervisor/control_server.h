// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QJsonObject>
#include <QJsonValue>
#include <QObject>
#include <QStringList>

#include <functional>
#include <memory>

namespace vitrine {

// The machine process's end of vitrine.sock. Refuses peers of another uid, lines over 1 MiB and
// more than 32 clients, with an error that answers no request; for a new one the client that is
// idle for longest goes, never a subscriber or one with a request under way. Drops a client that
// does not read, or says nothing complete in its first seconds. Lives on the main thread of the
// machine's process.
class ControlServer final : public QObject {
    Q_OBJECT
public:
    using Respond = std::function<void(Result<QJsonValue>)>; // call it once, now or later
    using Handler = std::function<void(const QJsonObject& parameters, Respond respond)>;

    explicit ControlServer(QObject* parent = nullptr);
    ~ControlServer() override;

    // Before listen(). "subscribe" marks the client as a subscriber and then runs its handler, if
    // there is one, for the answer.
    void on(const QString& method, Handler handler);
    [[nodiscard]] QStringList methods() const;                         // sorted, with subscribe
    Result<> listen(const QString& socketPath);                        // socket 0600
    void notify(const QString& method, const QJsonObject& parameters); // to subscribers
    void close(); // sends what waits as far as it goes at once, removes the socket

private:
    class Private;
    std::unique_ptr<Private> m_d;
};

} // namespace vitrine
