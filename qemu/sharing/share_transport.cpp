// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/share_transport.h"

#include "qemu/launch_plan.h"

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace vitrine::qemu {

namespace {

constexpr int versionTimeout = 2000; // ms
// For root, who has no subordinate ids: the last 65536 of those that systemd leaves to containers.
constexpr quint32 firstIdForRoot = 1879048192U - 65536U;
constexpr quint32 mostIds = 65536;

QString ownName() {
    std::vector<char> buffer(4096);
    passwd entry{};
    passwd* found = nullptr;
    ::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found);
    return found != nullptr ? QString::fromLocal8Bit(found->pw_name) : QString();
}

QString findHelper() {
    const QString folder = QCoreApplication::applicationDirPath();
    for (const char* place : {"", "/../bin", "/../libexec/vitrine"}) {
        const QFileInfo info(folder + QLatin1String(place) + QLatin1String("/vitrine-shares"));
        if (info.isExecutable()) {
            return info.absoluteFilePath();
        }
    }
    return {};
}

// The one written in C; its successor takes other options and is not known to work here.
QString findVirtiofsd(const ProgramPaths& paths) {
    for (const QString& path : paths.virtiofsd) {
        if (!QFileInfo(path).isExecutable()) {
            continue;
        }
        const BriefRun run = runBriefly(path, {QStringLiteral("--version")}, versionTimeout);
        const QByteArray said = run.output + run.errors;
        // An ordinary user is only told that it cannot drop its groups.
        if (run.started && (said.contains("FUSE kernel interface") || said.contains("setgroups"))) {
            return path;
        }
    }
    return {};
}

} // namespace

SubordinateIds subordinateIds(const QString& file, const QString& userName, quint32 userId) {
    SubordinateIds best;
    QFile list(file);
    if (!list.open(QIODevice::ReadOnly)) {
        return best;
    }
    const QStringList lines = QString::fromUtf8(list.read(1 << 20)).split(QLatin1Char('\n'));
    for (const QString& line : lines) {
        const QStringList fields = line.trimmed().split(QLatin1Char(':'));
        if (fields.size() != 3 ||
            (fields.at(0) != userName && fields.at(0) != QString::number(userId))) {
            continue;
        }
        const SubordinateIds ids{fields.at(1).toUInt(), fields.at(2).toUInt()};
        if (ids.first > 0 && ids.count > best.count) {
            best = ids;
        }
    }
    best.count = qMin(best.count, mostIds);
    return best;
}

QString ShareTransport::word() const {
    switch (kind) {
    case Kind::Virtiofs:
        return QStringLiteral("virtiofs");
    case Kind::Plan9:
        return QStringLiteral("9p");
    case Kind::None:
        break;
    }
    return {};
}

ShareTransport withoutVirtiofs(const QString& reason) {
    ShareTransport transport;
    if (::geteuid() == 0) {
        // The file server of 9P is QEMU itself: guest root would be root here.
        transport.note = Tr::tr("Folders cannot be shared. %1").arg(reason);
        return transport;
    }
    transport.kind = ShareTransport::Kind::Plan9;
    transport.note =
        Tr::tr("Folders are shared by 9P, not virtiofs. %1 With 9P everything in the guest is "
               "done as you, owners cannot be changed, a deleted file that is still open cannot "
               "be resized, at most %2 writable and %2 read-only folders can be shared, and one "
               "that is mounted cannot be taken away.")
            .arg(reason)
            .arg(plan9Slots);
    return transport;
}

ShareTransport findShareTransport(const ProgramPaths& paths, const ShareOptions& wanted) {
    ShareTransport transport;
    transport.cache = wanted.cache;
    if (wanted.transport == QLatin1String("9p"))
        return withoutVirtiofs(Tr::tr("The machine's settings say so."));
    if (qEnvironmentVariable(shareTransportVariable) == QLatin1String("9p")) {
        return withoutVirtiofs(Tr::tr("The environment variable %1 says so.")
                                   .arg(QLatin1String(shareTransportVariable)));
    }
    transport.helper = findHelper();
    if (transport.helper.isEmpty()) {
        return withoutVirtiofs(
            Tr::tr("The program vitrine-shares is missing from this installation."));
    }
    transport.virtiofsd = findVirtiofsd(paths);
    if (transport.virtiofsd.isEmpty()) {
        return withoutVirtiofs(
            Tr::tr("The program virtiofsd of QEMU 7.2 is missing (Debian: qemu-system-common)."));
    }
    if (::geteuid() == 0) {
        transport.users = transport.groups = {firstIdForRoot, mostIds};
        transport.kind = ShareTransport::Kind::Virtiofs;
        return transport;
    }
    for (const char* program : {"newuidmap", "newgidmap"}) {
        if (paths.find(QLatin1String(program)).isEmpty()) {
            return withoutVirtiofs(
                Tr::tr("The program %1 is missing (Debian: uidmap).").arg(QLatin1String(program)));
        }
    }
    const QString name = ownName();
    transport.users = subordinateIds(QStringLiteral("/etc/subuid"), name, ::geteuid());
    transport.groups = subordinateIds(QStringLiteral("/etc/subgid"), name, ::geteuid());
    constexpr quint32 fewest = 1002; // the ids up to the usual login user's
    if (transport.users.count < fewest || transport.groups.count < fewest) {
        return withoutVirtiofs(
            Tr::tr("You have no subordinate ids: /etc/subuid and /etc/subgid need a line for you "
                   "(an administrator runs \"usermod --add-subuids 100000-165535 --add-subgids "
                   "100000-165535 %1\").")
                .arg(name));
    }
    transport.kind = ShareTransport::Kind::Virtiofs;
    return transport;
}

Result<QStringList>
helperArguments(const ShareTransport& transport, const GuestUser& user, const ShareGroup& group) {
    quint32 owner = ::geteuid();
    quint32 ownerGroup = ::getegid();
    if (owner == 0) {
        bool first = true;
        for (const ShareSpec& share : group.members) {
            struct stat status {};
            if (::stat(QFile::encodeName(share.path).constData(), &status) != 0) {
                return fail(Error::fromErrno(
                    Tr::tr("The folder \"%1\" cannot be shared.").arg(share.path), errno));
            }
            if (!first && status.st_uid != owner) {
                return fail(Error::Kind::Unsupported,
                            Tr::tr("\"%1\" belongs to another user than the other folders with "
                                   "the tag \"%2\". Give it a tag of its own.")
                                .arg(share.path, group.tag));
            }
            if (status.st_uid == 0 && !share.readOnly) {
                return fail(Error::Kind::Permission,
                            Tr::tr("\"%1\" belongs to root, and no guest may write as root. Share "
                                   "it read-only, or give it to an ordinary user.")
                                .arg(share.path));
            }
            owner = status.st_uid;
            ownerGroup = status.st_gid;
            first = false;
        }
    }
    if (user.uid + 1 >= transport.users.count || user.gid + 1 >= transport.groups.count) {
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The user of the guest has the id %1, and there are only %2 "
                           "subordinate ids. Let an administrator give you more in /etc/subuid "
                           "and /etc/subgid.")
                        .arg(user.uid)
                        .arg(qMin(transport.users.count, transport.groups.count)));
    }
    QStringList arguments{transport.virtiofsd};
    for (const quint32 number : {user.uid,
                                 user.gid,
                                 owner,
                                 ownerGroup,
                                 transport.users.first,
                                 transport.groups.first,
                                 transport.users.count,
                                 transport.groups.count}) {
        arguments << QString::number(number);
    }
    if (!transport.cache.isEmpty())
        arguments << transport.cache;
    return arguments;
}

} // namespace vitrine::qemu
