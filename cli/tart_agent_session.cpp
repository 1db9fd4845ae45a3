// SPDX-License-Identifier: Apache-2.0
#include "cli/tart_agent_session.h"

#include "cli/output_queue.h"
#include "cli/raw_terminal.h"
#include "core/channel/local_socket.h"
#include "core/guest/tart_agent.h"
#include "core/library/runtime_directory.h"
#include "core/run/signal_watch.h"

#include <QDeadlineTimer>
#include <QEventLoop>
#include <QSocketNotifier>

#include <cerrno>
#include <csignal>
#include <optional>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace vitrine::cli {

namespace {

constexpr qsizetype mostOutput = 1 << 20; // bytes that wait for a slow reader
constexpr int readerGone = 128 + SIGPIPE; // as a shell says it
constexpr int addressTime = 1000;         // ms for one question, specification 6.1
constexpr int questionInterval = 1000;    // ms
constexpr GuestTerminalSize usualSize{24, 80};

std::optional<GuestTerminalSize> terminalSize() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        winsize size{};
        if (::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
            return GuestTerminalSize{size.ws_row, size.ws_col};
    }
    return std::nullopt;
}

class Session final {
public:
    Session(FileDescriptor connection, const GuestCommand& command)
        : m_command(command)
        , m_agent(connection.release())
        , m_output(STDOUT_FILENO)
        , m_errors(STDERR_FILENO)
        , m_signals({SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGPIPE}) {}

    Result<int> run() {
        for (OutputQueue* const queue : {&m_output, &m_errors}) {
            QObject::connect(queue, &OutputQueue::written, &m_loop, [this] { settle(); });
            QObject::connect(queue, &OutputQueue::failed, &m_loop, [this](int error) {
                leave(error == EPIPE
                          ? Result<int>(readerGone)
                          : fail(Error::fromErrno(Tr::tr("Cannot write the output."), error)));
            });
        }
        QObject::connect(&m_signals, &SignalWatch::arrived, &m_loop, [this](int number) {
            if (number == SIGWINCH)
                resize();
            else if (number != SIGPIPE) // the failed write tells that
                leave(fail(Error::cancelled()));
        });
        std::optional<RawTerminal> raw;
        if (m_command.input && m_command.terminal && ::isatty(STDIN_FILENO) != 0)
            raw.emplace();
        begin();
        m_loop.exec();
        return m_result;
    }

private:
    void begin() {
        TartAgentCommand command;
        command.name = m_command.words.first();
        command.arguments = m_command.words.mid(1);
        command.interactive = m_command.input;
        command.terminal = m_command.terminal;
        command.size = terminalSize().value_or(usualSize);
        TartAgent::ExecListener listener;
        listener.output = [this](const QByteArray& bytes) { pass(m_output, bytes); };
        listener.errors = [this](const QByteArray& bytes) { pass(m_errors, bytes); };
        listener.inputWanted = [this] {
            if (m_keyboard && !m_inputEnded)
                m_keyboard->setEnabled(true);
        };
        listener.finished = [this](const Result<int>& end) {
            m_result = end;
            m_finished = true;
            if (m_keyboard)
                m_keyboard->setEnabled(false);
            settle();
        };
        m_agent.exec(command, std::move(listener));
        if (!m_command.input)
            return;
        m_keyboard = std::make_unique<QSocketNotifier>(STDIN_FILENO, QSocketNotifier::Read);
        m_keyboard->setEnabled(false);
        QObject::connect(
            m_keyboard.get(), &QSocketNotifier::activated, &m_loop, [this] { readInput(); });
    }

    void readInput() {
        if (m_inputEnded || m_finished)
            return;
        QByteArray bytes(TartAgent::longestInput, Qt::Uninitialized);
        const ssize_t size = ::read(STDIN_FILENO, bytes.data(), static_cast<size_t>(bytes.size()));
        if (size < 0 && (errno == EINTR || errno == EAGAIN))
            return;
        if (size <= 0) {
            m_inputEnded = true;
            m_agent.closeInput();
        } else {
            m_agent.writeInput(QByteArrayView(bytes).first(size));
        }
        m_keyboard->setEnabled(!m_inputEnded && m_agent.isInputWanted());
    }

    void pass(OutputQueue& queue, const QByteArray& bytes) {
        queue.write(bytes);
        settle();
    }
    // A slow reader holds the guest up; the end comes when everything is written.
    void settle() {
        const qsizetype waiting = m_output.waiting() + m_errors.waiting();
        m_agent.setPaused(waiting > mostOutput);
        if (m_finished && waiting == 0)
            m_loop.quit();
    }
    void resize() {
        if (const auto size = terminalSize(); size && m_command.terminal && !m_finished)
            m_agent.resize(*size);
    }
    // At once; the agent ends the command when this goes.
    void leave(const Result<int>& result) {
        m_result = result;
        m_finished = true;
        m_loop.quit();
    }

    const GuestCommand& m_command;
    QEventLoop m_loop;
    TartAgent m_agent;
    OutputQueue m_output;
    OutputQueue m_errors;
    SignalWatch m_signals;
    std::unique_ptr<QSocketNotifier> m_keyboard;
    bool m_inputEnded = false;
    bool m_finished = false;
    Result<int> m_result = fail(Error::cancelled());
};

Result<QString> askForAddress(const MachineInfo& machine) {
    auto connection = connectToControlSocket(machine);
    if (!connection)
        return fail(connection.error());
    QEventLoop loop;
    TartAgent agent(connection->release());
    Result<QString> address = QString();
    agent.resolveIp(addressTime, [&](const Result<QString>& answer) {
        address = answer;
        loop.quit();
    });
    loop.exec();
    if (address && address->isEmpty())
        return fail(Error::Kind::Timeout,
                    Tr::tr("The guest agent of \"%1\" knows no address yet. Wait for it with "
                           "--wait.")
                        .arg(machine.name));
    return address;
}

} // namespace

Result<FileDescriptor> connectToControlSocket(const MachineInfo& machine) {
    const auto address = SocketAddress::of(machine.directory + QLatin1String("/control.sock"));
    if (!address)
        return fail(address.error());
    const auto descriptor = connectToLocalSocket(address->text());
    if (!descriptor)
        return fail(descriptor.error());
    return FileDescriptor(*descriptor);
}

Result<int> runInGuest(FileDescriptor connection, const GuestCommand& command) {
    return Session(std::move(connection), command).run();
}

Result<QString> waitForAgentAddress(const MachineInfo& machine, int seconds) {
    const QDeadlineTimer deadline(seconds * 1000);
    for (;;) {
        auto address = askForAddress(machine);
        if (address || address.error().kind != Error::Kind::Timeout || deadline.hasExpired())
            return address;
        ::poll(
            nullptr, 0, static_cast<int>(qMin<qint64>(questionInterval, deadline.remainingTime())));
    }
}

} // namespace vitrine::cli
