// SPDX-License-Identifier: Apache-2.0
#include "softnet/program/host_addresses.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace vitrine::softnet {

namespace {

void add(std::vector<Ipv4>& list, Ipv4 address) {
    if (address.value >> 24 != 127 && list.size() < HostAddresses::most) {
        list.push_back(address);
    }
}

void sortOut(std::vector<Ipv4>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
}

template <class Header>
Header headerAt(Bytes bytes) {
    Header header{};
    std::memcpy(&header, bytes.data(), sizeof header);
    return header;
}

constexpr std::size_t aligned(std::size_t length) {
    return (length + 3) & ~std::size_t{3};
}

} // namespace

HostAddresses::HostAddresses()
    : m_socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE)) {
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_IPV4_IFADDR;
    if (m_socket >= 0 &&
        ::bind(m_socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(std::exchange(m_socket, -1));
    }
    ifaddrs* first = nullptr; // after that socket, so that no change is missed
    if (::getifaddrs(&first) == 0) {
        for (const ifaddrs* at = first; at != nullptr; at = at->ifa_next) {
            if (at->ifa_addr != nullptr && at->ifa_addr->sa_family == AF_INET) {
                add(m_list,
                    {ntohl(reinterpret_cast<const sockaddr_in*>(at->ifa_addr)->sin_addr.s_addr)});
            }
        }
        ::freeifaddrs(first);
    }
    sortOut(m_list);
}

HostAddresses::HostAddresses(HostAddresses&& other) noexcept
    : m_socket(std::exchange(other.m_socket, -1))
    , m_question(other.m_question)
    , m_asking(other.m_asking)
    , m_again(other.m_again)
    , m_changed(other.m_changed)
    , m_list(std::move(other.m_list))
    , m_next(std::move(other.m_next)) {}

HostAddresses::~HostAddresses() {
    if (m_socket >= 0) {
        ::close(m_socket);
    }
}

bool HostAddresses::refresh() {
    if (m_socket < 0) {
        return false;
    }
    std::uint8_t buffer[16384];
    for (int turn = 0; turn < 16; ++turn) {
        const ssize_t count = ::recv(m_socket, buffer, sizeof buffer, MSG_DONTWAIT);
        if (count <= 0) {
            // Too much at once for the socket: what was lost is asked for.
            if (count < 0 && errno == ENOBUFS) {
                m_asking = false;
                m_again = true;
            }
            break;
        }
        Bytes left(buffer, static_cast<std::size_t>(count));
        while (left.size() >= sizeof(nlmsghdr)) {
            const std::size_t length = headerAt<nlmsghdr>(left).nlmsg_len;
            if (length < sizeof(nlmsghdr) || length > left.size()) {
                break;
            }
            take(left.first(length));
            left = left.subspan(std::min(left.size(), aligned(length)));
        }
    }
    if (m_again && !m_asking) {
        ask();
    }
    return std::exchange(m_changed, false);
}

void HostAddresses::ask() {
    struct {
        nlmsghdr header;
        ifaddrmsg body;
    } request{};
    request.header.nlmsg_len = sizeof request;
    request.header.nlmsg_type = RTM_GETADDR;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
    request.header.nlmsg_seq = ++m_question;
    request.body.ifa_family = AF_INET;
    m_next.clear();
    m_again = false;
    m_asking = ::send(m_socket, &request, sizeof request, MSG_DONTWAIT) > 0;
    m_again = !m_asking;
}

void HostAddresses::take(Bytes message) {
    const auto header = headerAt<nlmsghdr>(message);
    const bool answers = m_asking && header.nlmsg_seq == m_question;
    if (!answers) {
        m_again = m_again || header.nlmsg_type == RTM_NEWADDR || header.nlmsg_type == RTM_DELADDR;
        return;
    }
    if (header.nlmsg_type == NLMSG_DONE || header.nlmsg_type == NLMSG_ERROR) {
        m_asking = false;
        sortOut(m_next);
        if (header.nlmsg_type == NLMSG_DONE && m_next != m_list) {
            m_list = m_next;
            m_changed = true;
        }
        return;
    }
    if (header.nlmsg_type != RTM_NEWADDR || message.size() < sizeof(nlmsghdr) + sizeof(ifaddrmsg)) {
        return;
    }
    // IFA_LOCAL is the computer's end of a point-to-point link, whose IFA_ADDRESS is the other's.
    std::optional<Ipv4> local;
    Bytes left = message.subspan(sizeof(nlmsghdr) + aligned(sizeof(ifaddrmsg)));
    while (left.size() >= sizeof(rtattr)) {
        const auto attribute = headerAt<rtattr>(left);
        if (attribute.rta_len < sizeof(rtattr) || attribute.rta_len > left.size()) {
            break;
        }
        if (attribute.rta_len >= sizeof(rtattr) + 4 &&
            (attribute.rta_type == IFA_LOCAL || (attribute.rta_type == IFA_ADDRESS && !local))) {
            local = Ipv4{ntohl(headerAt<std::uint32_t>(left.subspan(sizeof(rtattr))))};
        }
        left = left.subspan(std::min(left.size(), aligned(attribute.rta_len)));
    }
    if (local) {
        add(m_next, *local);
    }
}

} // namespace vitrine::softnet
