// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/contract_machine.h"

#include "tests/support/event_wait.h"
#include "tests/support/fake_machine.h"
#include "tests/support/protocol_methods.h"

#include <QRegularExpression>

namespace vitrine::test {

namespace {

class ContractFake final : public ContractMachine {
public:
    ContractFake()
        : m_machine(m_library.library, QStringLiteral("contract")) {
        m_library.add(QStringLiteral("contract"));
    }
    bool start() override { return m_machine.start(); }
    bool waitForEnd() override {
        return waitUntil([this] { return !m_machine.isRunning(); });
    }
    int exitCodeOfSecondStart() override {
        // As a second process would see it; within one process the lock is Busy instead.
        FakeMachine second(m_library.library, QStringLiteral("contract"));
        return second.start() ? 0 : 2;
    }
    [[nodiscard]] const Library& library() const override { return m_library.library; }
    [[nodiscard]] QString name() const override { return QStringLiteral("contract"); }
    [[nodiscard]] QStringList notPlayed() const override {
        // The firewall is FakeFirewall's.
        QStringList all = protocolMethods().filter(QRegularExpression(QStringLiteral("^net\\.")));
        return all << QStringLiteral("run.options");
    }

private:
    SmallLibrary m_library;
    FakeMachine m_machine;
};

} // namespace

std::unique_ptr<ContractMachine> makeContractMachine() {
    return std::make_unique<ContractFake>();
}

} // namespace vitrine::test
