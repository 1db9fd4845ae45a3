// SPDX-License-Identifier: Apache-2.0
#include "tests/vz/mac/pretended_services.h"

#include "core/library/library.h"
#include "tests/vz/host/fake_services.h"

#include <QTimer>

namespace vitrine::vz::test {

namespace {

class ActedMachine final : public FakeVzMachine {
public:
    ActedMachine() {
        if (m_part == "fails")
            failures[QStringLiteral("start")] = VzInternal;
        if (m_part == "slow")
            holds = QStringList{QStringLiteral("start")};
        m_watch.callOnTimeout(&m_watch, [this] {
            if (QFile::exists(Library::defaultHome() + QStringLiteral("/go"))) {
                m_watch.stop();
                release();
            }
        });
        m_watch.start(5);
    }
    void start(bool recovery, Completion done) override {
        FakeVzMachine::start(
            recovery, [this, done = std::move(done)](const std::optional<VzFailure>& failure) {
                done(failure);
                if (!failure && m_part == "crashes")
                    QTimer::singleShot(0, &m_watch, [this] {
                        current = VmState::Error;
                        events->stoppedWithError(
                            {QLatin1String(vzErrorDomain), VzInternal, {}, {}});
                    });
            });
    }
    void requestStop(Completion done) override {
        FakeVzMachine::requestStop(
            [this, done = std::move(done)](const std::optional<VzFailure>& failure) {
                done(failure);
                if (m_part != "deaf")
                    QTimer::singleShot(0, &m_watch, [this] {
                        current = VmState::Stopped;
                        events->guestStopped();
                    });
            });
    }

private:
    const QByteArray m_part = qgetenv("VITRINE_TEST_GUEST");
    QTimer m_watch;
};

class Stage final : public MachineFactory {
public:
    [[nodiscard]] Result<std::unique_ptr<Machine>> create(const MachinePlan&) override {
        return std::make_unique<ActedMachine>();
    }
};

} // namespace

Services pretendedServices() {
    Services services;
    services.probe = std::make_shared<FakeProbe>();
    services.machines = std::make_shared<Stage>();
    return services;
}

} // namespace vitrine::vz::test
