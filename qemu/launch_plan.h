// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/machine_info.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <QStringList>

#include <optional>

namespace vitrine::qemu {

enum class Accelerator { Kvm, Tcg };

// A disk beside the root disk.
struct PlannedDisk {
    QString path; // absolute; of a NetworkDisk its address, of a CachedImage the image's own disk
    DiskOptions options;                          // read-only for a CD
    ExtraDisk::Kind kind = ExtraDisk::Kind::File; // CachedImage: to be copied before the start
    bool optical = false;                         // the guest sees a CD drive
    friend bool operator==(const PlannedDisk&, const PlannedDisk&) = default;
};

// A network card. `tap` is the descriptor that QEMU inherits, opened after planning.
struct PlannedCard {
    MacAddress macAddress;
    QString bridge; // Bridged only
    int tap = -1;   // Bridged only
    friend bool operator==(const PlannedCard&, const PlannedCard&) = default;
};

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
    QList<PlannedDisk> disks;
    BootOrder bootOrder;                            // empty: disks, then CDs
    QString shareSecurity = QStringLiteral("none"); // security model of 9P
    QString firmwareCode;                           // empty with a kernel
    QString firmwareVariables;                      // private copy, writable
    std::optional<KernelBoot> kernel;               // paths made absolute
    MacAddress macAddress;
    NetworkMode network = NetworkMode::Nat;
    QList<PlannedCard> bridgedCards; // Bridged: all cards; otherwise there is one with macAddress
    int softnetSocket = -1;          // usesSoftnet(): QEMU inherits it; opened after planning
    bool qemuNat = false; // Nat: QEMU's own instead, which a state was saved with that goes on
    DisplaySize display;
    bool vncServer = false;
    SerialLine serial;
    QString audioBackend; // of -audiodev: "pa", "none"; empty: no sound card
    bool pointer = true;
    bool keyboard = true;
    bool clipboard = true;   // text is shared; the port for it is there in any case
    QString acceleratorNote; // translated; why it is emulated; empty when there is nothing to say
    QStringList notes;       // translated, to be shown; acceleratorNote is not repeated here

    // Whether vitrine-softnet is its network.
    [[nodiscard]] bool usesSoftnet() const {
        return network == NetworkMode::Softnet || (network == NetworkMode::Nat && !qemuNat);
    }
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
inline constexpr const char* vncServerId = "viewers";
inline constexpr const char* serialId = "serial";
// Certificate authorities for encrypted network disks, in the runtime directory.
inline constexpr const char* authoritiesFolder = "authorities";

// Where the guest finds its root disk, whatever it calls it.
inline constexpr const char* rootDiskAddress = "0000:00:03.0";

// "disk0" is the root disk, "disk1" the first of LaunchPlan::disks.
[[nodiscard]] inline QString diskNode(qsizetype index) {
    return QStringLiteral("disk%1").arg(index);
}

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
inline constexpr int maximumNetworkCards = 4;

// The arguments without the program. Pure: no file is touched, nothing is run. The same plan gives
// the same devices at the same addresses in every release that reads it.
[[nodiscard]] QStringList commandLine(const LaunchPlan& plan);

} // namespace vitrine::qemu
