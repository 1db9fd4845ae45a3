// SPDX-License-Identifier: Apache-2.0
#include "qemu/softnet/softnet_host.h"

#include <QCoreApplication>
#include <QFile>
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
constexpr const char* userForRoot = "nobody";

QByteArray processFile(const char* path) {
    QFile file(QString::fromLatin1(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

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
    if (softnetProgram(paths).isEmpty())
        return Tr::tr("The program vitrine-softnet, which is the network of machines, is "
                      "missing beside vitrinectl. Install Vitrine again.");
    if (::geteuid() != 0)
        return {};
    const passwd* const account = ::getpwnam(userForRoot);
    if (account == nullptr)
        return Tr::tr("Its helper never runs as root, and this computer has no user \"%1\" that it "
                      "could become.")
            .arg(QLatin1String(userForRoot));
    return whyNoOtherUser(
        processFile("/proc/self/uid_map"), processFile("/proc/self/setgroups"), account->pw_uid);
}

QString whyNoOtherUser(const QByteArray& uidMap, const QByteArray& setgroups, quint32 uid) {
    bool mapped = false;
    const QList<QByteArray> lines = uidMap.split('\n');
    for (const QByteArray& line : lines) { // first inside, first outside, how many
        const QList<QByteArray> words = line.simplified().split(' ');
        const quint32 first = words.value(0).toUInt();
        mapped = mapped || (words.size() == 3 && uid >= first && uid - first < words[2].toUInt());
    }
    if (mapped && setgroups.trimmed() != "deny")
        return {};
    return Tr::tr(
        "Its helper never runs as root, and root is the only user of this container (user "
        "namespace). Start Vitrine as an ordinary user, or give the container a range of "
        "users.");
}

QStringList softnetUserArguments() {
    if (::geteuid() != 0)
        return {};
    QStringList arguments{QStringLiteral("--user=") + QLatin1String(userForRoot)};
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
