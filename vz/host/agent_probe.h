// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/tart_agent.h"
#include "vz/plan/machine.h"

#include <QObject>
#include <QString>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine::vz {

// One question to Tart's agent in a guest: whether it is there, and the guest's address. Main
// thread.
class AgentProbe final : public QObject {
    Q_OBJECT
public:
    struct Answer {
        bool opened = false;  // something in the guest listens on the agent's port
        bool answers = false; // and is the agent
        QString address;      // of the guest; empty: it has none, or the agent does not tell it
    };
    using Reply = std::function<void(const Answer&)>;
    // Answers once, from the event loop, after twice `patience` (ms) at the latest, and not after
    // `context` is gone, which may go then and before the machine.
    static void ask(Machine* machine, int patience, QObject* context, Reply reply);
    ~AgentProbe() override;

private:
    AgentProbe(int patience, Reply reply, QObject* parent);
    void begin(Machine* machine);
    void connected(const Result<int>& connection);
    void finish(const Answer& answer);
    const int m_patience;
    Reply m_reply;
    std::unique_ptr<TartAgent> m_agent;
    QTimer m_limit; // the framework may never say whether somebody listens
};

} // namespace vitrine::vz
