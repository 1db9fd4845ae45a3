// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/channel/json_channel.h"

#include <QJsonObject>
#include <QLocalServer>
#include <QObject>
#include <QStringList>

#include <functional>
#include <map>
#include <optional>

namespace vitrine::test {

// QEMU's end of a QMP socket as a test wants it: greets, answers {} to everything it is not told
// about, and remembers what it was asked.
class FakeQmpServer final : public QObject {
public:
    // nullopt: no answer at all.
    using Answer = std::function<std::optional<QJsonObject>(const QJsonObject& arguments)>;

    explicit FakeQmpServer(const QString& path, QObject* parent = nullptr)
        : QObject(parent) {
        m_server.listen(path);
        connect(&m_server, &QLocalServer::newConnection, this, [this] { accept(); });
    }

    bool greets = true;
    QStringList commands;     // names, in order
    QStringList monitorLines; // of human-monitor-command
    std::map<QString, Answer> answers;
    std::function<QString(const QString& line)> monitor = [](const QString&) { return QString(); };

    [[nodiscard]] static QJsonObject value(const QJsonValue& result) {
        return {{QStringLiteral("return"), result}};
    }
    [[nodiscard]] static QJsonObject refusal(const QString& text) {
        return {{QStringLiteral("error"),
                 QJsonObject{{QStringLiteral("class"), QStringLiteral("GenericError")},
                             {QStringLiteral("desc"), text}}}};
    }

    void sendEvent(const char* name, const QJsonObject& data = {}) {
        m_channel->send(
            {{QStringLiteral("event"), QLatin1String(name)}, {QStringLiteral("data"), data}});
    }
    void sendBytes(const QByteArray& bytes) { m_channel->sendBytes(bytes); }
    void hangUp() { m_channel->close(); }
    [[nodiscard]] bool isConnected() const { return m_channel && m_channel->isOpen(); }

private:
    void accept() {
        std::unique_ptr<QLocalSocket> socket(m_server.nextPendingConnection());
        socket->setParent(nullptr);
        delete m_channel;
        m_channel = new JsonChannel(std::move(socket), {1 << 20, 256LL << 20}, this);
        connect(m_channel, &JsonChannel::received, this, [this](const QJsonObject& message) {
            handle(message);
        });
        if (greets) {
            const QJsonObject numbers{{QStringLiteral("major"), 7},
                                      {QStringLiteral("minor"), 2},
                                      {QStringLiteral("micro"), 22}};
            const QJsonObject version{{QStringLiteral("qemu"), numbers}};
            m_channel->send(
                {{QStringLiteral("QMP"), QJsonObject{{QStringLiteral("version"), version}}}});
        }
    }

    void handle(const QJsonObject& message) {
        const QString command = message.value(QLatin1String("execute")).toString();
        const QJsonObject arguments = message.value(QLatin1String("arguments")).toObject();
        commands.append(command);
        std::optional<QJsonObject> answer = value(QJsonObject{});
        if (command == QLatin1String("human-monitor-command")) {
            const QString line = arguments.value(QLatin1String("command-line")).toString();
            monitorLines.append(line);
            answer = value(monitor(line));
        }
        if (const auto found = answers.find(command); found != answers.end()) {
            answer = found->second(arguments);
        }
        if (answer) {
            answer->insert(QStringLiteral("id"), message.value(QLatin1String("id")));
            m_channel->send(*answer);
        }
    }

    QLocalServer m_server;
    JsonChannel* m_channel = nullptr;
};

} // namespace vitrine::test
