// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/chart_source.h"

#include <QTableWidget>

namespace vitrine::ui {

// One line of the table below the chart: what colour and hatching say, in words.
struct ResultRow {
    int number = 0; // of the group, from 1 on, as the chart has it
    QString workload;
    QString executor;
    int colour = -1;
    QString host;
    QString median;
    QString spread;
    QString ratio;
    QString published;
    QString remark;
    bool isDoubtful = false;
    bool isWarning = false;
};
// Takes about a millisecond for each figure: not for the window's thread. `baseline` is an
// executor; `beside` may be null.
[[nodiscard]] QList<ResultRow> resultRows(const bench::ChartSource& source,
                                          bench::Quantity quantity,
                                          const QString& baseline,
                                          const bench::ChartSourcePointer& beside);

class ResultTable final : public QTableWidget {
    Q_OBJECT
public:
    enum Column {
        NumberColumn,
        WorkloadColumn,
        ExecutorColumn,
        BaseColumn,
        MedianColumn,
        SpreadColumn,
        RatioColumn,
        PublishedColumn,
        RemarkColumn,
        ColumnCount
    };
    explicit ResultTable(QWidget* parent = nullptr);
    // `baseline` and `beside` name their columns; empty hides them.
    void show(const QList<ResultRow>& rows, const QString& baseline, const QString& beside);
    using QTableWidget::show;

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void fill();
    void sizeColumns();
    QList<ResultRow> m_rows;
    QString m_baseline;
    QString m_beside;
};

} // namespace vitrine::ui
