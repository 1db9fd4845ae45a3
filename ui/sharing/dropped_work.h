// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sharing/share_status.h"
#include "ui/services.h"
#include "ui/sharing/dropped_paths.h"

#include <QObject>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine::ui {

class MessageBar;
class ShareActions;

// What happens with paths that were dropped on a machine: folders are shared, files copied into the
// guest (a job under Transfers), ISO and disk images offered to be attached. What became of things
// that were dropped together is told together, errors first.
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
    // What became of one of the things that were dropped together.
    struct Outcome {
        QString title; // what it is about, a sentence
        QString text;
        std::optional<Error> error{};
        std::optional<ShareStatus> share{};
        QString disk{};    // could be attached
        QString command{}; // that makes a disk of it
        QString file{};    // could be copied into the guest instead
    };
    struct Batch {
        MachineInfo machine;
        qsizetype awaited = 0;
        QList<Outcome> outcomes{};
    };
    void share(const std::shared_ptr<Batch>& batch, const QString& folder, bool writable);
    void copy(const std::shared_ptr<Batch>& batch, const QString& file);
    void offerDisk(const std::shared_ptr<Batch>& batch, const QString& disk);
    void tellConversion(const std::shared_ptr<Batch>& batch, const QString& disk);
    void add(const std::shared_ptr<Batch>& batch, const std::optional<Outcome>& outcome);
    void tell(Batch batch); // all at once: another message would hide the one before
    void addActions(const Batch& batch, MessageBar* message);
    void letGuestWrite(const MachineInfo& machine, const QList<ShareStatus>& shares);
    void copyAll(const MachineInfo& machine, const QStringList& files);
    void attach(const MachineInfo& machine, const QStringList& disks);

    Services m_services;
    ShareActions* m_actions;
};

} // namespace vitrine::ui
