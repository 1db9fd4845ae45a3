// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_learning.h"

#include <QHostAddress>
#include <QMap>
#include <QSet>

namespace vitrine {

namespace {

constexpr qsizetype mostPorts = 8;

// No rule opens these, or none is needed.
bool needsNoRule(const SoftnetDestination& one) {
    static const QSet<QString> never{QStringLiteral("martian"),
                                     QStringLiteral("virtual-subnet"),
                                     QStringLiteral("dhcp"),
                                     QStringLiteral("arp")};
    return one.incoming || never.contains(one.reason) ||
           QHostAddress(one.address).protocol() != QAbstractSocket::IPv4Protocol ||
           one.address == QLatin1String("255.255.255.255");
}

} // namespace

SoftnetPolicy proposeRules(const QList<SoftnetDestination>& seen) {
    QMap<quint32, QSet<int>> ports; // 0: all of the address
    for (const SoftnetDestination& one : seen)
        if (!needsNoRule(one)) {
            const bool hasPort = one.port != 0 && (one.protocol == QLatin1String("tcp") ||
                                                   one.protocol == QLatin1String("udp"));
            ports[QHostAddress(one.address).toIPv4Address()].insert(hasPort ? one.port : 0);
        }
    SoftnetPolicy policy{{}, {QStringLiteral("out 0.0.0.0/0")}};
    for (auto it = ports.cbegin(); it != ports.cend(); ++it) {
        const QString rule = QStringLiteral("out %1/32").arg(QHostAddress(it.key()).toString());
        if (it->contains(0) || it->size() > mostPorts) {
            policy.allow.append(rule);
            continue;
        }
        QList<int> sorted(it->cbegin(), it->cend());
        std::sort(sorted.begin(), sorted.end());
        for (const int port : std::as_const(sorted))
            policy.allow.append(rule + QLatin1Char(':') + QString::number(port));
    }
    return policy;
}

} // namespace vitrine
