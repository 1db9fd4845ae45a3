// SPDX-License-Identifier: Apache-2.0
#include "ui/console/picture_writer.h"

#include <QCoreApplication>
#include <QImageWriter>
#include <QPointer>
#include <QSaveFile>
#include <QThreadPool>

namespace vitrine::ui {

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("vitrine::ui::PictureWriter", text);
}

QString write(const QImage& picture, const QString& path) {
    if (picture.isNull()) {
        return tr("The machine shows no screen now.");
    }
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly)) {
        QImageWriter writer(&file, "png");
        if (writer.write(picture) && file.commit()) {
            return {};
        }
    }
    return tr("\"%1\" cannot be written: %2. Choose another folder.").arg(path, file.errorString());
}

} // namespace

void writePicture(const QImage& picture,
                  const QString& path,
                  QObject* context,
                  std::function<void(const QString& error)> done) {
    const QPointer<QObject> alive(context);
    QThreadPool::globalInstance()->start([picture, path, alive, done = std::move(done)] {
        const QString error = write(picture, path);
        // To the application's thread first: only there can be seen whether the caller still is.
        QMetaObject::invokeMethod(
            qApp,
            [alive, done, error] {
                if (alive) {
                    done(error);
                }
            },
            Qt::QueuedConnection);
    });
}

} // namespace vitrine::ui
