// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/settings/machine_draft.h"

#include <QTableWidget>

namespace vitrine::ui {

// What a disk is, told by its text alone: the window's thread looks at no file.
[[nodiscard]] ExtraDisk::Kind kindByText(const ExtraDisk& disk);
// What a Linux guest calls its disks: "vda" for the root disk, then one name for each extra disk.
[[nodiscard]] QStringList guestNames(const QList<ExtraDisk>& disks);

// The root disk and the extra disks of a machine. Row 0 is the root disk.
class DiskTable final : public QTableWidget {
    Q_OBJECT
public:
    explicit DiskTable(QWidget* parent = nullptr);
    void showDisks(const MachineSettings& settings, const QString& rootFormat);
    [[nodiscard]] int currentDisk() const; // 0: root disk, 1…: extra disks

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void setRow(int row, const QStringList& texts);
};

} // namespace vitrine::ui
