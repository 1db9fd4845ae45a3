// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/display_scale.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>

namespace vitrine::ui {

// The scale that a machine's vitrine.json asks for, followed while the settings, or another
// program, change it. The file is read on a worker thread; everything else is the window's.
class DisplayScaleWatch final : public QObject {
    Q_OBJECT
public:
    explicit DisplayScaleWatch(QObject* parent = nullptr);

    // Empty: none. The scale is the automatic one until the file was read, and when it is damaged.
    void follow(const QString& machineDirectory);
    [[nodiscard]] DisplayScale scale() const { return m_scale; }

Q_SIGNALS:
    void changed();

private:
    void read();
    void set(DisplayScale scale);

    QFileSystemWatcher m_files{this};
    QString m_directory;
    DisplayScale m_scale = automaticDisplayScale;
};

} // namespace vitrine::ui
