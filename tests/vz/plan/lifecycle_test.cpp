// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/lifecycle.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using namespace vitrine;
using namespace vitrine::vz;

namespace {

std::string wordOf(const Action& action) {
    switch (action.kind) {
    case Action::Kind::Start:
        return action.recovery ? "start-recovery" : "start";
    case Action::Kind::Restore:
        return "restore";
    case Action::Kind::Resume:
        return "resume";
    case Action::Kind::Pause:
        return "pause";
    case Action::Kind::Save:
        return "save";
    case Action::Kind::PublishState:
        return "publish";
    case Action::Kind::RenewFingerprint:
        return "renew";
    case Action::Kind::MarkStateUsed:
        return "mark";
    case Action::Kind::DeleteState:
        return "delete";
    case Action::Kind::DeletePartial:
        return "clean";
    case Action::Kind::RequestStop:
        return "power-button";
    case Action::Kind::Stop:
        return "pull-plug";
    case Action::Kind::StartNetwork:
        return "net-on";
    case Action::Kind::StopNetwork:
        return "net-off";
    case Action::Kind::Reattach:
        return "reattach" + std::to_string(action.card);
    case Action::Kind::OpenServices:
        return "services";
    case Action::Kind::ArmTimer:
        return "timer" + std::to_string(action.milliseconds);
    case Action::Kind::CancelTimer:
        return "no-timer";
    case Action::Kind::TellState:
        return "[" + vitrine::toText(action.state).toLower().toStdString() + "]";
    case Action::Kind::Report:
        return action.error && !action.error->message.isEmpty() ? "report" : "EMPTY REPORT";
    case Action::Kind::Finish:
        return "end" + std::to_string(action.exitCode) +
               ((action.exitCode != 0) == action.error.has_value() ? "" : " WITHOUT A REASON");
    }
    return "?";
}

std::string wordsOf(const Actions& actions) {
    std::string words;
    for (const Action& action : actions)
        words += (words.empty() ? "" : " ") + wordOf(action);
    return words;
}

std::optional<VzFailure> failed(int code) {
    return VzFailure{QLatin1String(vzErrorDomain), code, QStringLiteral("Apple's words"), {}};
}

// An event by its name: an operation with "ok" or an error's code, or what happens or is wanted.
Actions happen(Lifecycle& life, const std::string& event) {
    const Error broken{Error::Kind::DiskFull, QStringLiteral("There is no space left."), {}};
    const std::pair<const char*, Operation> operations[]{{"start ", Operation::Start},
                                                         {"restore ", Operation::Restore},
                                                         {"resume ", Operation::Resume},
                                                         {"pause ", Operation::Pause},
                                                         {"save ", Operation::Save},
                                                         {"button ", Operation::RequestStop},
                                                         {"stop ", Operation::Stop}};
    for (const auto& [word, operation] : operations) {
        if (event.rfind(word, 0) != 0)
            continue;
        const std::string how = event.substr(std::string(word).size());
        return how == "ok" ? life.completed(operation)
                           : life.completed(operation, failed(std::stoi(how)));
    }
    if (event == "begin")
        return life.begin();
    if (event == "published")
        return life.statePublished();
    if (event == "not published")
        return life.statePublished(broken);
    if (event == "renewed")
        return life.fingerprintRenewed();
    if (event == "not renewed")
        return life.fingerprintRenewed(broken);
    if (event == "marked")
        return life.stateMarkedUsed();
    if (event == "not marked")
        return life.stateMarkedUsed(broken);
    if (event == "guest stopped")
        return life.guestStopped();
    if (event == "crashed")
        return life.stoppedWithError(*failed(VzInternal));
    if (event == "is stopped")
        return life.stateChanged(VmState::Stopped);
    if (event == "is in error")
        return life.stateChanged(VmState::Error);
    if (event == "is running")
        return life.stateChanged(VmState::Running);
    if (event == "net dropped")
        return life.networkDropped(1, *failed(VzNetwork));
    if (event == "softnet gone")
        return life.networkGone(broken);
    if (event == "time is over")
        return life.timerExpired();
    if (event == "shut down!")
        return life.shutDown();
    if (event == "interrupt!")
        return life.interrupt();
    if (event == "off!")
        return life.forceOff();
    if (event == "pause!")
        return life.pause();
    if (event == "resume!")
        return life.resume();
    if (event == "suspend!")
        return life.suspend();
    ADD_FAILURE() << "no such event: " << event;
    return {};
}

struct Step {
    const char* event;
    const char* actions;
};

struct Story {
    const char* name;
    Lifecycle::Setup setup;
    std::vector<Step> steps;
};

void PrintTo(const Story& story, std::ostream* out) {
    *out << story.name;
}

Lifecycle::Setup plain() {
    Lifecycle::Setup setup;
    setup.machine = QStringLiteral("web");
    setup.forceOffAfter = 5000;
    setup.patience = 30000;
    return setup;
}
Lifecycle::Setup savable(bool hasState = false, bool afresh = false) {
    Lifecycle::Setup setup = plain();
    setup.savable = true;
    setup.hasSavedState = hasState;
    setup.startsAfresh = afresh;
    return setup;
}
Lifecycle::Setup withSoftnet(bool hasState = false) {
    Lifecycle::Setup setup = savable(hasState);
    setup.hasSoftnet = true;
    return setup;
}
Lifecycle::Setup recovery() {
    Lifecycle::Setup setup = plain();
    setup.recovery = true;
    return setup;
}
Lifecycle::Setup impatient() {
    Lifecycle::Setup setup = plain();
    setup.forceOffAfter = 0;
    return setup;
}

const Step begun{"begin", "clean [starting] start"};
const Step started{"start ok", "[running] services"};
const Step restoring{"begin", "clean [starting] restore"};

const std::vector<Story> stories{
    {"AGuestThatShutsItselfDownEndsTheRunWithZero",
     plain(),
     {begun, started, {"is running", ""}, {"guest stopped", "no-timer [stopped] end0"}}},
    {"RecoveryIsAskedForAtTheStart",
     recovery(),
     {{"begin", "clean [starting] start-recovery"}, started}},
    {"AStartThatFailsEndsTheRunWithTheReason",
     plain(),
     {begun, {"start 6", "no-timer [stopped] end1"}, {"begin", ""}, {"guest stopped", ""}}},
    {"ACrashEndsTheRunWithTheReason",
     plain(),
     {begun, started, {"crashed", "no-timer [stopped] end1"}}},
    {"SoftnetStartsBeforeTheMachineAndStopsAfterIt",
     withSoftnet(),
     {{"begin", "clean [starting] net-on start"},
      started,
      {"guest stopped", "no-timer net-off [stopped] end0"}}},
    {"SoftnetStartsBeforeAStateIsRestored",
     withSoftnet(true),
     {{"begin", "clean [starting] net-on restore"}}},
    {"ASavedStateIsMarkedBeforeAndDeletedAfterTheMachineGoesOn",
     savable(true),
     {restoring,
      {"restore ok", "mark"},
      {"marked", "resume"},
      {"resume ok", "delete [running] services"}}},
    {"AStateThatCannotBeRestoredIsKept",
     savable(true),
     {restoring, {"restore 12", "no-timer [stopped] end1"}}},
    {"AStateThatCannotBeRestoredIsThrownAwayOnWish",
     savable(true, true),
     {restoring, {"restore 12", "report delete start"}, started}},
    {"TheLimitOfMachinesThrowsNoStateAway",
     savable(true, true),
     {restoring, {"restore 6", "no-timer [stopped] end1"}}},
    {"AMachineWhoseStateCannotBeMarkedDoesNotGoOn",
     savable(true),
     {restoring,
      {"restore ok", "mark"},
      {"not marked", "[shutting down] pull-plug"},
      {"stop ok", "no-timer [stopped] end1"}}},
    {"AMachineThatDoesNotResumeKeepsItsState",
     savable(true),
     {restoring,
      {"restore ok", "mark"},
      {"marked", "resume"},
      {"resume 4", "[shutting down] pull-plug"},
      {"stop ok", "no-timer [stopped] end1"}}},
    {"PauseAndResume",
     plain(),
     {begun,
      started,
      {"pause!", "pause"},
      {"pause ok", "[paused]"},
      {"pause!", "report"},
      {"resume!", "resume"},
      {"resume ok", "[running]"}}},
    {"APauseThatFailsLeavesItRunning",
     plain(),
     {begun, started, {"pause!", "pause"}, {"pause 4", "report"}, {"pause!", "pause"}}},
    {"AResumeThatFailsLeavesItPaused",
     plain(),
     {begun,
      started,
      {"pause!", "pause"},
      {"pause ok", "[paused]"},
      {"resume!", "resume"},
      {"resume 3", "report"},
      {"resume!", "resume"}}},
    {"SuspendingPausesSavesPublishesAndStops",
     savable(),
     {begun,
      started,
      {"suspend!", "[suspending] pause"},
      {"pause ok", "save"},
      {"save ok", "publish"},
      {"published", "pull-plug"},
      {"guest stopped", ""},
      {"stop ok", "renew"},
      {"off!", ""},
      {"guest stopped", ""},
      {"renewed", "no-timer [suspended] end0"}}},
    {"AFingerprintThatCannotBeRenewedIsTold",
     savable(),
     {begun,
      started,
      {"suspend!", "[suspending] pause"},
      {"pause ok", "save"},
      {"save ok", "publish"},
      {"published", "pull-plug"},
      {"stop ok", "renew"},
      {"not renewed", "report no-timer [suspended] end0"}}},
    {"APausedMachineIsSavedAtOnce",
     savable(),
     {begun,
      started,
      {"pause!", "pause"},
      {"pause ok", "[paused]"},
      {"suspend!", "[suspending] save"},
      {"save 11", "clean report [paused]"}}},
    {"ASaveThatFailsGoesOn",
     savable(),
     {begun,
      started,
      {"suspend!", "[suspending] pause"},
      {"pause ok", "save"},
      {"save 8", "clean report resume"},
      {"resume ok", "[running]"},
      {"suspend!", "[suspending] pause"}}},
    {"AStateThatCannotBePublishedIsNone",
     savable(),
     {begun,
      started,
      {"suspend!", "[suspending] pause"},
      {"pause ok", "save"},
      {"save ok", "publish"},
      {"not published", "clean report resume"}}},
    {"AMachineThatCannotBePausedIsNotSuspended",
     savable(),
     {begun, started, {"suspend!", "[suspending] pause"}, {"pause 4", "report [running]"}}},
    {"ASavedMachineThatDoesNotStopIsStillSuspended",
     savable(),
     {begun,
      started,
      {"suspend!", "[suspending] pause"},
      {"pause ok", "save"},
      {"save ok", "publish"},
      {"published", "pull-plug"},
      {"stop 4", "report renew"},
      {"renewed", "no-timer [suspended] end0"}}},
    {"AGuestThatEndsWhileItIsSavedLeavesNoHalfState",
     savable(),
     {begun,
      started,
      {"suspend!", "[suspending] pause"},
      {"pause ok", "save"},
      {"guest stopped", "clean no-timer [stopped] end0"},
      {"save 11", ""}}},
    {"WhatCannotBeSavedIsNotSuspended", plain(), {begun, started, {"suspend!", "report"}}},
    {"NothingIsSuspendedTwice",
     savable(),
     {begun, started, {"suspend!", "[suspending] pause"}, {"suspend!", "report"}}},
    {"ShuttingDownPressesTheButtonAndTellsOfASilentGuest",
     plain(),
     {begun,
      started,
      {"shut down!", "[shutting down] power-button timer30000"},
      {"button ok", ""},
      {"suspend!", "report"},
      {"time is over", "report [running]"},
      {"shut down!", "[shutting down] power-button timer30000"},
      {"guest stopped", "no-timer [stopped] end0"}}},
    {"AButtonThatIsRefusedIsReported",
     plain(),
     {begun,
      started,
      {"shut down!", "[shutting down] power-button timer30000"},
      {"button 4", "report no-timer [running]"}}},
    {"APausedMachineResumesToShutDown",
     plain(),
     {begun,
      started,
      {"pause!", "pause"},
      {"pause ok", "[paused]"},
      {"shut down!", "resume"},
      {"resume ok", "[running] [shutting down] power-button timer30000"}}},
    {"AShutDownDuringTheStartWaitsForIt",
     plain(),
     {begun,
      {"shut down!", ""},
      {"start ok", "[running] services [shutting down] power-button timer30000"}}},
    {"AnInterruptShutsDownThenForcesOff",
     plain(),
     {begun,
      started,
      {"interrupt!", "timer5000 [shutting down] power-button"},
      {"time is over", "pull-plug"},
      {"stop ok", "no-timer [stopped] end0"}}},
    {"TheTimerOfAnInterruptOutlivesARefusedButton",
     plain(),
     {begun,
      started,
      {"interrupt!", "timer5000 [shutting down] power-button"},
      {"button 4", "report [running]"},
      {"time is over", "[shutting down] pull-plug"}}},
    {"ASecondInterruptForcesOff",
     plain(),
     {begun,
      started,
      {"interrupt!", "timer5000 [shutting down] power-button"},
      {"interrupt!", "pull-plug"},
      {"guest stopped", ""},
      {"stop ok", "no-timer [stopped] end0"}}},
    {"WithoutPatienceAnInterruptForcesOff",
     impatient(),
     {begun, started, {"interrupt!", "[shutting down] pull-plug"}}},
    {"AStopDuringTheStartWaitsForIt",
     plain(),
     {begun,
      {"off!", ""},
      {"start ok", "[shutting down] pull-plug"},
      {"stop ok", "no-timer [stopped] end0"}}},
    {"AStopDuringTheStartIsTriedAtOnceWhenAskedAgain",
     plain(),
     {begun,
      {"off!", ""},
      {"off!", "[shutting down] pull-plug"},
      {"start 9", ""},
      {"stop ok", "no-timer [stopped] end0"}}},
    {"AStopThatFailsLeavesItRunning",
     plain(),
     {begun,
      started,
      {"off!", "[shutting down] pull-plug"},
      {"stop 4", "report [running]"},
      {"off!", "[shutting down] pull-plug"}}},
    {"WhatDoesNotStopIsGivenUpWhenAskedAgain",
     plain(),
     {begun,
      started,
      {"off!", "[shutting down] pull-plug"},
      {"off!", "no-timer [stopped] end1"},
      {"stop ok", ""}}},
    {"AStopDuringARestoreKeepsTheState",
     savable(true),
     {restoring,
      {"off!", ""},
      {"restore ok", "mark"},
      {"marked", "[shutting down] pull-plug"},
      {"stop ok", "no-timer [stopped] end0"}}},
    {"AStopWhileItIsSavedStopsWithoutGoingOn",
     savable(),
     {begun,
      started,
      {"suspend!", "[suspending] pause"},
      {"pause ok", "save"},
      {"off!", ""},
      {"save 11", "clean report [shutting down] pull-plug"},
      {"stop ok", "no-timer [stopped] end0"}}},
    {"AnEndThatNobodyExplainsIsNoticed",
     plain(),
     {begun,
      started,
      {"is stopped", "timer1000"},
      {"is stopped", ""},
      {"time is over", "no-timer [stopped] end0"}}},
    {"AnErrorThatNobodyExplainsIsNoticed",
     plain(),
     {begun, started, {"is in error", "timer1000"}, {"time is over", "no-timer [stopped] end1"}}},
    {"AnEndThatIsExplainedInTimeEndsOnce",
     plain(),
     {begun,
      started,
      {"is stopped", "timer1000"},
      {"guest stopped", "no-timer [stopped] end0"},
      {"time is over", ""}}},
    {"WithAnOperationUnderWayItsAnswerTells",
     savable(true),
     {restoring, {"is stopped", ""}, {"restore 12", "no-timer [stopped] end1"}}},
    {"ADroppedCardIsAttachedAgain",
     plain(),
     {begun, {"net dropped", "reattach1"}, started, {"net dropped", "reattach1"}}},
    {"SoftnetThatIsGoneIsToldOnce",
     withSoftnet(),
     {{"begin", "clean [starting] net-on start"},
      started,
      {"softnet gone", "report"},
      {"softnet gone", ""}}},
    {"BeforeItsStartEverythingJustEnds", plain(), {{"interrupt!", "no-timer end0"}}},
    {"AfterItsEndNothingHappens",
     savable(),
     {begun,
      {"start 1", "no-timer [stopped] end1"},
      {"shut down!", ""},
      {"off!", ""},
      {"suspend!", ""},
      {"pause!", ""},
      {"interrupt!", ""},
      {"net dropped", ""},
      {"softnet gone", ""},
      {"crashed", ""}}},
};

class LifecycleStory : public testing::TestWithParam<Story> {};

} // namespace

TEST_P(LifecycleStory, IsToldAsExpected) {
    Lifecycle life(GetParam().setup);
    for (const Step& step : GetParam().steps)
        ASSERT_EQ(wordsOf(happen(life, step.event)), step.actions) << "after: " << step.event;
}

INSTANTIATE_TEST_SUITE_P(Lifecycle,
                         LifecycleStory,
                         testing::ValuesIn(stories),
                         [](const auto& story) { return std::string(story.param.name); });

TEST(Lifecycle, ACardThatKeepsDroppingIsToldOnce) {
    Lifecycle life(plain());
    (void)life.begin();
    (void)life.completed(Operation::Start);
    int attempts = 0;
    while (wordsOf(happen(life, "net dropped")) == "reattach1" && attempts < 1000)
        ++attempts;
    EXPECT_EQ(attempts, 20);
    EXPECT_EQ(wordsOf(happen(life, "net dropped")), ""); // it was told in the loop
    EXPECT_EQ(life.state(), MachineState::Running);
}

TEST(Lifecycle, TheLimitNamesTheMachinesThatRun) {
    Lifecycle life(plain());
    life.setRunningMacMachines({QStringLiteral("ci"), QStringLiteral("old")});
    (void)life.begin();
    const Actions actions = life.completed(Operation::Start, failed(VzLimitExceeded));
    const Error error = actions.constLast().error.value();
    EXPECT_EQ(error.kind, Error::Kind::Busy);
    EXPECT_TRUE(error.message.contains(QLatin1String("\"web\"")));
    EXPECT_TRUE(error.message.contains(QLatin1String("\"ci\", \"old\"")))
        << error.message.toStdString();
    EXPECT_TRUE(life.isFinished());
}
