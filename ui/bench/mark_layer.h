// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/charts/value_axis.h"

#include <QGraphicsItem>
#include <QSet>

#include <optional>

namespace vitrine::ui {

// Draws what Qt Charts has no series for: bars of which some are hatched, 95 % intervals, diamonds,
// dots, the baseline, the legend and labels that wrap. Lies over the chart and covers it.
class MarkLayer final : public QGraphicsItem {
public:
    struct Place { // of a mark in the data
        qsizetype series = 0;
        qsizetype mark = 0;
        friend bool operator==(const Place&, const Place&) = default;
    };
    explicit MarkLayer(QGraphicsItem* chart);

    // Of `hidden` series, by keyOf(), only the legend is drawn, struck out; they have no marks.
    void setData(const bench::ChartData& data,
                 const bench::ValueAxis& along,
                 const bench::ValueAxis& values,
                 const QSet<QString>& hidden = {});
    // What a legend's entry stands for: the series' name, empty for all of the set beside it.
    [[nodiscard]] static QString keyOf(const bench::ChartSeries& series);
    [[nodiscard]] std::optional<QString> legendAt(QPointF at) const; // a key
    [[nodiscard]] QRectF legendRect(const QString& key) const;       // empty without an entry
    // Where the plot goes in a chart of that size: what legend and labels leave. Remembers both.
    [[nodiscard]] QRectF layOut(const QSizeF& size);
    // Told by the chart once it is so.
    void setPlot(const QRectF& plot);
    void setCurrent(const std::optional<Place>& place);
    [[nodiscard]] const std::optional<Place>& current() const { return m_current; }
    [[nodiscard]] std::optional<Place> markAt(QPointF at) const;
    [[nodiscard]] QRectF rectOf(const Place& place) const; // empty if it is not drawn
    // All that are drawn, from left to right and, at one place, in the order of the series.
    [[nodiscard]] QList<Place> places() const;

    [[nodiscard]] QRectF boundingRect() const override;
    void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override;

private:
    struct Shape {
        Place place;
        QRectF rect;    // of the bar, or around a dot or diamond
        double top = 0; // of the interval
        double bottom = 0;
    };
    struct LegendEntry {
        enum class Kind { Series, Beside, Interval, Baseline, Doubt };
        [[nodiscard]] bool isSeries() const { return kind == Kind::Series || kind == Kind::Beside; }
        [[nodiscard]] QString key() const { return kind == Kind::Series ? text : QString(); }
        Kind kind = Kind::Series;
        QString text;
        int colour = 0;
        QRectF rect;
    };
    void place();
    void placeBars();
    void placePoints();
    [[nodiscard]] QPointF positionOf(double along, double value) const;
    void makeLegend();
    [[nodiscard]] double placeLegend(double width); // returns its height
    [[nodiscard]] double labelHeight(double plotWidth) const;
    [[nodiscard]] double wrappedHeight(double plotWidth) const; // of all titles of groups
    [[nodiscard]] bool numbersLabels(double plotWidth) const;
    void paintLegend(QPainter& painter) const;
    void paintLabels(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;
    void paintTags(QPainter& painter) const;
    [[nodiscard]] std::optional<QRectF> freePlace(QRectF wanted) const;
    void paintBaseline(QPainter& painter) const;
    [[nodiscard]] const bench::ChartMark& at(const Place& place) const;

    bench::ChartData m_data;
    bench::ValueAxis m_along;
    bench::ValueAxis m_values;
    QSizeF m_size;
    QRectF m_plot;
    QList<Shape> m_shapes;
    QList<LegendEntry> m_legend;
    std::optional<Place> m_current;
    QSet<QString> m_hidden;
};

} // namespace vitrine::ui
