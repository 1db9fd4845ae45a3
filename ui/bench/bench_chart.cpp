// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/bench_chart.h"

#include "core/bench/charts/decimation.h"
#include "ui/theme/theme.h"

#include <QAccessible>
#include <QCategoryAxis>
#include <QChart>
#include <QContextMenuEvent>
#include <QGraphicsLayout>
#include <QKeyEvent>
#include <QLineSeries>
#include <QMenu>
#include <QMouseEvent>
#include <QToolTip>

#include <algorithm>

namespace vitrine::ui {

namespace {

// As plain text, whatever is in it.
QString toolTipOf(const QStringList& lines) {
    QStringList escaped;
    for (const QString& line : lines)
        escaped.append(line.toHtmlEscaped());
    return QStringLiteral("<qt>%1</qt>").arg(escaped.join(QStringLiteral("<br>")));
}

// The same axis for everything that is shown: Qt Charts would draw one that was taken away until
// the next turn of the event loop.
void fillAxis(QCategoryAxis& axis, const bench::ValueAxis& values, bool withTicks) {
    const Theme& theme = Theme::current();
    axis.setLabelsFont(Theme::small());
    axis.setLabelsColor(theme.secondary);
    axis.setGridLinePen(QPen(theme.separator, 1));
    axis.setLinePen(QPen(Qt::NoPen));
    for (const QString& label : axis.categoriesLabels())
        axis.remove(label);
    axis.setStartValue(values.minimum);
    if (withTicks)
        for (const bench::ValueAxis::Tick& tick : values.ticks)
            axis.append(tick.text.toHtmlEscaped(), tick.position);
    axis.setRange(values.minimum, values.maximum);
    axis.setGridLineVisible(withTicks);
    axis.setLabelsVisible(withTicks);
}

} // namespace

BenchChart::BenchChart(QWidget* parent)
    : QChartView(parent)
    , m_across(new QCategoryAxis(this))
    , m_up(new QCategoryAxis(this))
    , m_layer(nullptr) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setRenderHint(QPainter::Antialiasing);
    setViewportUpdateMode(QGraphicsView::FullViewportUpdate);
    setAccessibleName(tr("Chart"));
    viewport()->setAccessibleName(accessibleName());
    chart()->legend()->hide();
    chart()->setMargins({});
    chart()->setBackgroundRoundness(0);
    chart()->layout()->setContentsMargins(0, 0, 0, 0);
    chart()->setAnimationOptions(QChart::NoAnimation);
    m_layer = new MarkLayer(chart());
    chart()->addAxis(m_across, Qt::AlignBottom);
    chart()->addAxis(m_up, Qt::AlignLeft);
    m_up->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    m_across->setLabelsPosition(QCategoryAxis::AxisLabelsPositionOnValue);
    connect(chart(), &QChart::plotAreaChanged, this, [this](const QRectF& plot) {
        m_layer->setPlot(plot);
    });
    build();
}

void BenchChart::setData(const bench::ChartData& data, bool logarithmic) {
    m_all = bench::decimated(data);
    m_logarithmic = logarithmic;
    takeHidden();
}

void BenchChart::setLogarithmic(bool logarithmic) {
    m_logarithmic = logarithmic;
    takeHidden();
}

void BenchChart::toggle(const QString& key) {
    if (!m_hidden.remove(key))
        m_hidden.insert(key);
    const bool any =
        std::any_of(m_all.series.begin(), m_all.series.end(), [this](const auto& series) {
            return !series.marks.isEmpty() && !m_hidden.contains(MarkLayer::keyOf(series));
        });
    if (!any)
        m_hidden.clear();
    takeHidden();
}

void BenchChart::showAll() {
    if (m_hidden.isEmpty())
        return;
    m_hidden.clear();
    takeHidden();
}

void BenchChart::takeHidden() {
    const auto before = whatHas(m_keyboard);
    m_data = m_all;
    for (bench::ChartSeries& series : m_data.series)
        if (m_hidden.contains(MarkLayer::keyOf(series)))
            series.marks.clear();
    if (m_data.isEmpty()) // of another campaign nothing would be left
        m_data = m_all;
    // New results of the same campaign leave the keyboard where it is.
    if (before.first.isEmpty() || whatHas(m_keyboard) != before)
        m_keyboard.reset();
    build();
    setAccessibleDescription(summary());
    if (hasFocus())
        select(m_keyboard);
    Q_EMIT toldChanged();
}

void BenchChart::build() {
    const Theme& theme = Theme::current();
    chart()->removeAllSeries();
    chart()->setBackgroundBrush(theme.surface);
    setBackgroundBrush(theme.surface);
    m_along = bench::ValueAxis::along(m_data);
    m_values = bench::ValueAxis::forValues(m_data, m_logarithmic);
    const bool isEmpty = m_data.isEmpty();
    // The layer writes what stands below, as it has to wrap; the chart draws the lines of the grid.
    const bool hasLines = !isEmpty && m_data.kind != bench::ChartData::Kind::Bars;
    fillAxis(*m_across, m_along, hasLines);
    fillAxis(*m_up, m_values, !isEmpty);
    m_across->setLabelsVisible(false);
    for (bench::ChartSeries const& series : std::as_const(m_data.series))
        if (hasLines)
            addLine(series);
    if (!hasLines)
        addLine({}); // axes are drawn for a series only; the layer draws the bars
    m_layer->setData(m_data, m_along, m_values, m_hidden);
    layOut();
}

void BenchChart::addLine(const bench::ChartSeries& series) {
    const auto& colours = Theme::current().series;
    auto* const line = new QLineSeries;
    QList<QPointF> points;
    points.reserve(series.marks.size());
    for (const bench::ChartMark& mark : series.marks)
        points.append({mark.x, m_values.positionOf(mark.value)});
    line->replace(points);
    line->setPen(QPen(colours.at(static_cast<std::size_t>(series.colour) % colours.size()), 2));
    chart()->addSeries(line);
    line->attachAxis(m_across);
    line->attachAxis(m_up);
}

void BenchChart::layOut() {
    const QSizeF size = chart()->size();
    if (size.isEmpty())
        return;
    const QRectF plot = m_layer->layOut(size);
    chart()->setPlotArea(plot);
    // At once: a picture is painted before the event loop would do it.
    chart()->layout()->setGeometry(QRectF(QPointF(), size));
    m_layer->setPlot(chart()->plotArea());
}

void BenchChart::resizeEvent(QResizeEvent* event) {
    QChartView::resizeEvent(event);
    layOut();
}

void BenchChart::changeEvent(QEvent* event) {
    QChartView::changeEvent(event);
    if (m_layer != nullptr &&
        (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)) {
        build();
        if (hasFocus())
            select(m_keyboard);
    }
}

QStringList BenchChart::told() const {
    const auto& place = m_layer->current();
    if (!place)
        return {};
    const bench::ChartSeries& series = m_data.series.at(place->series);
    return bench::describe(m_data, series, series.marks.at(place->mark));
}

// Names of series and place; empty if there is no such mark.
std::pair<QString, QString>
BenchChart::whatHas(const std::optional<MarkLayer::Place>& place) const {
    if (!place || place->series >= m_data.series.size())
        return {};
    const bench::ChartSeries& series = m_data.series.at(place->series);
    return place->mark < series.marks.size()
               ? std::pair(series.name, series.marks.at(place->mark).place)
               : std::pair<QString, QString>();
}

QString BenchChart::summary() const {
    if (m_data.isEmpty())
        return tr("Nothing is drawn.");
    QStringList names;
    for (const bench::ChartSeries& series : m_data.series)
        if (!series.isBeside)
            names.append(series.name);
    return tr("%1 marks of %2. Arrow keys move from one to the next.")
        .arg(QString::number(m_data.markCount()), names.join(QStringLiteral(", ")));
}

void BenchChart::select(const std::optional<MarkLayer::Place>& place) {
    if (m_layer->current() == place)
        return;
    m_layer->setCurrent(place);
    const QStringList lines = told();
    setAccessibleDescription(lines.isEmpty() ? summary() : lines.join(QLatin1Char('\n')));
    QAccessibleEvent changed(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&changed);
    Q_EMIT toldChanged();
}

void BenchChart::move(int key) {
    const QList<MarkLayer::Place> all = m_layer->places();
    if (all.isEmpty())
        return;
    const qsizetype now = m_keyboard ? all.indexOf(*m_keyboard) : -1;
    const auto xOf = [this](const MarkLayer::Place& place) {
        return m_data.series.at(place.series).marks.at(place.mark).x;
    };
    qsizetype next = now;
    if (now < 0 || key == Qt::Key_Home)
        next = 0;
    else if (key == Qt::Key_End)
        next = all.size() - 1;
    else if (key == Qt::Key_Left)
        next = std::max<qsizetype>(0, now - 1);
    else if (key == Qt::Key_Right)
        next = std::min(all.size() - 1, now + 1);
    else { // the next series at the same place
        const qsizetype step = key == Qt::Key_Up ? -1 : 1;
        const qsizetype other = now + step;
        if (other >= 0 && other < all.size() && xOf(all.at(other)) == xOf(all.at(now)))
            next = other;
    }
    m_keyboard = all.at(next);
    select(m_keyboard);
}

void BenchChart::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
        move(event->key());
        event->accept();
        return;
    default:
        QChartView::keyPressEvent(event);
    }
}

void BenchChart::mouseMoveEvent(QMouseEvent* event) {
    const auto place = m_layer->markAt(mapToScene(event->position().toPoint()));
    if (place) {
        select(place);
        QToolTip::showText(event->globalPosition().toPoint(), toolTipOf(told()), this);
    } else if (const auto key = m_layer->legendAt(mapToScene(event->position().toPoint()))) {
        QToolTip::showText(event->globalPosition().toPoint(),
                           isHidden(*key) ? tr("A click shows it again.") : tr("A click hides it."),
                           this);
        select(hasFocus() ? m_keyboard : std::nullopt);
    } else {
        QToolTip::hideText();
        select(hasFocus() ? m_keyboard : std::nullopt);
    }
}

void BenchChart::mousePressEvent(QMouseEvent* event) {
    const QPointF at = mapToScene(event->position().toPoint());
    if (const auto key = m_layer->legendAt(at); key && event->button() == Qt::LeftButton) {
        toggle(*key);
        return;
    }
    m_keyboard = m_layer->markAt(at);
    select(m_keyboard);
}

QMenu* BenchChart::makeMenu() {
    auto* const menu = new QMenu(this);
    menu->setAccessibleName(tr("Series"));
    QStringList keys;
    for (const bench::ChartSeries& series : std::as_const(m_all.series)) {
        const QString key = MarkLayer::keyOf(series);
        if (keys.contains(key))
            continue;
        keys.append(key);
        QString text = key.isEmpty() ? tr("Beside it: %1").arg(m_all.besideTitle) : key;
        QAction* const entry =
            menu->addAction(text.replace(QLatin1Char('&'), QStringLiteral("&&")));
        entry->setCheckable(true);
        entry->setChecked(!isHidden(key));
        connect(entry, &QAction::triggered, this, [this, key] { toggle(key); });
    }
    menu->addSeparator();
    QAction* const all = menu->addAction(tr("Show All"), this, &BenchChart::showAll);
    all->setEnabled(!m_hidden.isEmpty());
    return menu;
}

void BenchChart::contextMenuEvent(QContextMenuEvent* event) {
    if (m_all.isEmpty())
        return;
    QMenu* const menu = makeMenu();
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(event->reason() == QContextMenuEvent::Keyboard ? mapToGlobal(rect().center())
                                                               : event->globalPos());
}

void BenchChart::leaveEvent(QEvent* event) {
    QChartView::leaveEvent(event);
    select(hasFocus() ? m_keyboard : std::nullopt);
}

void BenchChart::focusInEvent(QFocusEvent* event) {
    QChartView::focusInEvent(event);
    const bool byKey =
        event->reason() == Qt::TabFocusReason || event->reason() == Qt::BacktabFocusReason;
    if (byKey && !m_keyboard)
        move(Qt::Key_Home);
    select(m_keyboard);
}

void BenchChart::focusOutEvent(QFocusEvent* event) {
    QChartView::focusOutEvent(event);
    select({});
}

void BenchChart::paintInto(QPainter& painter, const QRectF& rectangle) {
    const auto current = m_layer->current();
    m_layer->setCurrent({});
    const QSizeF before = chart()->size();
    chart()->resize(rectangle.size());
    layOut();
    scene()->render(
        &painter, rectangle, QRectF(QPointF(), rectangle.size()), Qt::IgnoreAspectRatio);
    chart()->resize(before);
    layOut();
    m_layer->setCurrent(current);
}

} // namespace vitrine::ui
