// SPDX-License-Identifier: Apache-2.0
#include "app/window_picture.h"

#include "ui/theme/theme.h"

#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QFileInfo>
#include <QPainter>
#include <QSaveFile>

namespace vitrine::app {

QImage pictureOf(QWidget* window) {
    QImage picture = window->grab().toImage();
    const QDialog* dialog = nullptr;
    for (const QWidget* top : QApplication::topLevelWidgets()) {
        const auto* candidate = qobject_cast<const QDialog*>(top);
        if (candidate != nullptr && candidate->isVisible() && candidate->parentWidget() == window)
            dialog = candidate;
    }
    if (dialog == nullptr)
        return picture;
    QImage front = const_cast<QDialog*>(dialog)->grab().toImage();
    QPainter painter(&picture);
    painter.fillRect(QRect(QPoint(), window->size()), QColor(0, 0, 0, 70));
    QRect place(QPoint(), dialog->size());
    place.moveCenter(QRect(QPoint(), window->size()).center());
    painter.drawImage(place, front);
    painter.setPen(ui::Theme::current().border);
    painter.drawRect(place.adjusted(0, 0, -1, -1));
    return picture;
}

Result<> writePicture(const QImage& picture, const QString& path) {
    const QString what = Tr::tr("Cannot write the picture \"%1\".").arg(path);
    if (!QDir().mkpath(QFileInfo(path).absolutePath()))
        return fail(Error::Kind::Permission, what);
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || !picture.save(&file, "png") || !file.commit())
        return fail(Error::Kind::Permission, Tr::tr("%1 %2").arg(what, file.errorString()));
    return {};
}

} // namespace vitrine::app
