// SPDX-License-Identifier: Apache-2.0
#include "qemu/suspend_clock.h"

#include <QDateTime>

namespace vitrine::qemu {

namespace {
constexpr int agentTimeout = 15000; // ms
} // namespace

SuspendClock::SuspendClock(GuestAgent* agent, QObject* parent)
    : QObject(parent)
    , m_agent(agent) {
    connect(agent, &GuestAgent::guestOpenedChanged, this, [this] {
        if (m_wanted && m_agent->guestOpened())
            set();
    });
}

void SuspendClock::begin() {
    m_wanted = true;
    if (m_agent->guestOpened())
        set();
}

void SuspendClock::set() {
    m_wanted = false;
    // With a time given, the agent sets the system's clock first and then the hardware's.
    m_agent->execute(QStringLiteral("guest-set-time"),
                     {{QStringLiteral("time"), QDateTime::currentMSecsSinceEpoch() * 1000000}},
                     agentTimeout,
                     [this](const Result<QJsonValue>& answer) {
                         // A guest without hwclock has not set its own clock either.
                         if (!answer)
                             setByCommand();
                     });
}

void SuspendClock::setByCommand() {
    const QString now = QString::number(QDateTime::currentSecsSinceEpoch());
    m_agent->run(QStringLiteral("/bin/date"),
                 {QStringLiteral("-u"), QStringLiteral("-s"), QLatin1Char('@') + now},
                 {},
                 agentTimeout,
                 [this](const Result<GuestAgent::ExecResult>& result) {
                     if (!result || result->exitCode != 0)
                         Q_EMIT failed(tr("The clock of the guest could not be set. It is late by "
                                          "the time the machine was suspended; set it inside the "
                                          "guest."));
                 });
}

} // namespace vitrine::qemu
