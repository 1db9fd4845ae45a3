// SPDX-License-Identifier: Apache-2.0
#include "core/value/mac_address.h"

#include <QList>
#include <QRandomGenerator>

namespace vitrine {

std::optional<MacAddress> MacAddress::fromText(QStringView text) {
    const auto groups = text.split(u':');
    if (groups.size() != 6)
        return std::nullopt;
    MacAddress mac;
    for (size_t i = 0; i < 6; ++i) {
        const QStringView group = groups[static_cast<qsizetype>(i)];
        if (group.size() != 2)
            return std::nullopt;
        int value = 0;
        for (const QChar c : group) {
            const ushort u = c.toLower().unicode();
            int digit = -1;
            if (u >= '0' && u <= '9')
                digit = u - '0';
            else if (u >= 'a' && u <= 'f')
                digit = u - 'a' + 10;
            if (digit < 0)
                return std::nullopt;
            value = value * 16 + digit;
        }
        mac.m_bytes[i] = static_cast<unsigned char>(value);
    }
    return mac;
}

MacAddress MacAddress::random() {
    const quint64 bits = QRandomGenerator::system()->generate64();
    MacAddress mac;
    for (size_t i = 0; i < 6; ++i)
        mac.m_bytes[i] = static_cast<unsigned char>(bits >> (8 * i));
    mac.m_bytes[0] = static_cast<unsigned char>((mac.m_bytes[0] & 0xFC) | 0x02);
    return mac;
}

QString MacAddress::toText() const {
    return QString::fromLatin1(
        QByteArray::fromRawData(reinterpret_cast<const char*>(m_bytes.data()), 6).toHex(':'));
}

} // namespace vitrine
