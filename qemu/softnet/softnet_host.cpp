// SPDX-License-Identifier: Apache-2.0
#include "qemu/softnet/softnet_host.h"

#include <QCoreApplication>
#include <QFileInfo>

#include <array>
#include <cerrno>
#include <grp.h>
#include <pwd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace vitrine::qemu {

namespace {

// As Tart sizes them: a burst of frames must not be lost because the other side is not scheduled.
constexpr int receiveBuffer = 4 << 20; // bytes; the system may give less
constexpr int sendBuffer = 1 << 20;

} // namespace

QString softnetProgram(const ProgramPaths& paths) {
    if (!paths.softnet.isEmpty())
        return QFileInfo(paths.softnet).isExecutable() ? paths.softnet : QString();
    const QString folder = QCoreApplication::applicationDirPath();
    for (const char* place : {"", "/../bin", "/../libexec/vitrine"}) {
        const QFileInfo info(folder + QLatin1String(place) + QLatin1String("/vitrine-softnet"));
        if (info.isFile() && info.isExecutable())
            return info.absoluteFilePath();
    }
    return {};
}

QString whyNotSoftnet(const ProgramPaths& paths) {
    return softnetProgram(paths).isEmpty()
               ? Tr::tr("The program vitrine-softnet, which is the network of machines, is "
                        "missing beside vitrinectl. Install Vitrine again.")
               : QString();
}

QStringList softnetUserArguments() {
    if (::geteuid() != 0)
        return {};
    QStringList arguments{QStringLiteral("--user=nobody")};
    for (const char* group : {"nogroup", "nobody"})
        if (::getgrnam(group) != nullptr)
            return arguments << QStringLiteral("--group=") + QLatin1String(group);
    return arguments;
}

Result<SoftnetWire> openSoftnetWire() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return fail(Error::fromErrno(Tr::tr("The machine cannot be attached to Softnet."), errno));
    for (const int end : ends) {
        ::setsockopt(end, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, sizeof(receiveBuffer));
        ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &sendBuffer, sizeof(sendBuffer));
    }
    return SoftnetWire{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

} // namespace vitrine::qemu
