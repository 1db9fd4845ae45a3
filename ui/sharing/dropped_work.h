// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/services.h"
#include "ui/sharing/dropped_paths.h"

#include <QObject>

#include <functional>

namespace vitrine::ui {

class MessageBar;
class ShareActions;

// What happens with paths that were dropped on a machine: folders are shared, files copied into the
// guest (a job under Transfers), ISO and disk images offered to be attached.
class DroppedWork final : public QObject {
    Q_OBJECT
public:
    // `actions` outlives this.
    DroppedWork(const Services& services, ShareActions* actions, QObject* parent = nullptr);

    void handle(const MachineInfo& machine, const QStringList& paths, bool writable);

Q_SIGNALS:
    // Something to show for this machine, now or when it is shown next.
    void told(const QString& machine, const std::function<void(MessageBar*)>& show);

private:
    void share(const MachineInfo& machine, const QStringList& folders, bool writable);
    void copy(const MachineInfo& machine, const QString& file);
    void offerDisk(const MachineInfo& machine, const QString& disk);
    void tellConversion(const MachineInfo& machine, const QString& disk);
    void attach(const MachineInfo& machine, const QString& disk);
    void tellError(const QString& machine, const QString& title, const Error& error);

    Services m_services;
    ShareActions* m_actions;
};

} // namespace vitrine::ui
