// SPDX-License-Identifier: Apache-2.0
#include "qemu/network_planner.h"

#include "core/value/card_address.h"
#include "qemu/softnet/softnet_host.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QSet>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::qemu {
namespace {

constexpr int helperTime = 5000; // ms

QString helperProgram(const ProgramPaths& paths) {
    for (const QString& program : paths.bridgeHelper)
        if (QFileInfo(program).isFile())
            return program;
    return {};
}

// The bridge itself, or the bridge that an interface is a port of.
QString bridgeOf(const ProgramPaths& paths, const QString& interface) {
    if (interface.contains(QLatin1Char('/')) || interface.startsWith(QLatin1Char('.')))
        return {};
    const QString entry = paths.networkClass + QLatin1Char('/') + interface;
    if (QFileInfo(entry + QStringLiteral("/bridge")).isDir())
        return interface;
    const QString master = QFileInfo(entry + QStringLiteral("/master")).symLinkTarget();
    const QString name = QFileInfo(master).fileName();
    return !name.isEmpty() && QFileInfo(master + QStringLiteral("/bridge")).isDir() ? name
                                                                                    : QString();
}

// Rules of bridge.conf: any "deny" that fits wins over any "allow". nullopt when the helper has to
// decide: the file is not for us to read, or names others by "include".
std::optional<bool> isAllowed(const QString& configuration, const QString& bridge) {
    QFile file(configuration);
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    bool allowed = false;
    bool includes = false;
    for (const QByteArray& raw : file.read(1 << 20).split('\n')) {
        const QList<QByteArray> words = raw.simplified().split(' ');
        const QByteArray name = words.value(1);
        const bool fits = name == "all" || name == bridge.toUtf8();
        if (words.first() == "deny" && fits)
            return false;
        allowed = allowed || (words.first() == "allow" && fits);
        includes = includes || words.first() == "include";
    }
    return includes && !allowed ? std::nullopt : std::optional(allowed);
}

Error noBridge(const ProgramPaths& paths, const QString& interface) {
    const QStringList known = bridges(paths);
    const QString choices =
        known.isEmpty()
            ? Tr::tr("This computer has no bridge. Make one, for example \"nmcli connection add "
                     "type bridge ifname br0\", and put the network card into it.")
            : Tr::tr("Bridges here: %1.").arg(known.join(QLatin1String(", ")));
    return Error{Error::Kind::InvalidInput,
                 Tr::tr("\"%1\" is neither a bridge of this computer nor part of one. %2")
                     .arg(interface, choices),
                 {}};
}

int receiveDescriptor(int socket) {
    pollfd waiting{socket, POLLIN, 0};
    if (::poll(&waiting, 1, helperTime) <= 0)
        return -1;
    char byte = 0;
    iovec part{&byte, 1};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof(control);
    if (::recvmsg(socket, &message, MSG_CMSG_CLOEXEC) <= 0)
        return -1;
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    if (header == nullptr || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
        return -1;
    int descriptor = -1;
    std::memcpy(&descriptor, CMSG_DATA(header), sizeof(descriptor));
    return descriptor;
}

Result<FileDescriptor> openTap(const QString& helper, const QString& bridge) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot talk to the bridge helper."), errno));
    const FileDescriptor mine(ends[0]);
    FileDescriptor theirs(ends[1]);
    QProcess process;
    QProcessEnvironment bare;
    bare.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
    process.setProcessEnvironment(bare);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setChildProcessModifier(
        [descriptor = theirs.get()] { ::fcntl(descriptor, F_SETFD, 0); });
    process.start(helper,
                  {QStringLiteral("--use-vnet"),
                   QStringLiteral("--br=") + bridge,
                   QStringLiteral("--fd=%1").arg(theirs.get())});
    const bool started = process.waitForStarted(helperTime);
    theirs = FileDescriptor();
    FileDescriptor tap(started ? receiveDescriptor(mine.get()) : -1);
    if (!process.waitForFinished(helperTime))
        process.kill();
    process.waitForFinished(-1);
    if (tap.isValid() && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0)
        return tap;
    const QString said = QString::fromLocal8Bit(process.readAllStandardError()).simplified();
    return fail(Error::Kind::Permission,
                Tr::tr("The machine cannot be attached to the bridge \"%1\". The helper says: %2")
                    .arg(bridge, said.isEmpty() ? Tr::tr("nothing.") : said.left(500)),
                helper);
}

} // namespace

QStringList bridges(const ProgramPaths& paths) {
    QStringList names;
    const QStringList all =
        QDir(paths.networkClass).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
    for (const QString& name : all)
        if (QFileInfo(paths.networkClass + QLatin1Char('/') + name + QStringLiteral("/bridge"))
                .isDir())
            names << name;
    return names;
}

QString whyNotBridged(const ProgramPaths& paths) {
    const QString helper = helperProgram(paths);
    if (helper.isEmpty())
        return Tr::tr("QEMU's bridge helper is missing. Install the package \"%1\".")
            .arg(QStringLiteral("qemu-system-common"));
    if (!QFileInfo::exists(paths.bridgeConfiguration))
        return Tr::tr("No bridge may be used: the file \"%1\" is missing. The administrator makes "
                      "it with a line such as \"allow br0\".")
            .arg(paths.bridgeConfiguration);
    if (::geteuid() != 0) {
        struct stat status {};
        const bool raised = ::stat(QFile::encodeName(helper).constData(), &status) == 0 &&
                            (status.st_mode & S_ISUID) != 0 && status.st_uid == 0;
        if (!raised)
            return Tr::tr("QEMU's bridge helper has no right to use bridges. The administrator "
                          "gives it with \"chmod u+s %1\".")
                .arg(helper);
    }
    if (bridges(paths).isEmpty())
        return Tr::tr("This computer has no bridge. The administrator makes one, for example with "
                      "\"nmcli connection add type bridge ifname br0\", and puts the network card "
                      "into it.");
    return {};
}

QString whyNotBridge(const ProgramPaths& paths, const QString& bridge) {
    if (const QString reason = whyNotBridged(paths); !reason.isEmpty())
        return reason;
    if (isAllowed(paths.bridgeConfiguration, bridge) == std::optional(false))
        return Tr::tr("The file \"%1\" does not allow it. The administrator adds the line \"allow "
                      "%2\".")
            .arg(paths.bridgeConfiguration, bridge);
    return {};
}

namespace {

Result<> checkForwards(const QList<PortForward>& forwards) {
    QSet<quint16> taken;
    for (const PortForward& forward : forwards) {
        if (forward.hostPort != 0 && taken.contains(forward.hostPort))
            return fail(
                Error::Kind::InvalidInput,
                Tr::tr("Port %1 of this computer is forwarded twice. Choose another port for "
                       "one of them.")
                    .arg(forward.hostPort));
        taken.insert(forward.hostPort);
    }
    return {};
}

} // namespace

Result<> planNetwork(const RunOptions& options, const ProgramPaths& paths, LaunchPlan& plan) {
    plan.network = options.network.mode;
    if (const auto checked = options.network.check(); !checked)
        return checked;
    if (const auto checked = checkForwards(options.forwards); !checked)
        return checked;
    if (plan.usesSoftnet())
        if (const QString reason = whyNotSoftnet(paths); !reason.isEmpty())
            return fail(
                Error::Kind::Unsupported,
                (plan.network == NetworkMode::Softnet
                     ? Tr::tr("The machine cannot be attached to Softnet. %1")
                     : Tr::tr("The machine cannot be attached to the network. %1 Or start it with "
                              "\"--net-host\", without a way out."))
                    .arg(reason));
    if (plan.network != NetworkMode::Bridged)
        return {};
    if (options.network.interfaces.size() > maximumNetworkCards)
        return fail(
            Error::Kind::Unsupported,
            Tr::tr("A machine can be bridged to at most %1 interfaces.").arg(maximumNetworkCards));
    if (!options.forwards.isEmpty())
        return fail(
            Error::Kind::InvalidInput,
            Tr::tr("Port forwards belong to NAT. A bridged machine has an address of its "
                   "own in the network: reach its ports there, and take the forwards out."));
    for (const QString& interface : options.network.interfaces) {
        const QString bridge = bridgeOf(paths, interface);
        if (bridge.isEmpty())
            return fail(noBridge(paths, interface));
        if (const QString reason = whyNotBridge(paths, bridge); !reason.isEmpty())
            return fail(
                Error::Kind::Permission,
                Tr::tr("The machine cannot be bridged to \"%1\". %2").arg(interface, reason));
        plan.bridgedCards.append(
            {cardAddress(plan.macAddress, static_cast<int>(plan.bridgedCards.size())), bridge, -1});
    }
    return {};
}

Result<std::vector<FileDescriptor>> openTaps(const ProgramPaths& paths, LaunchPlan& plan) {
    std::vector<FileDescriptor> taps;
    const QString helper = helperProgram(paths);
    for (PlannedCard& card : plan.bridgedCards) {
        auto tap = openTap(helper, card.bridge);
        if (!tap)
            return fail(tap.error());
        card.tap = tap->get();
        taps.push_back(std::move(*tap));
    }
    return taps;
}

} // namespace vitrine::qemu
