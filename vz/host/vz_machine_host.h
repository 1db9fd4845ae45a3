// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_host.h"
#include "vz/host/hosted_machine.h"
#include "vz/host/services.h"

#include <QHash>

#include <functional>
#include <memory>
#include <utility>

namespace vitrine::vz {

// The machines of a window's process, each with a `vitrinectl hold` that has its lock.
class VzMachineHost final : public MachineHost {
    Q_OBJECT
public:
    explicit VzMachineHost(Services services, QObject* parent = nullptr);
    ~VzMachineHost() override;

    void start(const Hypervisor::RunRequest& request, Started started) override;
    void wish(const QString& name, Wish wish) override;
    [[nodiscard]] QStringList machines() const override;
    // For the machine's view; null when it is not hosted, has not been made yet or has ended.
    [[nodiscard]] HostedMachine* machine(const QString& name) const { return m_hosted.value(name); }
    // Who has the machines' views; empty: nobody.
    using Pictures = std::function<void(const QString& name, const ScreenTaken& taken)>;
    void setPictures(Pictures pictures) { m_pictures = std::move(pictures); }

private:
    Services m_services;
    Pictures m_pictures;
    QHash<QString, HostedMachine*> m_hosted; // children
};

} // namespace vitrine::vz
