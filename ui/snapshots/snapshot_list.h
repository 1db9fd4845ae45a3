// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/snapshot/snapshot_operations.h"

#include <QHash>
#include <QTreeWidget>

namespace vitrine::ui {

// What the page shows of a machine's snapshots; read in the background.
struct SnapshotView {
    SnapshotTree tree;
    QHash<QString, SnapshotSize> sizes;
    ByteCount cost; // of another one
    bool automatic = false;
    QStringList otherDisks; // that the guest may write and that none has
};
[[nodiscard]] Result<SnapshotView> readSnapshotView(const QString& machineDirectory);

// "With memory" and the like.
[[nodiscard]] QString kindText(const Snapshot& snapshot);

// The tree: name, when, kind, what only this one takes. The one the machine grew from is marked.
class SnapshotList final : public QTreeWidget {
    Q_OBJECT
public:
    explicit SnapshotList(QWidget* parent = nullptr);
    // The selection stays where it was if that is still there.
    void show(const SnapshotView& view);
    [[nodiscard]] QString selectedId() const;
    void selectId(const QString& id);

Q_SIGNALS:
    void selectionMoved();

protected:
    void resizeEvent(QResizeEvent* event) override; // columns that do not fit are hidden
};

} // namespace vitrine::ui
