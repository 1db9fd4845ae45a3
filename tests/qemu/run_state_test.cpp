// SPDX-License-Identifier: Apache-2.0
#include "qemu/run_state.h"

#include <gtest/gtest.h>

using vitrine::MachineState;
using namespace vitrine::qemu;

namespace {

QJsonObject reason(const char* word) {
    return {{QStringLiteral("reason"), QLatin1String(word)}};
}

QJsonObject diskError(bool nospace, const char* action = "stop") {
    return {{QStringLiteral("node-name"), QStringLiteral("disk0")},
            {QStringLiteral("operation"), QStringLiteral("write")},
            {QStringLiteral("action"), QLatin1String(action)},
            {QStringLiteral("nospace"), nospace},
            {QStringLiteral("reason"), QStringLiteral("Input/output error")}};
}

RunState running() {
    RunState state;
    state.begin(QStringLiteral("running"));
    return state;
}

QStringList kinds(RunState& state) {
    QStringList list;
    for (const Happening& happening : state.takeHappenings()) {
        list.append(happening.kind);
    }
    return list;
}

} // namespace

TEST(RunState, IsStartingUntilQemuAnswers) {
    RunState state;
    EXPECT_EQ(state.state(), MachineState::Starting);
    state.begin(QStringLiteral("running"));
    EXPECT_EQ(state.state(), MachineState::Running);
    EXPECT_TRUE(state.note().isEmpty());
}

TEST(RunState, FollowsPauseAndResume) {
    RunState state = running();
    state.handle(QStringLiteral("STOP"), {});
    EXPECT_EQ(state.state(), MachineState::Paused);
    state.handle(QStringLiteral("RESUME"), {});
    EXPECT_EQ(state.state(), MachineState::Running);
    RunState paused;
    paused.begin(QStringLiteral("paused"));
    EXPECT_EQ(paused.state(), MachineState::Paused);
}

TEST(RunState, TellsTheEndByTheReasonOfShutdown) {
    const std::pair<const char*, Ending> cases[] = {
        {"guest-shutdown", Ending::ShutDown},
        {"host-qmp-quit", Ending::ForcedOff},
        {"host-ui", Ending::ForcedOff},
        {"guest-panic", Ending::Panicked},
        {"guest-reset", Ending::Restarted},
        {"subsystem-reset", Ending::Restarted},
        {"host-signal", Ending::EndedByHost},
        {"host-error", Ending::EndedByHost},
        {"of-a-later-version", Ending::EndedByHost},
    };
    for (const auto& [word, ending] : cases) {
        RunState state = running();
        state.handle(QStringLiteral("SHUTDOWN"), reason(word));
        EXPECT_EQ(state.state(), MachineState::ShuttingDown) << word;
        state.processEnded(0);
        EXPECT_EQ(state.ending(), ending) << word;
        EXPECT_EQ(state.state(), MachineState::Stopped) << word;
        EXPECT_EQ(kinds(state).size(), 1) << word;
    }
}

TEST(RunState, AnEndWithoutShutdownIsACrash) {
    RunState killed = running();
    killed.processEnded(9);
    EXPECT_EQ(killed.ending(), Ending::Crashed);
    EXPECT_EQ(kinds(killed), QStringList{QStringLiteral("crashed")});
    RunState silent = running();
    silent.shutdownRequested();
    silent.processEnded(0);
    EXPECT_EQ(silent.ending(), Ending::Crashed);
}

TEST(RunState, AForcedEndIsNoCrash) {
    RunState state = running();
    state.forceOffRequested();
    EXPECT_EQ(state.state(), MachineState::ShuttingDown);
    state.processEnded(9);
    EXPECT_EQ(state.ending(), Ending::ForcedOff);
    // The guest may have been quicker.
    RunState quicker = running();
    quicker.forceOffRequested();
    quicker.handle(QStringLiteral("SHUTDOWN"), reason("guest-shutdown"));
    quicker.processEnded(0);
    EXPECT_EQ(quicker.ending(), Ending::ShutDown);
}

TEST(RunState, AFullDiskPausesWithANoteUntilResumeHelps) {
    RunState state = running();
    state.handle(QStringLiteral("BLOCK_IO_ERROR"), diskError(true));
    state.handle(QStringLiteral("STOP"), {});
    EXPECT_EQ(state.state(), MachineState::Paused);
    EXPECT_TRUE(state.note().contains(QStringLiteral("full")));
    EXPECT_EQ(kinds(state), QStringList{QStringLiteral("disk-full")});
    // Still full: the same again.
    state.handle(QStringLiteral("RESUME"), {});
    state.handle(QStringLiteral("BLOCK_IO_ERROR"), diskError(true));
    state.handle(QStringLiteral("STOP"), {});
    EXPECT_EQ(state.state(), MachineState::Paused);
    EXPECT_FALSE(state.note().isEmpty());
    state.handle(QStringLiteral("RESUME"), {});
    EXPECT_EQ(state.state(), MachineState::Running);
    EXPECT_TRUE(state.note().isEmpty());
}

TEST(RunState, ADiskErrorThatTheGuestWasToldOfIsOnlyAnEvent) {
    RunState state = running();
    state.handle(QStringLiteral("BLOCK_IO_ERROR"), diskError(false, "report"));
    EXPECT_EQ(state.state(), MachineState::Running);
    EXPECT_TRUE(state.note().isEmpty());
    EXPECT_EQ(kinds(state), QStringList{QStringLiteral("disk-error")});
}

TEST(RunState, AnErrorOfANetworkDiskIsItsServers) {
    const auto address = QStringLiteral("nbd://server/disk");
    for (const bool full : {false, true}) {
        RunState state = running();
        state.setNetworkDisks({{QStringLiteral("disk2"), address}});
        QJsonObject error = diskError(full, full ? "stop" : "report");
        error.insert(QStringLiteral("node-name"), QStringLiteral("disk2"));
        state.handle(QStringLiteral("BLOCK_IO_ERROR"), error);
        state.handle(QStringLiteral("BLOCK_IO_ERROR"), diskError(full, full ? "stop" : "report"));
        const QList<Happening> told = state.takeHappenings();
        ASSERT_EQ(told.size(), 2);
        EXPECT_TRUE(told.first().text.contains(address)) << qPrintable(told.first().text);
        EXPECT_FALSE(told.first().text.contains(QLatin1String("this computer")));
        EXPECT_FALSE(told.last().text.contains(address)) << "the disk of this computer";
    }
}

TEST(RunState, APanicIsNotedUntilTheGuestRestarts) {
    RunState state = running();
    state.handle(QStringLiteral("GUEST_PANICKED"),
                 {{QStringLiteral("action"), QStringLiteral("pause")}});
    state.handle(QStringLiteral("STOP"), {});
    EXPECT_TRUE(state.isPanicked());
    EXPECT_EQ(state.state(), MachineState::Paused);
    EXPECT_FALSE(state.note().isEmpty());
    state.handle(QStringLiteral("RESET"), reason("host-qmp-system-reset"));
    state.handle(QStringLiteral("RESUME"), {});
    EXPECT_FALSE(state.isPanicked());
    EXPECT_TRUE(state.note().isEmpty());
    EXPECT_EQ(kinds(state), QStringList{QStringLiteral("panic")});
}

TEST(RunState, ARestartOfTheGuestIsAnEvent) {
    RunState state = running();
    state.handle(QStringLiteral("RESET"), reason("guest-reset"));
    EXPECT_EQ(kinds(state), QStringList{QStringLiteral("restarted")});
    EXPECT_EQ(state.state(), MachineState::Running);
}

TEST(RunState, SaysThatAShutDownWasIgnoredAndRunsOn) {
    RunState state = running();
    state.shutdownRequested();
    EXPECT_EQ(state.state(), MachineState::ShuttingDown);
    state.shutdownIgnored();
    EXPECT_EQ(state.state(), MachineState::Running);
    EXPECT_FALSE(state.note().isEmpty());
    EXPECT_EQ(kinds(state), QStringList{QStringLiteral("shutdown-ignored")});
    state.shutdownRequested();
    EXPECT_TRUE(state.note().isEmpty());
    state.handle(QStringLiteral("SHUTDOWN"), reason("guest-shutdown"));
    state.shutdownIgnored(); // too late
    EXPECT_EQ(state.state(), MachineState::ShuttingDown);
}

TEST(RunState, NotesAQemuThatDoesNotAnswer) {
    RunState state = running();
    state.setAnswering(false);
    state.setAnswering(false);
    EXPECT_FALSE(state.note().isEmpty());
    state.setAnswering(true);
    EXPECT_TRUE(state.note().isEmpty());
    EXPECT_EQ(kinds(state),
              (QStringList{QStringLiteral("hangs"), QStringLiteral("answers-again")}));
}

TEST(RunState, NotesAGuestThatHasStoppedAnsweringWhileItRuns) {
    RunState state = running();
    state.setGuestSilent(true, false);
    EXPECT_FALSE(state.note().isEmpty());
    EXPECT_EQ(kinds(state), QStringList{QStringLiteral("guest-silent")});
    state.handle(QStringLiteral("STOP"), {});
    EXPECT_TRUE(state.note().isEmpty());
    state.setGuestSilent(false, false); // its agent has ended
    EXPECT_TRUE(kinds(state).isEmpty());
}

TEST(RunState, SaysThatASilentGuestAnswersAgain) {
    RunState state = running();
    state.setGuestSilent(false, true);
    EXPECT_TRUE(kinds(state).isEmpty());
    for (int i = 0; i < 2; ++i) {
        state.setGuestSilent(true, false);
        state.setGuestSilent(false, true);
        state.setGuestSilent(false, true);
        EXPECT_EQ(kinds(state),
                  (QStringList{QStringLiteral("guest-silent"), QStringLiteral("guest-answers")}));
    }
    // A guest that starts anew has not come back from its silence.
    state.setGuestSilent(true, false);
    state.handle(QStringLiteral("RESET"), reason("guest-reset"));
    state.setGuestSilent(false, false);
    state.setGuestSilent(false, true);
    EXPECT_FALSE(kinds(state).contains(QStringLiteral("guest-answers")));
}

TEST(RunState, NotesADiskImageThatWasRemoved) {
    RunState state = running();
    state.setDiskMissing(QStringLiteral("/a/disk.img"));
    state.setDiskMissing(QStringLiteral("/a/disk.img"));
    EXPECT_TRUE(state.note().contains(QStringLiteral("/a/disk.img")));
    EXPECT_EQ(kinds(state), QStringList{QStringLiteral("disk-missing")});
}

TEST(RunState, KeepsABoundedNumberOfHappenings) {
    RunState state = running();
    for (int i = 0; i < 10000; ++i) {
        state.handle(QStringLiteral("RESET"), reason("guest-reset"));
    }
    EXPECT_LE(state.takeHappenings().size(), 100);
}

TEST(RunState, IgnoresEventsItDoesNotKnowAndFieldsOfTheWrongType) {
    RunState state = running();
    state.handle(QStringLiteral("OF_A_LATER_VERSION"), {{QStringLiteral("x"), 1}});
    state.handle(QStringLiteral("BLOCK_IO_ERROR"), {{QStringLiteral("nospace"), 5}});
    state.handle(QStringLiteral("SHUTDOWN"), {{QStringLiteral("reason"), QJsonObject{}}});
    EXPECT_EQ(state.state(), MachineState::ShuttingDown);
}
