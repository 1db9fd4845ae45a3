// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/display.h"
#include "core/hypervisor/hypervisor.h"
#include "core/job/job_list_model.h"
#include "core/library/library_model.h"

#include <functional>
#include <memory>

namespace vitrine {
class MachineHost;
}

namespace vitrine::ui {

class ConsoleSurface;
class HostReport;
class MachineClients;
class Thumbnails;

// What pages need of the program, handed down by the composition root. Nothing here is owned.
struct Services {
    LibraryModel* library = nullptr;
    JobListModel* jobs = nullptr;
    MachineClients* clients = nullptr; // one MachineClient per running machine
    const Hypervisor* hypervisor = nullptr;
    HostReport* host = nullptr;       // what this computer can do, found out once
    Thumbnails* thumbnails = nullptr; // pictures of the screens
    // Runs machines in this process; null where they have processes of their own.
    MachineHost* machineHost = nullptr;
    // The screen of a machine that this process hosts, by its name; null when it has none. Empty
    // without a host.
    std::function<std::unique_ptr<ConsoleSurface>(const QString& machine)> openHostedSurface = {};
};

} // namespace vitrine::ui
