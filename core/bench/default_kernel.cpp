// SPDX-License-Identifier: Apache-2.0
#include "core/bench/default_kernel.h"

#include <QDir>
#include <QFileInfo>
#include <QList>

namespace vitrine::bench {

namespace {

// "vmlinuz-6.1.0-57-amd64": 6, 1, 0, 57, 64.
QList<int> numbersOf(const QString& name) {
    QList<int> numbers;
    QString digits;
    for (const QChar c : name + QLatin1Char(' ')) {
        if (c >= QLatin1Char('0') && c <= QLatin1Char('9')) {
            digits += c;
        } else if (!digits.isEmpty()) {
            numbers.append(digits.left(9).toInt());
            digits.clear();
        }
    }
    return numbers;
}

} // namespace

QString newestKernel(const QString& folder) {
    QString newest;
    QList<int> version;
    const QFileInfoList files =
        QDir(folder).entryInfoList({QStringLiteral("vmlinuz*")}, QDir::Files, QDir::Name);
    for (const QFileInfo& file : files) {
        const QList<int> numbers = numbersOf(file.fileName());
        if (!file.isReadable() || (!newest.isEmpty() && numbers <= version))
            continue;
        newest = file.absoluteFilePath();
        version = numbers;
    }
    return newest;
}

} // namespace vitrine::bench
