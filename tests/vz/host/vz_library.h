// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/hypervisor/machine_client.h"
#include "core/machine/mac_options.h"
#include "tests/support/event_wait.h"
#include "tests/support/held_machine.h"
#include "tests/vz/plan/fake_vz_machine.h"
#include "tests/vz/plan/pretended_mac.h"
#include "vz/host/services.h"

#include <QJsonArray>

#include <gtest/gtest.h>

#include <functional>
#include <memory>

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

// A library of machines that a Mac runs, and what runs them.
class VzLibrary : public testing::Test {
protected:
    VzLibrary() {
        services.probe = probe;
        services.machines = factory;
        services.vitrinectl = QStringLiteral(VITRINE_BIN_DIR "/vitrinectl");
    }
    // Returns its directory.
    QString addMac(const QString& name = QStringLiteral("mac")) {
        MachineConfig config = vitrine::test::SmallLibrary::smallConfig();
        config.architecture = Architecture::Arm64;
        config.system = GuestSystem::Darwin;
        config.ecid = "identifier";
        config.hardwareModel = "model";
        return add(name, config);
    }
    QString addLinux(const QString& name = QStringLiteral("linux")) {
        MachineConfig config = vitrine::test::SmallLibrary::smallConfig();
        config.architecture = Architecture::Arm64;
        return add(name, config);
    }
    QString add(const QString& name, const MachineConfig& config) {
        const QString directory = small.add(name, config);
        vitrine::test::SmallLibrary::write(directory + QLatin1String("/nvram.bin"), "variables");
        return directory;
    }
    [[nodiscard]] Hypervisor::RunRequest request(const QString& name) const {
        Hypervisor::RunRequest wish{small.library, name, {}};
        wish.forceOffAfterSeconds = 0;
        return wish;
    }
    static RunOptions suspendable() {
        RunOptions options;
        MacOptions mac;
        mac.suspendable = true;
        mac.storeIn(options);
        return options;
    }
    [[nodiscard]] std::string asked() const {
        return (factory->last ? factory->last->asked : factory->asked)
            .join(QLatin1Char(' '))
            .toStdString();
    }
    [[nodiscard]] qint64 holder(const QString& directory) const {
        const auto found = ConfigFile::holder(directory + QLatin1String("/config.json"));
        return found && *found ? (*found)->pid : 0;
    }
    [[nodiscard]] MachineState stateOf(const QString& directory) const {
        return small.library.stateOf(directory);
    }
    static QStringList eventsOf(const QString& directory) {
        QStringList kinds;
        const auto sidecar = Sidecar::read(directory);
        if (sidecar)
            for (const QJsonValue& event : sidecar->events)
                kinds << event.toObject().value(QLatin1String("kind")).toString();
        return kinds;
    }

    vitrine::test::SmallLibrary small;
    std::shared_ptr<FakeProbe> probe = std::make_shared<FakeProbe>();
    std::shared_ptr<FakeFactory> factory = std::make_shared<FakeFactory>();
    Services services;
};

} // namespace vitrine::vz::test
