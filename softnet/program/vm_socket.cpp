// SPDX-License-Identifier: Apache-2.0
#include "softnet/program/vm_socket.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace vitrine::softnet {

Checked<VmSocket> VmSocket::adopt(int descriptor) {
    const std::string name = std::to_string(descriptor);
    int domain = 0;
    int type = 0;
    socklen_t length = sizeof domain;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0) {
        return refuse("the descriptor " + name +
                      " of --vm-fd is no socket: " + std::strerror(errno));
    }
    length = sizeof type;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || domain != AF_UNIX ||
        (type != SOCK_SEQPACKET && type != SOCK_DGRAM)) {
        return refuse("the descriptor " + name + " of --vm-fd is no Unix socket of datagrams");
    }
    const int flags = ::fcntl(descriptor, F_GETFL);
    if (flags < 0 || ::fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) != 0 ||
        ::fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) {
        return refuse("cannot set up the descriptor " + name + ": " + std::strerror(errno));
    }
    return VmSocket(descriptor, type == SOCK_SEQPACKET);
}

VmSocket::VmSocket(int descriptor, bool sequenced)
    : m_descriptor(descriptor)
    , m_sequenced(sequenced)
    , m_buffer(frameCapacity * batch)
    , m_parts(batch)
    , m_messages(batch) {}

VmSocket::VmSocket(VmSocket&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1))
    , m_sequenced(other.m_sequenced)
    , m_open(other.m_open)
    , m_buffer(std::move(other.m_buffer))
    , m_parts(std::move(other.m_parts))
    , m_messages(std::move(other.m_messages)) {}

VmSocket::~VmSocket() {
    if (m_descriptor >= 0) {
        ::close(m_descriptor);
    }
}

unsigned VmSocket::receiveBatch() {
    for (unsigned i = 0; i < batch; ++i) {
        m_parts[i] = {m_buffer.data() + i * frameCapacity, frameCapacity};
        m_messages[i] = {};
        m_messages[i].msg_hdr.msg_iov = &m_parts[i];
        m_messages[i].msg_hdr.msg_iovlen = 1;
    }
    const int count = ::recvmmsg(m_descriptor, m_messages.data(), batch, MSG_DONTWAIT, nullptr);
    if (count < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            m_open = false;
        }
        return 0;
    }
    if (m_sequenced && count > 0 && m_messages[static_cast<unsigned>(count) - 1].msg_len == 0) {
        // An empty datagram and the end look alike; only the end hangs up.
        ::pollfd state{m_descriptor, POLLIN | POLLRDHUP, 0};
        if (::poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLRDHUP)) != 0) {
            m_open = false;
        }
    }
    return static_cast<unsigned>(count);
}

Bytes VmSocket::received(unsigned index) const {
    const ::mmsghdr& message = m_messages[index];
    if ((message.msg_hdr.msg_flags & MSG_TRUNC) != 0) {
        return {};
    }
    return {m_buffer.data() + index * frameCapacity, message.msg_len};
}

void VmSocket::send(Bytes frame) {
    if (frame.empty()) {
        return;
    }
    if (::send(m_descriptor, frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 &&
        (errno == EPIPE || errno == ECONNREFUSED || errno == ECONNRESET || errno == ENOTCONN)) {
        m_open = false;
    }
}

} // namespace vitrine::softnet
