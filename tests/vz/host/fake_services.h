// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/vz/plan/fake_vz_machine.h"
#include "tests/vz/plan/pretended_mac.h"
#include "vz/host/services.h"

#include <QHash>
#include <QStringList>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine::vz::test {

class FakeProbe final : public HostProbe {
public:
    [[nodiscard]] HostCaps read() const override {
        ++reads;
        return host;
    }
    HostCaps host = pretendedMac();
    mutable int reads = 0;
};

// Makes fakes; the last one is known as long as it lives.
class FakeFactory final : public MachineFactory {
public:
    [[nodiscard]] Result<std::unique_ptr<Machine>> create(const MachinePlan& wanted) override {
        plan = wanted;
        if (refusal)
            return fail(*refusal);
        if (refusesConsoles && (wanted.clipboard || !wanted.versionPort.isEmpty()))
            return fail(Error::Kind::InvalidInput, QStringLiteral("Unsupported console device."));
        auto machine = make ? make() : std::make_unique<FakeVzMachine>();
        machine->failures = failures;
        machine->holds = holds;
        machine->gone = [this](const FakeVzMachine& gone) {
            asked = gone.asked;
            if (last == &gone)
                last = nullptr;
        };
        last = machine.get();
        return machine;
    }
    MachinePlan plan;
    FakeVzMachine* last = nullptr;
    QStringList asked; // of the one that went last
    std::optional<Error> refusal;
    bool refusesConsoles = false; // as macOS 14 does where a state is to be saved
    QHash<QString, int> failures; // of the machines made
    QStringList holds;            // likewise
    std::function<std::unique_ptr<FakeVzMachine>()> make; // of another kind
};

} // namespace vitrine::vz::test
