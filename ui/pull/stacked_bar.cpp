// SPDX-License-Identifier: Apache-2.0
#include "ui/pull/stacked_bar.h"

#include "core/value/byte_count.h"
#include "ui/theme/theme.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace vitrine::ui {

namespace {
constexpr int barHeight = 16;
constexpr int swatch = 10;

QString amountOf(const StackedBar::Share& share) {
    return share.bytes ? ByteCount::fromBytes(*share.bytes).toText() : QStringLiteral("–");
}

} // namespace

StackedBar::StackedBar(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void StackedBar::setShares(QList<Share> shares) {
    m_shares = std::move(shares);
    QStringList spoken;
    for (const Share& share : std::as_const(m_shares))
        spoken << share.label + QLatin1Char(' ') + amountOf(share);
    setAccessibleDescription(spoken.join(QLatin1String(", ")));
    update();
}

QSize StackedBar::sizeHint() const {
    return {400, barHeight + spacing::grid + QFontMetrics(Theme::body()).height()};
}

void StackedBar::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    quint64 total = 0;
    for (const Share& share : std::as_const(m_shares))
        total += share.bytes.value_or(0);
    painter.fillRect(QRect(0, 0, width(), barHeight), theme.separator);
    double x = 0;
    for (const Share& share : std::as_const(m_shares)) {
        const quint64 bytes = share.bytes.value_or(0);
        if (total == 0 || bytes == 0)
            continue;
        const double wide = static_cast<double>(bytes) / static_cast<double>(total) * width();
        const QRectF rect(x, 0, std::max(2.0, wide - 2), barHeight);
        painter.fillRect(rect, share.color());
        x += wide;
    }
    int legendX = 0;
    const int y = barHeight + spacing::grid;
    const int height = QFontMetrics(Theme::body()).height();
    for (const Share& share : std::as_const(m_shares)) {
        painter.fillRect(QRect(legendX, y + (height - swatch) / 2, swatch, swatch), share.color());
        legendX += swatch + spacing::grid;
        painter.setPen(theme.text);
        painter.setFont(Theme::body());
        const int labelWidth = painter.fontMetrics().horizontalAdvance(share.label);
        painter.drawText(QRect(legendX, y, labelWidth + 1, height), Qt::AlignVCenter, share.label);
        legendX += labelWidth + spacing::grid;
        painter.setFont(Theme::bodyStrong());
        const QString amount = amountOf(share);
        const int amountWidth = painter.fontMetrics().horizontalAdvance(amount);
        painter.drawText(QRect(legendX, y, amountWidth + 1, height), Qt::AlignVCenter, amount);
        legendX += amountWidth + spacing::block + spacing::grid;
    }
}

} // namespace vitrine::ui
