// SPDX-License-Identifier: Apache-2.0
#include "softnet/program/vm_socket.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <utility>

namespace vitrine::softnet {

Checked<VmSocket> VmSocket::adopt(int descriptor, std::size_t mtu) {
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
    // As much as the system lets an ordinary user have.
    const int wanted = 1024 * 1024;
    ::setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &wanted, sizeof wanted);
    return VmSocket(descriptor, type == SOCK_SEQPACKET, EthernetFrame::headerLength + mtu);
}

VmSocket::Batch::Batch(std::size_t capacity)
    : buffer(capacity * batch)
    , parts(batch)
    , messages(batch) {}

VmSocket::VmSocket(int descriptor, bool sequenced, std::size_t capacity)
    : m_descriptor(descriptor)
    , m_sequenced(sequenced)
    , m_capacity(capacity)
    , m_in(capacity)
    , m_out(capacity) {}

VmSocket::VmSocket(VmSocket&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1))
    , m_sequenced(other.m_sequenced)
    , m_open(other.m_open)
    , m_lost(other.m_lost)
    , m_capacity(other.m_capacity)
    , m_in(std::move(other.m_in))
    , m_out(std::move(other.m_out))
    , m_waiting(std::exchange(other.m_waiting, 0)) {}

VmSocket::~VmSocket() {
    if (m_descriptor >= 0) {
        ::close(m_descriptor);
    }
}

unsigned VmSocket::receiveBatch() {
    for (unsigned i = 0; i < batch; ++i) {
        m_in.parts[i] = {m_in.buffer.data() + i * m_capacity, m_capacity};
        m_in.messages[i] = {};
        m_in.messages[i].msg_hdr.msg_iov = &m_in.parts[i];
        m_in.messages[i].msg_hdr.msg_iovlen = 1;
    }
    const int count = ::recvmmsg(m_descriptor, m_in.messages.data(), batch, MSG_DONTWAIT, nullptr);
    if (count < 0) {
        if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
            m_open = false;
        }
        return 0;
    }
    if (m_sequenced && count > 0 && m_in.messages[static_cast<unsigned>(count) - 1].msg_len == 0) {
        // An empty datagram and the end look alike; only the end hangs up.
        ::pollfd state{m_descriptor, POLLIN | POLLRDHUP, 0};
        if (::poll(&state, 1, 0) > 0 && (state.revents & (POLLHUP | POLLRDHUP)) != 0) {
            m_open = false;
        }
    }
    return static_cast<unsigned>(count);
}

Bytes VmSocket::received(unsigned index) const {
    const ::mmsghdr& message = m_in.messages[index];
    if ((message.msg_hdr.msg_flags & MSG_TRUNC) != 0) {
        return {};
    }
    return {m_in.buffer.data() + index * m_capacity, message.msg_len};
}

void VmSocket::send(Bytes frame) {
    if (frame.empty() || frame.size() > m_capacity) {
        return;
    }
    std::uint8_t* const place = m_out.buffer.data() + m_waiting * m_capacity;
    std::memcpy(place, frame.data(), frame.size());
    m_out.parts[m_waiting] = {place, frame.size()};
    m_out.messages[m_waiting] = {};
    m_out.messages[m_waiting].msg_hdr.msg_iov = &m_out.parts[m_waiting];
    m_out.messages[m_waiting].msg_hdr.msg_iovlen = 1;
    m_waitingBytes += frame.size();
    if (++m_waiting == batch || m_waitingBytes >= batchBytes) {
        flush();
    }
}

void VmSocket::flush() {
    const unsigned waiting = std::exchange(m_waiting, 0);
    m_waitingBytes = 0;
    for (unsigned done = 0; done < waiting;) {
        const int count = ::sendmmsg(
            m_descriptor, &m_out.messages[done], waiting - done, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count > 0) {
            done += static_cast<unsigned>(count);
        } else if (errno != EINTR) {
            m_lost += waiting - done;
            if (errno == EPIPE || errno == ECONNREFUSED || errno == ECONNRESET ||
                errno == ENOTCONN) {
                m_open = false;
            }
            return;
        }
    }
}

} // namespace vitrine::softnet
