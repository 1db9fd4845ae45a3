// SPDX-License-Identifier: Apache-2.0
#include "ui/machines/start_failure.h"

#include "core/machine/sidecar.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr int shownLogLines = 8;

} // namespace

void keepStartFailure(const QString& directory, const QString& message, const QDateTime& since) {
    const QString kind = QStringLiteral("start-failed");
    const auto sidecar = Sidecar::read(directory);
    const QJsonArray events = sidecar ? sidecar->events : QJsonArray();
    const QJsonObject last = events.isEmpty() ? QJsonObject() : events.last().toObject();
    const auto time =
        QDateTime::fromString(last.value(QLatin1String("time")).toString(), Qt::ISODateWithMs);
    if (last.value(QLatin1String("kind")).toString() == kind && time >= since) {
        return;
    }
    (void)Sidecar::addEvent(directory, kind, message, QDateTime::currentDateTime());
}

StartFailure failureOf(const FailedStart& start) {
    StartFailure failure;
    failure.message = start.said;
    QStringList output = lastLines(start.outputFile, shownLogLines);
    output.removeAll(start.said);
    const bool longOutput = output.size() >= shownLogLines;
    if (failure.message.isEmpty() && !output.isEmpty()) {
        failure.message = output.takeLast(); // the reason is the last thing that it says
    }
    // The log of an earlier run says nothing about this start.
    const bool ownLog = QFileInfo(start.logFile).lastModified() >= start.since;
    const QStringList log = ownLog ? lastLines(start.logFile, shownLogLines) : QStringList();
    failure.lines = output.isEmpty() ? log : output;
    failure.logFile = !log.isEmpty() ? start.logFile : longOutput ? start.outputFile : QString();
    if (failure.message.isEmpty()) {
        failure.message = log.isEmpty() ? Tr::tr("Its process ended before the machine ran and did "
                                                 "not say why. Try again; if it stays so, run "
                                                 "\"vitrinectl run\" in a terminal.")
                                        : Tr::tr("Its process ended before the machine ran. The "
                                                 "last lines of its log may say why.");
    }
    keepStartFailure(start.directory, failure.message, start.since);
    return failure;
}

QStringList lastLines(const QString& path, int count) {
    constexpr qint64 most = 64 * 1024;
    QFile file(path);
    if (path.isEmpty() || !file.open(QIODevice::ReadOnly)) {
        return {};
    }
    file.seek(std::max<qint64>(0, file.size() - most));
    QStringList lines;
    const QList<QByteArray> raw = file.read(most).split('\n');
    for (const QByteArray& bytes : raw) {
        QString line = QString::fromUtf8(bytes.left(500));
        line.removeIf([](QChar c) { return c.category() == QChar::Other_Control; });
        if (!line.trimmed().isEmpty()) {
            lines.append(line);
        }
    }
    return lines.mid(std::max<qsizetype>(0, lines.size() - count));
}

} // namespace vitrine::ui
