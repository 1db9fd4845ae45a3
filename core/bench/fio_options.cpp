// SPDX-License-Identifier: Apache-2.0
#include "core/bench/fio_options.h"

#include <QProcess>
#include <QRegularExpression>

#include <cmath>

namespace vitrine::bench {

namespace {

void take(FioOptions& options, const QString& name, const QString& value) {
    const bool isOn = value.isEmpty() || value.toULongLong() > 0;
    if (name == QLatin1String("bs") || name == QLatin1String("blocksize"))
        options.blockSize = fioSize(value.section(QLatin1Char(','), 0, 0));
    else if (name == QLatin1String("size"))
        options.size = fioSize(value);
    else if (name == QLatin1String("numjobs"))
        options.jobs = std::max<quint64>(value.toULongLong(), 1);
    else if (name == QLatin1String("iodepth"))
        options.depth = std::max<quint64>(value.toULongLong(), 1);
    else if (name == QLatin1String("direct"))
        options.direct = isOn;
    else if (name == QLatin1String("buffered"))
        options.direct = !isOn;
    else if (name == QLatin1String("fsync") || name == QLatin1String("fdatasync") ||
             (name == QLatin1String("sync") && value != QLatin1String("none")))
        options.syncsWrites = isOn || value.endsWith(QLatin1String("sync"));
    else if (name == QLatin1String("rw") || name == QLatin1String("readwrite"))
        options.pattern = value.section(QLatin1Char(':'), 0, 0);
}

} // namespace

std::optional<quint64> fioSize(const QString& text) {
    static const QRegularExpression pattern(
        QStringLiteral("\\A([0-9]{1,18})(?:([kmgtp])(i?b?))?\\z"),
        QRegularExpression::CaseInsensitiveOption);
    const auto match = pattern.match(text);
    if (!match.hasMatch())
        return {};
    const double base =
        match.captured(3).startsWith(QLatin1Char('i'), Qt::CaseInsensitive) ? 1000 : 1024;
    const qsizetype power = match.captured(2).isEmpty()
                                ? 0
                                : QStringLiteral("kmgtp").indexOf(match.captured(2).toLower()) + 1;
    const double bytes = match.captured(1).toDouble() * std::pow(base, static_cast<double>(power));
    return bytes < 1e18 ? std::optional(static_cast<quint64>(bytes)) : std::nullopt;
}

std::optional<quint64> FioOptions::workingSet() const {
    // Never near an overflow: fioSize() ends at 10^18.
    return size ? std::optional(*size * std::min<quint64>(jobs, 16384) % (1ULL << 63U))
                : std::nullopt;
}

std::optional<FioOptions> FioOptions::fromCommand(const QString& command) {
    const QStringList words = QProcess::splitCommand(command);
    const qsizetype start = words.indexOf(QStringLiteral("fio"));
    if (start < 0)
        return {};
    FioOptions options;
    for (qsizetype i = start + 1; i < words.size(); ++i) {
        if (!words.at(i).startsWith(QLatin1String("--")))
            continue;
        const QString word = words.at(i).mid(2);
        const QString name = word.section(QLatin1Char('='), 0, 0);
        if (word.contains(QLatin1Char('=')))
            take(options, name, word.section(QLatin1Char('='), 1));
        else if (i + 1 < words.size() && !words.at(i + 1).startsWith(QLatin1String("--")))
            take(options, name, words.at(++i));
        else
            take(options, name, {});
    }
    return options;
}

FioOptions FioOptions::fromJson(const QJsonObject& object) {
    FioOptions options;
    for (auto it = object.begin(); it != object.end(); ++it)
        take(options, it.key(), it->toString());
    return options;
}

} // namespace vitrine::bench
