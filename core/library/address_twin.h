// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"
#include "core/library/machine_info.h"
#include "core/machine/machine_config.h"
#include "core/result/result.h"

#include <optional>

namespace vitrine {

class ConfigFile;

// The running machine with the MAC address of `config`, whose machine is in `directory`. Under the
// global lock, by the one who is about to run it (specification 5.6).
[[nodiscard]] Result<std::optional<MachineInfo>>
findAddressTwin(const Library& library, const MachineConfig& config, const QString& directory);

// Two running machines with one address would answer for each other on a shared network: gives the
// machine of the locked file another one for good. Returns what was done, translated.
[[nodiscard]] Result<QString>
separateAddress(ConfigFile& file, MachineConfig config, const MachineInfo& twin);

} // namespace vitrine
