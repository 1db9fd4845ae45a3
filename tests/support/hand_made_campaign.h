// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign.h"

namespace vitrine::test {

// Campaigns made by hand for tests of charts: none of their figures was measured.
struct HandMadeExecutor {
    QString name;
    QJsonObject options;
    double factor = 1; // of the bandwidth
};

inline QList<HandMadeExecutor> handMadeExecutors() {
    const auto vm = [](const char* sync, const char* caching) {
        QJsonObject options{{QStringLiteral("kind"), QStringLiteral("vm")}};
        if (sync[0] != '\0')
            options.insert(QStringLiteral("sync"), QLatin1String(sync));
        if (caching[0] != '\0')
            options.insert(QStringLiteral("caching"), QLatin1String(caching));
        return options;
    };
    return {{QStringLiteral("host"), {{QStringLiteral("kind"), QStringLiteral("host")}}, 1},
            {QStringLiteral("default"), vm("", ""), 0.8},
            {QStringLiteral("sync=none"), vm("none", ""), 0.9},
            {QStringLiteral("caching=cached"), vm("", "cached"), 0.7},
            {QStringLiteral("sync=none,caching=cached"), vm("none", "cached"), 1.1}};
}

struct HandMade {
    int workloads = 6;
    int rounds = 5;
    double spread = 0.02; // of the figure, from round to round
    QList<HandMadeExecutor> executors = handMadeExecutors();
};

inline bench::Campaign handMadeCampaign(const HandMade& wish = {}) {
    bench::Campaign campaign;
    campaign.id = QStringLiteral("20261201-090807-3f2a");
    campaign.title = QStringLiteral("Made by hand");
    campaign.date = QStringLiteral("2026-12-01T09:08:07Z");
    campaign.suite = QStringLiteral("tart-fio");
    campaign.rounds = wish.rounds;
    campaign.host = {{QStringLiteral("hardware"), QStringLiteral("no computer at all")},
                     {QStringLiteral("os"), QStringLiteral("Debian 12")}};
    for (int round = 1; round <= wish.rounds; ++round)
        for (int workload = 0; workload < wish.workloads; ++workload)
            for (const HandMadeExecutor& executor : wish.executors) {
                bench::BenchRun run;
                run.workload = QStringLiteral("%1 KiB random write").arg(4 << (workload % 8));
                if (workload >= 8)
                    run.workload += QStringLiteral(" no. %1").arg(workload);
                run.executor = executor.name;
                run.options = executor.options;
                run.round = round;
                run.command =
                    QStringLiteral("fio --name=benchmark --direct=1 --rw=randwrite --bs=%1k")
                        .arg(4 << (workload % 8));
                // Rounds lie around the middle, each executor's in its own order.
                const double off = wish.spread * ((round * 2) % 5 - 2);
                const double block = 1024.0 * (4 << (workload % 8));
                const double bandwidth = 20e6 * (1 + workload) * executor.factor * (1 + off);
                bench::Latency latency;
                latency.mean = 1e9 / (bandwidth / block);
                latency.sigma = latency.mean / 4;
                for (const double percent : {1.0, 5.0, 50.0, 90.0, 95.0, 99.0, 99.9, 99.99})
                    latency.percentiles.insert(percent, latency.mean * (0.4 + percent / 100));
                run.figures.write = bench::IoFigures{bandwidth, bandwidth / block, latency};
                campaign.runs.append(run);
            }
    return campaign;
}

} // namespace vitrine::test
