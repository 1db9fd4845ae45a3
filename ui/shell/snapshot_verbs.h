// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/snapshot/snapshot_tree.h"
#include "ui/services.h"

#include <QObject>

namespace vitrine::ui {

class SnapshotsPage;

// What the verbs of the page Snapshots ask before they start. Lives as long as its page.
class SnapshotVerbs final : public QObject {
    Q_OBJECT
public:
    SnapshotVerbs(const Services& services, SnapshotsPage* page);

Q_SIGNALS:
    void machineMade(const QString& name);

private:
    void restore(const MachineInfo& machine, const Snapshot& snapshot);
    void remove(const Snapshot& snapshot);
    void branch(const MachineInfo& machine, const Snapshot& snapshot);
    void startBranch(const QString& machine, const Snapshot& snapshot, const QString& target);

    Services m_services;
    SnapshotsPage* m_page;
};

} // namespace vitrine::ui
