// SPDX-License-Identifier: Apache-2.0
#include "core/bench/reported_time.h"

#include <QRegularExpression>
#include <QStringList>

namespace vitrine::bench {

namespace {

constexpr int hour = 3600;
constexpr int minute = 60;
constexpr int day = 24 * hour;
constexpr double year = 366.0 * day;
constexpr double milli = 1000;
constexpr qsizetype longestLine = 400; // of one that says a time

// Escape sequences of a terminal, such as those of `clear`, and other control characters.
QString readable(QString line) {
    static const QRegularExpression escapes(
        QStringLiteral("\\x1b(\\[[0-9;?]*[ -/]*[@-~]|[()][0-9A-Za-z]|[@-Z\\\\^_=>])"));
    static const QRegularExpression controls(QStringLiteral("[\\x00-\\x1f\\x7f]+"));
    return line.remove(escapes).replace(controls, QStringLiteral(" ")).trimmed();
}

std::optional<double> number(const QString& text) {
    if (text.isEmpty())
        return 0;
    bool isNumber = false;
    const double value = text.toDouble(&isNumber);
    return isNumber ? std::optional(value) : std::nullopt;
}

std::optional<double> bounded(double seconds) {
    return seconds >= 0 && seconds <= year ? std::optional(seconds) : std::nullopt;
}

// "16:28:13" as seconds since midnight.
std::optional<int> timeOfDay(const QRegularExpressionMatch& match) {
    const int hours = match.capturedView(1).toInt();
    const int minutes = match.capturedView(2).toInt();
    const int seconds = match.capturedView(3).toInt();
    if (hours >= day / hour || minutes >= minute || seconds > minute) // 60: a leap second
        return {};
    return hours * hour + minutes * minute + seconds;
}

struct Found {
    std::optional<int> started; // seconds since midnight
    std::optional<int> ended;
    std::optional<double> duration; // seconds
    QString tool;
    bool hasSucceeded = false;
    bool hasFailed = false;
};

void look(const QString& line, Found& found) {
    static const QRegularExpression started(
        QStringLiteral("\\bStarted\\s+(\\d{1,2}):(\\d{2}):(\\d{2})$"));
    static const QRegularExpression ended(
        QStringLiteral("\\bEnded\\s+(\\d{1,2}):(\\d{2}):(\\d{2})$"));
    static const QRegularExpression duration(
        QStringLiteral("^(?:(?:[\\w ]*\\b)?(?:real|time|elapsed|took|total|duration)\\s*[:=]?\\s*)?"
                       "(\\d.*)$"),
        QRegularExpression::CaseInsensitiveOption);
    static const QRegularExpression xcode(QStringLiteral("^Xcode \\d+(\\.\\d+)*$"));
    if (const auto match = started.match(line); match.hasMatch())
        found.started = timeOfDay(match);
    if (const auto match = ended.match(line); match.hasMatch())
        found.ended = timeOfDay(match);
    if (const auto match = duration.match(line); match.hasMatch())
        if (const auto seconds = secondsFromText(match.captured(1)))
            found.duration = seconds;
    if (xcode.match(line).hasMatch())
        found.tool = line;
    // At the line's beginning: XcodeBenchmark's closing words quote it after failures too.
    if (line.startsWith(QLatin1String("** BUILD SUCCEEDED **")))
        found.hasSucceeded = true;
    if (line.startsWith(QLatin1String("** BUILD FAILED **")))
        found.hasFailed = true;
}

Error untold(const QString& why) {
    return {Error::Kind::Integrity,
            Tr::tr("The command told no time: %1. Let it print \"Started HH:MM:SS\" and \"Ended "
                   "HH:MM:SS\" as XcodeBenchmark does, or a line such as \"Time: 2m19s\".")
                .arg(why),
            {}};
}

} // namespace

std::optional<double> secondsFromText(const QString& text) {
    static const QRegularExpression units(
        QStringLiteral("^(?:(\\d{1,6}(?:\\.\\d{1,9})?) ?h(?:ours?)?)? ?"
                       "(?:(\\d{1,8}(?:\\.\\d{1,9})?) ?m(?:in(?:utes?)?)?)? ?"
                       "(?:(\\d{1,9}(?:\\.\\d{1,9})?) ?s(?:ec(?:onds?)?)?)? ?"
                       "(?:(\\d{1,9}(?:\\.\\d{1,9})?) ?ms)?$"));
    static const QRegularExpression colons(
        QStringLiteral("^(?:(\\d{1,4}):)?(\\d{1,2}):(\\d{2}(?:\\.\\d{1,9})?)$"));
    const QString words = text.simplified();
    if (const auto match = colons.match(words); match.hasMatch()) {
        const double seconds = match.captured(3).toDouble();
        const int minutes = match.captured(2).toInt();
        const bool isClock = seconds < minute && (match.captured(1).isEmpty() || minutes < minute);
        return isClock ? bounded(match.captured(1).toInt() * hour + minutes * minute + seconds)
                       : std::nullopt;
    }
    const auto match = units.match(words);
    if (!match.hasMatch() || words.isEmpty())
        return {};
    double seconds = 0;
    const double factors[]{hour, minute, 1, 1 / milli};
    for (int part = 0; part < 4; ++part) {
        const auto value = number(match.captured(part + 1));
        if (!value)
            return {};
        seconds += *value * factors[part];
    }
    return bounded(seconds);
}

Result<ReportedTime> ReportedTime::fromOutput(const QByteArray& output) {
    Found found;
    for (const QByteArray& line : output.split('\n')) {
        if (line.size() <= longestLine)
            look(readable(QString::fromUtf8(line)), found);
    }
    if (found.hasFailed)
        return fail(Error::Kind::Internal,
                    Tr::tr("The build failed: the output has \"** BUILD FAILED **\". Build it by "
                           "hand and correct what is wrong."));
    if (found.started && found.ended) {
        if (!found.hasSucceeded)
            return fail(Error::Kind::Internal,
                        Tr::tr("The build did not succeed: the output has no \"** BUILD SUCCEEDED "
                               "**\". Build it by hand and correct what is wrong."));
        const int passed = *found.ended - *found.started;
        if (passed == 0)
            return fail(untold(Tr::tr("it started and ended in the same second")));
        return ReportedTime{static_cast<double>(passed < 0 ? passed + day : passed), found.tool};
    }
    if (found.started || found.ended)
        return fail(untold(found.started ? Tr::tr("it started and has no end")
                                         : Tr::tr("it ended and has no start")));
    if (!found.duration)
        return fail(untold(Tr::tr("its output has none")));
    if (*found.duration <= 0)
        return fail(untold(Tr::tr("0 is no time that was measured")));
    return ReportedTime{*found.duration, found.tool};
}

} // namespace vitrine::bench
