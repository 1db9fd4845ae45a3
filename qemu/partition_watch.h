// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "qemu/machine_session.h"

#include <QObject>

namespace vitrine::qemu {

// A disk that grew while the machine was off: the guest's last partition follows when its agent
// first answers (Sidecar::growPartition, taken back then). Main thread; the session must outlive
// this.
class PartitionWatch final : public QObject {
    Q_OBJECT
public:
    PartitionWatch(MachineSession* session, QString machineDirectory, QObject* parent = nullptr);

Q_SIGNALS:
    void done(const QString& text); // translated: what became of it

private:
    void look();

    MachineSession* m_session;
    QString m_directory;
    bool m_wanted = false;
};

} // namespace vitrine::qemu
