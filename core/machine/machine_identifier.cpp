// SPDX-License-Identifier: Apache-2.0
#include "core/machine/machine_identifier.h"

#include <QRandomGenerator>
#include <QtEndian>

namespace vitrine {

std::optional<QByteArray> renewedMachineIdentifier(const QByteArray& identifier) {
    // 0x54: an ASCII text of 4 characters, 0x13: an integer of 2^3 bytes, big-endian.
    const QByteArray mark = QByteArrayLiteral("\x54"
                                              "ECID\x13");
    const qsizetype at = identifier.indexOf(mark);
    if (!identifier.startsWith("bplist00") || at < 0 || identifier.size() < at + mark.size() + 8)
        return std::nullopt;
    QByteArray renewed = identifier;
    // Positive as a signed number, as Apple's own are.
    const quint64 number = QRandomGenerator::system()->generate64() >> 1;
    qToBigEndian(number, renewed.data() + at + mark.size());
    return renewed;
}

} // namespace vitrine
