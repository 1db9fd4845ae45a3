// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/event_wait.h"

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine::test {

// tart_agent_server.py at a socket.
class TartAgentServer final {
public:
    explicit TartAgentServer(QString socket = {}, const QStringList& options = {})
        : m_socket(socket.isEmpty() ? m_folder.filePath(QStringLiteral("agent.sock"))
                                    : std::move(socket)) {
        restart(options);
    }
    ~TartAgentServer() { stop(); }
    TartAgentServer(const TartAgentServer&) = delete;
    TartAgentServer& operator=(const TartAgentServer&) = delete;

    void restart(const QStringList& options) {
        stop();
        m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        // Debian's python, which has Debian's packages.
        m_process.start(
            QStringLiteral("/usr/bin/python3"),
            QStringList{QStringLiteral(VITRINE_TEST_DATA "/../support/tart_agent_server.py"),
                        m_socket} +
                options);
        EXPECT_TRUE(waitForLine("ready")) << "python3-grpcio and python3-protobuf are needed";
    }
    void stop() {
        if (m_process.state() == QProcess::NotRunning)
            return;
        m_process.kill();
        m_process.waitForFinished();
    }
    bool waitForLine(const QByteArray& line) {
        return waitUntil(
            [&] {
                m_said += m_process.readAllStandardOutput();
                const qsizetype at = m_said.indexOf(line + '\n');
                if (at >= 0)
                    m_said.remove(0, at + line.size() + 1);
                return at >= 0;
            },
            30000);
    }
    [[nodiscard]] const QString& socket() const { return m_socket; }

private:
    QTemporaryDir m_folder;
    QString m_socket;
    QProcess m_process;
    QByteArray m_said;
};

} // namespace vitrine::test
