// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/softnet/softnet_program.h"
#include "core/value/mac_address.h"
#include "vz/plan/host_services.h"
#include "vz/plan/machine.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine::vz {

// A machine that runs for the first time, for what it offers besides vitrine.sock.
struct OpenedMachine {
    Machine* machine = nullptr; // outlives what is made for it
    QString name;
    QString directory;                    // of the machine
    std::optional<MacAddress> macAddress; // of its first card
    // An event of the machine (core/hypervisor/machine_client.h) with a translated sentence.
    std::function<void(const QString& kind, const QString& text)> tell;
    // The guest's own address and who knows it: "agent", "lease" or "arp". Empty: unknown again.
    std::function<void(const QString& address, const QString& source)> setAddress;
    // Tart's agent: whether something listens on its port, and whether it is an agent that answers.
    std::function<void(bool opened, bool answers)> setAgent;
};

// What the backend is made of: Apple's frameworks behind their seams (vz/shell/shell.h), fakes in
// tests. Main thread unless a seam says otherwise.
struct Services {
    std::shared_ptr<HostProbe> probe;
    std::shared_ptr<MachineFactory> machines;
    std::shared_ptr<RestoreImages> restoreImages;
    std::shared_ptr<MacFiles> macFiles;
    std::function<std::unique_ptr<Installer>()> makeInstaller;
    std::shared_ptr<Rosetta> rosetta;
    // Any thread.
    std::function<Result<SoftnetProgram>()> findSoftnet = [] { return vitrine::findSoftnet(); };
    // control.sock and the like (GuestServices). What it returns goes before the machine does; may
    // be null.
    std::function<std::unique_ptr<QObject>(const OpenedMachine&)> openServices;
    QString vitrinectl; // that holds locks for a window; empty: the installed one
};

} // namespace vitrine::vz
