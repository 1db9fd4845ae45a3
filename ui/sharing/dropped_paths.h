// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>

class QMimeData;

namespace vitrine::ui {

// Local paths of a drag, without looking at the disk. Empty when it is something else.
[[nodiscard]] QStringList localPaths(const QMimeData* data);

// What was dropped, sorted by what can be done with it.
struct DroppedPaths {
    QStringList folders; // can be shared
    QStringList disks;   // ISO and disk images, by their names: can be attached
    QStringList foreign; // disk images in formats of other programs, by their names
    QStringList files;   // can be copied into the guest
    [[nodiscard]] bool isEmpty() const {
        return folders.isEmpty() && disks.isEmpty() && foreign.isEmpty() && files.isEmpty();
    }
};
// Looks at the disk; off the window's thread. What does not exist is left out.
[[nodiscard]] DroppedPaths sortDropped(const QStringList& paths);

} // namespace vitrine::ui
