// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"

#include <QJsonDocument>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace vitrine::cli {

namespace {

int g_writeError = 0; // errno of the first failed write; main thread

// Columns that a character takes on a terminal, near enough for alignment.
int widthOf(const QString& text) {
    int width = 0;
    for (const uint c : text.toUcs4()) {
        const QChar::Category category = QChar::category(c);
        if (category == QChar::Mark_NonSpacing || category == QChar::Mark_Enclosing ||
            category == QChar::Other_Format)
            continue;
        const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                          (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                          (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                          (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
        width += wide ? 2 : 1;
    }
    return width;
}

} // namespace

void printBytes(const QByteArray& bytes) {
    const auto size = static_cast<std::size_t>(bytes.size());
    if (g_writeError == 0 && std::fwrite(bytes.constData(), 1, size, stdout) != size)
        g_writeError = errno;
}

void printErrorBytes(const QByteArray& bytes) {
    (void)std::fflush(stdout);
    (void)std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stderr);
}

void print(const QString& text) {
    printBytes(text.toUtf8());
}

void printLine(const QString& line) {
    print(line + QLatin1Char('\n'));
}

void printJson(const QJsonObject& object) {
    printBytes(QJsonDocument(object).toJson());
}

void printJson(const QJsonArray& array) {
    printBytes(QJsonDocument(array).toJson());
}

Result<> outputState() {
    if (std::fflush(stdout) != 0 && g_writeError == 0)
        g_writeError = errno;
    if (g_writeError == 0 || g_writeError == EPIPE)
        return {};
    return fail(Error::fromErrno(Tr::tr("Cannot write the output."), g_writeError));
}

void note(const QString& line) {
    const QByteArray bytes = line.toUtf8() + '\n';
    (void)std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stderr);
    (void)std::fflush(stderr);
}

bool standardInputIsTerminal() {
    return ::isatty(STDIN_FILENO) == 1;
}

bool standardOutputIsTerminal() {
    return ::isatty(STDOUT_FILENO) == 1;
}

bool standardErrorIsTerminal() {
    return ::isatty(STDERR_FILENO) == 1;
}

QString table(const QStringList& header, const QList<QStringList>& rows) {
    QList<QStringList> lines{header};
    for (const QStringList& row : rows) {
        QStringList cells;
        for (const QString& cell : row)
            cells.append(plain(cell));
        lines.append(cells);
    }
    QList<int> widths(header.size(), 0);
    for (const QStringList& line : std::as_const(lines)) {
        for (qsizetype i = 0; i < line.size(); ++i)
            widths[i] = std::max(widths.at(i), widthOf(line.at(i)));
    }
    QString text;
    for (const QStringList& line : std::as_const(lines)) {
        QString row;
        for (qsizetype i = 0; i < line.size(); ++i) {
            row += line.at(i);
            if (i + 1 < line.size())
                row += QString(widths.at(i) - widthOf(line.at(i)) + 2, QLatin1Char(' '));
        }
        while (row.endsWith(QLatin1Char(' ')))
            row.chop(1);
        text += row + QLatin1Char('\n');
    }
    return text;
}

QString relativeTime(const QDateTime& time, const QDateTime& now) {
    if (!time.isValid())
        return Tr::tr("never");
    const qint64 seconds = time.secsTo(now);
    const qint64 distance = std::abs(seconds);
    struct Unit {
        qint64 seconds;
        QString one;
        QString many;
    };
    const std::array units{
        Unit{365 * 86400, Tr::tr("1 year"), Tr::tr("%1 years")},
        Unit{30 * 86400, Tr::tr("1 month"), Tr::tr("%1 months")},
        Unit{7 * 86400, Tr::tr("1 week"), Tr::tr("%1 weeks")},
        Unit{86400, Tr::tr("1 day"), Tr::tr("%1 days")},
        Unit{3600, Tr::tr("1 hour"), Tr::tr("%1 hours")},
        Unit{60, Tr::tr("1 minute"), Tr::tr("%1 minutes")},
        Unit{1, Tr::tr("1 second"), Tr::tr("%1 seconds")},
    };
    for (const Unit& unit : units) {
        const qint64 count = distance / unit.seconds;
        if (count == 0)
            continue;
        const QString amount = count == 1 ? unit.one : unit.many.arg(count);
        return seconds > 0 ? Tr::tr("%1 ago").arg(amount) : Tr::tr("in %1").arg(amount);
    }
    return Tr::tr("now");
}

QString durationText(qint64 seconds) {
    const qint64 hours = seconds / 3600;
    const qint64 minutes = seconds / 60 % 60;
    const QString tail = QStringLiteral(":%1").arg(seconds % 60, 2, 10, QLatin1Char('0'));
    if (hours > 0)
        return QStringLiteral("%1:%2").arg(hours).arg(minutes, 2, 10, QLatin1Char('0')) + tail;
    return QString::number(minutes) + tail;
}

} // namespace vitrine::cli
