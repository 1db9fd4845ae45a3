// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace vitrine {

// Files of a machine that was suspended on Linux (contract 2, "Suspend"), in its directory.
inline constexpr const char* savedStateName = "state.qemu";
inline constexpr const char* partialStateName =
    "state.qemu.part";                                          // being written; deleted at start
inline constexpr const char* usedStateName = "state.qemu.used"; // a run goes on from it just now
inline constexpr const char* stateFingerprintName = "state.qemu.json";

// Who did the NAT of a suspended machine. A state has what QEMU knows of its own network in it and
// goes on with the same only; nothing of vitrine-softnet is in it.
inline constexpr const char* natOfQemu = "qemu";
inline constexpr const char* natOfSoftnet = "softnet";

// What a saved state fits: it is restored into exactly the machine it was taken from, with disks
// nobody has written since. A plain value.
struct StateFingerprint {
    struct File {
        QString path;        // relative to the machine's directory when it lies there
        quint64 size = 0;    // bytes
        qint64 modified = 0; // ns since 1970; 0 for a device, whose file's time says nothing
        // Of a device only (BlockDeviceMark).
        QString identity{};
        QString writes{};
        friend bool operator==(const File&, const File&) = default;
    };
    QString emulator;    // version of QEMU, "7.2.22"
    QString machineType; // versioned
    QString accelerator; // "kvm", "tcg"
    QString processor;
    QStringList devices; // as QEMU was told
    QString nat;         // natOfQemu or natOfSoftnet; empty for a machine attached otherwise
    QList<File> files;   // every disk and variable file
    RunOptions run;      // as they were in the end of the run that was suspended
    RunOptions stored;   // those of vitrine.json at that time

    // Of <machineDirectory>/state.qemu.json. NotFound when there is none.
    [[nodiscard]] static Result<StateFingerprint> read(const QString& machineDirectory);
    Result<> write(const QString& machineDirectory) const; // whole or not at all, synced
    friend bool operator==(const StateFingerprint&, const StateFingerprint&) = default;
};

// What a suspended machine goes on with: the options of the run that was suspended. Of those that
// are no part of the guest (shares, forwards, the clipboard's switch, rules and ports of the
// firewall) what was changed in vitrine.json since then, which is `stored` now, counts.
[[nodiscard]] RunOptions optionsToGoOnWith(const StateFingerprint& saved, const RunOptions& stored);

// Size and time of change of these files and devices (absolute, or relative to the directory) as
// they are now.
[[nodiscard]] Result<QList<StateFingerprint::File>>
fingerprintFiles(const QString& machineDirectory, const QStringList& paths);

// Why a state with the fingerprint `saved` cannot go on in the machine `now`: a translated sentence
// that names the difference. nullopt when it fits. A newer QEMU reads the states of an older one.
[[nodiscard]] std::optional<QString> misfit(const StateFingerprint& saved,
                                            const StateFingerprint& now);

// For a copy of a machine's files in `to`: files of the fingerprint that lie in the directory and
// were unchanged in `from` are recorded as they are in `to`. Nothing when there is no fingerprint
// or a damaged one.
Result<> renewFingerprint(const QString& from, const QString& to);

// Deletes every file of a saved state, the one of macOS too. Only for the holder of the machine's
// lock.
Result<> discardSavedState(const QString& machineDirectory);

// A state that a run was going on from when it was killed, and no other.
[[nodiscard]] bool hasOnlyUsedState(const QString& machineDirectory);

} // namespace vitrine
