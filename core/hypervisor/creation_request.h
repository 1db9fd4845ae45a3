// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/library.h"
#include "core/library/linux_machine.h"
#include "core/machine/machine_name.h"
#include "core/value/byte_count.h"
#include "core/value/sha256.h"

#include <QString>

#include <optional>
#include <variant>

namespace vitrine {

// A macOS machine that is to be installed from a restore image. What is not given follows from the
// image.
struct NewMacMachine {
    QString restoreImage;              // "latest", an https address, or the absolute path of a file
    std::optional<Sha256> digest = {}; // of the restore image; another one is refused
    ByteCount diskSize = ByteCount::fromGB(50);
    std::optional<int> cpuCount = {};
    std::optional<ByteCount> memory = {};
    QString caFile; // extra trusted certificates (PEM) for fetching it
};

// What Hypervisor::createMachine() makes.
struct CreationRequest {
    Library library;
    MachineName name;
    std::variant<NewLinuxMachine, NewMacMachine> machine;
};

} // namespace vitrine
