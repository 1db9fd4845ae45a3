// SPDX-License-Identifier: Apache-2.0
#include "vz/host/agent_requests.h"

#include "core/hypervisor/machine_exec.h"
#include "core/job/in_worker.h"

#include <QJsonArray>

#include <algorithm>
#include <utility>

namespace vitrine::vz {

namespace {

constexpr int defaultExecTimeout = 60 * 1000;           // ms
constexpr int maximumExecTimeout = 24 * 60 * 60 * 1000; // ms
constexpr int longestWaitForAgent = 120000;             // ms

QJsonObject stateToJson(bool opened, bool seen, bool answers) {
    return {{QStringLiteral("opened"), opened},
            {QStringLiteral("seen"), seen},
            {QStringLiteral("answers"), answers}};
}

} // namespace

AgentRequests::AgentRequests(ControlServer* server, QString folder, QObject* parent)
    : QObject(parent)
    , m_server(server)
    , m_folder(std::move(folder)) {
    on("agent.exec", [this](const QJsonObject& parameters, const Respond& respond) {
        exec(parameters, respond);
    });
    on("agent.state", [this](const QJsonObject& parameters, const Respond& respond) {
        tellState(parameters, respond);
    });
}

void AgentRequests::on(const char* method,
                       std::function<void(const QJsonObject&, const Respond&)> handler) {
    m_server->on(QLatin1String(method),
                 [this, handler = std::move(handler)](const QJsonObject& parameters,
                                                      const Respond& respond) {
                     if (m_machine != nullptr)
                         handler(parameters, respond);
                     else
                         respond(fail(Error::Kind::Busy,
                                      tr("The machine is just starting. Try again in a moment.")));
                 });
}

void AgentRequests::setMachine(Machine* machine) {
    m_probes.reset();
    m_commands.reset();
    m_machine = machine;
    m_opened = m_seen = m_answers = false;
    if (machine == nullptr)
        return;
    m_commands = std::make_unique<GuestCommands>(machine);
    m_probes = std::make_unique<QObject>();
}

void AgentRequests::setKnown(bool opened, bool answers) {
    m_opened = opened;
    m_seen = m_seen || answers;
    if (std::exchange(m_answers, answers) != answers)
        Q_EMIT answersChanged(answers);
}

void AgentRequests::exec(const QJsonObject& parameters, const Respond& respond) {
    const QString path = parameters.value(QLatin1String("path")).toString();
    if (path.isEmpty()) {
        respond(fail(Error::Kind::InvalidInput, tr("Name the program to run.")));
        return;
    }
    QStringList arguments;
    const QJsonArray words = parameters.value(QLatin1String("arguments")).toArray();
    for (const QJsonValue& word : words)
        arguments << word.toString();
    const QByteArray input =
        QByteArray::fromBase64(parameters.value(QLatin1String("input")).toString().toLatin1());
    const int timeout =
        std::clamp(parameters.value(QLatin1String("timeout")).toInt(defaultExecTimeout),
                   100,
                   maximumExecTimeout);
    m_commands->run(
        path,
        arguments,
        input,
        timeout,
        [this, respond](const Result<GuestAgent::ExecResult>& result) {
            if (!result) {
                respond(fail(result.error()));
                return;
            }
            // Long output goes into a file.
            inWorker(
                this,
                [result = *result, folder = m_folder] { return execToJson(result, folder); },
                [respond](const Result<QJsonValue>& answer) { respond(answer); });
        });
}

void AgentRequests::tellState(const QJsonObject& parameters, const Respond& respond) {
    const int wait =
        std::clamp(parameters.value(QLatin1String("wait")).toInt(), 0, longestWaitForAgent);
    if (wait == 0) {
        respond(stateToJson(m_opened, m_seen, m_answers));
        return;
    }
    AgentProbe::ask(
        m_machine, wait, m_probes.get(), [this, respond](const AgentProbe::Answer& answer) {
            setKnown(answer.opened, answer.answers);
            respond(stateToJson(m_opened, m_seen, m_answers));
        });
}

} // namespace vitrine::vz
