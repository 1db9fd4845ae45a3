// SPDX-License-Identifier: Apache-2.0
// How much of the window's thread's own time it takes until a chart of 10,000 points is painted
// first: making the chart, thinning the points out, layout, painting. Ends with 1 above 150 ms.
//
//   QT_QPA_PLATFORM=offscreen bench_chart_benchmark [POINTS]
#include "core/bench/charts/decimation.h"
#include "ui/bench/bench_chart.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QImage>
#include <QPainter>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>

namespace {

using namespace vitrine;
using namespace vitrine::bench;

constexpr double limit = 150; // ms
constexpr int rounds = 9;
constexpr int seriesCount = 5;

double threadMilliseconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

ChartData dataOf(ChartData::Kind kind, int points) {
    ChartData data;
    data.kind = kind;
    const int each = points / seriesCount;
    for (int i = 0; kind == ChartData::Kind::Bars && i < each; ++i)
        data.groups.append({QStringLiteral("workload %1").arg(i), {}, Metric::WriteBandwidth});
    for (int s = 0; s < seriesCount; ++s) {
        ChartSeries series{
            QStringLiteral("options %1").arg(s), {}, QString::number(s), s, false, {}};
        for (int i = 0; i < each; ++i) {
            ChartMark mark;
            mark.x = kind == ChartData::Kind::Bars ? i : i * 3600e3;
            mark.value = 1e8 + 1e6 * ((i * 37 + s) % 101);
            mark.interval = Interval{mark.value * 0.97, mark.value * 1.03};
            mark.metric = Metric::WriteBandwidth;
            series.marks.append(mark);
        }
        data.series.append(series);
    }
    return data;
}

// One chart, from nothing to its first picture.
double firstPicture(const ChartData& data, qsizetype* drawn) {
    QImage image(968, 300, QImage::Format_RGB32);
    const double begin = threadMilliseconds();
    ui::BenchChart chart;
    chart.resize(image.size());
    chart.setData(data, false);
    chart.ensurePolished();
    static_cast<QWidget&>(chart).render(&image);
    const double taken = threadMilliseconds() - begin;
    *drawn = chart.layer()->places().size();
    return taken;
}

bool measure(const char* name, const ChartData& data) {
    QList<double> times;
    qsizetype drawn = 0;
    for (int round = 0; round < rounds; ++round)
        times.append(firstPicture(data, &drawn));
    const double first = times.first(); // fonts and libraries are loaded in it
    std::sort(times.begin(), times.end());
    std::printf("%-8s %lld points, %lld drawn: first %.1f ms, median %.1f ms, worst %.1f ms\n",
                name,
                static_cast<long long>(data.markCount()),
                static_cast<long long>(drawn),
                first,
                times.at(times.size() / 2),
                times.last());
    return times.last() <= limit && drawn <= mostMarks;
}

} // namespace

int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    ui::applyTheme(ui::SchemeChoice::Light);
    const int points = argc > 1 ? std::max(seriesCount, std::atoi(argv[1])) : 10000;
    const bool lines = measure("lines", dataOf(ChartData::Kind::History, points));
    const bool bars = measure("bars", dataOf(ChartData::Kind::Bars, points));
    return lines && bars ? 0 : 1;
}
