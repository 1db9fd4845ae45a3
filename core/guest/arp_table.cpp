// SPDX-License-Identifier: Apache-2.0
#include "core/guest/arp_table.h"

#include "core/guest/apple_network.h"

#include <QFile>
#include <QHostAddress>
#include <QList>
#include <QProcess>

namespace vitrine {

namespace {

constexpr qint64 maximumTable = 4 << 20; // bytes
constexpr int patience = 2000;           // ms
constexpr uint complete = 0x02;          // ATF_COM, linux/if_arp.h

} // namespace

QString addressFromArpTable(const QByteArray& table, const MacAddress& mac) {
    const QList<QByteArray> lines = table.split('\n');
    for (const QByteArray& line : lines) {
        const QList<QByteArray> words = line.simplified().split(' ');
        if (words.size() < 6) {
            continue;
        }
        const auto found = MacAddress::fromText(QString::fromLatin1(words.at(3)));
        const QHostAddress address(QString::fromLatin1(words.at(0)));
        if (found && *found == mac && !address.isNull() &&
            (words.at(2).toUInt(nullptr, 16) & complete) != 0) {
            return address.toString();
        }
    }
    return {};
}

QString addressFromArp(const MacAddress& mac) {
    QFile file(QStringLiteral("/proc/net/arp"));
    if (file.open(QIODevice::ReadOnly)) {
        return addressFromArpTable(file.read(maximumTable), mac);
    }
    // macOS has the tool only. Without -n it would ask for names.
    QProcess arp;
    arp.setStandardErrorFile(QProcess::nullDevice());
    arp.start(QStringLiteral("/usr/sbin/arp"), {QStringLiteral("-an")}, QIODevice::ReadOnly);
    if (!arp.waitForFinished(patience)) {
        arp.kill();
        arp.waitForFinished(-1);
        return {};
    }
    return addressFromArpOutput(arp.read(maximumTable), mac);
}

} // namespace vitrine
