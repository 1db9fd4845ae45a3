// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QProcess>
#include <QStringList>

namespace vitrine::test {

// A running lock_helper. Ends with the value: its input is closed, and it is waited for.
class OtherProcess final {
public:
    explicit OtherProcess(const QStringList& arguments) {
        m_process.start(QStringLiteral(LOCK_HELPER), arguments);
        m_process.waitForStarted(deadline);
    }
    ~OtherProcess() { end(); }

    // The line it says when it has done what was asked; empty when it ended without a word.
    QByteArray word() {
        while (!m_process.canReadLine())
            if (!m_process.waitForReadyRead(deadline))
                return {};
        return m_process.readLine().trimmed();
    }
    void end() {
        m_process.closeWriteChannel();
        m_process.waitForFinished(deadline);
    }
    void kill() {
        m_process.kill();
        m_process.waitForFinished(deadline);
    }
    [[nodiscard]] qint64 pid() const { return m_process.processId(); }
    // Waits for its end.
    bool crashed() {
        m_process.waitForFinished(deadline);
        return m_process.exitStatus() == QProcess::CrashExit;
    }

private:
    static constexpr int deadline = 20000; // milliseconds
    QProcess m_process;
};

inline QByteArray ask(const QStringList& arguments) {
    return OtherProcess(arguments).word();
}

} // namespace vitrine::test
