// SPDX-License-Identifier: Apache-2.0
#include "core/bench/published.h"

#include "core/bench/resources.h"

#include <QJsonDocument>

namespace vitrine::bench {

namespace {

void addReference(const QJsonObject& reference, Campaign& campaign) {
    campaign.title = reference.value(QLatin1String("title")).toString();
    for (const QJsonValue& note : reference.value(QLatin1String("notes")).toArray())
        campaign.notes.append(note.toString());
    const QString device = QStringLiteral("device_bytes_per_s");
    if (reference.contains(device))
        campaign.host.insert(device, reference.value(device));
    const QString workingSets = QStringLiteral("workingSets");
    if (reference.contains(workingSets))
        campaign.plan.insert(workingSets, reference.value(workingSets));
}

} // namespace

QList<Campaign> publishedSets() {
    const QJsonArray references =
        QJsonDocument::fromJson(shippedFile(QStringLiteral("references.json")))
            .object()
            .value(QLatin1String("sets"))
            .toArray();
    QList<Campaign> sets;
    for (const QString& path : shippedFiles(QStringLiteral("published"))) {
        auto campaign = Campaign::fromJson(QJsonDocument::fromJson(shippedFile(path)).object());
        if (!campaign)
            continue;
        for (const QJsonValue& reference : references)
            if (reference[QLatin1String("id")].toString() == campaign->id)
                addReference(reference.toObject(), *campaign);
        sets.append(*campaign);
    }
    return sets;
}

QStringList tartTableNotes() {
    return {QStringLiteral("Bandwidths are 2.4 % too low: KiB/s were printed as kB/s."),
            QStringLiteral(
                "One run each in a fixed order: nothing is known of the spread between runs.")};
}

} // namespace vitrine::bench
