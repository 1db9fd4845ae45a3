// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_learning.h"

#include <QHostAddress>
#include <QMap>
#include <QSet>

namespace vitrine {

namespace {

constexpr qsizetype mostPorts = 8;
constexpr quint32 gateway = 10U << 24 | 2U << 8 | 2;    // of every machine behind Softnet
constexpr quint32 nameServer = 10U << 24 | 2U << 8 | 3; // likewise

// No rule opens these, or none is needed.
bool needsNoRule(const SoftnetDestination& one) {
    static const QSet<QString> never{QStringLiteral("martian"),
                                     QStringLiteral("virtual-subnet"),
                                     QStringLiteral("dhcp"),
                                     QStringLiteral("arp")};
    return one.incoming || !one.allowed || !one.isLearned || never.contains(one.reason) ||
           QHostAddress(one.address).protocol() != QAbstractSocket::IPv4Protocol ||
           one.address == QLatin1String("255.255.255.255");
}

// A rule for the gateway or the name server opens what listens on this computer's 127.0.0.1, one
// for its own addresses what listens there. The guest decides what is seen, so nothing but looking
// up names is allowed: echoes pass only without a rule, and what else passed were answers to those
// who came in, or was opened by a rule that is the user's to keep.
bool isForComputer(const SoftnetDestination& one, quint32 address, int port) {
    if (address == nameServer)
        return port != 53;
    return address == gateway || one.isHost;
}

} // namespace

SoftnetPolicy proposeRules(const QList<SoftnetDestination>& seen) {
    QMap<quint32, QSet<int>> ports; // 0: all of the address
    for (const SoftnetDestination& one : seen) {
        if (needsNoRule(one))
            continue;
        const bool hasPort = one.port != 0 && (one.protocol == QLatin1String("tcp") ||
                                               one.protocol == QLatin1String("udp"));
        const quint32 address = QHostAddress(one.address).toIPv4Address();
        const int port = hasPort ? one.port : 0;
        if (!isForComputer(one, address, port))
            ports[address].insert(port);
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
