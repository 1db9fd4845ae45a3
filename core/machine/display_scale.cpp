// SPDX-License-Identifier: Apache-2.0
#include "core/machine/display_scale.h"

#include <QRegularExpression>

namespace vitrine {

namespace {

const QString key = QStringLiteral("displayScale");

bool isInRange(DisplayScale scale) {
    return scale >= smallestDisplayScale && scale <= largestDisplayScale;
}

} // namespace

DisplayScale displayScaleOf(const Sidecar& sidecar) {
    const DisplayScale scale = sidecar.unknown.value(key).toInt(automaticDisplayScale);
    return isInRange(scale) ? scale : automaticDisplayScale;
}

void setDisplayScale(Sidecar& sidecar, DisplayScale scale) {
    if (scale == automaticDisplayScale)
        sidecar.unknown.remove(key);
    else
        sidecar.unknown[key] = scale;
}

Result<DisplayScale> displayScaleFromText(const QString& text) {
    if (text == QLatin1String("automatic"))
        return automaticDisplayScale;
    static const QRegularExpression number(QStringLiteral("^([0-9])(?:\\.([0-9]{1,2}))?$"));
    if (const auto match = number.match(text); match.hasMatch()) {
        const DisplayScale scale = match.captured(1).toInt() * 100 +
                                   match.captured(2).leftJustified(2, QLatin1Char('0')).toInt();
        if (isInRange(scale))
            return scale;
    }
    return fail(Error::Kind::InvalidInput,
                Tr::tr("\"%1\" is no scale of a display. Write \"automatic\" or a number from 0.5 "
                       "to 4, such as 1.5.")
                    .arg(text));
}

QString displayScaleToText(DisplayScale scale) {
    if (scale == automaticDisplayScale)
        return QStringLiteral("automatic");
    QString text = QString::number(scale / 100);
    QString decimals = QStringLiteral("%1").arg(scale % 100, 2, 10, QLatin1Char('0'));
    while (decimals.endsWith(QLatin1Char('0')))
        decimals.chop(1);
    return decimals.isEmpty() ? text : text + QLatin1Char('.') + decimals;
}

} // namespace vitrine
