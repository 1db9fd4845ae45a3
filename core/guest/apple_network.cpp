// SPDX-License-Identifier: Apache-2.0
#include "core/guest/apple_network.h"

#include <QDateTime>
#include <QFile>
#include <QHostAddress>
#include <QList>

#include <optional>

namespace vitrine {

namespace {

constexpr qint64 maximumLeases = 16 << 20; // bytes

std::optional<MacAddress> cardOf(const QByteArray& text) {
    QStringList groups;
    for (const QByteArray& group : text.split(':'))
        groups.append(QString::fromLatin1(group).rightJustified(2, QLatin1Char('0')));
    return MacAddress::fromText(groups.join(QLatin1Char(':')));
}

// "1,5e:1:a:b:c:d". 1 is Ethernet; other numbers are no cards, and what is no number may be one.
bool isCard(const QByteArray& value, const MacAddress& mac) {
    const qsizetype comma = value.indexOf(',');
    bool isNumber = false;
    const int kind = value.left(comma).toInt(&isNumber);
    if (comma <= 0 || (isNumber && kind != 1))
        return false;
    const auto card = cardOf(value.mid(comma + 1));
    return card && *card == mac;
}

QString asAddress(const QByteArray& text) {
    const QHostAddress address(QString::fromLatin1(text));
    return address.isNull() ? QString() : address.toString();
}

} // namespace

QString addressFromArpOutput(const QByteArray& output, const MacAddress& mac) {
    for (const QByteArray& line : output.split('\n')) {
        const QList<QByteArray> words = line.simplified().split(' ');
        if (words.size() < 4 || words.at(2) != "at" || !words.at(1).startsWith('(') ||
            !words.at(1).endsWith(')'))
            continue;
        const QString address = asAddress(words.at(1).mid(1, words.at(1).size() - 2));
        if (const auto card = cardOf(words.at(3)); card && *card == mac && !address.isEmpty())
            return address;
    }
    return {};
}

QString addressFromDhcpLeases(const QByteArray& text, const MacAddress& mac, qint64 now) {
    QString best;
    qulonglong latest = 0;
    QString address;
    qulonglong end = 0;
    bool isOurs = false;
    for (const QByteArray& line : text.split('\n')) {
        const QByteArray word = line.trimmed();
        const qsizetype equals = word.indexOf('=');
        const QByteArray key = word.left(equals);
        const QByteArray value = equals < 0 ? QByteArray() : word.mid(equals + 1);
        if (word == "{") {
            address.clear();
            end = 0;
            isOurs = false;
        } else if (key == "ip_address") {
            address = asAddress(value);
        } else if (key == "hw_address") {
            isOurs = isCard(value, mac);
        } else if (key == "lease") {
            end = value.toULongLong(nullptr, 16); // with 0x or without
        } else if (word == "}" && isOurs && !address.isEmpty() &&
                   end > static_cast<qulonglong>(now) && (best.isEmpty() || end >= latest)) {
            best = address;
            latest = end;
        }
    }
    return best;
}

QString addressFromLeases(const MacAddress& mac, const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly)
               ? addressFromDhcpLeases(
                     file.read(maximumLeases), mac, QDateTime::currentSecsSinceEpoch())
               : QString();
}

} // namespace vitrine
