// SPDX-License-Identifier: Apache-2.0
#include "vz/host/stored_options.h"

#include "vz/host/run_preparation.h"

#include <QStringList>

#include <algorithm>

namespace vitrine::vz {

namespace {

bool saysTheSame(const QList<Error>& errors, const Error& error) {
    return std::any_of(errors.cbegin(), errors.cend(), [&error](const Error& other) {
        return other.message == error.message;
    });
}

} // namespace

Result<QString> checkHardwareToStore(const HostCaps& host, const MachineInfo& machine) {
    const MachineConfig& config = *machine.config;
    const QString memory = config.memory.toMemoryText();
    if (config.cpuCount < host.minimumProcessors)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--cpu: %1 processors are not possible. Write %2 or more.")
                        .arg(config.cpuCount)
                        .arg(host.minimumProcessors));
    if (config.memory < host.minimumMemory)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("--memory: %1 is too little. Write %2 or more.")
                        .arg(memory)
                        .arg(host.minimumMemory.wholeMiB()));
    QStringList warnings;
    // A program that may not ask for machines is told no limits.
    if (host.maximumProcessors > 0 && config.cpuCount > host.maximumProcessors)
        warnings << Tr::tr("%1 processors were stored, but \"%2\" cannot start with them on this "
                           "computer: machines have at most %3 here. Give it fewer with --cpu.")
                        .arg(config.cpuCount)
                        .arg(machine.name)
                        .arg(host.maximumProcessors);
    if (host.maximumMemory.bytes() > 0 && config.memory > host.maximumMemory)
        warnings << Tr::tr("The memory of %1 was stored, but \"%2\" cannot start with it on this "
                           "computer: machines have at most %3 here. Give it less with --memory.")
                        .arg(memory, machine.name, host.maximumMemory.toMemoryText());
    return warnings.join(QLatin1Char(' '));
}

Result<>
checkOptionsToStore(const HostCaps& host, const MachineInfo& machine, const RunOptions& options) {
    MachineInfo alike = machine;
    // Of a Linux machine for other processors the options are looked at all the same.
    if (alike.config && alike.config->system == GuestSystem::Linux)
        alike.config->architecture = host.architecture;
    const QList<Error> without = refusalsOf(host, alike, RunOptions());
    QList<Error> errors = refusalsOf(host, alike, options);
    errors.removeIf([&without](const Error& error) {
        return error.kind == Error::Kind::Busy || saysTheSame(without, error);
    });
    return errors.isEmpty() ? Result<>() : fail(asOne(errors));
}

} // namespace vitrine::vz
