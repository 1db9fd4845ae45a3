// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/result_table.h"

#include "core/bench/campaign_export.h"
#include "core/bench/charts/bar_chart.h"
#include "ui/theme/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <QResizeEvent>

#include <algorithm>
#include <map>

namespace vitrine::ui {

namespace {

using namespace bench;

constexpr int swatch = 12;
constexpr double workloadShare = 0.3; // of the table's width, at most
constexpr double executorShare = 0.27;
constexpr int leastRemark = 130;
constexpr int smallestRemark = 44;
constexpr int emptyRemark = 24;
constexpr int smallestName = 90;

QString halfText(const ChartMark& mark) {
    if (!mark.spread)
        return QString(QChar(0x2013));
    return QStringLiteral("%1 \u2026 %2")
        .arg(valueText(mark.metric, mark.spread->low), valueText(mark.metric, mark.spread->high));
}

// Marks of a chart by group and executor.
using Marks = std::map<std::pair<int, QString>, ChartMark>;
Marks marksOf(const ChartData& data, bool beside) {
    Marks marks;
    for (const ChartSeries& series : data.series)
        if (series.isBeside == beside)
            for (const ChartMark& mark : series.marks)
                marks.insert({{static_cast<int>(mark.x), series.key}, mark});
    return marks;
}

const ChartMark* find(const Marks& marks, int group, const QString& key) {
    const auto found = marks.find({group, key});
    return found == marks.end() ? nullptr : &found->second;
}

QPixmap swatchOf(int colour) {
    const auto& colours = Theme::current().series;
    QPixmap pixmap(swatch, swatch);
    pixmap.fill(colours.at(static_cast<std::size_t>(colour) % colours.size()));
    return pixmap;
}

} // namespace

QList<ResultRow> resultRows(const ChartSource& source,
                            Quantity quantity,
                            const QString& baseline,
                            const ChartSourcePointer& beside) {
    const ChartData values = barsOf(source, {quantity, {}, beside});
    const Marks medians = marksOf(values, false);
    Marks ratios;
    Marks besides = marksOf(values, true);
    if (!baseline.isEmpty()) {
        const ChartData relative = barsOf(source, {quantity, baseline, beside});
        ratios = marksOf(relative, false);
        besides = marksOf(relative, true);
    }
    const QString baseKey = source.identity(baseline).key;
    const bool onlyBase = source.executors().size() <= 1;
    QList<ResultRow> rows;
    for (int group = 0; group < values.groups.size(); ++group) {
        for (const ChartSeries& series : values.series) {
            const ChartMark* const mark = find(medians, group, series.key);
            if (series.isBeside || mark == nullptr || (series.key == baseKey && !onlyBase))
                continue;
            ResultRow row;
            row.number = group + 1;
            row.workload = values.groups.at(group).title;
            row.executor = series.name;
            row.colour = series.colour;
            row.isDoubtful = !mark->doubt.isEmpty();
            row.isWarning = !mark->remark.isEmpty();
            const auto inBrackets = [&row](const QString& text) {
                return row.isDoubtful ? QStringLiteral("(%1)").arg(text) : text;
            };
            row.median = inBrackets(valueText(mark->metric, mark->median));
            row.spread = halfText(*mark);
            if (const ChartMark* const base = find(medians, group, baseKey))
                row.host = valueText(base->metric, base->median);
            if (const ChartMark* const ratio = find(ratios, group, series.key))
                row.ratio = inBrackets(percentText(ratio->value));
            if (const ChartMark* const other = find(besides, group, series.key)) {
                const QString text = baseline.isEmpty() ? valueText(other->metric, other->median)
                                                        : percentText(other->value);
                row.published = other->doubt.isEmpty() ? text : QStringLiteral("(%1)").arg(text);
            }
            row.remark = mark->remark;
            if (mark->isPageCache)
                row.remark =
                    Tr::tr("From the page cache: do not quote.") + QLatin1Char(' ') + row.remark;
            rows.append(row);
        }
    }
    return rows;
}

ResultTable::ResultTable(QWidget* parent)
    : QTableWidget(0, ColumnCount, parent) {
    setAccessibleName(tr("Results"));
    setFrameShape(QFrame::NoFrame);
    setShowGrid(false);
    setAlternatingRowColors(true);
    setEditTriggers(NoEditTriggers);
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setHorizontalScrollMode(ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(spacing::denseRow);
    verticalHeader()->setDefaultSectionSize(spacing::denseRow);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setMinimumSectionSize(24);
}

void ResultTable::show(const QList<ResultRow>& rows,
                       const QString& baseline,
                       const QString& beside) {
    m_rows = rows;
    m_baseline = baseline;
    m_beside = beside;
    fill();
}

void ResultTable::fill() {
    setHorizontalHeaderLabels({tr("No."),
                               tr("Workload"),
                               tr("Where"),
                               m_baseline.isEmpty() ? tr("Host") : m_baseline,
                               tr("Median"),
                               tr("95 % interval"),
                               tr("Ratio"),
                               tr("Beside"),
                               tr("Remark")});
    horizontalHeaderItem(PublishedColumn)->setToolTip(m_beside.toHtmlEscaped());
    horizontalHeaderItem(RatioColumn)
        ->setToolTip(m_baseline.isEmpty() ? QString()
                                          : tr("To %1.").arg(m_baseline).toHtmlEscaped());
    for (const Column column :
         {NumberColumn, BaseColumn, MedianColumn, SpreadColumn, RatioColumn, PublishedColumn})
        horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    for (const Column column : {WorkloadColumn, ExecutorColumn, RemarkColumn})
        horizontalHeaderItem(column)->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    const int row = currentRow();
    setRowCount(static_cast<int>(m_rows.size()));
    const Theme& theme = Theme::current();
    for (int i = 0; i < m_rows.size(); ++i) {
        const ResultRow& one = m_rows.at(i);
        const auto put = [&](Column column, const QString& text, bool isNumber) {
            auto* const item = new QTableWidgetItem(text);
            item->setTextAlignment((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
            item->setToolTip(text.toHtmlEscaped());
            const bool isSecondary =
                one.isDoubtful || column == SpreadColumn || column == NumberColumn;
            item->setForeground(isSecondary && column != RemarkColumn ? theme.secondary
                                                                      : theme.text);
            if (column == MedianColumn && !one.isDoubtful)
                item->setFont(Theme::bodyStrong());
            setItem(i, column, item);
            return item;
        };
        put(NumberColumn, QString::number(one.number), true);
        put(WorkloadColumn, one.workload, false);
        put(ExecutorColumn, one.executor, false)->setIcon(QIcon(swatchOf(one.colour)));
        put(BaseColumn, one.host, true);
        put(MedianColumn, one.median, true);
        put(SpreadColumn, one.spread, true);
        put(RatioColumn, one.ratio, true);
        put(PublishedColumn, one.published, true);
        QTableWidgetItem* const remark = put(RemarkColumn, one.remark, false);
        if (one.isWarning)
            remark->setIcon(QIcon(glyphPixmap(Glyph::Warning)));
    }
    sizeColumns();
    if (row >= 0 && row < rowCount())
        setCurrentCell(row, WorkloadColumn);
}

// What nobody filled is not shown. Where the rest does not fit, names give way first (the whole is
// in the tool tip), then columns that the chart tells too.
void ResultTable::sizeColumns() {
    const auto isEmpty = [this](QString ResultRow::*member) {
        return std::all_of(m_rows.begin(), m_rows.end(), [member](const ResultRow& row) {
            return (row.*member).isEmpty() || row.*member == QString(QChar(0x2013));
        });
    };
    const bool hasRemarks = !isEmpty(&ResultRow::remark);
    setColumnHidden(BaseColumn, isEmpty(&ResultRow::host));
    setColumnHidden(RatioColumn, isEmpty(&ResultRow::ratio));
    setColumnHidden(PublishedColumn, isEmpty(&ResultRow::published));
    setColumnHidden(SpreadColumn, isEmpty(&ResultRow::spread));
    resizeColumnsToContents();
    const auto limit = [this](Column column, double share) {
        setColumnWidth(column, std::min(columnWidth(column), static_cast<int>(share * width())));
    };
    limit(WorkloadColumn, workloadShare);
    limit(ExecutorColumn, executorShare);
    const int least = hasRemarks ? leastRemark : emptyRemark;
    const auto room = [this] {
        int left = viewport()->width();
        for (int column = 0; column < RemarkColumn; ++column)
            left -= isColumnHidden(column) ? 0 : columnWidth(column);
        return left;
    };
    // What ratios are to has no rows of its own: its column stays.
    for (const Column column : {SpreadColumn, PublishedColumn})
        if (room() < least)
            setColumnHidden(column, true);
    // In the narrowest window the glyph of a remark still shows.
    const int smallest = hasRemarks ? smallestRemark : emptyRemark;
    for (const Column column : {WorkloadColumn, ExecutorColumn})
        if (const int missing = smallest - room(); missing > 0)
            setColumnWidth(column, std::max(smallestName, columnWidth(column) - missing));
    setColumnWidth(RemarkColumn, std::max(smallest, room()));
}

void ResultTable::resizeEvent(QResizeEvent* event) {
    QTableWidget::resizeEvent(event);
    if (event->oldSize().width() == event->size().width())
        return;
    sizeColumns();
}

void ResultTable::changeEvent(QEvent* event) {
    QTableWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && rowCount() > 0)
        fill();
}

} // namespace vitrine::ui
