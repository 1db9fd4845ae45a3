// SPDX-License-Identifier: Apache-2.0
#include "core/bench/tart_table.h"

#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace vitrine::bench {

namespace {

constexpr double second = 1e9;              // ns
constexpr qsizetype largestTable = 4 << 20; // characters

const QStringList& fioTitles() {
    static const QStringList titles{QStringLiteral("Name"),
                                    QStringLiteral("Executor"),
                                    QStringLiteral("B/W (read)"),
                                    QStringLiteral("B/W (write)"),
                                    QStringLiteral("I/O (read)"),
                                    QStringLiteral("I/O (write)"),
                                    QStringLiteral("Latency (read)"),
                                    QStringLiteral("Latency (write)"),
                                    QStringLiteral("Latency (sync)")};
    return titles;
}

const QStringList& timeTitles() {
    static const QStringList titles{
        QStringLiteral("Name"), QStringLiteral("Executor"), QStringLiteral("Time")};
    return titles;
}

bool isUnmeasured(const QString& cell) {
    return cell.isEmpty() || cell == QLatin1String("-") || cell == QString(QChar(0x2013));
}

// A decimal number times a power of ten, as exact as the text is.
std::optional<double> scaled(const QString& digits, int exponent) {
    bool isNumber = false;
    const double value = (digits + QStringLiteral("e%1").arg(exponent)).toDouble(&isNumber);
    return isNumber ? std::optional(value) : std::nullopt;
}

// "19 MB/s" with unit "B/s", "4.81 kIOPS" with "IOPS".
std::optional<double> quantity(const QString& cell, const QString& unit) {
    static const QRegularExpression pattern(
        QStringLiteral("\\A([0-9]{1,15}(?:\\.[0-9]{1,9})?) ?([kKMGTPE]?)(B/s|IOPS)\\z"));
    const auto match = pattern.match(cell);
    if (!match.hasMatch() || match.captured(3) != unit)
        return {};
    const QString prefixes = QStringLiteral("kMGTPE");
    const QString prefix =
        match.captured(2) == QLatin1String("K") ? QStringLiteral("k") : match.captured(2);
    const auto power = prefix.isEmpty() ? 0 : static_cast<int>(prefixes.indexOf(prefix)) + 1;
    return scaled(match.captured(1), 3 * power);
}

std::optional<Latency> latencyFrom(const QString& cell) {
    const QStringList parts = cell.split(QChar(0x00B1));
    const auto mean = fromGoDuration(parts.first().trimmed());
    if (!mean || parts.size() > 2)
        return {};
    if (parts.size() == 1)
        return Latency{*mean, {}, {}};
    const auto sigma = fromGoDuration(parts.at(1).trimmed());
    return sigma ? std::optional(Latency{*mean, *sigma, {}}) : std::nullopt;
}

// Sets what a column holds; false for text that does not fit.
bool takeCell(Measurement& figures, const QString& title, const QString& cell) {
    if (isUnmeasured(cell))
        return true;
    const QString kind = title.section(QLatin1Char(' '), 0, 0);
    if (kind == QLatin1String("Time")) {
        const auto time = fromGoDuration(cell);
        if (time && *time > 0)
            figures.elapsed = Elapsed{*time / second, 1, {}, {}, {}};
        return time.has_value();
    }
    auto& target = title.endsWith(QLatin1String("(read)"))    ? figures.read
                   : title.endsWith(QLatin1String("(write)")) ? figures.write
                                                              : figures.sync;
    IoFigures io = target.value_or(IoFigures{});
    bool understood = false;
    if (kind == QLatin1String("Latency")) {
        const auto latency = latencyFrom(cell);
        understood = latency.has_value();
        if (latency && (latency->mean > 0 || latency->sigma.value_or(0) > 0))
            io.latency = latency;
    } else {
        const bool isBandwidth = kind == QLatin1String("B/W");
        const auto value =
            quantity(cell, isBandwidth ? QStringLiteral("B/s") : QStringLiteral("IOPS"));
        understood = value.has_value();
        if (value && *value > 0)
            (isBandwidth ? io.bandwidth : io.iops) = value;
    }
    if (!io.isEmpty())
        target = io;
    return understood;
}

// Where the columns are.
struct Header {
    QStringList titles;
    QList<qsizetype> offsets; // of the titles, for lines without tabs
};

std::optional<Header> headerFrom(const QString& line) {
    for (const QStringList* titles : {&fioTitles(), &timeTitles()}) {
        Header header;
        qsizetype from = 0;
        for (const QString& title : *titles) {
            const qsizetype at = line.indexOf(title, from);
            if (at < 0 || !QStringView(line).mid(from, at - from).trimmed().isEmpty())
                break;
            header.titles.append(title);
            header.offsets.append(at);
            from = at + title.size();
        }
        if (header.titles == *titles && QStringView(line).mid(from).trimmed().isEmpty())
            return header;
    }
    return {};
}

QStringList cellsOf(const QString& line, const Header& header) {
    QStringList cells;
    if (line.contains(QLatin1Char('\t'))) {
        for (const QString& cell : line.split(QLatin1Char('\t')))
            cells.append(cell.trimmed());
        return cells;
    }
    for (qsizetype i = 0; i < header.offsets.size(); ++i) {
        const qsizetype start = header.offsets.at(i);
        const qsizetype end =
            i + 1 < header.offsets.size() ? header.offsets.at(i + 1) : line.size();
        cells.append(line.mid(start, end - start).trimmed());
    }
    return cells;
}

Error notUnderstood(qsizetype line, const QString& what) {
    return {Error::Kind::Integrity,
            Tr::tr("Line %1 of the table is not understood: %2. Give the table as Tart's benchmark "
                   "printed it, with its line of titles.")
                .arg(line)
                .arg(what),
            {}};
}

QString padded(const QList<QStringList>& lines) {
    QList<qsizetype> widths(lines.first().size(), 0);
    for (const QStringList& line : lines)
        for (qsizetype i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths.at(i), line.at(i).size());
    QString text;
    for (const QStringList& line : lines) {
        for (qsizetype i = 0; i < line.size(); ++i)
            text +=
                (i > 0 ? QStringLiteral("\t") : QString()) + line.at(i).leftJustified(widths.at(i));
        text += QLatin1Char('\n');
    }
    return text;
}

QStringList fioLine(const TartRow& row, bool exact) {
    const QString dash(QChar(0x2013));
    const auto io = [&](const std::optional<IoFigures>& figures, bool bandwidth) {
        const auto value = !figures ? std::nullopt : bandwidth ? figures->bandwidth : figures->iops;
        return !value && !exact ? dash
               : bandwidth      ? bandwidthText(value.value_or(0))
                                : iopsText(value.value_or(0));
    };
    const auto latency = [&](const std::optional<IoFigures>& figures) {
        if (!exact && (!figures || !figures->latency))
            return dash;
        const Latency value = figures ? figures->latency.value_or(Latency{}) : Latency{};
        return goDuration(value.mean) + QStringLiteral(" \u00B1 ") +
               goDuration(value.sigma.value_or(0));
    };
    const Measurement& m = row.figures;
    return {row.workload,
            row.executor,
            io(m.read, true),
            io(m.write, true),
            io(m.read, false),
            io(m.write, false),
            latency(m.read),
            latency(m.write),
            latency(m.sync)};
}

// As few digits behind the point as the number needs.
QString shortNumber(double value, int decimals) {
    QString text = QString::number(value, 'f', decimals);
    while (text.contains(QLatin1Char('.')) &&
           (text.endsWith(QLatin1Char('0')) || text.endsWith(QLatin1Char('.'))))
        text.chop(1);
    return text;
}

// Tenths of milliseconds are enough; of a shorter time three digits, so that it is never 0.
QString timeText(double seconds, Unmeasured unmeasured) {
    const double ns = seconds * second;
    const double shortest = 1e7;
    if (unmeasured == Unmeasured::Exact || !(ns >= 1))
        return goDuration(ns);
    const double unit =
        ns >= shortest ? 1e5 : std::pow(10, std::max(0.0, std::floor(std::log10(ns)) - 2));
    return goDuration(std::round(ns / unit) * unit);
}

} // namespace

bool looksLikeTartTable(const QString& text) {
    for (const QString& line : text.split(QLatin1Char('\n'), Qt::SkipEmptyParts))
        if (headerFrom(line))
            return true;
    return false;
}

Result<QList<TartRow>> tartTableFrom(const QString& text) {
    if (text.size() > largestTable)
        return fail(
            Error::Kind::Integrity,
            Tr::tr("The table is larger than 4 MiB and is not read. Give the table alone."));
    std::optional<Header> header;
    QList<TartRow> rows;
    const QStringList lines = text.split(QLatin1Char('\n'));
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString line = QString(lines.at(i)).remove(QLatin1Char('\r'));
        if (line.trimmed().isEmpty() || line.startsWith(QLatin1String("```")))
            continue;
        if (const auto titles = headerFrom(line)) {
            header = titles;
            continue;
        }
        if (!header)
            continue; // what the tool said before
        const QStringList cells = cellsOf(line, *header);
        if (cells.size() != header->titles.size())
            return fail(notUnderstood(i + 1,
                                      Tr::tr("it has %1 cells instead of %2")
                                          .arg(cells.size())
                                          .arg(header->titles.size())));
        TartRow row{cells.at(0), cells.at(1), {}};
        if (row.workload.isEmpty() || row.executor.isEmpty())
            return fail(notUnderstood(i + 1, Tr::tr("the workload or the executor is missing")));
        for (qsizetype column = 2; column < cells.size(); ++column)
            if (!takeCell(row.figures, header->titles.at(column), cells.at(column)))
                return fail(
                    notUnderstood(i + 1,
                                  Tr::tr("\"%1\" below \"%2\"")
                                      .arg(cells.at(column).left(80), header->titles.at(column))));
        rows.append(row);
    }
    if (!header || rows.isEmpty())
        return fail(Error::Kind::Integrity,
                    Tr::tr("There is no table of Tart's benchmark in this text: the line of titles "
                           "(Name, Executor, …) or every line below it is missing. Give the table "
                           "as it was printed."));
    return rows;
}

QString tartTable(const QList<TartRow>& rows, Unmeasured unmeasured) {
    QList<QStringList> fio{fioTitles()};
    QList<QStringList> times{timeTitles()};
    for (const TartRow& row : rows) {
        const bool isTimed = row.figures.elapsed && !row.figures.read && !row.figures.write;
        if (!isTimed)
            fio.append(fioLine(row, unmeasured == Unmeasured::Exact));
        else
            times.append(
                {row.workload, row.executor, timeText(row.figures.elapsed->seconds, unmeasured)});
    }
    QStringList tables;
    for (const auto* lines : {&fio, &times})
        if (lines->size() > 1)
            tables.append(padded(*lines));
    return tables.join(QLatin1Char('\n'));
}

QJsonObject executorOptions(const QString& executor) {
    if (executor == QLatin1String("local"))
        return {{QStringLiteral("kind"), QStringLiteral("host")}};
    QJsonObject options{{QStringLiteral("kind"), QStringLiteral("vm")}};
    static const QRegularExpression pattern(QStringLiteral("--root-disk-opts=\"?([^\")]*)\"?"));
    const QString list = pattern.match(executor).captured(1);
    for (const QString& item : list.split(QLatin1Char(','), Qt::SkipEmptyParts))
        options.insert(item.section(QLatin1Char('='), 0, 0), item.section(QLatin1Char('='), 1));
    return options;
}

QString goDuration(double nanoseconds) {
    const double ns = std::round(nanoseconds);
    if (!(ns >= 1))
        return QStringLiteral("0s");
    if (ns < 1e3)
        return QString::number(ns, 'f', 0) + QStringLiteral("ns");
    if (ns < 1e6)
        return shortNumber(ns / 1e3, 3) + QStringLiteral("\u00B5s");
    if (ns < second)
        return shortNumber(ns / 1e6, 6) + QStringLiteral("ms");
    const double minutes = std::floor(ns / (60 * second));
    const QString seconds =
        shortNumber((ns - minutes * 60 * second) / second, 9) + QLatin1Char('s');
    if (minutes < 1)
        return seconds;
    const double hours = std::floor(minutes / 60);
    const QString rest = QString::number(minutes - hours * 60, 'f', 0) + QLatin1Char('m') + seconds;
    return hours < 1 ? rest : QString::number(hours, 'f', 0) + QLatin1Char('h') + rest;
}

std::optional<double> fromGoDuration(const QString& text) {
    static const QRegularExpression pattern(
        QStringLiteral("\\G([0-9]{1,12}(?:\\.[0-9]{1,9})?)(ns|us|\u00B5s|\u03BCs|ms|s|m|h)"));
    double sum = 0;
    qsizetype at = 0;
    while (at < text.size()) {
        const auto match = pattern.match(text, at);
        if (!match.hasMatch())
            return {};
        const QString unit = match.captured(2);
        const QString digits = match.captured(1);
        std::optional<double> value;
        if (unit == QLatin1String("h"))
            value = digits.toDouble() * 3600 * second;
        else if (unit == QLatin1String("m"))
            value = digits.toDouble() * 60 * second;
        else
            value = scaled(digits,
                           unit == QLatin1String("ns")   ? 0
                           : unit == QLatin1String("ms") ? 6
                           : unit == QLatin1String("s")  ? 9
                                                         : 3);
        if (!value)
            return {};
        sum += *value;
        at = match.capturedEnd();
    }
    return text.isEmpty() ? std::nullopt : std::optional(std::round(sum));
}

QString bandwidthText(double bytesPerSecond) {
    constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    if (!(bytesPerSecond >= 10))
        return QString::number(std::floor(std::max(bytesPerSecond, 0.0)), 'f', 0) +
               QStringLiteral(" B/s");
    const double power = std::min(std::floor(std::log10(bytesPerSecond * (1 + 1e-15)) / 3), 6.0);
    const double value = std::floor(bytesPerSecond / std::pow(1000.0, power) * 10 + 0.5) / 10;
    return QString::number(value, 'f', value < 10 ? 1 : 0) + QLatin1Char(' ') +
           QLatin1String(units.at(static_cast<std::size_t>(power))) + QStringLiteral("/s");
}

QString iopsText(double perSecond) {
    constexpr std::array units{"", "k", "M", "G", "T"};
    std::size_t power = 0;
    while (perSecond >= 1000 && power + 1 < units.size()) {
        perSecond /= 1000;
        ++power;
    }
    return shortNumber(perSecond, 2) + QLatin1Char(' ') + QLatin1String(units.at(power)) +
           QStringLiteral("IOPS");
}

} // namespace vitrine::bench
