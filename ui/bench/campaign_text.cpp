// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/campaign_text.h"

#include "core/bench/campaign_run.h"
#include "core/value/byte_count.h"

#include <QLocale>

namespace vitrine::ui {

namespace {

using namespace bench;

const QString separator = QStringLiteral(" \u00B7 ");

QString dateText(const Campaign& campaign) {
    const QDateTime date = dateOf(campaign);
    if (!date.isValid())
        return campaign.date;
    const QLocale locale;
    const QString day =
        locale.toString(date.date(), QLocale::LongFormat).section(QStringLiteral(", "), 1);
    const QString text = day.isEmpty() ? locale.toString(date.date(), QLocale::LongFormat) : day;
    if (campaign.date.size() <= 10)
        return text;
    return QStringLiteral("%1, %2").arg(
        text, locale.toString(date.toLocalTime().time(), QLocale::ShortFormat));
}

QString word(const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toString();
}

} // namespace

QString titleOf(const Campaign& campaign) {
    const QString name = campaign.title.isEmpty() ? campaign.suite : campaign.title;
    if (campaign.origin == Campaign::Origin::Published)
        return name;
    QStringList parts{dateText(campaign), name};
    parts.removeAll(QString());
    return parts.join(separator);
}

QString factsOf(const ChartSource& source) {
    const Campaign& campaign = source.campaign();
    QStringList host{word(campaign.host, "hardware")};
    const double memory = campaign.host.value(QLatin1String("memory_bytes")).toDouble();
    if (memory > 0)
        host.append(ByteCount::fromBytes(static_cast<quint64>(memory)).toMemoryText());
    host.append(word(campaign.host, "os"));
    host.removeAll(QString());
    QStringList facts;
    if (!host.isEmpty())
        facts.append(Tr::tr("Host: %1").arg(host.join(QStringLiteral(", "))));
    QStringList guest{word(campaign.guest, "os"), word(campaign.guest, "hypervisor")};
    guest.removeAll(QString());
    if (!guest.isEmpty())
        facts.append(Tr::tr("Guest: %1").arg(guest.join(QStringLiteral(", "))));
    switch (campaign.origin) {
    case Campaign::Origin::Measured:
        facts.append(campaign.rounds == 1 ? Tr::tr("1 round")
                                          : Tr::tr("%1 interleaved rounds").arg(campaign.rounds));
        break;
    case Campaign::Origin::Imported:
        facts.append(Tr::tr("imported"));
        break;
    case Campaign::Origin::Published:
        facts.append(Tr::tr("published, %1").arg(campaign.date));
        break;
    }
    if (!campaign.source.isEmpty())
        facts.append(campaign.source);
    return facts.join(separator);
}

QString doubtsOf(const ChartSource& source) {
    QStringList sentences;
    for (const Suspicion& one : source.suspicions())
        if (one.kind == Suspicion::Kind::Campaign)
            sentences.append(one.reason);
    return sentences.join(QLatin1Char(' '));
}

QString machineOf(const Campaign& campaign) {
    return word(campaign.plan, "machine");
}

QString cutOffText(const Campaign& campaign) {
    if (campaign.origin != Campaign::Origin::Measured ||
        campaign.state == Campaign::State::Complete)
        return {};
    const auto plan = RunPlan::fromJson(campaign.plan);
    if (!plan)
        return {};
    const qsizetype all = slotsOf(*plan).size();
    const qsizetype left = slotsLeft(*plan, campaign).size();
    return Tr::tr("%1 of %2 measurements are there.")
        .arg(QString::number(all - left), QString::number(all));
}

} // namespace vitrine::ui
