// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/machine_run.h"

#include "tests/support/event_wait.h"
#include "tests/support/send_signal.h"
#include "tests/vz/plan/fake_vz_machine.h"
#include "tests/vz/plan/pretended_mac.h"
#include "vz/plan/plan_builder.h"

#include <QDir>
#include <QFileInfo>

#include <gtest/gtest.h>

#include <unistd.h>

using namespace vitrine;
using namespace vitrine::vz;
using vitrine::test::waitUntil;
using vitrine::vz::test::FakeVzMachine;
using vitrine::vz::test::pretendedMac;
using vitrine::vz::test::PretendedMachine;

namespace {

class MachineRunTest : public testing::Test {
protected:
    // A run of the machine; `fake` until the run is made anew.
    void make(bool suspendable = true, std::unique_ptr<SoftnetSession> network = {}) {
        RunIntent intent;
        intent.suspendable = suspendable;
        auto outcome = PlanBuilder(files.info, options, pretendedMac()).setIntent(intent).build();
        ASSERT_TRUE(outcome.planned) << outcome.errors.value(0).message.toStdString();
        setup.name = files.info.name;
        setup.directory = files.info.directory;
        setup.plan = outcome.planned->plan;
        setup.shares = outcome.planned->shares;
        setup.host = pretendedMac();
        setup.options = options;
        auto machine = std::make_unique<FakeVzMachine>();
        fake = machine.get();
        fake->failures = failures;
        ended.reset();
        told.clear();
        run = std::make_unique<MachineRun>(setup, std::move(machine), std::move(network));
        QObject::connect(run.get(), &MachineRun::stateChanged, run.get(), [this](MachineState s) {
            told << toTartText(s);
        });
        QObject::connect(
            run.get(), &MachineRun::reported, run.get(), [this](const Error& e) { reports << e; });
        QObject::connect(run.get(), &MachineRun::servicesWanted, run.get(), [this] { ++services; });
        QObject::connect(run.get(),
                         &MachineRun::finished,
                         run.get(),
                         [this](int code, const std::optional<Error>& e) {
                             ended = code;
                             failure = e;
                         });
    }
    bool reaches(MachineState state) {
        return waitUntil([this, state] { return run->state() == state; });
    }
    bool ends() {
        return waitUntil([this] { return ended.has_value(); });
    }
    void startIt(bool suspendable = true) {
        make(suspendable);
        run->start();
        ASSERT_TRUE(reaches(MachineState::Running));
    }
    void suspendIt() {
        startIt();
        run->suspend();
        ASSERT_TRUE(ends());
        ASSERT_EQ(run->state(), MachineState::Suspended);
    }
    [[nodiscard]] bool exists(const char* name) const {
        return QFileInfo::exists(files.path(name));
    }
    [[nodiscard]] std::string asked() const {
        return fake->asked.join(QLatin1Char(' ')).toStdString();
    }

    PretendedMachine files{GuestSystem::Darwin};
    RunOptions options;
    MachineRun::Setup setup;
    QHash<QString, int> failures; // of the next machine
    FakeVzMachine* fake = nullptr;
    std::unique_ptr<MachineRun> run;
    QList<Error> reports;
    QStringList told;
    int services = 0;
    std::optional<int> ended;
    std::optional<Error> failure;
};

} // namespace

TEST_F(MachineRunTest, StartsAndEndsWithItsGuest) {
    files.put("state.vzvmsave.part", "of a run that was killed");
    startIt();
    EXPECT_FALSE(exists("state.vzvmsave.part"));
    EXPECT_EQ(services, 1);
    EXPECT_EQ(asked(), "start");
    fake->events->guestStopped();
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 0);
    EXPECT_FALSE(failure);
    EXPECT_EQ(run->state(), MachineState::Stopped);
}

TEST_F(MachineRunTest, SuspendsAndGoesOnFromWhatItSaved) {
    options.clipboard = false;
    setup.stored.audio = false;
    suspendIt();
    EXPECT_EQ(asked(), "start pause save stop");
    EXPECT_TRUE(exists(vzStateName));
    EXPECT_TRUE(exists(stateFingerprintName));
    EXPECT_FALSE(exists(vzPartialStateName));
    const auto fingerprint = StateFingerprint::read(files.info.directory);
    ASSERT_TRUE(fingerprint);
    EXPECT_EQ(fingerprint->run, options);
    EXPECT_EQ(fingerprint->stored, setup.stored);
    files.info.state = MachineState::Suspended;
    make(false); // a state implies it
    run->start();
    ASSERT_TRUE(reaches(MachineState::Running));
    EXPECT_EQ(asked(), "restore resume");
    EXPECT_EQ(fake->restoredFrom, files.path(vzStateName));
    ASSERT_TRUE(waitUntil([this] { return services == 2; }));
    EXPECT_FALSE(exists(vzStateName));
    EXPECT_FALSE(exists(vzUsedStateName));
    EXPECT_FALSE(exists(stateFingerprintName));
}

TEST_F(MachineRunTest, DisksThatAreWrittenUntilItStopsStillFit) {
    startIt();
    run->suspend();
    // The framework writes what it had in memory while it stops.
    ASSERT_TRUE(waitUntil([this] { return fake->asked.contains(QLatin1String("stop")); }));
    files.put("nvram.bin", "variables, and more of them");
    ASSERT_TRUE(ends());
    EXPECT_EQ(findState(files.info.directory, setup.plan, setup.host).kind,
              FoundState::Kind::Saved);
}

TEST_F(MachineRunTest, AStateThatDoesNotFitIsKeptAndTold) {
    suspendIt();
    files.put("disk.img", QByteArray(8192, 'n'));
    make();
    run->start();
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    ASSERT_TRUE(failure);
    EXPECT_TRUE(failure->message.contains(QLatin1String("disk.img")));
    EXPECT_TRUE(exists(vzStateName));
    EXPECT_EQ(asked(), "");
}

TEST_F(MachineRunTest, AStateThatDoesNotFitIsThrownAwayOnWish) {
    suspendIt();
    files.put("disk.img", QByteArray(8192, 'n'));
    setup.startsAfresh = true;
    startIt();
    EXPECT_EQ(asked(), "start");
    EXPECT_FALSE(exists(vzStateName));
}

TEST_F(MachineRunTest, ARestoreThatFailsStartsAfreshOnlyAfterTheStateIsGone) {
    suspendIt();
    setup.startsAfresh = true;
    failures = {{QStringLiteral("restore"), VzRestore}};
    make();
    bool goneAtStart = false;
    run->start();
    ASSERT_TRUE(waitUntil([&] {
        if (!fake->asked.contains(QLatin1String("start")))
            return false;
        goneAtStart = !exists(vzStateName);
        return true;
    }));
    EXPECT_TRUE(goneAtStart);
    EXPECT_TRUE(reaches(MachineState::Running));
    EXPECT_EQ(reports.size(), 1);
}

TEST_F(MachineRunTest, AResumeThatFailsLeavesAStateToTryAgain) {
    suspendIt();
    failures = {{QStringLiteral("resume"), VzInternal}};
    make();
    run->start();
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    EXPECT_EQ(asked(), "restore resume stop");
    EXPECT_TRUE(exists(vzUsedStateName));
    failures.clear();
    make();
    run->start();
    ASSERT_TRUE(reaches(MachineState::Running));
    EXPECT_EQ(fake->restoredFrom, files.path(vzUsedStateName));
    EXPECT_TRUE(fake->restoredFile);
    EXPECT_TRUE(waitUntil([this] { return !exists(vzUsedStateName); }));
}

TEST_F(MachineRunTest, ASaveThatFailsLeavesNothingAndGoesOn) {
    failures = {{QStringLiteral("save"), VzOutOfDiskSpace}};
    startIt();
    run->suspend();
    ASSERT_TRUE(waitUntil([this] { return fake->asked.contains(QLatin1String("resume")); }));
    ASSERT_TRUE(reaches(MachineState::Running));
    ASSERT_EQ(reports.size(), 1);
    EXPECT_EQ(reports.first().kind, Error::Kind::DiskFull);
    EXPECT_FALSE(exists(vzPartialStateName));
    EXPECT_FALSE(ended);
}

TEST_F(MachineRunTest, AStateThatCannotBePublishedIsReportedAndItGoesOn_NeedsOrdinaryUser) {
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may write everywhere";
    startIt();
    run->suspend();
    ASSERT_TRUE(waitUntil([this] { return exists(vzPartialStateName); }));
    QFile::setPermissions(files.info.directory, QFile::ReadOwner | QFile::ExeOwner);
    const bool goesOn = waitUntil([this] { return fake->asked.contains(QLatin1String("resume")); });
    QFile::setPermissions(files.info.directory,
                          QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    EXPECT_TRUE(goesOn);
}

TEST_F(MachineRunTest, TheLimitNamesWhoRuns) {
    setup.runningMacMachines = [] { return QStringList{QStringLiteral("ci")}; };
    failures = {{QStringLiteral("start"), VzLimitExceeded}};
    make();
    run->start();
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    EXPECT_TRUE(failure->message.contains(QLatin1String("\"ci\"")))
        << failure->message.toStdString();
}

TEST_F(MachineRunTest, AnInterruptForcesOffASilentGuest) {
    setup.forceOffAfter = 20;
    startIt();
    run->interrupt();
    ASSERT_TRUE(ends());
    EXPECT_EQ(asked(), "start button stop");
    EXPECT_EQ(*ended, 0);
}

TEST_F(MachineRunTest, AnInterruptBeforeItStartsIsHeeded) {
    make();
    run->start();
    run->interrupt();
    ASSERT_TRUE(ends());
    EXPECT_EQ(asked(), "");
    EXPECT_EQ(*ended, 0);
}

TEST_F(MachineRunTest, ADroppedCardIsGivenItsAttachmentAgain) {
    startIt();
    fake->events->networkDropped(0, {});
    EXPECT_EQ(fake->asked.constLast(), QLatin1String("card0:7e:11:22:33:44:55"));
}

TEST_F(MachineRunTest, FoldersComeAndGoWhileItRuns) {
    startIt(false);
    const ShareSpec share = *ShareSpec::fromText(QStringLiteral("src:/src"));
    ASSERT_TRUE(run->addShare(share));
    EXPECT_EQ(fake->asked.constLast(), QLatin1String("share:vitrine-0"));
    EXPECT_EQ(run->shares().shares().size(), 1);
    EXPECT_TRUE(run->setShareReadOnly(share, true));
    EXPECT_TRUE(run->removeShare(share));
    EXPECT_TRUE(run->shares().shares().isEmpty());
    fake->refusesShares = true;
    EXPECT_FALSE(run->addShare(share));
    EXPECT_TRUE(run->shares().shares().isEmpty()); // it is as it was
    fake->events->guestStopped();
    ASSERT_TRUE(ends());
    EXPECT_EQ(run->addShare(share).error().kind, Error::Kind::NotRunning);
}

TEST_F(MachineRunTest, ALostNetworkDiskIsToldByItsAddress) {
    ExtraDisk disk;
    disk.path = QStringLiteral("nbd://localhost/data");
    options.disks = {disk};
    startIt();
    fake->events->diskFailed(1, {QLatin1String(vzErrorDomain), VzNbdDisconnected, {}, {}});
    ASSERT_EQ(reports.size(), 1);
    EXPECT_EQ(reports.first().kind, Error::Kind::Network);
    EXPECT_TRUE(reports.first().message.contains(
        QLatin1String("\"web\" lost the disk \"nbd://localhost/data\".")))
        << reports.first().message.toStdString();
    EXPECT_FALSE(ended);
}

TEST_F(MachineRunTest, SoftnetStartsFirstAndIsGoneInTheEnd) {
    SoftnetProgram program;
    program.path = QStringLiteral(VITRINE_SOFTNET_STAND_IN);
    program.isRaised = true;
    program.hasControl = true;
    options.network.mode = NetworkMode::Softnet;
    auto network = SoftnetSession::make(
        program, files.info.config->macAddress, options.network, files.outside("log"));
    ASSERT_TRUE(network);
    SoftnetSupervisor* const supervisor = (*network)->supervisor();
    make(true, std::move(*network));
    run->start();
    ASSERT_TRUE(reaches(MachineState::Running));
    const auto child = static_cast<pid_t>(supervisor->processId());
    ASSERT_GT(child, 0);
    fake->events->guestStopped();
    ASSERT_TRUE(ends());
    EXPECT_EQ(vitrine::test::sendSignal(child, 0), -1);
    EXPECT_EQ(*ended, 0);
}

TEST_F(MachineRunTest, ASoftnetThatCannotBeRunStartsNothing) {
    SoftnetProgram program;
    program.path = files.outside("no-such-program");
    program.isRaised = true;
    options.network.mode = NetworkMode::Softnet;
    auto network = SoftnetSession::make(
        program, files.info.config->macAddress, options.network, files.outside("log"));
    ASSERT_TRUE(network);
    make(true, std::move(*network));
    run->start();
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    EXPECT_EQ(asked(), "");
}

TEST_F(MachineRunTest, ARunThatGoesAwayHalfWayIsNotAnswered) {
    make();
    run->start();
    run.reset();
    startIt();
    run->suspend();
    run.reset();
    bool passed = false;
    QTimer::singleShot(0, qApp, [&passed] { passed = true; });
    EXPECT_TRUE(waitUntil([&passed] { return passed; }));
}

TEST_F(MachineRunTest, SavingIsToldByTheBytesThatAreThere) {
    setup.savingLook = 1;
    startIt();
    fake->holds = {QStringLiteral("save")};
    QList<quint64> written;
    QObject::connect(
        run.get(), &MachineRun::saving, run.get(), [&](quint64 bytes) { written << bytes; });
    run->suspend();
    ASSERT_TRUE(waitUntil([&] { return !written.isEmpty() && written.constLast() == 5; }));
    files.put(vzPartialStateName, QByteArray(3 << 20, 's'));
    ASSERT_TRUE(waitUntil([&] { return written.constLast() == 3U << 20; }));
    fake->release();
    ASSERT_TRUE(ends());
    EXPECT_EQ(run->state(), MachineState::Suspended);
    // A machine that goes on is not looked at any more.
    startIt();
    fake->failures = {{QStringLiteral("save"), VzSave}};
    QObject::connect(
        run.get(), &MachineRun::saving, run.get(), [&](quint64 bytes) { written << bytes; });
    run->suspend();
    ASSERT_TRUE(reaches(MachineState::Suspending));
    ASSERT_TRUE(reaches(MachineState::Running));
    const auto before = written.size();
    run->shutDown();
    fake->events->guestStopped();
    ASSERT_TRUE(ends());
    EXPECT_EQ(written.size(), before);
}
