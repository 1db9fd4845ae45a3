// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <QDateTime>
#include <QJsonArray>
#include <QJsonObject>
#include <QJsonValue>
#include <QList>

#include <functional>

namespace vitrine {

// A change to config.json that waits for the machine to stop (contract 2). Dropped, with a word, if
// the file no longer holds the old value.
struct PendingChange {
    QString key; // "cpuCount", "memorySize", "display", "displayRefit", "macAddress", "diskSize"
    QJsonValue oldValue;
    QJsonValue newValue;
    friend bool operator==(const PendingChange&, const PendingChange&) = default;
};

// vitrine.json: everything that Tart has no key for. Unknown keys are kept.
struct Sidecar {
    RunOptions run;
    QList<PendingChange> pending;
    QString notes;
    QString sourceImage; // reference the machine was cloned from, empty otherwise
    QString sshUser; // of the guest, who got in over ssh last; empty: core/hypervisor/ssh_process.h
    QString efivars; // "" not chosen yet, "nvram" or "separate" (contract 2, "Firmware variables")
    bool growPartition =
        false;               // the disk grew while the machine was off; the guest's part is to do
    QJsonObject deviceSlots; // device id -> PCIe slot, kept for suspend
    QJsonObject snapshots;   // core/snapshot/snapshot_tree.h
    QJsonArray events; // last events, newest last: {"time": ISO, "kind": …, "text": …}; at most 50
    QJsonObject unknown;

    // A missing file is the default value. A damaged, foreign or too large one (1 MiB) is an error
    // that names the key.
    [[nodiscard]] static Result<Sidecar> read(const QString& machineDirectory);
    // Reads, edits and writes under flock on vitrine.json.lock, then rename. Any thread, any
    // process. Waits up to 10 s for the lock. A damaged file is left alone and is the error.
    static Result<> update(const QString& machineDirectory,
                           const std::function<void(Sidecar&)>& edit);

    // Appends to `events` in memory. `kind` is a stable word, `text` a translated sentence.
    void addEvent(const QString& kind, const QString& text, const QDateTime& time);
    // The same in the file, with update().
    static Result<> addEvent(const QString& machineDirectory,
                             const QString& kind,
                             const QString& text,
                             const QDateTime& time);

    friend bool operator==(const Sidecar&, const Sidecar&) = default;
};

} // namespace vitrine
