// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/cli/command_line_support.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>

namespace vitrine::test {

// vitrinectl on a terminal of its own.
class OnTerminal : public CommandLine {
protected:
    ~OnTerminal() override {
        if (m_master >= 0)
            ::close(m_master);
    }

    void begin(const QStringList& arguments, unsigned short rows = 0, unsigned short columns = 0) {
        m_master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        ASSERT_GE(m_master, 0);
        ASSERT_EQ(::grantpt(m_master), 0);
        ASSERT_EQ(::unlockpt(m_master), 0);
        const QByteArray slave = ::ptsname(m_master);
        if (rows > 0)
            setSize(rows, columns);
        m_process = std::make_unique<QProcess>();
        m_process->setProcessEnvironment(m_environment);
        m_process->setChildProcessModifier([slave] {
            ::setsid();
            const int terminal = ::open(slave.constData(), O_RDWR); // becomes the controlling one
            ::dup2(terminal, STDIN_FILENO);
            ::dup2(terminal, STDOUT_FILENO);
            ::dup2(terminal, STDERR_FILENO);
        });
        m_process->start(s(VITRINE_BIN_DIR "/vitrinectl"), arguments);
        ASSERT_TRUE(m_process->waitForStarted(-1));
    }
    // Reads until the terminal shows `text`.
    bool waitFor(const QByteArray& text) {
        const auto from = m_seen;
        while (m_screen.indexOf(text, from) < 0) {
            if (!readSome(30000))
                return false;
        }
        m_seen = m_screen.indexOf(text, from) + text.size();
        return true;
    }
    void type(const QByteArray& text) const {
        EXPECT_EQ(::write(m_master, text.constData(), static_cast<size_t>(text.size())),
                  text.size());
    }
    int end() {
        while (readSome(30000)) {
        }
        EXPECT_TRUE(m_process->waitForFinished(30000));
        return m_process->exitCode();
    }
    [[nodiscard]] const QByteArray& screen() const { return m_screen; }
    [[nodiscard]] qint64 process() const { return m_process->processId(); }
    void setSize(unsigned short rows, unsigned short columns) const {
        const winsize size{rows, columns, 0, 0};
        EXPECT_EQ(::ioctl(m_master, TIOCSWINSZ, &size), 0);
    }
    [[nodiscard]] bool showsWhatIsTyped() const {
        struct termios settings {};
        return ::tcgetattr(m_master, &settings) == 0 && (settings.c_lflag & ECHO) != 0 &&
               (settings.c_lflag & ISIG) != 0;
    }

private:
    bool readSome(int timeoutMilliseconds) {
        struct pollfd entry {
            m_master, POLLIN, 0
        };
        char buffer[4096];
        if (::poll(&entry, 1, timeoutMilliseconds) <= 0)
            return false;
        const ssize_t n = ::read(m_master, buffer, sizeof buffer); // EIO: the other end is closed
        if (n > 0)
            m_screen.append(buffer, n);
        return n > 0;
    }

    int m_master = -1;
    std::unique_ptr<QProcess> m_process;
    QByteArray m_screen;
    qsizetype m_seen = 0;
};

} // namespace vitrine::test
