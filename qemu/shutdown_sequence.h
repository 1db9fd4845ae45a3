// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"
#include "qemu/qmp_client.h"

#include <QObject>
#include <QTimer>

namespace vitrine::qemu {

// Asks a guest to shut down: through its agent where one listens, then with the power button, then
// it says that the guest did not react. Never forces anything. Lives on the thread of its QMP
// client; the end of the machine ends it.
class ShutdownSequence final : public QObject {
    Q_OBJECT
public:
    struct Patience {
        int agent = 5000;        // ms until the power button is pressed although an agent listens
        int secondPress = 10000; // ms between the two presses
        int afterPress = 20000;  // ms after the second one
        int afterAgent = 90000;  // ms for a guest that is visibly going down (its agent ended)
    };

    ShutdownSequence(QmpClient* qmp, GuestAgent* agent, QObject* parent = nullptr);
    void setPatience(const Patience& patience) { m_patience = patience; }

    void begin(); // while under way: presses the power button at once
    void stop();
    [[nodiscard]] bool isUnderWay() const { return m_step != Step::Idle; }

Q_SIGNALS:
    void ignored();

private:
    enum class Step { Idle, Agent, FirstPress, SecondPress };
    void press(Step step, int wait);
    void goOn();

    QmpClient* m_qmp;
    GuestAgent* m_agent;
    Patience m_patience;
    Step m_step = Step::Idle;
    bool m_agentHeard = false;
    QTimer m_timer;
};

} // namespace vitrine::qemu
