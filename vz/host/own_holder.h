// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/run/machine_hold.h"
#include "vz/host/machine_holder.h"

#include <memory>
#include <stop_token>

namespace vitrine::vz {

// This process holds the locks: a machine without a window. Signals are the caller's business.
class OwnHolder final : public MachineHolder {
    Q_OBJECT
public:
    explicit OwnHolder(const Hypervisor::RunRequest& request, QObject* parent = nullptr);
    ~OwnHolder() override;
    void take(Taken done) override;
    void release(Released done) override;

private:
    Library m_library;
    QString m_name;
    bool m_discardsState;
    std::stop_source m_stop; // of snapshots
    std::shared_ptr<MachineHold> m_hold;
};

} // namespace vitrine::vz
