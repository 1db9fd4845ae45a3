// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include "cli/output.h"
#include "core/disk/file_descriptor.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <termios.h>

namespace vitrine::cli {

namespace {

constexpr qsizetype maximumLength = 8192;

// Echo off for the life of the value. Signals that would end the process meanwhile are held back,
// so that the terminal never stays silent.
class SilentTerminal final {
public:
    explicit SilentTerminal(int fd)
        : m_fd(fd) {
        if (::tcgetattr(m_fd, &m_saved) != 0)
            return;
        struct termios silent = m_saved;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO | ISIG);
        silent.c_lflag |= static_cast<tcflag_t>(ICANON);
        m_changed = ::tcsetattr(m_fd, TCSAFLUSH, &silent) == 0;
    }
    ~SilentTerminal() {
        if (m_changed)
            ::tcsetattr(m_fd, TCSAFLUSH, &m_saved);
    }
    SilentTerminal(const SilentTerminal&) = delete;
    SilentTerminal& operator=(const SilentTerminal&) = delete;
    [[nodiscard]] bool isSilent() const { return m_changed; }

private:
    int m_fd;
    bool m_changed = false;
    struct termios m_saved {};
};

void writeAll(int fd, const QByteArray& bytes) {
    qsizetype done = 0;
    while (done < bytes.size()) {
        const ssize_t n =
            ::write(fd, bytes.constData() + done, static_cast<size_t>(bytes.size() - done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        done += n;
    }
}

Error tooLong() {
    return {Error::Kind::InvalidInput,
            Tr::tr("The text is longer than %1 characters.").arg(maximumLength),
            {}};
}

// Up to a newline or the end. nullopt at an end without text, and at Ctrl-C while it is a
// character.
Result<std::optional<QByteArray>> readLine(int fd) {
    QByteArray line;
    char c = 0;
    for (;;) {
        const ssize_t n = ::read(fd, &c, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(Error::fromErrno(Tr::tr("Cannot read from the terminal."), errno));
        if (n == 0)
            return line.isEmpty() ? std::optional<QByteArray>() : line;
        if (c == '\n' || c == '\r')
            return line;
        if (c == 3)
            return std::nullopt;
        line += c;
        if (line.size() > 4 * maximumLength)
            return fail(tooLong());
    }
}

} // namespace

Result<QString> askLine(const QString& prompt, Echo echo) {
    const FileDescriptor terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
    if (!terminal.isValid())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("There is no terminal to ask on. Give the answer as an option, such as "
                           "--username with --password-stdin."));
    std::optional<SilentTerminal> silent;
    if (echo == Echo::Hidden)
        silent.emplace(terminal.get());
    writeAll(terminal.get(), prompt.toUtf8());
    auto line = readLine(terminal.get());
    if (silent && silent->isSilent())
        writeAll(terminal.get(), "\n");
    if (!line)
        return fail(line.error());
    if (!*line)
        return fail(Error::cancelled());
    const QString text = QString::fromUtf8(**line);
    if (text.size() > maximumLength)
        return fail(tooLong());
    return text;
}

Result<bool> askYesNo(const QString& question) {
    const auto answer = askLine(question + Tr::tr(" [y/N] "), Echo::Shown);
    if (!answer)
        return fail(answer.error());
    const QString word = answer->trimmed().toLower();
    return word == Tr::tr("y") || word == Tr::tr("yes");
}

Result<QString> readPasswordFromInput() {
    QByteArray bytes;
    QByteArray buffer(4096, Qt::Uninitialized);
    for (;;) {
        const ssize_t n = ::read(STDIN_FILENO, buffer.data(), static_cast<size_t>(buffer.size()));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return fail(Error::fromErrno(Tr::tr("Cannot read the password."), errno));
        if (n == 0)
            break;
        bytes.append(buffer.constData(), n);
        if (bytes.size() > 4 * maximumLength)
            return fail(tooLong());
    }
    while (bytes.endsWith('\n') || bytes.endsWith('\r'))
        bytes.chop(1);
    const QString text = QString::fromUtf8(bytes);
    if (text.size() > maximumLength)
        return fail(tooLong());
    return text;
}

} // namespace vitrine::cli
