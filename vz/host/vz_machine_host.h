// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_host.h"
#include "vz/host/hosted_machine.h"
#include "vz/host/services.h"

#include <QHash>

#include <memory>

namespace vitrine::vz {

// The machines of a window's process, each with a `vitrinectl hold` that has its lock.
class VzMachineHost final : public MachineHost {
    Q_OBJECT
public:
    explicit VzMachineHost(Services services, QObject* parent = nullptr);
    ~VzMachineHost() override;

    void start(const Hypervisor::RunRequest& request, Started started) override;
    [[nodiscard]] QStringList machines() const override;
    // For the machine's view; null when it is not hosted, has not been made yet or has ended.
    [[nodiscard]] HostedMachine* machine(const QString& name) const { return m_hosted.value(name); }

private:
    Services m_services;
    QHash<QString, HostedMachine*> m_hosted; // children
};

} // namespace vitrine::vz
