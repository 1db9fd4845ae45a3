// SPDX-License-Identifier: Apache-2.0
#include "ui/sharing/dropped_paths.h"

#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

namespace vitrine::ui {

QStringList localPaths(const QMimeData* data) {
    QStringList paths;
    if (data == nullptr || !data->hasUrls())
        return paths;
    for (const QUrl& url : data->urls()) {
        const QString path = url.toLocalFile();
        if (path.startsWith(QLatin1Char('/')))
            paths.append(path.size() > 1 && path.endsWith(QLatin1Char('/')) ? path.chopped(1)
                                                                            : path);
    }
    return paths;
}

DroppedPaths sortDropped(const QStringList& paths) {
    static const QStringList images{
        QStringLiteral("iso"), QStringLiteral("img"), QStringLiteral("raw")};
    static const QStringList foreign{QStringLiteral("qcow2"),
                                     QStringLiteral("qcow"),
                                     QStringLiteral("vmdk"),
                                     QStringLiteral("vdi"),
                                     QStringLiteral("vhd"),
                                     QStringLiteral("vhdx")};
    DroppedPaths dropped;
    for (const QString& path : paths) {
        const QFileInfo info(path);
        if (info.isDir())
            dropped.folders.append(path);
        else if (info.isFile() && images.contains(info.suffix().toLower()))
            dropped.disks.append(path);
        else if (info.isFile() && foreign.contains(info.suffix().toLower()))
            dropped.foreign.append(path);
        else if (info.isFile())
            dropped.files.append(path);
    }
    return dropped;
}

} // namespace vitrine::ui
