// SPDX-License-Identifier: Apache-2.0
#include "cli/bench_text.h"

#include "cli/output.h"
#include "core/bench/campaign_export.h"
#include "core/bench/tart_table.h"

#include <QSet>

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

namespace vitrine::cli {

namespace {

using namespace bench;

constexpr qsizetype widestExecutor = 30;
constexpr int leastWidth = 20; // what a terminal says that knows no better is 0

const QString dash = QStringLiteral("\u2013");

QString cut(const QString& name) {
    if (name.size() <= widestExecutor)
        return name;
    constexpr qsizetype tail = widestExecutor * 2 / 3; // options differ at the end
    return name.left(widestExecutor - tail - 1) + QChar(0x2026) + name.right(tail);
}

QString textOf(const Measurement& figures, Metric metric) {
    const auto value = valueOf(figures, metric);
    return value ? valueText(metric, *value) : dash;
}

// A line for each direction; one for a time.
void addRows(const Series& series, QList<QStringList>& rows) {
    const Measurement typical = typicalOf(series);
    QString name = cut(series.executor);
    const auto add = [&](const QString& what, const QStringList& values) {
        rows.append(QStringList{QStringLiteral("  ") + name, what} + values);
        name.clear();
    };
    if (typical.read)
        add(Tr::tr("read"),
            {textOf(typical, Metric::ReadBandwidth),
             textOf(typical, Metric::ReadIops),
             textOf(typical, Metric::ReadLatency)});
    if (typical.write)
        add(Tr::tr("write"),
            {textOf(typical, Metric::WriteBandwidth),
             textOf(typical, Metric::WriteIops),
             textOf(typical, Metric::WriteLatency)});
    if (typical.sync)
        add(Tr::tr("sync"), {dash, dash, textOf(typical, Metric::SyncLatency)});
    if (const auto time = summaryOf(series, Metric::Elapsed)) {
        const auto bound = [&](const QString& sign, double value) {
            return time->count > 1 ? sign + valueText(Metric::Elapsed, value) : QString();
        };
        add(Tr::tr("time"),
            {valueText(Metric::Elapsed, time->median),
             bound(QStringLiteral("\u2265 "), time->minimum),
             bound(QStringLiteral("\u2264 "), time->maximum)});
    }
}

QString block(const QString& heading, const QList<QStringList>& rows) {
    const QString text = table(QStringList(rows.first().size()), rows);
    return plain(heading) + QLatin1Char('\n') + text.section(QLatin1Char('\n'), 1);
}

} // namespace

QString byWorkload(const Campaign& campaign) {
    const QList<Series> all = seriesOf(campaign);
    QStringList blocks;
    QSet<QString> done;
    for (const Series& first : all) {
        if (done.contains(first.workload))
            continue;
        done.insert(first.workload);
        QList<QStringList> rows;
        for (const Series& series : all)
            if (series.workload == first.workload)
                addRows(series, rows);
        if (!rows.isEmpty())
            blocks.append(block(first.workload, rows));
    }
    return blocks.join(QLatin1Char('\n'));
}

QString byWorkload(const QList<Compared>& compared) {
    QStringList blocks;
    QList<QStringList> rows;
    QString heading;
    const auto end = [&] {
        if (!rows.isEmpty())
            blocks.append(block(heading, rows));
        rows.clear();
    };
    for (const Compared& one : compared) {
        const QString executors =
            one.executorA == one.executorB
                ? one.executorA
                : QStringLiteral("%1 \u2192 %2").arg(one.executorA, one.executorB);
        const QString next = one.workload + QLatin1String(", ") + executors;
        if (next != heading)
            end();
        heading = next;
        rows.append({QStringLiteral("  ") + nameOf(one.metric),
                     valueText(one.metric, one.a),
                     QStringLiteral("\u2192 ") + valueText(one.metric, one.b),
                     QStringLiteral("\u00d7 ") + QString::number(one.ratio.value, 'f', 3),
                     one.ratio.interval
                         ? QStringLiteral("(%1 \u2026 %2)")
                               .arg(QString::number(one.ratio.interval->low, 'f', 3),
                                    QString::number(one.ratio.interval->high, 'f', 3))
                         : QString()});
    }
    end();
    return blocks.join(QLatin1Char('\n'));
}

QString doubtsText(const QList<Suspicion>& suspicions) {
    QString text;
    QSet<QString> told;
    for (const Suspicion& one : suspicions) {
        const QString place =
            one.workload.isEmpty()
                ? QString()
                : QStringLiteral("%1, %2: ").arg(plain(one.workload), plain(one.executor));
        const QString line = QStringLiteral("- ") + place + plain(one.reason) + QLatin1Char('\n');
        if (!told.contains(line))
            text += line;
        told.insert(line);
    }
    return text;
}

std::optional<int> terminalWidth() {
    struct winsize size {};
    if (!standardOutputIsTerminal())
        return {};
    const bool isKnown =
        ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= leastWidth;
    return isKnown ? size.ws_col : narrowWidth;
}

bool isTooWide(const QString& text) {
    const auto width = terminalWidth();
    const QStringList lines = text.split(QLatin1Char('\n'));
    return width && std::any_of(lines.begin(), lines.end(), [&width](const QString& line) {
               return line.size() > *width;
           });
}

} // namespace vitrine::cli
