// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"

#include <QObject>

#include <memory>

namespace vitrine::ui {

// What this computer can do, found out on another thread when first asked for. Window thread.
class HostReport final : public QObject {
    Q_OBJECT
public:
    explicit HostReport(const Hypervisor* hypervisor, QObject* parent = nullptr);

    // nullptr until changed(); asks for it.
    [[nodiscard]] const HypervisorInfo* info();
    [[nodiscard]] bool isChecking() const { return m_checking; }
    void checkAgain();

Q_SIGNALS:
    void changed(); // info or isChecking()

private:
    void check(Hypervisor::Refresh refresh);
    const Hypervisor* m_hypervisor;
    std::unique_ptr<HypervisorInfo> m_info;
    bool m_checking = false;
};

} // namespace vitrine::ui
