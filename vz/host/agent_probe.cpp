// SPDX-License-Identifier: Apache-2.0
#include "vz/host/agent_probe.h"

#include <QPointer>

#include <unistd.h>
#include <utility>

namespace vitrine::vz {

namespace {

// An agent that refuses the question still answers; older ones do not know it.
bool isOfAgent(const Result<QString>& address) {
    if (address)
        return true;
    const Error::Kind kind = address.error().kind;
    return kind != Error::Kind::Timeout && kind != Error::Kind::Network &&
           kind != Error::Kind::Integrity;
}

} // namespace

void AgentProbe::ask(Machine* machine, int patience, QObject* context, Reply reply) {
    auto* const probe = new AgentProbe(patience, std::move(reply), context);
    QMetaObject::invokeMethod(
        probe, [probe, machine] { probe->begin(machine); }, Qt::QueuedConnection);
}

AgentProbe::AgentProbe(int patience, Reply reply, QObject* parent)
    : QObject(parent)
    , m_patience(patience)
    , m_reply(std::move(reply)) {
    m_limit.setSingleShot(true);
    connect(&m_limit, &QTimer::timeout, this, [this] { finish({}); });
}

AgentProbe::~AgentProbe() = default;

void AgentProbe::begin(Machine* machine) {
    m_limit.start(m_patience);
    machine->connectVsock(TartAgent::port, [self = QPointer(this)](const Result<int>& connection) {
        if (self && self->m_reply)
            self->connected(connection);
        else if (connection)
            ::close(*connection);
    });
}

void AgentProbe::connected(const Result<int>& connection) {
    if (!connection) {
        finish({});
        return;
    }
    m_limit.stop(); // the question has one of its own
    m_agent = std::make_unique<TartAgent>(*connection);
    m_agent->resolveIp(m_patience, [this](const Result<QString>& address) {
        finish({true, isOfAgent(address), address ? *address : QString()});
    });
}

void AgentProbe::finish(const Answer& answer) {
    m_limit.stop();
    const Reply reply = std::exchange(m_reply, {});
    if (!reply)
        return;
    deleteLater();
    reply(answer);
}

} // namespace vitrine::vz
