// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/library/saved_state.h"
#include "core/result/result.h"
#include "qemu/host_info.h"
#include "qemu/launch_plan.h"

#include <optional>

namespace vitrine::qemu {

// What a plan is to a saved state, without the files. `version`: QEMU's.
[[nodiscard]] StateFingerprint fingerprintOf(const LaunchPlan& plan,
                                             const RunOptions& options,
                                             const QString& version,
                                             const QString& processor = HostInfo::read().processor);

// The disk's side of suspending and resuming (contract 2, "Suspend"). Only for the holder of the
// machine's lock. The functions may be called from any thread, one at a time.
class SuspendFiles final {
public:
    SuspendFiles(QString machineDirectory, LaunchPlan plan, RunOptions options);

    [[nodiscard]] QString partialPath() const;
    // The state is complete in partialPath() and synced: from here on the machine is suspended.
    // `options`: of this run as they are by now.
    Result<> commit(const QString& version, const RunOptions& options) const;
    // Of a state in a folder that has copies of the machine's files (a snapshot).
    Result<>
    describe(const QString& folder, const QString& version, const RunOptions& options) const;
    // After QEMU has exited: the fingerprint of what it left.
    Result<> renew() const;
    // Puts away what a suspend that failed left.
    void removePartial() const;

    // Before a start. Deletes a state that was half written. nullopt: the machine starts afresh.
    struct Saved {
        QString path; // of the state
        StateFingerprint fingerprint;
    };
    [[nodiscard]] static Result<std::optional<Saved>> find(const QString& machineDirectory);
    // The options to go on with: those of the run that was suspended. Only what is no part of the
    // guest is as given now: shares, which were taken off, port forwards, the clipboard's switch,
    // the rules of its firewall.
    [[nodiscard]] static RunOptions optionsFor(const Saved& saved, const RunOptions& given);
    // Unsupported with the reason and the way out when the state does not fit the plan.
    [[nodiscard]] Result<FileDescriptor> openSaved(const Saved& saved,
                                                   const QString& version) const;
    // Loaded and paused: the state may not be used a second time. Synced.
    Result<> markUsed() const;
    // The guest runs.
    void deleteUsed() const;

private:
    [[nodiscard]] QString file(const char* name) const;
    [[nodiscard]] QStringList paths() const;
    [[nodiscard]] StateFingerprint describedBy(const QString& version,
                                               const RunOptions& options) const;

    QString m_directory;
    LaunchPlan m_plan;
    RunOptions m_options;
};

} // namespace vitrine::qemu
