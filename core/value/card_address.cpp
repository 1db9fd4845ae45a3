// SPDX-License-Identifier: Apache-2.0
#include "core/value/card_address.h"

#include "core/value/sha256.h"

namespace vitrine {

MacAddress cardAddress(const MacAddress& first, int card) {
    if (card == 0)
        return first;
    const QByteArray seed = first.toText().toLatin1() + ' ' + QByteArray::number(card);
    const QString hex = Sha256::ofBytes(seed).toHex();
    // Locally administered, unicast.
    QString text = QStringLiteral("52");
    for (int i = 0; i < 5; ++i)
        text += QLatin1Char(':') + hex.mid(2 * i, 2);
    return MacAddress::fromText(text).value_or(first);
}

} // namespace vitrine
