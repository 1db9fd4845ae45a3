// SPDX-License-Identifier: Apache-2.0
#include "vz/host/serial_port.h"

#include <QFile>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

namespace vitrine::vz {

namespace {

// Bytes as they are, specification 5.6.
void makeRaw(int terminal) {
    termios settings{};
    if (::tcgetattr(terminal, &settings) != 0)
        return;
    ::cfmakeraw(&settings);
    ::cfsetspeed(&settings, B115200);
    ::tcsetattr(terminal, TCSANOW, &settings);
}

} // namespace

Result<std::unique_ptr<SerialPort>> SerialPort::open(const SerialLine& line,
                                                     const QString& viewers) {
    std::unique_ptr<SerialPort> port(new SerialPort(viewers));
    if (const auto listening = port->m_hub.listen(); !listening)
        return fail(listening.error());
    Result<> opened;
    switch (line.kind) {
    case SerialLine::Kind::Console:
        opened = port->openPair();
        break;
    case SerialLine::Kind::NewTerminal:
        opened = port->openTerminal();
        break;
    case SerialLine::Kind::Device:
        opened = port->openDevice(line.path);
        break;
    }
    if (!opened)
        return fail(opened.error());
    if (line.kind != SerialLine::Kind::Console)
        port->m_hub.explain(Tr::tr("The serial line of this machine leads to %1, not here.")
                                .arg(port->m_terminal.isEmpty() ? line.path : port->m_terminal));
    return port;
}

Result<> SerialPort::openPair() {
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
        return fail(Error::fromErrno(Tr::tr("The serial line cannot be opened."), errno));
    m_guest = FileDescriptor(ends[0]);
    FileDescriptor ours(ends[1]);
    for (const int end : ends)
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
    return m_hub.open(std::move(ours));
}

Result<> SerialPort::openTerminal() {
    const auto failure = [] {
        return fail(Error::fromErrno(Tr::tr("A new terminal cannot be opened."), errno));
    };
    m_guest = FileDescriptor(::posix_openpt(O_RDWR | O_NOCTTY));
    if (!m_guest.isValid() || ::grantpt(m_guest.get()) != 0 || ::unlockpt(m_guest.get()) != 0)
        return failure();
    const char* const name = ::ptsname(m_guest.get());
    if (name == nullptr)
        return failure();
    m_terminal = QFile::decodeName(name);
    m_open = FileDescriptor(::open(name, O_RDWR | O_NOCTTY | O_CLOEXEC));
    if (!m_open.isValid())
        return failure();
    makeRaw(m_open.get());
    ::fcntl(m_guest.get(), F_SETFD, FD_CLOEXEC);
    ::fcntl(m_guest.get(), F_SETFL, O_NONBLOCK);
    return {};
}

Result<> SerialPort::openDevice(const QString& path) {
    m_guest = FileDescriptor(
        ::open(QFile::encodeName(path).constData(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    if (!m_guest.isValid())
        return fail(
            Error::fromErrno(Tr::tr("The serial line cannot lead to \"%1\".").arg(path), errno));
    makeRaw(m_guest.get());
    return {};
}

} // namespace vitrine::vz
