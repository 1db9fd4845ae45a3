// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_presets.h"

#include "core/machine/network_rules.h"
#include "core/result/error.h"

#include <QNetworkInterface>

namespace vitrine {

namespace {

constexpr int longestPrefix = 30;

bool isPrivate(const QHostAddress& address) {
    for (const char* prefix : {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10"})
        if (address.isInSubnet(QHostAddress::parseSubnet(QLatin1String(prefix))))
            return true;
    return false;
}

} // namespace

QList<SoftnetPreset> softnetPresets(const QStringList& networks) {
    const QString all = networks.join(QLatin1String(", "));
    return {
        {Tr::tr("Internet only"),
         Tr::tr("Public addresses and names pass. Private networks and this computer do not."),
         {},
         {{}, {}}},
        {Tr::tr("This LAN"),
         networks.isEmpty()
             ? Tr::tr("Public addresses pass, and the private networks of this computer.")
             : Tr::tr("Public addresses pass, and the private networks of this computer: %1. Its "
                      "own services are reached at its addresses there.")
                   .arg(all),
         networks.isEmpty() ? Tr::tr("This computer is in no private network now.") : QString(),
         {networks, {}}},
        {Tr::tr("Host services"),
         Tr::tr("Public addresses pass, and every service of this computer, also those on its "
                "127.0.0.1 (the guest reaches them at 10.0.2.2)."),
         {},
         {{QStringLiteral("@host")}, {}}},
        {Tr::tr("Nothing"),
         Tr::tr("The guest reaches nothing, not even names. Forwarded and exposed ports still lead "
                "into it."),
         {},
         {{}, {QStringLiteral("out 0.0.0.0/0")}}},
    };
}

QStringList hostNetworks() {
    QStringList networks;
    const QList<QNetworkInterface> interfaces = QNetworkInterface::allInterfaces();
    for (const QNetworkInterface& interface : interfaces) {
        const auto flags = interface.flags();
        if (!flags.testFlag(QNetworkInterface::IsUp) ||
            flags.testFlag(QNetworkInterface::IsLoopBack))
            continue;
        const QList<QNetworkAddressEntry> entries = interface.addressEntries();
        for (const QNetworkAddressEntry& entry : entries) {
            const int length = entry.prefixLength();
            if (entry.ip().protocol() != QAbstractSocket::IPv4Protocol || !isPrivate(entry.ip()) ||
                length <= 0 || length > longestPrefix)
                continue;
            const QString network =
                normalNetworkRule(QStringLiteral("%1/%2").arg(entry.ip().toString()).arg(length));
            if (!networks.contains(network))
                networks.append(network);
        }
    }
    networks.sort();
    return networks;
}

} // namespace vitrine
