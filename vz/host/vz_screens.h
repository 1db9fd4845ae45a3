// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/plan/hosted_screens.h"

#include <QSet>

namespace vitrine::vz {

class HostedMachine;
class VzMachineHost;

// The screens of the macOS backend's host, which is not owned and outlives it. A screen is there
// from the first moment that the guest runs until its run is finished.
class VzScreens final : public HostedScreens {
    Q_OBJECT
public:
    explicit VzScreens(VzMachineHost* host);
    [[nodiscard]] Machine* machine(const QString& name) const override;
    [[nodiscard]] bool isPaused(const QString& name) const override;
    [[nodiscard]] bool capturesSystemKeys(const QString& name) const override;

private:
    void look();
    void follow(HostedMachine* hosted);
    void leave(const QString& name);
    VzMachineHost* m_host;
    QSet<QString> m_followed; // hosted
    QSet<QString> m_shown;    // with a screen
    QSet<QString> m_paused;
};

} // namespace vitrine::vz
