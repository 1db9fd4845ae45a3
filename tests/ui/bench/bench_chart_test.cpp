// SPDX-License-Identifier: Apache-2.0
#include "core/bench/charts/bar_chart.h"
#include "core/bench/charts/decimation.h"
#include "core/bench/charts/history_chart.h"
#include "core/bench/charts/percentile_chart.h"
#include "core/bench/published.h"
#include "tests/support/gui_support.h"
#include "tests/support/hand_made_campaign.h"
#include "ui/bench/bench_chart.h"
#include "ui/bench/chart_picture.h"
#include "ui/theme/theme.h"

#include <QChart>
#include <QFile>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QXmlStreamReader>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::bench;
using namespace vitrine::test;
using namespace vitrine::ui;

namespace {

ChartSourcePointer published(const char* id) {
    for (const Campaign& set : publishedSets())
        if (set.id == QLatin1String(id))
            return std::make_shared<const ChartSource>(set);
    return nullptr;
}

class BenchChartTest : public testing::Test {
protected:
    void SetUp() override {
        applyTheme(SchemeChoice::Light);
        chart.resize(968, 300);
        chart.show();
    }
    void TearDown() override { applyTheme(SchemeChoice::Light); }
    void show(const ChartData& data, bool logarithmic = false) {
        chart.setData(data, logarithmic);
        QApplication::processEvents();
    }
    void press(int key) {
        QKeyEvent event(QEvent::KeyPress, key, Qt::NoModifier);
        QApplication::sendEvent(&chart, &event);
    }
    void pointAt(QPointF at) {
        QMouseEvent event(QEvent::MouseMove,
                          at,
                          chart.viewport()->mapToGlobal(at),
                          Qt::NoButton,
                          Qt::NoButton,
                          Qt::NoModifier);
        QApplication::sendEvent(chart.viewport(), &event);
    }
    // In both schemes, to be looked at.
    void picture(const QString& name) {
        for (const SchemeChoice scheme : {SchemeChoice::Dark, SchemeChoice::Light}) {
            applyTheme(scheme);
            QApplication::processEvents();
            savePicture(chart,
                        QStringLiteral("chart-%1-%2")
                            .arg(name,
                                 scheme == SchemeChoice::Dark ? QStringLiteral("dark")
                                                              : QStringLiteral("light")));
        }
    }
    [[nodiscard]] QString told() const { return chart.told().join(QLatin1Char('\n')); }

    BenchChart chart;
};

} // namespace

TEST_F(BenchChartTest, PointingAtABarTellsValueSpreadAndCommand) {
    const ChartSource source(handMadeCampaign());
    show(barsOf(source, {Quantity::Bandwidth, {}, {}}));
    const QRectF bar = chart.layer()->rectOf({1, 2}); // by default, third workload
    ASSERT_FALSE(bar.isEmpty());
    pointAt(bar.center());
    EXPECT_TRUE(told().contains(QStringLiteral("16 KiB random write · Default")))
        << told().toStdString();
    EXPECT_TRUE(told().contains(QStringLiteral("48 MB/s, 95 % interval")));
    EXPECT_TRUE(told().contains(QStringLiteral("median of 5 runs")));
    EXPECT_TRUE(told().contains(QStringLiteral("fio --name=benchmark --direct=1")));
    EXPECT_EQ(chart.accessibleDescription(), told());
    pointAt(QPointF(2, 2));
    EXPECT_TRUE(told().isEmpty());
}

TEST_F(BenchChartTest, BarsStandOnTheAxisAndEndAtTheirValues) {
    const ChartSource source(handMadeCampaign());
    show(barsOf(source, {Quantity::Bandwidth, {}, {}}));
    const QRectF plot = chart.chart()->plotArea();
    const ValueAxis axis = ValueAxis::forValues(chart.data(), false);
    for (const MarkLayer::Place& place : chart.layer()->places()) {
        const QRectF bar = chart.layer()->rectOf(place);
        const double value = chart.data().series.at(place.series).marks.at(place.mark).value;
        EXPECT_NEAR(bar.bottom(), plot.bottom(), 0.5);
        EXPECT_NEAR(bar.height(), plot.height() * value / axis.maximum, 0.5);
        EXPECT_TRUE(plot.adjusted(-1, -1, 1, 1).contains(bar));
        // The chart's own axis says the same.
        EXPECT_NEAR(chart.chart()->mapToPosition(QPointF(0, value)).y(), bar.top(), 0.5);
    }
}

TEST_F(BenchChartTest, ArrowKeysReachEveryMark) {
    const ChartSource source(handMadeCampaign());
    show(barsOf(source, {Quantity::Bandwidth, QStringLiteral("host"), {}}));
    QSet<QString> reached;
    press(Qt::Key_Home);
    for (int i = 0; i < 24; ++i) {
        reached.insert(chart.told().first());
        press(Qt::Key_Right);
    }
    EXPECT_EQ(reached.size(), 24); // six workloads, four sets of options
    press(Qt::Key_Right);
    const QString last = told();
    press(Qt::Key_End);
    EXPECT_EQ(told(), last);
    EXPECT_TRUE(last.contains(QStringLiteral("of Host")));
    press(Qt::Key_Home);
    const QString first = told();
    press(Qt::Key_Down);
    EXPECT_NE(told(), first);
    EXPECT_EQ(chart.told().first().section(QChar(0x00B7), 0, 0),
              first.section(QChar(0x00B7), 0, 0)); // of the same workload
    press(Qt::Key_Up);
    EXPECT_EQ(told(), first);
}

TEST_F(BenchChartTest, AtMostTwoThousandMarksAreDrawn) {
    ChartData data;
    data.kind = ChartData::Kind::History;
    for (int s = 0; s < 4; ++s) {
        ChartSeries series{QString::number(s), {}, QString::number(s), s, false, {}};
        for (int i = 0; i < 2500; ++i) {
            ChartMark mark;
            mark.x = i * 3600e3;
            mark.value = 1e8 + 1e6 * (i % 17) + 1e7 * s;
            mark.metric = Metric::WriteBandwidth;
            series.marks.append(mark);
        }
        data.series.append(series);
    }
    ASSERT_EQ(data.markCount(), 10000);
    show(data);
    EXPECT_LE(chart.layer()->places().size(), mostMarks);
    EXPECT_GT(chart.layer()->places().size(), mostMarks / 2);
    picture(QStringLiteral("many-points"));
}

TEST_F(BenchChartTest, NothingOneBarAndAHundredBarsLookRight) {
    show({});
    EXPECT_EQ(chart.accessibleDescription(), QStringLiteral("Nothing is drawn."));
    press(Qt::Key_Right);
    EXPECT_TRUE(told().isEmpty());
    picture(QStringLiteral("empty"));

    HandMade one;
    one.workloads = 1;
    one.executors.resize(1);
    show(barsOf(ChartSource(handMadeCampaign(one)), {}));
    EXPECT_EQ(chart.layer()->places().size(), 1);
    EXPECT_LE(chart.layer()->rectOf({0, 0}).width(), 40); // no block as wide as the chart
    picture(QStringLiteral("one"));

    HandMade many;
    many.workloads = 20;
    show(barsOf(ChartSource(handMadeCampaign(many)), {}));
    const auto places = chart.layer()->places();
    EXPECT_EQ(places.size(), 100);
    for (qsizetype i = 1; i < places.size(); ++i) // side by side, none on another
        EXPECT_GE(chart.layer()->rectOf(places.at(i)).left(),
                  chart.layer()->rectOf(places.at(i - 1)).right() - 0.01);
    picture(QStringLiteral("hundred"));
    chart.resize(587, 220);
    QApplication::processEvents();
    picture(QStringLiteral("hundred-narrow"));
}

TEST_F(BenchChartTest, PicturesOfEveryKind) {
    const ChartSourcePointer m1 = published("tart-2024-12-02-m1pro");
    const ChartSourcePointer sonoma = published("tart-2024-12-04-m1-ebs-sonoma");
    ASSERT_TRUE(m1 && sonoma);
    show(barsOf(*m1, {Quantity::Bandwidth, m1->usualBaseline(), sonoma}));
    EXPECT_FALSE(chart.data().isEmpty());
    picture(QStringLiteral("published-ratio"));
    show(barsOf(*m1, {Quantity::Bandwidth, {}, {}}), true);
    picture(QStringLiteral("published-log"));
    const ChartSource made(handMadeCampaign());
    show(barsOf(made, {Quantity::Iops, QStringLiteral("host"), {}}));
    press(Qt::Key_Home);
    picture(QStringLiteral("ratio"));
    show(percentilesOf(made, made.groups(Quantity::Latency).first()), true);
    picture(QStringLiteral("percentiles"));
    QList<ChartSourcePointer> sources;
    for (int month = 3; month <= 11; ++month) {
        HandMade wish;
        wish.spread = 0.01 * month;
        Campaign campaign = handMadeCampaign(wish);
        campaign.date = QStringLiteral("2026-%1-05T10:00:00Z").arg(month, 2, 10, QLatin1Char('0'));
        sources.append(std::make_shared<const ChartSource>(campaign));
    }
    show(historyOf(sources, made.groups(Quantity::Bandwidth).first()));
    picture(QStringLiteral("history"));
    chart.resize(587, 220);
    show(barsOf(*m1, {Quantity::Bandwidth, m1->usualBaseline(), sonoma}));
    picture(QStringLiteral("published-narrow"));
}

TEST_F(BenchChartTest, PicturesForOthersAreWholeFiles) {
    const ChartSource source(handMadeCampaign());
    show(barsOf(source, {Quantity::Bandwidth, QStringLiteral("host"), {}}));
    const QStringList lines{QStringLiteral("Made <b>by hand & all"),
                            QStringLiteral("a second line")};
    const QImage image = chartImage(chart, lines);
    EXPECT_EQ(image.size(), chartPictureSize * 2);
    QSet<QRgb> colours;
    for (int x = 0; x < image.width(); x += 3)
        colours.insert(image.pixel(x, image.height() / 2));
    for (int series : {1, 2, 3, 4}) // of the four sets of options
        EXPECT_TRUE(
            colours.contains(Theme::current().series.at(static_cast<std::size_t>(series)).rgb()))
            << series;
    int gridLines = 0; // just before the plot's right end
    for (int y = 0; y < image.height(); ++y)
        gridLines +=
            image.pixelColor(2 * (1280 - 24 - 14), y) == Theme::current().separator ? 1 : 0;
    EXPECT_GE(gridLines, 5);
    // A caveat that is wider than the picture is all there, on several lines.
    QString caveat = QStringLiteral("first");
    for (int i = 0; i < 60; ++i)
        caveat += QStringLiteral(" word%1").arg(i);
    const QByteArray wrapped = chartSvg(chart, lines + QStringList{caveat});
    for (int i = 0; i < 60; ++i)
        EXPECT_TRUE(wrapped.contains(QStringLiteral("word%1").arg(i).toUtf8())) << i;
    const QByteArray svg = chartSvg(chart, lines);
    EXPECT_GE(wrapped.count("<text"), svg.count("<text") + 2);
    QXmlStreamReader reader(svg);
    int polygons = 0;
    QString text;
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isStartElement() && reader.name() == QLatin1String("text"))
            text += reader.readElementText() + QLatin1Char('\n');
        else if (reader.isStartElement())
            ++polygons;
    }
    EXPECT_FALSE(reader.hasError()) << reader.errorString().toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("Made <b>by hand & all")));
    EXPECT_TRUE(text.contains(QStringLiteral("Host = 100 %")));
    EXPECT_GT(polygons, 24);
    const QString folder = qEnvironmentVariable("VITRINE_TEST_PICTURES");
    if (!folder.isEmpty()) {
        image.save(folder + QStringLiteral("/export.png"));
        QFile file(folder + QStringLiteral("/export.svg"));
        EXPECT_TRUE(file.open(QIODevice::WriteOnly) && file.write(svg) == svg.size());
    }
    // The window's chart is as it was.
    EXPECT_EQ(chart.chart()->size(), QSizeF(chart.viewport()->size()));
}

TEST_F(BenchChartTest, ALegendsEntryHidesItsSeriesAndShowsItAgain) {
    const ChartSource source(handMadeCampaign());
    show(barsOf(source, {Quantity::Bandwidth, {}, {}}));
    const qsizetype all = chart.data().markCount();
    const QString name = chart.data().series.at(1).name;
    const QRectF other = chart.layer()->rectOf({0, 0});
    const auto click = [this](const QString& key) {
        const QPointF at = chart.layer()->legendRect(key).center();
        QMouseEvent event(QEvent::MouseButtonPress,
                          at,
                          chart.viewport()->mapToGlobal(at),
                          Qt::LeftButton,
                          Qt::LeftButton,
                          Qt::NoModifier);
        QApplication::sendEvent(chart.viewport(), &event);
    };
    click(name);
    EXPECT_TRUE(chart.isHidden(name));
    EXPECT_TRUE(chart.data().series.at(1).marks.isEmpty());
    EXPECT_EQ(chart.data().markCount(), all * 4 / 5);
    EXPECT_EQ(chart.layer()->rectOf({0, 0}).x(), other.x()) << "the others stay where they are";
    picture(QStringLiteral("hidden"));
    chart.setLogarithmic(true);
    show(barsOf(source, {Quantity::Bandwidth, {}, {}})); // new results
    EXPECT_TRUE(chart.isHidden(name));
    click(name);
    EXPECT_EQ(chart.data().markCount(), all);
    // By keyboard: the chart's menu.
    const std::unique_ptr<QMenu> menu(chart.makeMenu());
    ASSERT_EQ(menu->actions().size(), 5 + 2);
    for (int i = 0; i < 4; ++i)
        menu->actions().at(i)->trigger();
    EXPECT_EQ(chart.data().markCount(), all / 5);
    menu->actions().at(4)->trigger();
    EXPECT_EQ(chart.data().markCount(), all) << "an empty chart would tell nothing";
}

TEST_F(BenchChartTest, TheSetBesideItIsHiddenAsOne) {
    const ChartSource source(*published("tart-2024-12-02-m1pro"));
    const auto beside = published("tart-2024-12-04-m1-ebs-sonoma");
    show(barsOf(source, {Quantity::Bandwidth, source.usualBaseline(), beside}));
    const qsizetype all = chart.data().markCount();
    chart.toggle(QString());
    EXPECT_LT(chart.data().markCount(), all);
    for (const ChartSeries& series : chart.data().series)
        EXPECT_EQ(series.marks.isEmpty(), series.isBeside);
    chart.showAll();
    EXPECT_EQ(chart.data().markCount(), all);
}
