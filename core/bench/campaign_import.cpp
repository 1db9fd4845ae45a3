// SPDX-License-Identifier: Apache-2.0
#include "core/bench/campaign_import.h"

#include "core/bench/fio_report.h"
#include "core/bench/json_reader.h"
#include "core/bench/published.h"
#include "core/bench/tart_table.h"

namespace vitrine::bench {

namespace {

const QLatin1String fioSuite("fio");

Campaign imported(const QString& name) {
    Campaign campaign;
    campaign.origin = Campaign::Origin::Imported;
    campaign.title = name;
    campaign.source = name;
    return campaign;
}

Result<Campaign> fromFio(const QByteArray& bytes, const QString& name, const ImportNames& names) {
    const auto report = FioReport::fromOutput(bytes);
    if (!report)
        return fail(report.error());
    BenchRun run;
    run.workload =
        names.workload.isEmpty()
            ? report->raw.value(QLatin1String("jobs"))[0][QLatin1String("jobname")].toString()
            : names.workload;
    if (run.workload.isEmpty())
        run.workload = fioSuite;
    run.executor = names.executor.isEmpty() ? QStringLiteral("host") : names.executor;
    run.tool = report->version;
    run.figures = report->figures;
    run.raw = report->raw;
    Campaign campaign = imported(name);
    campaign.suite = fioSuite;
    const qint64 time =
        static_cast<qint64>(report->raw.value(QLatin1String("timestamp")).toDouble());
    if (time > 0) {
        campaign.date = QDateTime::fromSecsSinceEpoch(time, Qt::UTC).toString(Qt::ISODate);
        run.started = campaign.date;
    }
    campaign.runs.append(run);
    return campaign;
}

Result<Campaign> fromTable(const QString& text, const QString& name) {
    const auto rows = tartTableFrom(text);
    if (!rows)
        return fail(rows.error());
    Campaign campaign = imported(name);
    campaign.notes = tartTableNotes();
    campaign.suite = QStringLiteral("tart-fio");
    for (const TartRow& row : *rows) {
        BenchRun run;
        run.workload = row.workload;
        run.executor = row.executor;
        run.options = executorOptions(row.executor);
        run.figures = row.figures;
        campaign.runs.append(run);
    }
    return campaign;
}

} // namespace

Result<Campaign>
importCampaign(const QByteArray& bytes, const QString& name, const ImportNames& names) {
    const QString text = QString::fromUtf8(bytes);
    if (looksLikeTartTable(text))
        return fromTable(text, name);
    // fio may say something before its JSON.
    if (bytes.contains("\"fio version\"") && !bytes.contains("\"vitrine-benchmark\""))
        return fromFio(bytes, name, names);
    if (!bytes.trimmed().isEmpty() && !bytes.trimmed().startsWith('{'))
        return fail(
            Error::Kind::Integrity,
            Tr::tr("\"%1\" is neither fio's JSON nor a table of Tart's benchmark nor a campaign. "
                   "Take one of these.")
                .arg(name));
    const auto json = jsonObjectFrom(bytes, Tr::tr("The file \"%1\"").arg(name));
    if (!json)
        return fail(json.error());
    auto campaign = Campaign::fromJson(*json);
    if (!campaign)
        return fail(campaign.error());
    // Nobody goes on with a campaign of another computer.
    if (campaign->state == Campaign::State::Running)
        campaign->state = Campaign::State::Cancelled;
    campaign->origin = Campaign::Origin::Imported;
    if (campaign->title.isEmpty())
        campaign->title = name;
    return campaign;
}

bool isFioResult(const Campaign& campaign) {
    return campaign.origin == Campaign::Origin::Imported && campaign.suite == fioSuite;
}

void addRounds(Campaign& campaign, const Campaign& other) {
    for (BenchRun run : other.runs) {
        int last = 0;
        for (const BenchRun& before : std::as_const(campaign.runs))
            if (before.workload == run.workload && before.executor == run.executor)
                last = std::max(last, before.round);
        run.round = last + 1;
        campaign.rounds = std::max(campaign.rounds, run.round);
        campaign.runs.append(run);
    }
}

} // namespace vitrine::bench
