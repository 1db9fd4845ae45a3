// SPDX-License-Identifier: Apache-2.0
#include "core/run/machine_hold.h"

#include "core/machine/sidecar.h"
#include "tests/support/held_machine.h"

#include <QFileInfo>

#include <gtest/gtest.h>

using namespace vitrine;
using vitrine::test::SmallLibrary;

namespace {

const QString name = QStringLiteral("m");

QByteArray contentOf(const QString& path) {
    QFile file(path);
    file.open(QIODevice::ReadOnly);
    return file.readAll();
}

} // namespace

TEST(MachineHold, HoldsBothLocksAndLetsThemGo) {
    SmallLibrary library;
    const QString directory = library.add(name);
    {
        const auto hold = MachineHold::take(library.library, name);
        ASSERT_TRUE(hold);
        EXPECT_EQ(hold->machine.state, MachineState::Stopped);
        EXPECT_EQ(library.library.stateOf(directory), MachineState::Running);
        EXPECT_TRUE(hold->runtime.isAlive());
        // The global lock is free again.
        EXPECT_TRUE(library.library.globalLock(0));
    }
    EXPECT_EQ(library.library.stateOf(directory), MachineState::Stopped);
}

TEST(MachineHold, TellsWhatIsWrongByKind) {
    SmallLibrary library;
    EXPECT_EQ(MachineHold::take(library.library, name).error().kind, Error::Kind::NotFound);
    EXPECT_EQ(MachineHold::take(library.library, QStringLiteral("../m")).error().kind,
              Error::Kind::InvalidInput);
    const QString directory = library.add(name);
    QFile::remove(directory + QLatin1String("/config.json"));
    EXPECT_EQ(MachineHold::take(library.library, name).error().kind, Error::Kind::Integrity);
}

TEST(MachineHold, RestoresAConfigurationThatWasHalfWritten) {
    SmallLibrary library;
    const QString directory = library.add(name);
    const QByteArray whole = contentOf(directory + QLatin1String("/config.json"));
    SmallLibrary::write(directory + QLatin1String("/config.json.new"), whole);
    SmallLibrary::write(directory + QLatin1String("/config.json"), whole.left(20));
    const auto hold = MachineHold::take(library.library, name);
    ASSERT_TRUE(hold);
    EXPECT_EQ(hold->remarks.size(), 1);
    EXPECT_TRUE(hold->machine.config.has_value());
}

TEST(MachineHold, KeepsADamagedConfigurationThatCannotBeRestored) {
    SmallLibrary library;
    const QString directory = library.add(name);
    SmallLibrary::write(directory + QLatin1String("/config.json"), "{ damaged");
    EXPECT_FALSE(MachineHold::take(library.library, name));
    EXPECT_EQ(contentOf(directory + QLatin1String("/config.json")), "{ damaged");
}

TEST(MachineHold, AppliesWaitingChangesAndSaysWhichItDropped) {
    SmallLibrary library;
    const QString directory = library.add(name);
    ASSERT_TRUE(Sidecar::update(directory, [](Sidecar& sidecar) {
        sidecar.pending = {{QStringLiteral("cpuCount"), 1, 2},
                           {QStringLiteral("memorySize"), 5, 6}};
    }));
    const auto hold = MachineHold::take(library.library, name);
    ASSERT_TRUE(hold);
    EXPECT_EQ(hold->machine.config->cpuCount, 2);
    EXPECT_EQ(hold->remarks.size(), 1);
    EXPECT_TRUE(Sidecar::read(directory)->pending.isEmpty());
}

TEST(MachineHold, NamesTheFolderAsPeopleKnowItWhereverItIs) {
    SmallLibrary library;
    const QString directory = library.add(name);
    auto hold = MachineHold::take(library.library, name);
    ASSERT_TRUE(hold);
    SmallLibrary::write(directory + QLatin1String("/vitrine.json"), "{");
    const QStringList remarks = hold->applyWaitingChanges({});
    ASSERT_EQ(remarks.size(), 1);
    EXPECT_TRUE(remarks.first().contains(directory + QLatin1String("/vitrine.json")))
        << remarks.first().toStdString();
    EXPECT_FALSE(remarks.first().contains(QLatin1String("/proc/")));
    const QString moved = library.library.machinesPath() + QLatin1String("/it's moved");
    ASSERT_TRUE(QDir().rename(directory, moved));
    EXPECT_TRUE(hold->applyWaitingChanges({}).join(QString()).contains(moved));
}

TEST(MachineHold, LeavesTheMacAddressOfASuspendedMachineAlone) {
    SmallLibrary library;
    const auto config = SmallLibrary::smallConfig();
    const QString directory = library.add(name, config);
    library.add(QStringLiteral("twin"), config);
    SmallLibrary::write(directory + QLatin1String("/state.vzvmsave"), "state");
    const auto twin = MachineHold::take(library.library, QStringLiteral("twin"));
    ASSERT_TRUE(twin);
    const auto hold = MachineHold::take(library.library, name);
    ASSERT_TRUE(hold);
    EXPECT_EQ(hold->machine.state, MachineState::Suspended);
    EXPECT_EQ(hold->machine.config->macAddress, config.macAddress);
    ASSERT_TRUE(hold->twin);
    EXPECT_EQ(hold->twin->name, QStringLiteral("twin"));
    EXPECT_TRUE(hold->remarks.isEmpty());
}

TEST(MachineHold, ASuspendedTwinIsToldOfAndRefusedWhereTheTwoWouldMeet) {
    SmallLibrary library;
    const auto config = SmallLibrary::smallConfig();
    const QString directory = library.add(name, config);
    library.add(QStringLiteral("twin"), config);
    SmallLibrary::write(directory + QLatin1String("/state.qemu"), "state");
    const auto twin = MachineHold::take(library.library, QStringLiteral("twin"));
    ASSERT_TRUE(twin);
    const auto hold = MachineHold::take(library.library, name);
    ASSERT_TRUE(hold && hold->twin);
    const auto apart = vitrine::checkTwin(hold->machine, *hold->twin, vitrine::NetworkMode::Nat);
    ASSERT_TRUE(apart);
    const auto together =
        vitrine::checkTwin(hold->machine, *hold->twin, vitrine::NetworkMode::Bridged);
    ASSERT_FALSE(together);
    EXPECT_EQ(together.error().kind, Error::Kind::Unsupported);
    for (const QString& text : {*apart, together.error().message}) {
        EXPECT_TRUE(text.contains(QLatin1String("\"twin\""))) << qPrintable(text);
        EXPECT_TRUE(text.contains(config.macAddress.toText())) << qPrintable(text);
    }
    EXPECT_TRUE(together.error().message.contains(QLatin1String("--discard-state")));
}

TEST(MachineHold, AMachineWhoseSavedStateIsThrownAwayGetsAnAddressOfItsOwn) {
    SmallLibrary library;
    const auto config = SmallLibrary::smallConfig();
    const QString directory = library.add(name, config);
    library.add(QStringLiteral("twin"), config);
    SmallLibrary::write(directory + QLatin1String("/state.qemu"), "state");
    const auto twin = MachineHold::take(library.library, QStringLiteral("twin"));
    ASSERT_TRUE(twin);
    const auto hold = MachineHold::take(library.library, name, MachineHold::SavedState::Discarded);
    ASSERT_TRUE(hold);
    EXPECT_FALSE(hold->twin);
    EXPECT_NE(hold->machine.config->macAddress, config.macAddress);
    ASSERT_EQ(hold->remarks.size(), 1);
    EXPECT_TRUE(hold->remarks.first().contains(QLatin1String("\"twin\"")));
}

TEST(MachineHold, OneThatWasKilledJustAfterGoingOnCountsAsSuspended) {
    SmallLibrary library;
    const auto config = SmallLibrary::smallConfig();
    const QString directory = library.add(name, config);
    library.add(QStringLiteral("twin"), config);
    SmallLibrary::write(directory + QLatin1String("/state.qemu.used"), "state");
    ASSERT_TRUE(Sidecar::update(directory, [](Sidecar& sidecar) {
        sidecar.pending = {{QStringLiteral("cpuCount"), 1, 2}};
    }));
    EXPECT_EQ(library.library.stateOf(directory), MachineState::Suspended);
    EXPECT_EQ(library.library.find(name)->state, MachineState::Suspended);
    const auto twin = MachineHold::take(library.library, QStringLiteral("twin"));
    ASSERT_TRUE(twin);
    const auto hold = MachineHold::take(library.library, name);
    ASSERT_TRUE(hold);
    EXPECT_EQ(hold->machine.state, MachineState::Suspended);
    // The state would fit neither another address nor other hardware.
    EXPECT_EQ(hold->machine.config->macAddress, config.macAddress);
    EXPECT_EQ(hold->machine.config->cpuCount, 1);
    EXPECT_EQ(Sidecar::read(directory)->pending.size(), 1);
}
