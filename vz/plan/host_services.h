// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "vz/plan/host_caps.h"
#include "vz/plan/install_flow.h"
#include "vz/plan/machine_plan.h"

#include <QByteArray>
#include <QString>

#include <functional>
#include <optional>

// The rest of what the shell does for the portable part. Main thread; answers come from the event
// loop, exactly once.
namespace vitrine::vz {

class HostProbe {
public:
    virtual ~HostProbe() = default;
    [[nodiscard]] virtual HostCaps read() const = 0; // any thread
};

class RestoreImages {
public:
    using Answer = std::function<void(tl::expected<RestoreImage, VzFailure>)>;
    virtual ~RestoreImages() = default;
    virtual void load(const QString& path, Answer answer) = 0; // no links in the path
    virtual void latest(Answer answer) = 0;                    // what this host supports newest
};

// New identities and files of machines.
class MacFiles {
public:
    virtual ~MacFiles() = default;
    [[nodiscard]] virtual QByteArray newMachineIdentifier() const = 0;
    // The file must not be there.
    virtual Result<> createAuxiliaryStorage(const QString& path,
                                            const QByteArray& hardwareModel) = 0;
    // EFI variables of a Linux machine. The file must not be there.
    virtual Result<> createVariableStore(const QString& path) = 0;
};

class Installer {
public:
    virtual ~Installer() = default;
    // Once. `progress` from 0 to 1, `done` last.
    virtual void start(const MachinePlan& plan,
                       const QString& restoreImage,
                       std::function<void(double)> progress,
                       std::function<void(std::optional<VzFailure>)> done) = 0;
    virtual void cancel() = 0; // only after start()
};

class Rosetta {
public:
    virtual ~Rosetta() = default;
    [[nodiscard]] virtual RosettaState state() const = 0;
    virtual void install(std::function<void(std::optional<VzFailure>)> done) = 0; // asks the user
};

} // namespace vitrine::vz
