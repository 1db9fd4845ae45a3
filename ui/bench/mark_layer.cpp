// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/mark_layer.h"

#include "ui/bench/mark_painting.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace vitrine::ui {

namespace {

using bench::ChartData;
using bench::ChartMark;
using bench::ChartSeries;

constexpr double widestBar = 28;
constexpr double groupShare = 0.82; // of a group's width that its bars take
constexpr double diamondRadius = 5;
constexpr double dotRadius = 3;
constexpr double leastHit = 12;       // pixels that a mark can be pointed at
constexpr double hiddenOpacity = 0.6; // of what the legend has and the chart has not
constexpr double swatch = 12;
constexpr double swatchGap = 6;
constexpr double legendGap = 20;
constexpr double labelGap = 6;
constexpr double labelMargin = 8; // between two labels
constexpr int mostLabelLines = 3;
constexpr double narrowestLabel = 60;
constexpr double smallestGlyph = 16; // of a group's width

QString tr(const char* text) {
    return QCoreApplication::translate("vitrine::ui::MarkLayer", text);
}

const QColor& colourOf(int index) {
    const auto& colours = Theme::current().series;
    return colours.at(static_cast<std::size_t>(index) % colours.size());
}

QPen baselinePen() {
    QPen pen(Theme::current().text, 1);
    pen.setDashPattern({3, 2});
    return pen;
}

double lineHeight() {
    return QFontMetricsF(Theme::small()).height();
}

} // namespace

MarkLayer::MarkLayer(QGraphicsItem* chart)
    : QGraphicsItem(chart) {
    setZValue(100); // above grid and lines of the chart
}

void MarkLayer::setData(const bench::ChartData& data,
                        const bench::ValueAxis& along,
                        const bench::ValueAxis& values,
                        const QSet<QString>& hidden) {
    m_data = data;
    m_hidden = hidden;
    m_along = along;
    m_values = values;
    m_current.reset();
    m_shapes.clear();
    makeLegend();
}

QString MarkLayer::keyOf(const ChartSeries& series) {
    return series.isBeside ? QString() : series.name;
}

std::optional<QString> MarkLayer::legendAt(QPointF at) const {
    for (const LegendEntry& entry : m_legend)
        if (entry.isSeries() && entry.rect.contains(at))
            return entry.key();
    return std::nullopt;
}

QRectF MarkLayer::legendRect(const QString& key) const {
    for (const LegendEntry& entry : m_legend)
        if (entry.isSeries() && entry.key() == key)
            return entry.rect;
    return {};
}

const bench::ChartMark& MarkLayer::at(const Place& place) const {
    return m_data.series.at(place.series).marks.at(place.mark);
}

QRectF MarkLayer::boundingRect() const {
    return {QPointF(), m_size};
}

void MarkLayer::makeLegend() {
    m_legend.clear();
    bool hasInterval = false;
    bool hasBeside = false;
    bool hasDoubt = false;
    for (const ChartSeries& series : std::as_const(m_data.series)) {
        hasBeside = hasBeside || series.isBeside;
        if (!series.isBeside)
            m_legend.append({LegendEntry::Kind::Series, series.name, series.colour, {}});
        for (const ChartMark& mark : series.marks) {
            hasInterval = hasInterval || mark.interval.has_value();
            hasDoubt = hasDoubt || !mark.doubt.isEmpty();
        }
    }
    if (hasBeside)
        m_legend.append({LegendEntry::Kind::Beside, m_data.besideTitle, 0, {}});
    if (hasInterval)
        m_legend.append({LegendEntry::Kind::Interval, tr("95 % interval"), 0, {}});
    if (m_data.isRatio)
        m_legend.append(
            {LegendEntry::Kind::Baseline, tr("%1 = 100 %").arg(m_data.baseline), 0, {}});
    if (hasDoubt && m_data.kind == ChartData::Kind::Bars)
        m_legend.append({LegendEntry::Kind::Doubt, tr("doubtful"), 0, {}});
}

double MarkLayer::placeLegend(double width) {
    if (m_legend.isEmpty())
        return 0;
    const QFontMetricsF metrics(Theme::small());
    const double row = std::max(metrics.height(), swatch) + 6;
    double x = 0;
    double y = 0;
    for (LegendEntry& entry : m_legend) {
        const double wanted = std::min(swatch + swatchGap + metrics.horizontalAdvance(entry.text),
                                       std::max(width, 40.0));
        if (x > 0 && x + wanted > width) {
            x = 0;
            y += row;
        }
        entry.rect = QRectF(x, y, wanted, row);
        x += wanted + legendGap;
    }
    return y + row + 6;
}

// Where titles of groups do not fit, their numbers stand: the table below has the same.
double MarkLayer::wrappedHeight(double plotWidth) const {
    const QFontMetricsF metrics(Theme::small());
    const double width =
        plotWidth / std::max(1.0, static_cast<double>(m_data.groups.size())) - labelMargin;
    double height = metrics.height();
    for (const bench::ChartGroup& group : m_data.groups) {
        const QRectF needed =
            metrics.boundingRect(QRectF(0, 0, width, 1000), Qt::TextWordWrap, group.title);
        height = std::max(height, needed.width() > width + 1 ? 1000 : needed.height());
    }
    return height;
}

bool MarkLayer::numbersLabels(double plotWidth) const {
    const double most = mostLabelLines * QFontMetricsF(Theme::small()).lineSpacing() + 1;
    return m_data.kind == ChartData::Kind::Bars && !m_data.groups.isEmpty() &&
           (plotWidth / static_cast<double>(m_data.groups.size()) < narrowestLabel ||
            wrappedHeight(plotWidth) > most);
}

double MarkLayer::labelHeight(double plotWidth) const {
    if (m_data.kind != ChartData::Kind::Bars || numbersLabels(plotWidth))
        return lineHeight() + labelGap;
    return wrappedHeight(plotWidth) + labelGap;
}

QRectF MarkLayer::layOut(const QSizeF& size) {
    prepareGeometryChange();
    m_size = size;
    const QFontMetricsF metrics(Theme::small());
    double left = 0;
    for (const bench::ValueAxis::Tick& tick : m_values.ticks)
        left = std::max(left, metrics.horizontalAdvance(tick.text));
    left += 18;
    const double top = placeLegend(size.width()) + metrics.height() / 2 + 2;
    const double right = 12;
    const double width = std::max(10.0, size.width() - left - right);
    const double height = std::max(10.0, size.height() - top - labelHeight(width) - 2);
    return {left, top, width, height};
}

void MarkLayer::setPlot(const QRectF& plot) {
    m_plot = plot;
    place();
    update();
}

QPointF MarkLayer::positionOf(double along, double value) const {
    const double x = (along - m_along.minimum) / std::max(1e-12, m_along.maximum - m_along.minimum);
    const double y = (m_values.positionOf(value) - m_values.minimum) /
                     std::max(1e-12, m_values.maximum - m_values.minimum);
    return {m_plot.left() + x * m_plot.width(), m_plot.bottom() - y * m_plot.height()};
}

void MarkLayer::place() {
    m_shapes.clear();
    if (m_plot.isEmpty())
        return;
    if (m_data.kind == ChartData::Kind::Bars)
        placeBars();
    else
        placePoints();
}

void MarkLayer::placeBars() {
    QStringList keys; // of the bars of a group, from left to right
    for (const ChartSeries& series : std::as_const(m_data.series))
        if (!series.isBeside)
            keys.append(series.key);
    const double group = m_plot.width() / std::max(1.0, m_along.maximum - m_along.minimum);
    const double count = std::max<double>(1, static_cast<double>(keys.size()));
    const double step = std::min(group * groupShare / count, widestBar + 3);
    const double gap = step > 6 ? 2 : 0.5;
    for (qsizetype s = 0; s < m_data.series.size(); ++s) {
        const ChartSeries& series = m_data.series.at(s);
        const auto slot = static_cast<double>(std::max<qsizetype>(0, keys.indexOf(series.key)));
        for (qsizetype m = 0; m < series.marks.size(); ++m) {
            const ChartMark& mark = series.marks.at(m);
            const QPointF tip = positionOf(mark.x, mark.value);
            const double x = tip.x() + (slot - (count - 1) / 2) * step;
            Shape shape{{s, m}, {}, tip.y(), tip.y()};
            if (mark.interval) {
                shape.top = positionOf(0, mark.interval->high).y();
                shape.bottom = positionOf(0, mark.interval->low).y();
            }
            if (series.isBeside) {
                const double radius = std::clamp(step / 2, 2.5, diamondRadius);
                shape.rect = QRectF(x - radius, tip.y() - radius, 2 * radius, 2 * radius);
            } else {
                const double width = std::max(1.0, step - gap);
                shape.rect =
                    QRectF(x - width / 2, tip.y(), width, std::max(1.0, m_plot.bottom() - tip.y()));
            }
            m_shapes.append(shape);
        }
    }
}

void MarkLayer::placePoints() {
    for (qsizetype s = 0; s < m_data.series.size(); ++s) {
        const ChartSeries& series = m_data.series.at(s);
        for (qsizetype m = 0; m < series.marks.size(); ++m) {
            const ChartMark& mark = series.marks.at(m);
            const QPointF at = positionOf(mark.x, mark.value);
            Shape shape{
                {s, m},
                QRectF(at.x() - dotRadius, at.y() - dotRadius, 2 * dotRadius, 2 * dotRadius),
                at.y(),
                at.y()};
            if (mark.interval) {
                shape.top = positionOf(0, mark.interval->high).y();
                shape.bottom = positionOf(0, mark.interval->low).y();
            }
            m_shapes.append(shape);
        }
    }
}

void MarkLayer::setCurrent(const std::optional<Place>& place) {
    m_current = place;
    update();
}

std::optional<MarkLayer::Place> MarkLayer::markAt(QPointF at) const {
    // Small marks lie on large ones: the smallest under the pointer is meant.
    std::optional<Place> found;
    double smallest = 0;
    for (const Shape& shape : m_shapes) {
        const double x = std::max(0.0, (leastHit - shape.rect.width()) / 2);
        const double y = std::max(0.0, (leastHit - shape.rect.height()) / 2);
        if (!shape.rect.adjusted(-x / 2, -y, x / 2, y).contains(at))
            continue;
        const double size =
            shape.rect.width() * shape.rect.height() + std::abs(shape.rect.center().x() - at.x());
        if (!found || size < smallest) {
            found = shape.place;
            smallest = size;
        }
    }
    return found;
}

QRectF MarkLayer::rectOf(const Place& place) const {
    for (const Shape& shape : m_shapes)
        if (shape.place == place)
            return shape.rect;
    return {};
}

QList<MarkLayer::Place> MarkLayer::places() const {
    QList<Place> all;
    for (qsizetype s = 0; s < m_data.series.size(); ++s)
        for (qsizetype m = 0; m < m_data.series.at(s).marks.size(); ++m)
            all.append({s, m});
    std::stable_sort(all.begin(), all.end(), [this](const Place& a, const Place& b) {
        return at(a).x < at(b).x;
    });
    return all;
}

void MarkLayer::paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) {
    painter->setRenderHint(QPainter::Antialiasing);
    paintLegend(*painter);
    paintLabels(*painter);
    paintMarks(*painter);
    paintBaseline(*painter);
    paintTags(*painter);
    if (!m_current)
        return;
    const QRectF rect = rectOf(*m_current);
    if (rect.isEmpty())
        return;
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(Theme::current().accent, 2));
    painter->drawRect(rect.adjusted(-3, -3, 3, 3));
}

void MarkLayer::paintLegend(QPainter& painter) const {
    const Theme& theme = Theme::current();
    const QFontMetricsF metrics(Theme::small());
    for (const LegendEntry& entry : m_legend) {
        const QRectF box(entry.rect.left(), entry.rect.center().y() - swatch / 2, swatch, swatch);
        const bool hidden = entry.isSeries() && m_hidden.contains(entry.key());
        painter.setOpacity(hidden ? hiddenOpacity : 1);
        switch (entry.kind) {
        case LegendEntry::Kind::Series:
            painter.fillRect(box, colourOf(entry.colour));
            break;
        case LegendEntry::Kind::Beside:
            paintDiamond(painter, box.center(), diamondRadius, theme.text, theme.surface);
            break;
        case LegendEntry::Kind::Interval:
            paintInterval(painter, box.center().x(), box.top(), box.bottom(), 8, theme.text);
            break;
        case LegendEntry::Kind::Baseline:
            painter.setPen(baselinePen());
            painter.drawLine(QPointF(box.left(), box.center().y()),
                             QPointF(box.right(), box.center().y()));
            break;
        case LegendEntry::Kind::Doubt:
            paintBar(painter, box, theme.secondary, true);
            break;
        }
        QFont font = Theme::small();
        font.setStrikeOut(hidden);
        painter.setFont(font);
        painter.setPen(theme.text);
        const QRectF text = entry.rect.adjusted(swatch + swatchGap, 0, 0, 0);
        painter.drawText(text.adjusted(0, 0, 2, 0),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(entry.text, Qt::ElideRight, text.width() + 1));
        painter.setOpacity(1);
    }
}

void MarkLayer::paintLabels(QPainter& painter) const {
    const QFontMetricsF metrics(Theme::small());
    painter.setFont(Theme::small());
    painter.setPen(Theme::current().text);
    const bool isBars = m_data.kind == ChartData::Kind::Bars;
    const bool numbers = numbersLabels(m_plot.width());
    const double room =
        isBars ? m_plot.width() / std::max(1.0, static_cast<double>(m_along.ticks.size())) -
                     labelMargin
               : 120;
    double free = -1e9; // where the label before ends
    for (qsizetype i = 0; i < m_along.ticks.size(); ++i) {
        const bench::ValueAxis::Tick& tick = m_along.ticks.at(i);
        const double x = positionOf(tick.position, m_values.minimum).x();
        const double top = m_plot.bottom() + labelGap;
        if (isBars && !numbers) {
            const QRectF box(x - room / 2, top, room, mostLabelLines * metrics.lineSpacing());
            painter.drawText(box, Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap, tick.text);
            continue;
        }
        const QString text = isBars ? QString::number(i + 1) : tick.text;
        const double width = metrics.horizontalAdvance(text);
        // At the ends a label stays within the chart.
        const double left = std::clamp(x - width / 2, 0.0, std::max(0.0, m_size.width() - width));
        if (left < free + 6)
            continue;
        painter.drawText(QPointF(left, top + metrics.ascent()), text);
        free = left + width;
    }
}

void MarkLayer::paintMarks(QPainter& painter) const {
    const Theme& theme = Theme::current();
    // Bars first, then what lies on them.
    for (const bool besides : {false, true}) {
        for (const Shape& shape : m_shapes) {
            const ChartSeries& series = m_data.series.at(shape.place.series);
            if (series.isBeside != besides)
                continue;
            const ChartMark& mark = at(shape.place);
            const QColor& colour = colourOf(series.colour);
            if (m_data.kind != ChartData::Kind::Bars)
                paintDot(painter,
                         shape.rect.center(),
                         dotRadius,
                         colour,
                         mark.doubt.isEmpty() ? colour : theme.surface);
            else if (!besides)
                paintBar(painter, shape.rect, colour, !mark.doubt.isEmpty());
            if (mark.interval && !besides)
                paintInterval(painter,
                              shape.rect.center().x(),
                              shape.top,
                              shape.bottom,
                              std::clamp(shape.rect.width() * 0.6, 4.0, 10.0),
                              theme.text);
            if (besides)
                paintDiamond(painter,
                             shape.rect.center(),
                             shape.rect.width() / 2,
                             theme.text,
                             theme.surface);
        }
    }
    painter.setPen(QPen(theme.border, 1));
    painter.drawLine(m_plot.bottomLeft(), m_plot.bottomRight());
}

// One for each group with a doubtful bar, above its bars, where there is room for the words.
void MarkLayer::paintTags(QPainter& painter) const {
    if (m_data.kind != ChartData::Kind::Bars)
        return;
    struct Tag {
        double top = 0;
        bool isPageCache = true;
    };
    QMap<int, Tag> tags;
    QMap<int, double> tops;
    for (const Shape& shape : m_shapes) {
        const ChartMark& mark = at(shape.place);
        const int group = static_cast<int>(std::lround(mark.x));
        const double top = std::min(shape.top, shape.rect.top());
        tops[group] = tops.contains(group) ? std::min(tops[group], top) : top;
        if (mark.doubt.isEmpty() || m_data.series.at(shape.place.series).isBeside)
            continue;
        Tag& tag = tags[group];
        tag.isPageCache = tag.isPageCache && mark.isPageCache;
    }
    const double room = m_plot.width() / std::max(1.0, m_along.maximum - m_along.minimum);
    const double height = lineHeight() + 4;
    for (auto tag = tags.begin(); tag != tags.end(); ++tag) {
        const bool isAlone = !tags.contains(tag.key() - 1) && !tags.contains(tag.key() + 1);
        const double widest = room * (isAlone ? 1.5 : 1) - 4;
        QString text = tag->isPageCache ? tr("from page cache") : tr("doubtful");
        if (tag->isPageCache && tagWidth(text) > widest)
            text = tr("page cache");
        const double width = tagWidth(text);
        const double x = positionOf(tag.key(), 0).x();
        const double lowest = std::max(m_plot.top(), tops.value(tag.key()) - height - 6);
        if (width <= widest)
            if (const auto place = freePlace(QRectF(x - width / 2, lowest, width, height))) {
                paintTag(painter, *place, text);
                continue;
            }
        if (room >= smallestGlyph)
            paintGlyph(painter, QRectF(x - 6, lowest, 12, 12), Glyph::Warning);
    }
}

// There or as little above it as no mark is covered.
std::optional<QRectF> MarkLayer::freePlace(QRectF wanted) const {
    for (; wanted.top() >= m_plot.top() - wanted.height() / 2; wanted.translate(0, -4)) {
        const bool isFree =
            std::none_of(m_shapes.begin(), m_shapes.end(), [&wanted](const Shape& shape) {
                const double top = std::min(shape.top, shape.rect.top());
                return wanted.intersects(
                    QRectF(shape.rect.left(), top, shape.rect.width(), shape.rect.bottom() - top));
            });
        if (isFree)
            return wanted;
    }
    return {};
}

void MarkLayer::paintBaseline(QPainter& painter) const {
    if (!m_data.isRatio)
        return;
    const double y = positionOf(0, 1).y();
    painter.setPen(baselinePen());
    painter.drawLine(QPointF(m_plot.left(), y), QPointF(m_plot.right(), y));
}

} // namespace vitrine::ui
