// SPDX-License-Identifier: Apache-2.0
#include "core/library/address_twin.h"

#include "core/disk/file_lock.h"

namespace vitrine {

namespace {

bool isUp(MachineState state) {
    return state == MachineState::Running || state == MachineState::RunningElsewhere ||
           state == MachineState::ShuttingDown;
}

} // namespace

Result<std::optional<MachineInfo>>
findAddressTwin(const Library& library, const MachineConfig& config, const QString& directory) {
    const Result<QList<MachineInfo>> machines = library.machines();
    if (!machines)
        return fail(machines.error());
    for (const MachineInfo& other : *machines)
        if (other.directory != directory && other.config && isUp(other.state) &&
            other.config->macAddress == config.macAddress)
            return other;
    return std::optional<MachineInfo>{};
}

Result<QString> separateAddress(ConfigFile& file, MachineConfig config, const MachineInfo& twin) {
    const QString before = config.macAddress.toText();
    config.macAddress = MacAddress::random();
    if (Result<> written = file.write(config.toJson()); !written)
        return fail(written.error());
    return Tr::tr("The running machine \"%1\" has the MAC address %2, so this machine got a new "
                  "one: %3.")
        .arg(twin.name, before, config.macAddress.toText());
}

} // namespace vitrine
