// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/value/plain_text.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

namespace vitrine::cli {

// Standard output, UTF-8. A failed write (a full disk) is remembered and makes the exit code 1; a
// reader that went away is no failure.
void print(const QString& text); // as it is
void printLine(const QString& line);
void printBytes(const QByteArray& bytes);
void printErrorBytes(const QByteArray& bytes); // standard error, behind what was printed
void printJson(const QJsonObject& object);
void printJson(const QJsonArray& array);
[[nodiscard]] Result<> outputState(); // flushes

// Standard error, one line: a note, not a failure.
void note(const QString& line);

[[nodiscard]] bool standardInputIsTerminal();
[[nodiscard]] bool standardOutputIsTerminal();
[[nodiscard]] bool standardErrorIsTerminal();

// Text that came from a file, guest or registry, safe for a terminal.
[[nodiscard]] inline QString plain(const QString& untrusted) {
    return plainText(untrusted);
}

// Left-aligned columns, two blanks apart, no blanks at the line's end. Cells are made plain().
[[nodiscard]] QString table(const QStringList& header, const QList<QStringList>& rows);

// "now", "3 minutes ago", "in 2 days"; "never" for an invalid time.
[[nodiscard]] QString relativeTime(const QDateTime& time, const QDateTime& now);
// "0:07", "12:30", "1:02:03".
[[nodiscard]] QString durationText(qint64 seconds);

} // namespace vitrine::cli
