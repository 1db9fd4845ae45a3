// SPDX-License-Identifier: Apache-2.0
#include "ui/console/display_scale_watch.h"

#include "core/machine/sidecar.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>

namespace vitrine::ui {

DisplayScaleWatch::DisplayScaleWatch(QObject* parent)
    : QObject(parent) {
    // The file is replaced by another one, which the folder tells.
    connect(&m_files, &QFileSystemWatcher::directoryChanged, this, &DisplayScaleWatch::read);
}

void DisplayScaleWatch::follow(const QString& machineDirectory) {
    if (machineDirectory == m_directory)
        return;
    if (!m_directory.isEmpty())
        (void)m_files.removePath(m_directory);
    m_directory = machineDirectory;
    set(automaticDisplayScale);
    if (m_directory.isEmpty())
        return;
    (void)m_files.addPath(
        m_directory); // fails where there is none; then there is nothing to follow
    read();
}

void DisplayScaleWatch::read() {
    QThreadPool::globalInstance()->start(
        [self = QPointer<DisplayScaleWatch>(this), directory = m_directory] {
            const auto sidecar = Sidecar::read(directory);
            const DisplayScale scale = sidecar ? displayScaleOf(*sidecar) : automaticDisplayScale;
            QMetaObject::invokeMethod(
                qApp,
                [self, directory, scale] {
                    if (self && self->m_directory == directory)
                        self->set(scale);
                },
                Qt::QueuedConnection);
        });
}

void DisplayScaleWatch::set(DisplayScale scale) {
    if (scale == m_scale)
        return;
    m_scale = scale;
    Q_EMIT changed();
}

} // namespace vitrine::ui
