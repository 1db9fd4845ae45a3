// SPDX-License-Identifier: Apache-2.0
#include "core/value/byte_count.h"

#include <QLocale>

#include <array>

namespace vitrine {

namespace {

QString scaled(quint64 bytes, double step) {
    static constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    // What would be shown as a whole step belongs to the next unit: 999.6 MB is "1.0 GB".
    while (unit + 1 < units.size() && value + (unit >= 3 ? 0.05 : 0.5) >= step) {
        value /= step;
        ++unit;
    }
    const int decimals = unit >= 3 ? 1 : 0;
    return QLocale().toString(value, 'f', decimals) + QChar(0x00A0) + QLatin1String(units[unit]);
}

} // namespace

QString ByteCount::toText() const {
    return scaled(m_bytes, 1000.0);
}

QString ByteCount::toMemoryText() const {
    return scaled(m_bytes, 1024.0);
}

} // namespace vitrine
