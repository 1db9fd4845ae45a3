// SPDX-License-Identifier: Apache-2.0
#include "core/library/memory_commitment.h"

#include "core/posix/host.h"

#include <QFile>

namespace vitrine {

namespace {

bool hasMemory(MachineState state) {
    return state == MachineState::Starting || state == MachineState::Running ||
           state == MachineState::Paused || state == MachineState::ShuttingDown ||
           state == MachineState::RunningElsewhere;
}

} // namespace

HostMemory hostMemoryFrom(const QByteArray& memInfo) {
    HostMemory memory;
    for (const QByteArray& line : memInfo.split('\n')) {
        const QList<QByteArray> words = line.simplified().split(' ');
        const ByteCount size = ByteCount::fromBytes(words.value(1).toULongLong() * 1024);
        if (words.first() == "MemTotal:")
            memory.total = size;
        else if (words.first() == "MemAvailable:")
            memory.available = size;
    }
    return memory;
}

HostMemory hostMemory() {
    QFile file(QStringLiteral("/proc/meminfo"));
    if (file.open(QIODevice::ReadOnly))
        return hostMemoryFrom(file.readAll());
    return {ByteCount::fromBytes(posix::physicalMemory()),
            ByteCount::fromBytes(posix::availableMemory())};
}

QString MemoryCommitment::warning() const {
    const quint64 together = running.bytes() + wanted.bytes();
    if (total.bytes() == 0 || wanted > total) // such a machine is refused anyway
        return {};
    if (together > total.bytes() && !machines.isEmpty())
        return Tr::tr(
                   "\"%1\" is given %2 of memory and the running machines (%3) have %4, together "
                   "more than the %5 of this computer. It may become very slow or end a "
                   "machine. Shut one down first, or give \"%1\" less memory.")
            .arg(machine,
                 wanted.toMemoryText(),
                 machines.join(QLatin1String(", ")),
                 running.toMemoryText(),
                 total.toMemoryText());
    if (available.bytes() > 0 && wanted > available)
        return Tr::tr(
                   "\"%1\" is given %2 of memory and only %3 of this computer's %4 are free now. "
                   "It may become very slow or end a program. Close something first, or give "
                   "\"%1\" less memory.")
            .arg(machine, wanted.toMemoryText(), available.toMemoryText(), total.toMemoryText());
    return {};
}

Result<MemoryCommitment> memoryCommitment(const Library& library, const MachineInfo& machine) {
    MemoryCommitment commitment;
    commitment.machine = machine.name;
    if (!machine.config)
        return commitment;
    commitment.wanted = machine.config->memory;
    const auto machines = library.machines();
    if (!machines)
        return fail(machines.error());
    quint64 running = 0;
    for (const MachineInfo& other : *machines) {
        if (other.directory == machine.directory || !other.config || !hasMemory(other.state))
            continue;
        running += other.config->memory.bytes();
        commitment.machines.append(other.name);
    }
    commitment.running = ByteCount::fromBytes(running);
    const HostMemory host = hostMemory();
    commitment.total = host.total;
    commitment.available = host.available;
    return commitment;
}

} // namespace vitrine
