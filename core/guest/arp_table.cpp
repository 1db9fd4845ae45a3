// SPDX-License-Identifier: Apache-2.0
#include "core/guest/arp_table.h"

#include <QFile>
#include <QHostAddress>
#include <QList>

namespace vitrine {

namespace {

constexpr qint64 maximumTable = 4 << 20; // bytes
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
    if (!file.open(QIODevice::ReadOnly)) {
        return {};
    }
    return addressFromArpTable(file.read(maximumTable), mac);
}

} // namespace vitrine
