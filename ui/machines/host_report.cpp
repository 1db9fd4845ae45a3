// SPDX-License-Identifier: Apache-2.0
#include "ui/machines/host_report.h"

#include "ui/machines/background.h"

#include <QTimer>

namespace vitrine::ui {

namespace {

constexpr int firstDelay = 200; // ms

} // namespace

HostReport::HostReport(const Hypervisor* hypervisor, QObject* parent)
    : QObject(parent)
    , m_hypervisor(hypervisor) {}

const HypervisorInfo* HostReport::info() {
    if (m_info == nullptr && !m_checking && m_hypervisor != nullptr) {
        m_checking = true;
        // The first look may start programs: not while the window is being drawn.
        QTimer::singleShot(firstDelay, this, [this] { check(Hypervisor::Refresh::UseCache); });
    }
    return m_info.get();
}

void HostReport::checkAgain() {
    if (!m_checking)
        check(Hypervisor::Refresh::TestAgain);
}

void HostReport::check(Hypervisor::Refresh refresh) {
    if (m_hypervisor == nullptr)
        return;
    m_checking = true;
    inBackground(
        this,
        [hypervisor = m_hypervisor, refresh] { return hypervisor->info(refresh); },
        [this](HypervisorInfo&& info) {
            m_info = std::make_unique<HypervisorInfo>(std::move(info));
            m_checking = false;
            Q_EMIT changed();
        });
    Q_EMIT changed();
}

} // namespace vitrine::ui
