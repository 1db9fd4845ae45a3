// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/machine_config.h"
#include "core/machine/sidecar.h"
#include "core/result/result.h"
#include "core/value/byte_count.h"
#include "qemu/host_info.h"

#include <QString>

namespace vitrine::qemu {

// UEFI for a guest: the code and an empty variable store to copy.
struct Firmware {
    QString code;
    QString variables; // template, never written
    ByteCount variablesSize;
};
// NotFound names the Debian package.
[[nodiscard]] Result<Firmware> findFirmware(const ProgramPaths& paths, Architecture guest);

// True when `path` is an EDK2 variable store of exactly this size: "_FVH" at byte 40 (firmware
// volume header, UEFI Platform Initialization specification, volume 3). False when missing.
[[nodiscard]] bool isVariableStore(const QString& path, ByteCount size);

// Where a machine's variables live (contract 2, "Firmware variables"). Decides, touches nothing.
struct VariableStore {
    QString path;
    QString choice;       // for Sidecar::efivars: "nvram" or "separate"
    bool missing = false; // has to be made from the template
};
[[nodiscard]] Result<VariableStore> chooseVariableStore(const QString& machineDirectory,
                                                        Architecture guest,
                                                        const Firmware& firmware,
                                                        const QString& recordedChoice);
// Makes the file when it is missing (whole or not at all, never over another) and records the
// choice in vitrine.json. Only for the holder of the machine's lock. Returns the path.
Result<QString> prepareVariableStore(const QString& machineDirectory,
                                     const Firmware& firmware,
                                     const VariableStore& store);

} // namespace vitrine::qemu
