// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <QStringList>

#include <optional>

namespace vitrine::qemu {

enum class Accelerator { Kvm, Tcg };

// Everything QEMU is told, decided beforehand; a plain value. Sockets are names relative to QEMU's
// working directory, which is the machine's runtime directory (so no path can be too long); files
// are absolute.
struct LaunchPlan {
    QString emulator; // absolute path of qemu-system-…
    Architecture guest = Architecture::Amd64;
    Accelerator accelerator = Accelerator::Tcg;
    QString machineType; // versioned: "pc-q35-7.2", "virt-7.2"
    QString cpuModel;
    int cpus = 1;
    ByteCount memory;
    QString diskPath;
    DiskOptions disk;
    QList<ExtraDisk> disks;           // paths made absolute
    QString firmwareCode;             // empty with a kernel
    QString firmwareVariables;        // private copy, writable
    std::optional<KernelBoot> kernel; // paths made absolute
    MacAddress macAddress;
    DisplaySize display;
    bool pointer = true;
    bool keyboard = true;
    bool clipboard = true;   // text is shared; the port for it is there in any case
    QString acceleratorNote; // translated; why it is emulated; empty when there is nothing to say
    QStringList notes;       // translated, to be shown; acceleratorNote is not repeated here

    friend bool operator==(const LaunchPlan&, const LaunchPlan&) = default;
};

// Names of the sockets in the runtime directory (see core/library/runtime_directory.h).
inline constexpr const char* qmpSocketName = "qmp.sock";
inline constexpr const char* displaySocketName = "vnc.sock";
inline constexpr const char* serialSocketName = "serial.sock";
inline constexpr const char* agentSocketName = "agent.sock";
inline constexpr const char* clipboardSocketName = "spice.sock";
inline constexpr const char* serialLogName = "serial.log";

// Identifiers used in the command line that QMP speaks of later.
inline constexpr const char* rootDiskNode = "disk0";
inline constexpr const char* networkId = "net0";
inline constexpr const char* agentPortId = "agentport";
inline constexpr const char* clipboardPortId = "clipboardport";

// Spare PCIe root ports "rp0" … "rp15" (contract 4): the only places where something can be added
// while the machine runs.
inline constexpr int spareRootPorts = 16;
// File servers of 9P that wait for a folder, so many writable and so many read-only: "p9rw0" …,
// "p9ro0" …, each with a link of that name in the runtime directory, made when it is used.
inline constexpr int plan9Slots = 4;
[[nodiscard]] inline QString plan9SlotName(bool readOnly, int number) {
    return (readOnly ? QStringLiteral("p9ro%1") : QStringLiteral("p9rw%1")).arg(number);
}
// Most extra disks of one machine: the PCI slots left beside the fixed devices.
inline constexpr int maximumExtraDisks = 12;

// The arguments without the program. Pure: no file is touched, nothing is run. The same plan gives
// the same devices at the same addresses in every release that reads it.
[[nodiscard]] QStringList commandLine(const LaunchPlan& plan);

} // namespace vitrine::qemu
