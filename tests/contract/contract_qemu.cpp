// SPDX-License-Identifier: Apache-2.0
#include "tests/contract/contract_machine.h"

#include "tests/support/event_wait.h"
#include "tests/support/held_machine.h"
#include "tests/support/machine_program.h"
#include "tests/support/sample_guest.h"

namespace vitrine::test {

namespace {

class ContractQemu final : public ContractMachine {
public:
    [[nodiscard]] bool prepare() {
        return addSampleGuest(m_library.library, name(), SampleBoot::Kernel);
    }
    bool start() override {
        m_program = std::make_unique<MachineProgram>(m_library.library, name());
        m_program->start();
        return m_program->process.state() != QProcess::NotRunning;
    }
    bool waitForEnd() override {
        return m_program->waitForEnd(60000) && m_program->process.exitCode() == 0;
    }
    int exitCodeOfSecondStart() override {
        MachineProgram second(m_library.library, name());
        second.start();
        return second.waitForEnd() ? second.process.exitCode() : -1;
    }
    [[nodiscard]] const Library& library() const override { return m_library.library; }
    [[nodiscard]] QString name() const override { return QStringLiteral("contract"); }

private:
    SmallLibrary m_library;
    std::unique_ptr<MachineProgram> m_program;
};

} // namespace

std::unique_ptr<ContractMachine> makeContractMachine() {
    auto machine = std::make_unique<ContractQemu>();
    return machine->prepare() ? std::move(machine) : nullptr;
}

} // namespace vitrine::test
