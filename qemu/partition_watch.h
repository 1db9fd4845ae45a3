// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "qemu/machine_session.h"

#include <QObject>
#include <QTimer>

namespace vitrine::qemu {

// A disk that grew while the machine was off: the guest's last partition follows when its agent
// first answers (Sidecar::growPartition, taken back then). Main thread; the session must outlive
// this.
class PartitionWatch final : public QObject {
    Q_OBJECT
public:
    // `patience`: ms from the start of the guest until somebody is told to grow it by hand.
    PartitionWatch(MachineSession* session,
                   QString machineDirectory,
                   int patience = 3 * 60 * 1000,
                   QObject* parent = nullptr);

Q_SIGNALS:
    // Translated: what became of it, or, once, that the guest's agent has not answered for some
    // minutes; it is still waited for then.
    void told(const QString& text);

private:
    void look();

    MachineSession* m_session;
    QString m_directory;
    QTimer m_patience;
    bool m_wanted = false;
};

} // namespace vitrine::qemu
