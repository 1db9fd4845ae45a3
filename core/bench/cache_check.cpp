// SPDX-License-Identifier: Apache-2.0
#include "core/bench/cache_check.h"

#include "core/bench/tart_table.h"

#include <QLocale>

#include <algorithm>

namespace vitrine::bench {

namespace {

constexpr double half = 0.5;
constexpr double leastRatio = 1.5;
const QByteArray countMark = "read_bytes from disks: ";

QString stateOf(const Series& series) {
    return series.options.value(QLatin1String("cache")).toString();
}

// A cached workload's name -> the invalidated one's.
QHash<QString, QString> pairsOf(const Campaign& campaign) {
    QHash<QString, QString> pairs;
    for (const QJsonValue& value : campaign.plan.value(QLatin1String("workloads")).toArray())
        pairs.insert(value[QLatin1String("name")].toString(),
                     value[QLatin1String("pair")].toString());
    return pairs;
}

std::optional<double> number(const QJsonObject& object, const char* key) {
    const QJsonValue value = object.value(QLatin1String(key));
    return value.isDouble() ? std::optional(value.toDouble()) : std::nullopt;
}

// Bytes that fio had read when it ended.
double bytesRead(const BenchRun& run) {
    double sum = 0;
    for (const QJsonValue& job : run.raw.value(QLatin1String("jobs")).toArray())
        sum += job[QLatin1String("read")][QLatin1String("io_bytes")].toDouble();
    return sum;
}

template <class Share>
std::optional<double> medianShare(const Series& series, const Share& share) {
    QList<double> values;
    for (const BenchRun& run : series.runs)
        if (const std::optional<double> value = share(run))
            values.append(std::clamp(*value, 0.0, 1.0));
    return values.isEmpty() ? std::nullopt : std::optional(medianOf(values));
}

std::optional<double> keptOf(const Series& series) {
    return medianShare(series, [](const BenchRun& run) -> std::optional<double> {
        const auto resident = number(run.evidence, "resident_bytes");
        const auto size = number(run.evidence, "file_bytes");
        return resident && size && *size > 0 ? std::optional(*resident / *size) : std::nullopt;
    });
}

std::optional<double> fromDiskOf(const Series& series) {
    return medianShare(series, [](const BenchRun& run) -> std::optional<double> {
        const auto read = number(run.evidence, "read_bytes");
        const double all = bytesRead(run);
        return read && all > 0 ? std::optional(*read / all) : std::nullopt;
    });
}

CacheCheck::Verdict verdictOf(const CacheCheck& check) {
    if (check.keptAfter.value_or(0) >= half)
        return CacheCheck::Verdict::DoesNot;
    if (check.keptBefore.value_or(1) < half || check.cachedFromDisk.value_or(0) >= half)
        return CacheCheck::Verdict::NothingCached;
    const bool isSlower =
        check.ratio.value >= leastRatio && (!check.ratio.interval || check.ratio.interval->low > 1);
    if (check.invalidatedFromDisk.value_or(0) >= half || isSlower)
        return CacheCheck::Verdict::Works;
    return check.keptAfter ? CacheCheck::Verdict::Unclear : CacheCheck::Verdict::DoesNot;
}

QString shareText(double share) {
    return QLocale().toString(share * 100, 'f', 0);
}

QString sentenceOf(CacheCheck::Verdict verdict) {
    switch (verdict) {
    case CacheCheck::Verdict::Works:
        return Tr::tr("Invalidation works here.");
    case CacheCheck::Verdict::DoesNot:
        return Tr::tr("Invalidation does not work here: buffered figures can be the cache's.");
    case CacheCheck::Verdict::NothingCached:
        return Tr::tr("There is nothing to invalidate here: the page cache did not keep the file.");
    case CacheCheck::Verdict::Unclear:
        break;
    }
    return Tr::tr("Unclear: the file leaves the page cache and is read no slower; a cache below it "
                  "may answer.");
}

} // namespace

QString CacheCheck::toText() const {
    QStringList sentences{sentenceOf(verdict)};
    QString ratioText = QLocale().toString(ratio.value, 'f', 1);
    if (ratio.interval)
        ratioText += Tr::tr(" (95 %: %1 to %2)")
                         .arg(QLocale().toString(ratio.interval->low, 'f', 1),
                              QLocale().toString(ratio.interval->high, 'f', 1));
    sentences.append(Tr::tr("Cached %1, invalidated %2: ratio %3, rounds %4.")
                         .arg(bandwidthText(cachedBandwidth),
                              bandwidthText(invalidatedBandwidth),
                              ratioText,
                              QString::number(rounds)));
    if (keptBefore && keptAfter)
        sentences.append(Tr::tr("In the cache: %1 % of the file before, %2 % after invalidation.")
                             .arg(shareText(*keptBefore), shareText(*keptAfter)));
    if (cachedFromDisk && invalidatedFromDisk)
        sentences.append(Tr::tr("Read from a disk: %1 % cached, %2 % invalidated.")
                             .arg(shareText(*cachedFromDisk), shareText(*invalidatedFromDisk)));
    return sentences.join(QLatin1Char(' '));
}

QJsonObject CacheCheck::toJson() const {
    QJsonObject object{{QStringLiteral("executor"), executor},
                       {QStringLiteral("cached"), cached},
                       {QStringLiteral("invalidated"), invalidated},
                       {QStringLiteral("verdict"), wordOf(verdict)},
                       {QStringLiteral("reason"), toText()},
                       {QStringLiteral("cached_bytes_per_s"), cachedBandwidth},
                       {QStringLiteral("invalidated_bytes_per_s"), invalidatedBandwidth},
                       {QStringLiteral("ratio"), ratio.value},
                       {QStringLiteral("rounds"), rounds}};
    if (ratio.interval)
        object.insert(QStringLiteral("interval95"),
                      QJsonArray{ratio.interval->low, ratio.interval->high});
    const std::pair<const char*, std::optional<double>> shares[]{
        {"kept_before", keptBefore},
        {"kept_after", keptAfter},
        {"cached_from_disk", cachedFromDisk},
        {"invalidated_from_disk", invalidatedFromDisk}};
    for (const auto& [key, share] : shares)
        if (share)
            object.insert(QLatin1String(key), *share);
    return object;
}

QList<CacheCheck> cacheChecksOf(const Campaign& campaign) {
    QList<CacheCheck> checks;
    const QList<Series> all = seriesOf(campaign);
    const QHash<QString, QString> pairs = pairsOf(campaign);
    // A published check has both states as executors of one workload.
    const auto belongTogether = [&pairs](const Series& cached, const Series& other) {
        return cached.workload == other.workload ||
               (cached.executor == other.executor &&
                pairs.value(cached.workload) == other.workload);
    };
    for (const Series& cached : all) {
        if (stateOf(cached) != QLatin1String("cached"))
            continue;
        const auto other = std::find_if(all.begin(), all.end(), [&](const Series& series) {
            return stateOf(series) == QLatin1String("invalidated") &&
                   belongTogether(cached, series);
        });
        if (other == all.end())
            continue;
        const QList<double> fast = valuesOf(cached, Metric::ReadBandwidth);
        const QList<double> slow = valuesOf(*other, Metric::ReadBandwidth);
        const auto ratio = ratioOf(slow, fast);
        if (!ratio)
            continue;
        CacheCheck check;
        check.executor = cached.executor == other->executor
                             ? cached.executor
                             : Tr::tr("%1 and %2").arg(cached.executor, other->executor);
        check.cached = cached.workload;
        check.invalidated = other->workload;
        check.cachedBandwidth = medianOf(fast);
        check.invalidatedBandwidth = medianOf(slow);
        check.ratio = *ratio;
        check.rounds = std::min(fast.size(), slow.size());
        check.keptBefore = keptOf(cached);
        check.keptAfter = keptOf(*other);
        check.cachedFromDisk = fromDiskOf(cached);
        check.invalidatedFromDisk = fromDiskOf(*other);
        check.verdict = verdictOf(check);
        checks.append(check);
    }
    return checks;
}

QString wordOf(CacheCheck::Verdict verdict) {
    switch (verdict) {
    case CacheCheck::Verdict::Works:
        return QStringLiteral("works");
    case CacheCheck::Verdict::DoesNot:
        return QStringLiteral("does-not");
    case CacheCheck::Verdict::NothingCached:
        return QStringLiteral("nothing-cached");
    case CacheCheck::Verdict::Unclear:
        break;
    }
    return QStringLiteral("unclear");
}

QString residencyLine() {
    return QStringLiteral("find . -type f ! -name '.*' -exec fincore --bytes --noheadings --raw "
                          "--output RES,SIZE {} +");
}

QString countingReads(const QString& command) {
    // What has ended and was waited for counts for the shell, whose own this is.
    return command +
           QStringLiteral("\nended_with=$?\nsed -n 's/^read_bytes: /%1/p' /proc/$$/io >&2 "
                          "2> /dev/null\nexit $ended_with")
               .arg(QString::fromLatin1(countMark));
}

QJsonObject evidenceFrom(const QByteArray& residency, QByteArray& err) {
    QJsonObject evidence;
    double resident = 0;
    double size = 0;
    bool isWhole = !residency.trimmed().isEmpty();
    for (const QByteArray& line : residency.trimmed().split('\n')) {
        const QList<QByteArray> words = line.simplified().split(' ');
        bool first = false;
        bool second = false;
        if (words.size() == 2) {
            resident += static_cast<double>(words.at(0).toULongLong(&first));
            size += static_cast<double>(words.at(1).toULongLong(&second));
        }
        isWhole = isWhole && first && second;
    }
    if (isWhole) {
        evidence.insert(QStringLiteral("resident_bytes"), resident);
        evidence.insert(QStringLiteral("file_bytes"), size);
    }
    if (const qsizetype at = err.lastIndexOf(countMark); at >= 0) {
        bool isNumber = false;
        const auto read = err.mid(at + countMark.size()).trimmed().toULongLong(&isNumber);
        if (isNumber)
            evidence.insert(QStringLiteral("read_bytes"), static_cast<double>(read));
        err.truncate(at);
    }
    return evidence;
}

} // namespace vitrine::bench
