// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/creation_request.h"
#include "core/hypervisor/display.h"
#include "core/hypervisor/hypervisor.h"
#include "core/hypervisor/machine_host.h"

#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

// A backend that adds nothing to what every backend does.
class PlainHypervisor final : public Hypervisor {
public:
    QHash<Feature, FeatureStatus> features;
    [[nodiscard]] HypervisorInfo info(Refresh) const override {
        HypervisorInfo info;
        info.features = features;
        return info;
    }
    [[nodiscard]] Result<> validate(const MachineInfo&, const RunOptions&) const override {
        return {};
    }
    [[nodiscard]] int runMachine(const RunRequest&) const override { return 1; }
    [[nodiscard]] std::unique_ptr<Display> openDisplay(const QString&) const override {
        return nullptr;
    }
};

class CreateMachine : public testing::Test {
protected:
    Result<> create(std::variant<NewLinuxMachine, NewMacMachine> machine) {
        return m_hypervisor.createMachine(
            {m_library, *MachineName::fromText(QStringLiteral("a")), std::move(machine)}, {});
    }
    QTemporaryDir m_folder;
    Library m_library = *Library::open(m_folder.filePath(QStringLiteral("home")));
    PlainHypervisor m_hypervisor;
};

TEST_F(CreateMachine, MakesLinuxMachinesOfThisArchitectureWithoutAQuestion) {
    ASSERT_TRUE(create(NewLinuxMachine()));
    EXPECT_EQ(m_library.machines()->size(), 1);
}

TEST_F(CreateMachine, AnArchitectureThatCannotRunHereIsRefusedWithTheReason) {
    const bool isArm = hostArchitecture() == Architecture::Arm64;
    NewLinuxMachine other;
    other.architecture = isArm ? Architecture::Amd64 : Architecture::Arm64;
    const Feature feature = isArm ? Feature::Amd64Guests : Feature::Arm64Guests;
    m_hypervisor.features[feature] = {false, QStringLiteral("No emulator.")};
    const auto refused = create(other);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(refused.error().message.endsWith(QLatin1String("No emulator.")));
    EXPECT_TRUE(m_library.machines()->isEmpty());
    m_hypervisor.features[feature] = {true, QStringLiteral("Emulated, slow.")};
    EXPECT_TRUE(create(other));
}

TEST_F(CreateMachine, MacosIsRefusedWithTheReason) {
    m_hypervisor.features[Feature::DarwinGuests] = {false, QStringLiteral("Only on a Mac.")};
    const auto refused = create(NewMacMachine());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(refused.error().message.endsWith(QLatin1String("Only on a Mac.")));
    EXPECT_TRUE(m_library.machines()->isEmpty());
}

} // namespace
} // namespace vitrine
