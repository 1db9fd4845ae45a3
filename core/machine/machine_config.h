// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/value/byte_count.h"
#include "core/value/display_size.h"
#include "core/value/mac_address.h"

#include <QByteArray>
#include <QJsonObject>

#include <optional>

namespace vitrine {

enum class GuestSystem { Darwin, Linux };
enum class Architecture { Arm64, Amd64 };
enum class DiskFormat { Raw, Asif };
enum class Refit { Automatic, On, Off };

[[nodiscard]] QString toText(GuestSystem system);        // "darwin", "linux"
[[nodiscard]] QString toText(Architecture architecture); // "arm64", "amd64"
[[nodiscard]] QString toText(DiskFormat format);         // "raw", "asif"
[[nodiscard]] Architecture hostArchitecture();

// The content of config.json: Tart's format, specification section 2. A plain value; keys that we
// do not know are kept in `unknown` and written back.
struct MachineConfig {
    int version = 1;
    GuestSystem system = GuestSystem::Linux;
    Architecture architecture = Architecture::Arm64;
    QByteArray ecid;          // machine identifier, decoded; darwin only
    QByteArray hardwareModel; // decoded; darwin only
    int cpuCountMinimum = 4;
    int cpuCount = 4;
    ByteCount memoryMinimum = ByteCount::fromMiB(4096);
    ByteCount memory = ByteCount::fromMiB(4096);
    MacAddress macAddress;
    DisplaySize display;
    Refit refit = Refit::Automatic;
    DiskFormat diskFormat = DiskFormat::Raw;
    QJsonObject unknown;        // top-level keys of other programs
    QJsonObject unknownDisplay; // keys of other programs inside "display"

    // Every rule and vector of 2.1 and 2.6; the error names the key.
    [[nodiscard]] static Result<MachineConfig> fromJson(const QByteArray& json);
    // Pretty-printed as Tart's readers accept it; ends with a newline.
    [[nodiscard]] QByteArray toJson() const;

    friend bool operator==(const MachineConfig&, const MachineConfig&) = default;
};

} // namespace vitrine
