// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/saved_state.h"

#include "core/library/machine_reader.h"
#include "tests/vz/plan/pretended_mac.h"
#include "vz/plan/plan_builder.h"

#include <QFileInfo>

#include <gtest/gtest.h>

#include <functional>

using namespace vitrine;
using namespace vitrine::vz;
using vitrine::vz::test::pretendedMac;
using vitrine::vz::test::PretendedMachine;
using Kind = FoundState::Kind;

namespace {

class VzSavedState : public testing::Test {
protected:
    [[nodiscard]] MachinePlan plan() const {
        RunIntent intent;
        intent.suspendable = true;
        const auto outcome =
            PlanBuilder(m_machine.info, m_options, m_host).setIntent(intent).build();
        EXPECT_TRUE(outcome.planned) << outcome.errors.value(0).message.toStdString();
        return outcome.planned ? outcome.planned->plan : MachinePlan{};
    }
    void suspend() {
        m_machine.put(vzPartialStateName, "state");
        const auto fingerprint = fingerprintOf(directory(), plan(), m_host);
        ASSERT_TRUE(fingerprint);
        ASSERT_TRUE(publishState(directory(), *fingerprint));
    }
    [[nodiscard]] FoundState found() const { return findState(directory(), plan(), m_host); }
    [[nodiscard]] const QString& directory() const { return m_machine.info.directory; }
    [[nodiscard]] bool exists(const char* name) const {
        return QFileInfo::exists(m_machine.path(name));
    }

    PretendedMachine m_machine{GuestSystem::Darwin};
    RunOptions m_options;
    HostCaps m_host = pretendedMac();
};

} // namespace

TEST_F(VzSavedState, NothingIsFoundWhereNothingWasSaved) {
    EXPECT_EQ(found().kind, Kind::None);
    m_machine.put(vzPartialStateName, "half");
    EXPECT_EQ(found().kind, Kind::None);
    deletePartialState(directory());
    EXPECT_FALSE(exists(vzPartialStateName));
}

TEST_F(VzSavedState, APublishedStateSuspendsTheMachine) {
    suspend();
    EXPECT_TRUE(MachineReader::isSuspended(directory()));
    EXPECT_FALSE(exists(vzPartialStateName));
    EXPECT_EQ(found().kind, Kind::Saved);
}

TEST_F(VzSavedState, AStateOfTartIsTriedWithoutAFingerprint) {
    m_machine.put(vzStateName, "tart's");
    EXPECT_EQ(found().kind, Kind::Saved);
}

TEST_F(VzSavedState, WhatChangedIsNamed) {
    struct Case {
        std::function<void()> change;
        const char* says;
    };
    const QString extra = m_machine.outside("extra.img");
    PretendedMachine::write(extra, QByteArray(512, 'x'));
    const RunOptions before = m_options;
    const MachineConfig config = *m_machine.info.config;
    const Case cases[]{
        {[this] { m_machine.info.config->cpuCount = 6; }, "processors"},
        {[this] { m_machine.info.config->memory = ByteCount::fromMiB(8192); }, "memory"},
        {[this] { m_machine.info.config->macAddress = MacAddress::random(); }, "network"},
        {[this] { m_machine.info.config->display.width = 800; }, "display"},
        {[this] { m_options.clipboard = false; }, "clipboard"},
        {[this] { m_options.network.mode = NetworkMode::Softnet; }, "network"},
        {[this, extra] { m_options.disks = {*ExtraDisk::fromText(extra)}; }, "extra.img"},
        {[this] {
             m_host.system = {14, 6, 0};
         },
         "older macOS 14.6"},
        {[this] { m_host.processor = QStringLiteral("Apple M1"); }, "Apple M1"},
        {[this] { m_machine.put("disk.img", QByteArray(8192, 'd')); }, "size"},
        {[this] { m_machine.put("nvram.bin", "other variables"); }, "nvram.bin"},
    };
    for (const Case& c : cases) {
        suspend();
        ASSERT_EQ(found().kind, Kind::Saved) << c.says;
        c.change();
        const FoundState state = found();
        EXPECT_EQ(state.kind, Kind::Unfit) << c.says;
        EXPECT_TRUE(state.reason.contains(QLatin1String(c.says))) << state.reason.toStdString();
        EXPECT_TRUE(state.reason.contains(QLatin1String("--discard-state")));
        EXPECT_TRUE(exists(vzStateName));
        m_options = before;
        m_machine.info.config = config;
        m_host = pretendedMac();
    }
}

TEST_F(VzSavedState, ANewerSystemAndARenamedMachineGoOn) {
    suspend();
    m_host.system = macOs26;
    EXPECT_EQ(found().kind, Kind::Saved);
    const QString renamed = m_machine.outside("library/vms/renamed");
    ASSERT_TRUE(QDir().rename(directory(), renamed));
    m_machine.info.directory = renamed;
    EXPECT_EQ(found().kind, Kind::Saved) << found().reason.toStdString();
}

TEST_F(VzSavedState, AMarkedStateCountsUntilTheDisksAreWritten) {
    suspend();
    ASSERT_TRUE(markStateUsed(directory()));
    EXPECT_FALSE(exists(vzStateName));
    EXPECT_EQ(found().kind, Kind::Used);
    ASSERT_TRUE(markStateUsed(directory())); // the run that goes on from it
    m_machine.put("disk.img", QByteArray(8192, 'n'));
    EXPECT_EQ(found().kind, Kind::Unfit);
    ASSERT_TRUE(deleteState(directory()));
    EXPECT_EQ(found().kind, Kind::None);
    EXPECT_FALSE(exists(stateFingerprintName));
}

TEST_F(VzSavedState, AMarkedStateOfTartNeverCounts) {
    m_machine.put(vzUsedStateName, "tart's");
    EXPECT_EQ(found().kind, Kind::Unfit); // nothing says what its disks were like
}

TEST_F(VzSavedState, ADamagedFingerprintIsTold) {
    suspend();
    m_machine.put(stateFingerprintName, "{");
    EXPECT_EQ(found().kind, Kind::Unfit);
    EXPECT_TRUE(found().reason.contains(QLatin1String("damaged")));
}

TEST_F(VzSavedState, WhatCannotBePublishedIsAnError) {
    const auto fingerprint = fingerprintOf(directory(), plan(), m_host);
    ASSERT_TRUE(fingerprint);
    const auto published = publishState(directory(), *fingerprint);
    ASSERT_FALSE(published);
    EXPECT_EQ(published.error().kind, Error::Kind::NotFound);
    EXPECT_FALSE(markStateUsed(directory()));
}
