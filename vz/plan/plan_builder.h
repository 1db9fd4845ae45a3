// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"
#include "vz/plan/host_caps.h"
#include "vz/plan/machine_plan.h"
#include "vz/plan/share_set.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <optional>

namespace vitrine::vz {

// What belongs to one run only.
struct RunIntent {
    // Only devices whose state can be saved (macOS guests); implied by the stored option
    // (MacOptions) and when a state is there.
    bool suspendable = false;
    bool recovery = false;
    bool hasWindow = true;
    bool capturesSystemKeys = false;
    friend bool operator==(const RunIntent&, const RunIntent&) = default;
};

// What was found out about a machine, its options and this Mac.
struct PlannedMachine {
    MachinePlan plan; // descriptors -1
    ShareSet shares;  // the plan's, to be changed while it runs
};

// Decides everything Apple's framework is told. Reads files, writes nothing. Every refusal is a
// sentence with the reason and a remedy, and all of them are told, not only the first. The state of
// the machine's lock is the caller's business; shares that are archives are unpacked already.
class PlanBuilder final {
public:
    PlanBuilder(const MachineInfo& machine, const RunOptions& options, const HostCaps& host);
    PlanBuilder& setIntent(const RunIntent& intent);
    // Folders that no writable share may contain or lie in.
    PlanBuilder& setLibraries(const QStringList& libraries);
    // Shares that may lie in a library, as they hold nothing else: unpacked archives.
    PlanBuilder& setOwnFolders(const QStringList& folders);
    // Where copies of cached images' disks are made; without it such disks are refused.
    PlanBuilder& setCopyFolder(const QString& folder);

    struct Outcome {
        std::optional<PlannedMachine> planned; // absent when there are errors
        QList<vitrine::Error> errors;
    };
    [[nodiscard]] Outcome build() const;
    // The same with the errors as one; its kind is that of the first.
    [[nodiscard]] Result<PlannedMachine> buildOrFail() const;

private:
    MachineInfo m_machine;
    RunOptions m_options;
    HostCaps m_host;
    RunIntent m_intent;
    QStringList m_libraries;
    QStringList m_ownFolders;
    QString m_copyFolder;
};

// All sentences, with the kind of the first. At least one.
[[nodiscard]] Error asOne(const QList<Error>& errors);

} // namespace vitrine::vz
