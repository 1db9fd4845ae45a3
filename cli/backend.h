// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/library/machine_info.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <QString>

#include <memory>

// The backend of this computer: QEMU, or Apple's Virtualization framework. One of backend_qemu.cpp
// and backend_vz.cpp is built; no other file of the command line names a backend, but for kernel
// runs, which are QEMU's.
namespace vitrine::cli {

[[nodiscard]] std::unique_ptr<Hypervisor> makeHypervisor();

// Whether --suspendable changes how a machine is run; otherwise each can be suspended.
[[nodiscard]] bool suspendsOnlyOnWish();
// Whether a screen can only be shown by the process that runs the machine: `run` has the window run
// it then.
[[nodiscard]] bool screensStayInTheirProcess();

// For `set`, which stores for later runs and other computers. Of the hardware: refuses what no
// computer can run; the sentence why this one cannot, else an empty one.
[[nodiscard]] Result<QString> checkHardwareToStore(const MachineInfo& machine);
// A disk that is in use now is none of the options' faults.
[[nodiscard]] Result<> checkOptionsToStore(const MachineInfo& machine, const RunOptions& options);
// What guests left in a shared folder becomes the user's; how many files and folders that were.
[[nodiscard]] Result<quint64> takeOwnership(const QString& folder);

} // namespace vitrine::cli
