// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/machine_config.h"
#include "core/value/byte_count.h"

#include <QList>
#include <QString>

#include <compare>

namespace vitrine::vz {

// Of macOS.
struct SystemVersion {
    int major = 0;
    int minor = 0;
    int patch = 0;
    friend auto operator<=>(const SystemVersion&, const SystemVersion&) = default;
    [[nodiscard]] QString toText() const; // "15.5", "14.6.1"
};
inline constexpr SystemVersion macOs13{13, 0, 0};
inline constexpr SystemVersion macOs14{14, 0, 0};
inline constexpr SystemVersion macOs15{15, 0, 0};
inline constexpr SystemVersion macOs26{26, 0, 0};

// VZLinuxRosettaAvailability, with its numbers.
enum class RosettaState { NotSupported = 0, NotInstalled = 1, Installed = 2 };

// VZBridgedNetworkInterface.
struct HostInterface {
    QString identifier; // "en0"
    QString name;       // localizedDisplayName, "Wi-Fi"
    friend bool operator==(const HostInterface&, const HostInterface&) = default;
};

// A screen of this computer.
struct HostScreen {
    int width = 0; // points
    int height = 0;
    double scale = 1; // pixels for one point
    friend bool operator==(const HostScreen&, const HostScreen&) = default;
};

// What this Mac can do, read by the shell once and plain from then on. Every rule about it is in
// PlanBuilder and describeHost(), none in the shell.
struct HostCaps {
    SystemVersion system;
    Architecture architecture = Architecture::Arm64; // of this program: what it was built for
    QString processor;                               // "Apple M3 Pro"
    int processors = 0;                              // threads
    ByteCount memory;
    bool virtualization = false; // VZVirtualMachine.isSupported
    bool nested = false; // isNestedVirtualizationSupported of the platform class; false before 15
    int minimumProcessors = 1;
    int maximumProcessors = 0;
    ByteCount minimumMemory;
    ByteCount maximumMemory;
    QList<HostInterface> interfaces; // empty without the entitlement
    RosettaState rosetta = RosettaState::NotSupported;
    bool virtualizationEntitled = false; // com.apple.security.virtualization
    bool networkingEntitled = false;     // com.apple.vm.networking
    bool microphone = false;             // usage text there and, hardened, the entitlement
    QList<HostScreen> screens;           // the main one first; empty without a window server
    friend bool operator==(const HostCaps&, const HostCaps&) = default;
};

} // namespace vitrine::vz
