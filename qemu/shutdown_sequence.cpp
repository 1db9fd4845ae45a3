// SPDX-License-Identifier: Apache-2.0
#include "qemu/shutdown_sequence.h"

namespace vitrine::qemu {

ShutdownSequence::ShutdownSequence(QmpClient* qmp, GuestAgent* agent, QObject* parent)
    : QObject(parent)
    , m_qmp(qmp)
    , m_agent(agent) {
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &ShutdownSequence::goOn);
    connect(agent, &GuestAgent::guestOpenedChanged, this, [this] {
        // Services are being stopped: what was asked for is happening.
        if (m_step == Step::Agent && m_agentHeard && !m_agent->guestOpened()) {
            m_timer.start(m_patience.afterAgent);
        }
    });
}

void ShutdownSequence::begin() {
    if (m_step != Step::Idle) {
        press(Step::FirstPress, m_patience.secondPress);
        return;
    }
    if (!m_agent->guestOpened()) {
        press(Step::FirstPress, m_patience.secondPress);
        return;
    }
    m_step = Step::Agent;
    m_agentHeard = true;
    m_timer.start(m_patience.agent);
    // The agent answers only when it refuses; a time limit is the good case.
    m_agent->execute(QStringLiteral("guest-shutdown"),
                     {{QStringLiteral("mode"), QStringLiteral("powerdown")}},
                     m_patience.agent,
                     [this](const Result<QJsonValue>& answer) {
                         const bool refused = !answer &&
                                              answer.error().kind != Error::Kind::Timeout &&
                                              answer.error().kind != Error::Kind::NotRunning;
                         if (refused && m_step == Step::Agent) {
                             m_agentHeard = false;
                             press(Step::FirstPress, m_patience.secondPress);
                         }
                     });
}

void ShutdownSequence::stop() {
    m_step = Step::Idle;
    m_agentHeard = false;
    m_timer.stop();
}

void ShutdownSequence::press(Step step, int wait) {
    m_step = step;
    m_timer.start(wait);
    m_qmp->execute(QStringLiteral("system_powerdown"));
}

void ShutdownSequence::goOn() {
    switch (m_step) {
    case Step::Idle:
        break;
    case Step::Agent:
        press(Step::FirstPress, m_patience.secondPress);
        break;
    case Step::FirstPress:
        press(Step::SecondPress, m_patience.afterPress);
        break;
    case Step::SecondPress:
        stop();
        Q_EMIT ignored();
        break;
    }
}

} // namespace vitrine::qemu
