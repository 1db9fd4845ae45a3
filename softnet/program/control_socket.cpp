// SPDX-License-Identifier: Apache-2.0
#include "softnet/program/control_socket.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace vitrine::softnet {

Checked<ControlSocket> ControlSocket::adopt(int descriptor) {
    const std::string name = "the descriptor " + std::to_string(descriptor) + " of --control-fd";
    int domain = 0;
    int type = 0;
    socklen_t length = sizeof domain;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0) {
        return refuse(name + " is no socket: " + std::strerror(errno));
    }
    length = sizeof type;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || domain != AF_UNIX ||
        type != SOCK_STREAM) {
        return refuse(name + " is no Unix stream socket");
    }
    sockaddr_un peer{};
    length = sizeof peer;
    if (::getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &length) != 0) {
        return refuse(name + " is not connected: " + std::strerror(errno));
    }
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return ControlSocket(descriptor);
}

::pollfd ControlSocket::wait(const ControlChannel& channel) const {
    const int events = (m_reads ? POLLIN : 0) | (channel.pending().empty() ? 0 : POLLOUT);
    return {m_open && events != 0 ? m_descriptor : -1, static_cast<short>(events), 0};
}

void ControlSocket::serve(const ::pollfd& state, ControlChannel& channel, Time now) {
    if (!m_open) {
        return;
    }
    if (m_reads && (state.revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
        read(channel, now);
    }
    channel.tick(now);
    if (channel.isOpen() && !channel.pending().empty()) {
        write(channel);
    }
    // The client may have closed its writing side only: it still gets its last answer.
    if (!channel.isOpen() || (!m_reads && channel.pending().empty())) {
        end(channel);
    }
}

void ControlSocket::read(ControlChannel& channel, Time now) {
    char buffer[16384];
    const ssize_t count = ::recv(m_descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count > 0) {
        channel.receive({buffer, static_cast<std::size_t>(count)}, now);
    } else if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
        m_reads = false;
    }
}

void ControlSocket::write(ControlChannel& channel) {
    const std::string_view pending = channel.pending();
    const ssize_t count =
        ::send(m_descriptor, pending.data(), pending.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (count > 0) {
        channel.sent(static_cast<std::size_t>(count));
    } else if (count < 0 && errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
        channel.close();
    }
}

void ControlSocket::end(ControlChannel& channel) {
    channel.close();
    ::shutdown(m_descriptor, SHUT_RDWR);
    m_open = false;
    m_reads = false;
}

} // namespace vitrine::softnet
