// SPDX-License-Identifier: Apache-2.0
#include "core/bench/resources.h"

#include <QDir>
#include <QFile>

// Outside of any namespace, as Qt wants it: a static library's resources are linked by this call.
static void initialiseBenchResources() {
    Q_INIT_RESOURCE(bench);
}

namespace vitrine::bench {

namespace {

const QLatin1String root(":/vitrine/bench/");

} // namespace

QStringList shippedFiles(const QString& folder) {
    initialiseBenchResources();
    QStringList paths;
    for (const QString& name : QDir(root + folder).entryList(QDir::Files, QDir::Name))
        paths.append(folder + QLatin1Char('/') + name);
    return paths;
}

QByteArray shippedFile(const QString& path) {
    initialiseBenchResources();
    QFile file(root + path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace vitrine::bench
