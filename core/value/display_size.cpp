// SPDX-License-Identifier: Apache-2.0
#include "core/value/display_size.h"

#include <QList>

namespace vitrine {

std::optional<DisplaySize> DisplaySize::fromText(QStringView text) {
    DisplaySize size;
    if (text.endsWith(QLatin1String("px"))) {
        size.unit = Unit::Pixels;
        text.chop(2);
    } else if (text.endsWith(QLatin1String("pt"))) {
        size.unit = Unit::Points;
        text.chop(2);
    }
    const auto parts = text.split(u'x');
    if (parts.size() != 2)
        return std::nullopt;
    const auto number = [](QStringView digits) -> int {
        if (digits.isEmpty() || digits.size() > 5)
            return 0;
        int value = 0;
        for (const QChar c : digits) {
            if (c < u'0' || c > u'9')
                return 0;
            value = value * 10 + (c.unicode() - '0');
        }
        return value <= 16384 ? value : 0;
    };
    size.width = number(parts[0]);
    size.height = number(parts[1]);
    if (size.width < 1 || size.height < 1)
        return std::nullopt;
    return size;
}

QString DisplaySize::toText() const {
    QString text = QStringLiteral("%1x%2").arg(width).arg(height);
    if (unit == Unit::Points)
        text += QLatin1String("pt");
    else if (unit == Unit::Pixels)
        text += QLatin1String("px");
    return text;
}

} // namespace vitrine
