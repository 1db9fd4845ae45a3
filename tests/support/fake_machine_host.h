// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_host.h"
#include "tests/support/fake_machine.h"

#include <QTimer>

#include <map>
#include <memory>
#include <optional>

namespace vitrine::test {

// A host of machines without a hypervisor: each is a FakeMachine in the test's process.
class FakeMachineHost final : public MachineHost {
public:
    explicit FakeMachineHost(QObject* parent = nullptr)
        : MachineHost(parent) {
        connect(&m_watch, &QTimer::timeout, this, &FakeMachineHost::look);
        m_watch.start(5);
    }
    std::optional<Error> refusal; // of the next starts
    bool answersLate = false;     // they are answered by answerStarts() only
    QList<Hypervisor::RunRequest> requests;

    void start(const Hypervisor::RunRequest& request, Started started) override {
        requests.append(request);
        const auto answer = [this, request, started = std::move(started)] {
            if (refusal) {
                started(tl::unexpected(*refusal));
                return;
            }
            auto machine = std::make_unique<FakeMachine>(request.library, request.name);
            if (!machine->start()) {
                started(fail(Error::Kind::Busy, QStringLiteral("Its lock is held.")));
                return;
            }
            machine->shutdownTime = shutdownTime;
            m_machines[request.name] = std::move(machine);
            Q_EMIT machinesChanged();
            started({});
        };
        m_waiting.append(answer);
        if (!answersLate)
            answerStarts();
    }
    QList<Wish> wishes;
    void wish(const QString& name, Wish wish) override {
        wishes.append(wish);
        FakeMachine* const running = machine(name);
        if (running == nullptr)
            return;
        if (wishes.count(Wish::Interrupt) > 1)
            running->end("forced-off", QStringLiteral("It was forced off."));
        else
            QTimer::singleShot(shutdownTime, running, [running] {
                running->end("stopped", QStringLiteral("It has shut down."));
            });
    }
    void answerStarts() {
        for (const std::function<void()>& answer : std::as_const(m_waiting))
            QTimer::singleShot(0, this, answer);
        m_waiting.clear();
    }
    [[nodiscard]] QStringList machines() const override {
        QStringList names;
        for (const auto& [name, machine] : m_machines)
            names.append(name);
        return names;
    }
    int shutdownTime = 30; // ms, of machines that are started from now on
    [[nodiscard]] FakeMachine* machine(const QString& name) {
        const auto found = m_machines.find(name);
        return found == m_machines.end() ? nullptr : found->second.get();
    }
    void crash(const QString& name, const Error& error) {
        m_errors[name] = error;
        m_machines.at(name)->end("crashed", error.message);
    }

private:
    void look() {
        for (auto at = m_machines.begin(); at != m_machines.end();) {
            if (at->second->isRunning()) {
                ++at;
                continue;
            }
            const QString name = at->first;
            at->second.release()->deleteLater();
            at = m_machines.erase(at);
            Q_EMIT machinesChanged();
            const auto error = m_errors.find(name);
            Q_EMIT ended(
                name, error == m_errors.end() ? std::nullopt : std::optional<Error>(error->second));
        }
    }
    std::map<QString, std::unique_ptr<FakeMachine>> m_machines;
    std::map<QString, Error> m_errors;
    QList<std::function<void()>> m_waiting;
    QTimer m_watch{this};
};

} // namespace vitrine::test
