// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"

#include <QObject>

namespace vitrine::qemu {

// Sets the clock of a guest that was suspended: it stood still meanwhile. Waits for the guest's
// agent to listen; without one nothing happens. Used once.
class SuspendClock final : public QObject {
    Q_OBJECT
public:
    explicit SuspendClock(GuestAgent* agent, QObject* parent = nullptr);
    void begin();

Q_SIGNALS:
    void failed(const QString& sentence); // translated; the guest refused

private:
    void set();
    void setByCommand();

    GuestAgent* m_agent;
    bool m_wanted = false;
};

} // namespace vitrine::qemu
