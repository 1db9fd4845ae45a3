// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/channel/line_buffer.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalServer>
#include <QLocalSocket>
#include <QObject>
#include <QStringList>

#include <functional>
#include <map>
#include <optional>

namespace vitrine::test {

// qemu-guest-agent as a test wants it, behind the socket of its chardev. Answers the sync by
// itself.
class FakeGuestAgent final : public QObject {
public:
    using Answer = std::function<std::optional<QJsonObject>(const QJsonObject& arguments)>;

    explicit FakeGuestAgent(const QString& path, QObject* parent = nullptr)
        : QObject(parent) {
        m_server.listen(path);
        connect(&m_server, &QLocalServer::newConnection, this, [this] {
            m_socket = m_server.nextPendingConnection();
            m_lines = LineBuffer(1 << 20);
            ++connections;
            connect(m_socket, &QLocalSocket::readyRead, this, [this] { read(); });
        });
    }

    bool listens = true; // false: nobody reads in the guest
    int connections = 0;
    int openCommands = 0; // sent and not answered yet; more than one breaks the protocol
    int mostOpenCommands = 0;
    QStringList commands; // without the sync
    std::map<QString, Answer> answers;

    [[nodiscard]] static QJsonObject value(const QJsonValue& result) {
        return {{QStringLiteral("return"), result}};
    }
    void sendBytes(const QByteArray& bytes) {
        m_socket->write(bytes);
        m_socket->flush();
    }
    void hangUp() { m_socket->abort(); }

private:
    void read() {
        if (!listens) {
            return;
        }
        if (!m_lines.append(m_socket->readAll())) {
            return;
        }
        while (const std::optional<QByteArray> line = m_lines.takeLine()) {
            handle(line->mid(line->lastIndexOf('\xff') + 1), line->startsWith('\xff'));
        }
    }

    void handle(const QByteArray& line, bool marked) {
        const QJsonObject message = QJsonDocument::fromJson(line).object();
        const QString command = message.value(QLatin1String("execute")).toString();
        const QJsonObject arguments = message.value(QLatin1String("arguments")).toObject();
        if (command == QLatin1String("guest-sync-delimited")) {
            if (marked) {
                const QJsonObject answer = value(arguments.value(QLatin1String("id")));
                sendBytes('\xff' + QJsonDocument(answer).toJson(QJsonDocument::Compact) + '\n');
            }
            return;
        }
        commands.append(command);
        mostOpenCommands = qMax(mostOpenCommands, ++openCommands);
        std::optional<QJsonObject> answer = value(QJsonObject{});
        if (const auto found = answers.find(command); found != answers.end()) {
            answer = found->second(arguments);
        }
        if (answer) {
            --openCommands;
            sendBytes(QJsonDocument(*answer).toJson(QJsonDocument::Compact) + '\n');
        }
    }

    QLocalServer m_server;
    QLocalSocket* m_socket = nullptr;
    LineBuffer m_lines{1 << 20};
};

} // namespace vitrine::test
