// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/hypervisor/machine_client.h"
#include "core/machine/mac_options.h"
#include "tests/support/event_wait.h"
#include "tests/support/held_machine.h"
#include "tests/vz/host/fake_services.h"

#include <QJsonArray>

#include <gtest/gtest.h>

namespace vitrine::vz::test {

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
