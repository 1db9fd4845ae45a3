// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "vz/plan/hosted_screens.h"

#include <QList>
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
    ~VzScreens() override;
    [[nodiscard]] Machine* machine(const QString& name) const override;
    [[nodiscard]] bool isPaused(const QString& name) const override;
    [[nodiscard]] bool capturesSystemKeys(const QString& name) const override;
    void setPictures(const QString& name, QObject* owner, TakeScreen take) override;

private:
    void look();
    void follow(HostedMachine* hosted);
    void leave(const QString& name);
    void takePicture(const QString& name, const ScreenTaken& taken) const;
    struct Pictures {
        QString name;
        QObject* owner;
        TakeScreen take;
    };
    VzMachineHost* m_host;
    QSet<QString> m_followed; // hosted
    QSet<QString> m_shown;    // with a screen
    QSet<QString> m_paused;
    QList<Pictures> m_pictures;
};

} // namespace vitrine::vz
