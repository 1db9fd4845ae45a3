// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"
#include "core/value/byte_count.h"
#include "core/value/mac_address.h"

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <optional>
#include <variant>

namespace vitrine::vz {

// VZMacPlatformConfiguration and VZMacOSBootLoader. All three are the machine's own for good.
struct MacGuest {
    QByteArray hardwareModel;     // dataRepresentation
    QByteArray machineIdentifier; // dataRepresentation, Tart's "ecid"
    QString auxiliaryStorage;     // file
    friend bool operator==(const MacGuest&, const MacGuest&) = default;
};

// VZEFIBootLoader with its variable store.
struct EfiBoot {
    QString variableStore; // file
    bool create = false;   // it is empty: create it, overwriting
    friend bool operator==(const EfiBoot&, const EfiBoot&) = default;
};

// VZGenericPlatformConfiguration.
struct GenericGuest {
    QByteArray machineIdentifier; // empty: the framework makes one
    bool nested = false;          // nestedVirtualizationEnabled; only where the class supports it
    std::variant<EfiBoot, KernelBoot> boot; // KernelBoot: VZLinuxBootLoader, absolute paths
    friend bool operator==(const GenericGuest&, const GenericGuest&) = default;
};

// VZDiskImageStorageDeviceAttachment.
struct ImageDisk {
    QString path;
    bool readOnly = false;
    Caching caching = Caching::Automatic;
    Synchronisation synchronisation = Synchronisation::Full;
    friend bool operator==(const ImageDisk&, const ImageDisk&) = default;
};

// VZNetworkBlockDeviceStorageDeviceAttachment.
struct NetworkDisk {
    QString url;
    int timeout = 30; // s
    bool forcedReadOnly = false;
    bool synchronised = true; // VZDiskSynchronizationModeFull, else None
    friend bool operator==(const NetworkDisk&, const NetworkDisk&) = default;
};

// VZDiskBlockDeviceStorageDeviceAttachment. `descriptor` is opened after planning
// (openBlockDevices()) and stays open until the machine has started.
struct BlockDisk {
    QString path;
    int descriptor = -1;
    bool readOnly = false;
    bool synchronised = true; // VZDiskSynchronizationModeFull, else None
    friend bool operator==(const BlockDisk&, const BlockDisk&) = default;
};

enum class DiskBus { VirtioBlock, UsbMassStorage, NvmExpress };

struct Disk {
    std::variant<ImageDisk, NetworkDisk, BlockDisk> source;
    DiskBus bus = DiskBus::VirtioBlock;
    // A copy of this cached image's disk has to be made at the path of `source` before the start.
    QString copyOf;
    friend bool operator==(const Disk&, const Disk&) = default;
};

// VZNATNetworkDeviceAttachment.
struct NatAttachment {
    friend bool operator==(const NatAttachment&, const NatAttachment&) = default;
};
// VZBridgedNetworkDeviceAttachment.
struct BridgedAttachment {
    QString interface; // identifier
    friend bool operator==(const BridgedAttachment&, const BridgedAttachment&) = default;
};
// VZFileHandleNetworkDeviceAttachment: the machine's end of SoftnetSession.
struct SocketAttachment {
    int descriptor = -1; // opened after planning
    int mtu = 1500;      // maximumTransmissionUnit
    friend bool operator==(const SocketAttachment&, const SocketAttachment&) = default;
};

// VZVirtioNetworkDeviceConfiguration.
struct NetworkCard {
    MacAddress macAddress;
    std::variant<NatAttachment, BridgedAttachment, SocketAttachment> attachment;
    friend bool operator==(const NetworkCard&, const NetworkCard&) = default;
};

// VZSharedDirectory.
struct SharedFolder {
    QString name; // of a Multiple share: its subfolder, a name the framework takes
    QString path;
    bool readOnly = false;
    friend bool operator==(const SharedFolder&, const SharedFolder&) = default;
};

// VZVirtioFileSystemDeviceConfiguration.
struct ShareDevice {
    enum class Kind {
        Empty,    // share = nil: a spare one, for a folder that comes while the machine runs
        Single,   // VZSingleDirectoryShare of the one folder
        Multiple, // VZMultipleDirectoryShare, may have no folder yet
        Rosetta   // VZLinuxRosettaDirectoryShare
    };
    QString tag;
    Kind kind = Kind::Multiple;
    QList<SharedFolder> folders;
    friend bool operator==(const ShareDevice&, const ShareDevice&) = default;
};

// Of a macOS guest VZMacGraphicsDisplayConfiguration, else VZVirtioGraphicsScanoutConfiguration,
// always in Pixels.
struct DisplayPlan {
    enum class Kind {
        PointsOfMainScreen, // initForScreen:sizeInPoints:
        Pixels
    };
    Kind kind = Kind::Pixels;
    int width = 1024; // points or pixels
    int height = 768;
    int pixelsPerInch = 72; // Pixels of a macOS guest
    bool refit = false;     // automaticallyReconfiguresDisplay of the view, from macOS 14 on
    friend bool operator==(const DisplayPlan&, const DisplayPlan&) = default;
};

enum class KeyboardKind { Usb, Mac }; // Mac: VZMacKeyboardConfiguration
enum class PointerKind { UsbScreenCoordinate, MacTrackpad };

// VZVirtioSoundDeviceConfiguration with the streams named; a silent stream has a nil sink.
enum class Sound { None, SilentOutput, Output, OutputAndInput };

// VZVirtioConsoleDeviceSerialPortConfiguration with a VZFileHandleSerialPortAttachment. Both
// descriptors are put in after planning.
struct SerialPlan {
    int forGuestToRead = -1; // fileHandleForReading: what the guest receives
    int fromGuest = -1;      // fileHandleForWriting: what the guest sends
    friend bool operator==(const SerialPlan&, const SerialPlan&) = default;
};

// Name of the port that Tart's guest agent looks for before it works: "cu.tart-version-2.…".
inline constexpr const char* tartVersionPort = "tart-version-2.32.1";

// Everything Apple's framework is told, decided beforehand; a plain value without its types. The
// shell copies it, member for member and in this order, to a VZVirtualMachineConfiguration.
struct MachinePlan {
    int processors = 1;
    ByteCount memory; // whole MiB
    std::variant<MacGuest, GenericGuest> guest;
    QList<Disk> disks; // the machine's own first
    QList<NetworkCard> cards;
    QList<ShareDevice> shares;
    DisplayPlan display;
    QList<KeyboardKind> keyboards;
    QList<PointerKind> pointers;
    Sound sound = Sound::Output;
    bool clipboard = true; // a console device of its own with a VZSpiceAgentPortAttachment
    // A console device of its own with an unattached port of that name, after the clipboard's.
    QString versionPort = QLatin1String(tartVersionPort);
    std::optional<SerialPlan> serial;
    bool entropy = true;
    bool memoryBalloon = false; // VZVirtioTraditionalMemoryBalloonDeviceConfiguration
    bool vsock = true;          // one VZVirtioSocketDeviceConfiguration

    // What is not part of the configuration.
    bool savable = false;  // ask validateSaveRestoreSupportWithError: too
    bool recovery = false; // startUpFromMacOSRecovery
    bool capturesSystemKeys = false;
    // The guest's own screen sharing is asked for: its address is told as vnc://… once it is known.
    bool tellsVncAddress = false;
    QStringList notes; // translated, to be shown

    [[nodiscard]] bool isMac() const { return std::holds_alternative<MacGuest>(guest); }
    friend bool operator==(const MachinePlan&, const MachinePlan&) = default;
};

} // namespace vitrine::vz
