// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/bench/mark_layer.h"

#include <QChartView>

class QCategoryAxis;
class QMenu;

namespace vitrine::ui {

// The chart of benchmarks. Pointing at a mark tells its value, spread and command; with the
// keyboard, the arrows move from mark to mark: left and right along the chart, up and down among
// the series at one place, Home and End to the ends. A click in the legend and the chart's menu
// (also by the menu key) hide series and show them again. At most bench::mostMarks are drawn.
class BenchChart final : public QChartView {
    Q_OBJECT
public:
    explicit BenchChart(QWidget* parent = nullptr);

    void setData(const bench::ChartData& data, bool logarithmic);
    void setLogarithmic(bool logarithmic);
    // What is drawn: hidden series are there without marks.
    [[nodiscard]] const bench::ChartData& data() const { return m_data; }
    // Of a series, by MarkLayer::keyOf(). Hiding the last one shows all.
    void toggle(const QString& key);
    void showAll();
    [[nodiscard]] bool isHidden(const QString& key) const { return m_hidden.contains(key); }
    // Entries that hide and show the series; the caller's.
    [[nodiscard]] QMenu* makeMenu();
    [[nodiscard]] bool isLogarithmic() const { return m_logarithmic; }
    [[nodiscard]] MarkLayer* layer() const { return m_layer; }
    // What stands there of the mark that has the keyboard or the pointer; empty without one.
    [[nodiscard]] QStringList told() const;

    // The chart without its window, for a picture, in that rectangle.
    void paintInto(QPainter& painter, const QRectF& rectangle);

Q_SIGNALS:
    void toldChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void build();
    void addLine(const bench::ChartSeries& series);
    void layOut();
    void select(const std::optional<MarkLayer::Place>& place);
    void move(int key);
    [[nodiscard]] std::pair<QString, QString>
    whatHas(const std::optional<MarkLayer::Place>& place) const;
    [[nodiscard]] QString summary() const;

    void takeHidden();

    bench::ChartData m_all;  // with those that are hidden
    bench::ChartData m_data; // that is drawn
    QSet<QString> m_hidden;
    bool m_logarithmic = false;
    bench::ValueAxis m_along;
    bench::ValueAxis m_values;
    QCategoryAxis* m_across;
    QCategoryAxis* m_up;
    MarkLayer* m_layer;
    std::optional<MarkLayer::Place> m_keyboard; // comes back with the focus
};

} // namespace vitrine::ui
