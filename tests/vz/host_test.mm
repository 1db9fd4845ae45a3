// SPDX-License-Identifier: Apache-2.0
// A machine of this process, from its lock to the calls that Apple's framework gets.
#include "core/machine/mac_options.h"
#include "tests/support/held_machine.h"
#include "tests/vz/plan/pretended_mac.h"
#include "tests/vz/shell_run.h"
#include "vz/host/hosted_machine.h"
#include "vz/host/own_holder.h"
#include "vz/native/native_services.h"

#include <QDir>

namespace vitrine::vz {

namespace {

class PretendedProbe final : public HostProbe {
public:
    [[nodiscard]] HostCaps read() const override { return test::pretendedMac(); }
};

class HostTest : public ShellTest {
protected:
    HostTest() {
        services = nativeServices();
        services.probe = std::make_shared<PretendedProbe>();
        MachineConfig config = vitrine::test::SmallLibrary::smallConfig();
        config.architecture = Architecture::Arm64;
        directory = small.add(QStringLiteral("web"), config);
        vitrine::test::SmallLibrary::write(directory + QLatin1String("/nvram.bin"), "variables");
        const Hypervisor::RunRequest wish{small.library, QStringLiteral("web"), {}};
        machine = std::make_unique<HostedMachine>(
            services, wish, std::make_unique<OwnHolder>(wish), HostedMachine::Screen::Window);
        QObject::connect(machine.get(),
                         &HostedMachine::ended,
                         machine.get(),
                         [this](int code, const std::optional<vitrine::Error>& error) {
                             ended = code;
                             failure = error ? error->message : QString();
                         });
    }
    bool reaches(MachineState state) {
        return vitrine::test::waitUntil(
            [&] { return machine->run() && machine->run()->state() == state; });
    }
    bool ends() {
        return vitrine::test::waitUntil([this] { return ended.has_value(); });
    }

    vitrine::test::SmallLibrary small;
    Services services;
    QString directory;
    std::unique_ptr<HostedMachine> machine;
    std::optional<int> ended;
    QString failure;
};

} // namespace

TEST_F(HostTest, RunsAMachineOfTheLibrary) {
    machine->start();
    ASSERT_TRUE(reaches(MachineState::Running)) << failure.toStdString();
    EXPECT_EQ(small.library.stateOf(directory), MachineState::Running);
    EXPECT_NE(nativeMachine(*machine->run()->machine()), nullptr) << "for its view";
    ASSERT_EQ(fake::lastConfiguration().serialPorts.count, 1U);
    MachineClient client(small.library.home(), directory);
    ASSERT_TRUE(client.waitForConnected(30000));
    EXPECT_TRUE(client.callAndWait(QStringLiteral("pause"), {}, 10000));
    EXPECT_EQ(fake::calls("pause"), 1);
    EXPECT_TRUE(client.callAndWait(QStringLiteral("resume"), {}, 10000));
    const QString data = folder.filePath(QStringLiteral("data"));
    QDir().mkpath(data);
    EXPECT_TRUE(
        client.callAndWait(QStringLiteral("share.add"), {{QStringLiteral("path"), data}}, 10000));
    EXPECT_TRUE(client.callAndWait(QStringLiteral("forceOff"), {}, 10000));
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 0);
    EXPECT_EQ(fake::calls("stop"), 1);
    EXPECT_EQ(small.library.stateOf(directory), MachineState::Stopped);
}

TEST_F(HostTest, WhatTheFrameworkCannotSaveIsLeftOut) {
    MachineConfig config = vitrine::test::SmallLibrary::smallConfig();
    config.architecture = Architecture::Arm64;
    config.system = GuestSystem::Darwin;
    config.ecid = "ecid";
    config.hardwareModel = "model";
    directory = small.add(QStringLiteral("mac"), config);
    vitrine::test::SmallLibrary::write(directory + QLatin1String("/nvram.bin"), "variables");
    Hypervisor::RunRequest wish{small.library, QStringLiteral("mac"), {}};
    MacOptions mac;
    mac.suspendable = true;
    mac.storeIn(wish.options);
    machine = std::make_unique<HostedMachine>(
        services, wish, std::make_unique<OwnHolder>(wish), HostedMachine::Screen::Window);
    fake::failNext("validateSave", VzInvalidConfiguration, "Unsupported console device.");
    machine->start();
    ASSERT_TRUE(reaches(MachineState::Running));
    EXPECT_EQ(fake::calls("validateSave"), 2);
    EXPECT_EQ(fake::lastConfiguration().consoleDevices.count, 0U);
}

TEST_F(HostTest, WhatTheFrameworkRefusesIsTheReason) {
    fake::failNext("validate", VzInvalidConfiguration, "the hypervisor said no");
    machine->start();
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    EXPECT_FALSE(failure.isEmpty());
    EXPECT_EQ(small.library.stateOf(directory), MachineState::Stopped);
}

} // namespace vitrine::vz
