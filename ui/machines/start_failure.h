// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDateTime>
#include <QString>
#include <QStringList>

namespace vitrine::ui {

// Why a machine did not start.
struct StartFailure {
    QString message;   // translated: what the start itself said
    QStringList lines; // plain text, newest last: what else was written, may be empty
    QString logFile;   // holds more than all this; empty when nothing does
};

// A start that failed, and where it may have said why.
struct FailedStart {
    QString directory;
    QString said; // by the machine's process over its socket
    QString outputFile;
    QString logFile;
    QDateTime since;
};

// Reads what was written, and keeps the failure among the machine's events. Not on the window's
// thread.
[[nodiscard]] StartFailure failureOf(const FailedStart& start);

// Puts the failure among the machine's events, unless its process did that itself.
void keepStartFailure(const QString& directory, const QString& message, const QDateTime& since);

// The last `count` lines of a text file, for showing; empty when it cannot be read. Reads at most
// 64 KiB; control characters are dropped. Any thread.
[[nodiscard]] QStringList lastLines(const QString& path, int count);

} // namespace vitrine::ui
