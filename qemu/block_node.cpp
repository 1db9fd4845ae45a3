// SPDX-License-Identifier: Apache-2.0
#include "qemu/block_node.h"

#include "core/machine/nbd_address.h"

namespace vitrine::qemu {
namespace {

constexpr int reconnectSeconds = 30; // specification 5.1: timeout of a network disk

QString tlsId(const QString& node) {
    return node + QStringLiteral("-tls");
}

QJsonObject networkNode(const QString& node, const NbdAddress& address) {
    QJsonObject server;
    if (address.socket.isEmpty())
        server = {{QStringLiteral("type"), QStringLiteral("inet")},
                  {QStringLiteral("host"), address.host},
                  {QStringLiteral("port"), QString::number(address.port)}};
    else
        server = {{QStringLiteral("type"), QStringLiteral("unix")},
                  {QStringLiteral("path"), address.socket}};
    QJsonObject file{{QStringLiteral("driver"), QStringLiteral("nbd")},
                     {QStringLiteral("server"), server},
                     {QStringLiteral("export"), address.exportName},
                     {QStringLiteral("reconnect-delay"), reconnectSeconds}};
    if (address.encrypted) {
        file.insert(QStringLiteral("tls-creds"), tlsId(node));
        // A local socket has no name that a certificate could be for but this.
        if (!address.socket.isEmpty())
            file.insert(QStringLiteral("tls-hostname"), QStringLiteral("localhost"));
    }
    return file;
}

} // namespace

// The cache settings stand on both nodes: each passes on only its own.
QJsonObject blockNode(const QString& node, const PlannedDisk& disk) {
    const DiskOptions& options = disk.options;
    const QJsonObject cache{
        {QStringLiteral("direct"), options.caching == Caching::Uncached},
        {QStringLiteral("no-flush"), options.synchronisation == Synchronisation::None}};
    QJsonObject file;
    if (disk.kind == ExtraDisk::Kind::NetworkDisk) {
        file = networkNode(node, NbdAddress::fromText(disk.path).value_or(NbdAddress()));
    } else {
        const bool device = disk.kind == ExtraDisk::Kind::BlockDevice;
        file.insert(QStringLiteral("driver"),
                    device ? QStringLiteral("host_device") : QStringLiteral("file"));
        file.insert(QStringLiteral("filename"), disk.path);
        file.insert(QStringLiteral("aio"), QStringLiteral("threads"));
    }
    file.insert(QStringLiteral("cache"), cache);
    QJsonObject raw;
    raw.insert(QStringLiteral("driver"), QStringLiteral("raw"));
    raw.insert(QStringLiteral("node-name"), node);
    raw.insert(QStringLiteral("read-only"), options.readOnly);
    raw.insert(QStringLiteral("cache"), cache);
    if (!options.readOnly) {
        raw.insert(QStringLiteral("discard"), QStringLiteral("unmap"));
        raw.insert(QStringLiteral("detect-zeroes"), QStringLiteral("unmap"));
        file.insert(QStringLiteral("discard"), QStringLiteral("unmap"));
    }
    raw.insert(QStringLiteral("file"), file);
    return raw;
}

std::optional<QJsonObject> tlsCredentials(const QString& node, const PlannedDisk& disk) {
    if (disk.kind != ExtraDisk::Kind::NetworkDisk)
        return std::nullopt;
    const auto address = NbdAddress::fromText(disk.path);
    if (!address || !address->encrypted)
        return std::nullopt;
    // QEMU's own look at the certificates stops at sixteen authorities; a computer trusts more. The
    // server is verified all the same.
    return QJsonObject{{QStringLiteral("qom-type"), QStringLiteral("tls-creds-x509")},
                       {QStringLiteral("id"), tlsId(node)},
                       {QStringLiteral("endpoint"), QStringLiteral("client")},
                       {QStringLiteral("dir"),
                        address->certificates.isEmpty() ? QString::fromLatin1(authoritiesFolder)
                                                        : address->certificates},
                       {QStringLiteral("sanity-check"), false},
                       {QStringLiteral("verify-peer"), true}};
}

QMap<QString, QString> networkDisks(const LaunchPlan& plan) {
    QMap<QString, QString> addresses;
    for (qsizetype i = 0; i < plan.disks.size(); ++i)
        if (plan.disks.at(i).kind == ExtraDisk::Kind::NetworkDisk)
            addresses.insert(diskNode(i + 1), plan.disks.at(i).path);
    return addresses;
}

} // namespace vitrine::qemu
