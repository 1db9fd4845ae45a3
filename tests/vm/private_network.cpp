// SPDX-License-Identifier: Apache-2.0
#include "private_network.h"

#include <QByteArray>
#include <QFile>

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::test {
namespace {

QString failed(const char* what) {
    return QStringLiteral("%1: %2").arg(QLatin1String(what),
                                        QString::fromLocal8Bit(std::strerror(errno)));
}

bool writeTo(const char* path, const QByteArray& text) {
    QFile file(QString::fromLatin1(path));
    return file.open(QIODevice::WriteOnly | QIODevice::Unbuffered) &&
           file.write(text) == text.size();
}

// "ip route add local ADDRESS dev lo"
bool addLocalRoute(const QString& address) {
    struct Request {
        nlmsghdr header;
        rtmsg route;
        rtattr destinationHead;
        in_addr destination;
        rtattr deviceHead;
        int device;
    } request{};
    request.header.nlmsg_len = sizeof(request);
    request.header.nlmsg_type = RTM_NEWROUTE;
    request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_ACK;
    request.route.rtm_family = AF_INET;
    request.route.rtm_dst_len = 32;
    request.route.rtm_table = RT_TABLE_LOCAL;
    request.route.rtm_protocol = RTPROT_BOOT;
    request.route.rtm_scope = RT_SCOPE_HOST;
    request.route.rtm_type = RTN_LOCAL;
    request.destinationHead = {RTA_LENGTH(sizeof(in_addr)), RTA_DST};
    request.deviceHead = {RTA_LENGTH(sizeof(int)), RTA_OIF};
    request.device = static_cast<int>(::if_nametoindex("lo"));
    ::inet_pton(AF_INET, address.toLatin1().constData(), &request.destination);
    const int socket = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    struct Answer {
        nlmsghdr header;
        nlmsgerr error;
        char rest[512];
    } answer{};
    const bool sent = ::send(socket, &request, sizeof(request), 0) == sizeof(request) &&
                      ::recv(socket, &answer, sizeof(answer), 0) > 0;
    ::close(socket);
    errno = -answer.error.error;
    return sent && answer.header.nlmsg_type == NLMSG_ERROR && answer.error.error == 0;
}

} // namespace

QString enterPrivateNetwork(const QStringList& addresses) {
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    const int spaces = CLONE_NEWNET | CLONE_NEWNS | (user == 0 ? 0 : CLONE_NEWUSER);
    if (::unshare(spaces) != 0)
        return failed("unshare");
    if (user != 0 &&
        (!writeTo("/proc/self/setgroups", "deny") ||
         !writeTo("/proc/self/uid_map", QStringLiteral("%1 %1 1").arg(user).toLatin1()) ||
         !writeTo("/proc/self/gid_map", QStringLiteral("%1 %1 1").arg(group).toLatin1())))
        return failed("map of users");
    ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr);
    QByteArray resolver = "/tmp/resolv.XXXXXX";
    const int file = ::mkstemp(resolver.data());
    const QByteArray text = "nameserver 127.0.0.1\n";
    const bool written = ::write(file, text.constData(), static_cast<size_t>(text.size())) > 0;
    ::fchmod(file, 0644);
    ::close(file);
    const QByteArray real = QFile(QStringLiteral("/etc/resolv.conf")).symLinkTarget().toLocal8Bit();
    const char* const target = real.isEmpty() ? "/etc/resolv.conf" : real.constData();
    if (!written || ::mount(resolver.constData(), target, nullptr, MS_BIND, nullptr) != 0)
        return failed("resolv.conf");
    ::unlink(resolver.constData());
    const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    const bool up = ::ioctl(any, SIOCSIFFLAGS, &request) == 0;
    ::close(any);
    if (!up)
        return failed("loopback");
    for (const QString& address : addresses)
        if (!addLocalRoute(address))
            return failed("route");
    return {};
}

} // namespace vitrine::test
