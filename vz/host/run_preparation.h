// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/hypervisor/hypervisor.h"
#include "core/job/job.h"
#include "core/run/share_archives.h"
#include "vz/host/services.h"
#include "vz/plan/plan_builder.h"

#include <memory>
#include <optional>
#include <vector>

namespace vitrine::vz {

// What a run needs before its machine can be made, and holds as long as that is there.
struct PreparedRun {
    MachineInfo machine; // as the plan sees it
    RunOptions options;  // of this run: those given, or those of the run that was suspended
    RunOptions stored;
    HostCaps host;
    PlannedMachine planned; // without the descriptors of network and serial line
    QStringList remarks;    // translated
    quint64 stateSize = 0;  // bytes, of the saved state that it goes on from
    std::shared_ptr<const ShareArchives> archives; // null without
    std::optional<SoftnetProgram> softnet;         // where a card needs it
    std::vector<FileDescriptor> devices;           // that are disks

    PreparedRun() = default;
    ~PreparedRun();
    PreparedRun(PreparedRun&&) = default;
    PreparedRun& operator=(PreparedRun&&) = delete;

private:
    friend Result<PreparedRun> prepareRun(const Services&,
                                          const Hypervisor::RunRequest&,
                                          const MachineInfo&,
                                          bool,
                                          const JobContext&);
    std::optional<Library::TemporaryDirectory> m_copies; // of images' disks
};

// Everything that may take its time: archives, copies of images' disks, the plan, Softnet. Only for
// the holder of the machine's lock; any thread. Cancelled when the context says so.
[[nodiscard]] Result<PreparedRun> prepareRun(const Services& services,
                                             const Hypervisor::RunRequest& request,
                                             const MachineInfo& machine,
                                             bool hasWindow,
                                             const JobContext& context);

// Why a run would be refused, as far as it can be known without the lock: every reason.
[[nodiscard]] QList<Error>
refusalsOf(const HostCaps& host, const MachineInfo& machine, const RunOptions& options);
// The same as one error.
[[nodiscard]] Result<>
validateRun(const HostCaps& host, const MachineInfo& machine, const RunOptions& options);

} // namespace vitrine::vz
