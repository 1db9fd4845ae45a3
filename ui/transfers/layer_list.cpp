// SPDX-License-Identifier: Apache-2.0
#include "ui/transfers/layer_list.h"

#include "core/value/byte_count.h"
#include "ui/theme/theme.h"
#include "ui/transfers/progress_line.h"

#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace vitrine::ui {

namespace {

Glyph glyphOf(ProgressItem::State state) {
    switch (state) {
    case ProgressItem::State::Running:
        return Glyph::Fetching;
    case ProgressItem::State::Failed:
        return Glyph::Broken;
    case ProgressItem::State::Done:
    case ProgressItem::State::AlreadyHere:
        return Glyph::Done;
    case ProgressItem::State::Waiting:
        break;
    }
    return Glyph::Waiting;
}

} // namespace

LayerList::LayerList(QWidget* parent)
    : QWidget(parent) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Parts of the transfer"));
}

void LayerList::setRows(QList<LayerRow> rows) {
    if (rows == m_rows)
        return;
    const bool resized = rows.size() != m_rows.size();
    m_rows = std::move(rows);
    QStringList spoken;
    for (const LayerRow& row : std::as_const(m_rows))
        spoken << row.label + QLatin1String(": ") + row.note;
    setAccessibleDescription(spoken.join(QLatin1String("; ")));
    if (resized)
        updateGeometry();
    update();
}

QSize LayerList::sizeHint() const {
    return {400, static_cast<int>(m_rows.size()) * spacing::denseRow};
}

void LayerList::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::current();
    QPainter painter(this);
    const QFont body = Theme::small();
    const QFontMetrics metrics(body);
    // Columns share what is left of the fixed ones; below 640 px the speed goes first.
    const int labelWidth = std::max(110, width() * 15 / 100);
    const int sizeWidth = 72;
    const bool withSpeed = width() >= 640;
    const int speedWidth = withSpeed ? 80 : 0;
    const int barWidth = std::max(60, width() * 26 / 100);
    int y = 0;
    for (const LayerRow& row : std::as_const(m_rows)) {
        const int height = spacing::denseRow;
        painter.setPen(theme.separator);
        painter.drawLine(0, y + height - 1, width(), y + height - 1);
        painter.setPen(theme.text);
        int x = 0;
        const bool digest = row.label.startsWith(QLatin1String("sha256:"));
        painter.setFont(digest ? Theme::fixed() : body);
        painter.drawText(QRect(x, y, labelWidth, height),
                         Qt::AlignVCenter | Qt::AlignLeft,
                         painter.fontMetrics().elidedText(row.label, Qt::ElideRight, labelWidth));
        painter.setFont(body);
        x += labelWidth + spacing::grid;
        painter.drawText(QRect(x, y, sizeWidth, height),
                         Qt::AlignVCenter | Qt::AlignRight,
                         ByteCount::fromBytes(row.size).toText());
        x += sizeWidth + spacing::block;
        const QColor fill = row.state == ProgressItem::State::Failed ? theme.error
                            : row.state == ProgressItem::State::Done ||
                                    row.state == ProgressItem::State::AlreadyHere
                                ? theme.running
                                : theme.accent;
        paintProgressLine(
            painter, QRectF(x, y + (height - 4) / 2.0, barWidth, 4), row.fraction, fill);
        x += barWidth + spacing::grid;
        if (withSpeed) {
            painter.setPen(theme.secondary);
            painter.drawText(QRect(x, y, speedWidth, height),
                             Qt::AlignVCenter | Qt::AlignRight,
                             speedText(row.bytesPerSecond));
            x += speedWidth;
        }
        x += spacing::block;
        paintGlyph(painter, QRectF(x, y + (height - 12) / 2.0, 12, 12), glyphOf(row.state));
        x += 12 + spacing::grid;
        painter.setPen(theme.text);
        painter.drawText(QRect(x, y, width() - x, height),
                         Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(row.note, Qt::ElideRight, width() - x));
        y += height;
    }
}

} // namespace vitrine::ui
