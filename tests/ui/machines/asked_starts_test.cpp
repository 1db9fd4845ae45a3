// SPDX-License-Identifier: Apache-2.0
// Both ends of a start that a command line asks of the window, over machines that are made up.
#include "ui/machines/asked_starts.h"

#include "core/run/window_run.h"
#include "tests/support/fake_machine_host.h"
#include "tests/support/gui_support.h"
#include "ui/machines/machine_clients.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace vitrine;
using namespace vitrine::ui;
using vitrine::test::FakeMachine;
using vitrine::test::FakeMachineHost;
using vitrine::test::SmallLibrary;
using vitrine::test::waitUntil;

namespace {

const QString build = QStringLiteral("build");

// What `vitrinectl run` has.
struct Caller {
    std::unique_ptr<WindowRun> run;
    bool started = false;
    QStringList told;
    std::optional<WindowRun::Outcome> outcome;
    std::optional<Error> error;
    [[nodiscard]] QString why() const { return error ? error->message : QString(); }
};

class AskedStartsTest : public testing::Test {
protected:
    void SetUp() override {
        directory = small.add(build);
        openWindow();
    }
    void openWindow() {
        model = std::make_unique<LibraryModel>(small.library);
        model->setNamesInView({build});
        clients = std::make_unique<MachineClients>(model.get(), host.get());
        QObject::connect(clients.get(),
                         &MachineClients::startFailed,
                         clients.get(),
                         [this](const QString&, const StartFailure& why) { failure = why; });
        starts = std::make_unique<AskedStarts>(model.get(), clients.get(), host.get());
        QObject::connect(starts.get(),
                         &AskedStarts::starting,
                         starts.get(),
                         [this](const QString& name) { shown.append(name); });
    }
    void closeWindow() { // as a kill would
        starts.reset();
        clients.reset();
        model.reset();
        host = nullptr;
    }
    [[nodiscard]] Hypervisor::RunRequest request() const { return {small.library, build, {}}; }
    std::unique_ptr<Caller> ask(const Hypervisor::RunRequest& request) {
        auto caller = std::make_unique<Caller>();
        Caller* const all = caller.get();
        all->run = *WindowRun::make(request);
        WindowRun* const run = all->run.get();
        QObject::connect(run, &WindowRun::started, run, [all] { all->started = true; });
        QObject::connect(run, &WindowRun::told, run, [all](const QString&, const QString& text) {
            all->told.append(text);
        });
        QObject::connect(run, &WindowRun::viewerOpened, run, [all](const QString& path) {
            all->told.append(path);
        });
        QObject::connect(run, &WindowRun::declined, run, [all](const Error& error) {
            all->told.append(error.message);
        });
        QObject::connect(run,
                         &WindowRun::finished,
                         run,
                         [all](WindowRun::Outcome how, const std::optional<Error>& why) {
                             all->outcome = how;
                             all->error = why;
                         });
        return caller;
    }
    [[nodiscard]] QString idOf(const Caller& caller) const {
        return RunRequestFile::idOf(small.library.home(), caller.run->requestPath())
            .value_or(QString());
    }
    std::unique_ptr<Caller> askAndTake() {
        auto caller = ask(request());
        starts->take(build, idOf(*caller));
        return caller;
    }
    static bool runs(const Caller& caller) {
        return waitUntil([&caller] { return caller.started || caller.outcome; }) && caller.started;
    }
    static bool ends(const Caller& caller) {
        return waitUntil([&caller] { return caller.outcome.has_value(); });
    }
    [[nodiscard]] MachineState state() const { return small.library.stateOf(directory); }

    SmallLibrary small;
    QString directory;
    std::unique_ptr<FakeMachineHost> host = std::make_unique<FakeMachineHost>();
    std::unique_ptr<LibraryModel> model;
    std::unique_ptr<MachineClients> clients;
    std::unique_ptr<AskedStarts> starts;
    std::optional<StartFailure> failure;
    QStringList shown;
};

} // namespace

TEST_F(AskedStartsTest, AMachineIsStartedAsItWasAskedForAndFollowed) {
    Hypervisor::RunRequest wish = request();
    wish.options.nested = true;
    wish.recovery = wish.discardState = wish.capturesSystemKeys = wish.verbose = true;
    wish.forceOffAfterSeconds = 7;
    const auto caller = ask(wish);
    starts->take(build, idOf(*caller)); // the library is not read yet
    ASSERT_TRUE(runs(*caller)) << caller->why().toStdString();
    EXPECT_EQ(shown, QStringList{build});
    ASSERT_EQ(host->requests.size(), 1);
    EXPECT_EQ(toJson(host->requests.constFirst()), toJson(wish));
    EXPECT_TRUE(waitUntil([this] { return clients->status(build) != nullptr; }));
    EXPECT_EQ(clients->hostedNames(), QStringList{build});
    Q_EMIT host->told(build, QStringLiteral("remark"), QStringLiteral("A remark."));
    Q_EMIT host->told(QStringLiteral("other"), QStringLiteral("remark"), QStringLiteral("None."));
    Q_EMIT host->viewerOpened(build, QStringLiteral("/dev/ttys001"));
    Q_EMIT host->declined(build, Error{Error::Kind::Busy, QStringLiteral("Not now."), {}});
    ASSERT_TRUE(waitUntil([&] { return caller->told.size() == 3; }));
    EXPECT_EQ(caller->told,
              (QStringList{QStringLiteral("A remark."),
                           QStringLiteral("/dev/ttys001"),
                           QStringLiteral("Not now.")}));
    clients->shutDown(build);
    ASSERT_TRUE(ends(*caller));
    EXPECT_EQ(*caller->outcome, WindowRun::Outcome::Ended);
    EXPECT_FALSE(caller->error);
    EXPECT_FALSE(failure);
}

TEST_F(AskedStartsTest, WhyItDidNotStartIsToldHereAndThere) {
    host->refusal = Error{Error::Kind::Unsupported, QStringLiteral("Two run already."), {}};
    const auto caller = askAndTake();
    ASSERT_TRUE(ends(*caller));
    EXPECT_EQ(*caller->outcome, WindowRun::Outcome::Refused);
    EXPECT_EQ(caller->why(), QStringLiteral("Two run already."));
    ASSERT_TRUE(waitUntil([this] { return failure.has_value(); }));
    EXPECT_EQ(failure->message, QStringLiteral("Two run already."));
}

TEST_F(AskedStartsTest, AMachineThatCrashesIsToldWithTheReason) {
    const auto caller = askAndTake();
    ASSERT_TRUE(runs(*caller));
    host->crash(build, {Error::Kind::Internal, QStringLiteral("It crashed."), {}});
    ASSERT_TRUE(ends(*caller));
    EXPECT_EQ(*caller->outcome, WindowRun::Outcome::Ended);
    EXPECT_EQ(caller->why(), QStringLiteral("It crashed."));
}

TEST_F(AskedStartsTest, AnInterruptShutsDown) {
    const auto caller = askAndTake();
    ASSERT_TRUE(runs(*caller));
    caller->run->wish(MachineHost::Wish::Interrupt);
    ASSERT_TRUE(ends(*caller));
    EXPECT_FALSE(caller->error);
    EXPECT_EQ(host->wishes, QList{MachineHost::Wish::Interrupt});
}

TEST_F(AskedStartsTest, ASecondInterruptForcesOff) {
    host->shutdownTime = 1 << 30;
    const auto caller = askAndTake();
    ASSERT_TRUE(runs(*caller));
    caller->run->wish(MachineHost::Wish::Interrupt);
    ASSERT_TRUE(waitUntil([this] { return host->wishes.size() == 1; }));
    EXPECT_FALSE(caller->outcome);
    caller->run->wish(MachineHost::Wish::Interrupt);
    ASSERT_TRUE(ends(*caller));
    EXPECT_FALSE(caller->error);
}

TEST_F(AskedStartsTest, AnInterruptBeforeTheGuestRunsReachesTheHost) {
    host->answersLate = true;
    const auto caller = askAndTake();
    ASSERT_TRUE(waitUntil([this] { return host->requests.size() == 1; }));
    caller->run->wish(MachineHost::Wish::Interrupt);
    ASSERT_TRUE(waitUntil([this] { return host->wishes.size() == 1; }));
    host->refusal = Error::cancelled(); // as it answers then
    host->answerStarts();
    ASSERT_TRUE(ends(*caller));
    EXPECT_EQ(*caller->outcome, WindowRun::Outcome::Refused);
    EXPECT_TRUE(caller->error->isCancelled());
    EXPECT_FALSE(failure);
}

TEST_F(AskedStartsTest, AWindowThatIsGoneIsSeen) {
    const auto caller = askAndTake();
    ASSERT_TRUE(runs(*caller));
    closeWindow();
    ASSERT_TRUE(ends(*caller));
    EXPECT_EQ(*caller->outcome, WindowRun::Outcome::Lost);
    EXPECT_EQ(state(), MachineState::Stopped);
}

TEST_F(AskedStartsTest, TheMachineStaysWhenNobodyFollowsIt) {
    auto caller = askAndTake();
    ASSERT_TRUE(runs(*caller));
    ASSERT_TRUE(waitUntil([this] { return clients->status(build) != nullptr; }));
    caller.reset();
    clients->pause(build); // the window's loop has seen the end by then
    EXPECT_TRUE(waitUntil([this] {
        return clients->status(build) && clients->status(build)->state == MachineState::Paused;
    }));
    EXPECT_EQ(clients->hostedNames(), QStringList{build});
}

TEST_F(AskedStartsTest, WhatRunsAlreadyIsNotStartedAgain) {
    const auto first = askAndTake();
    ASSERT_TRUE(runs(*first));
    const auto second = askAndTake();
    ASSERT_TRUE(ends(*second));
    EXPECT_EQ(*second->outcome, WindowRun::Outcome::Refused);
    EXPECT_EQ(second->error->kind, Error::Kind::AlreadyRunning);
    EXPECT_EQ(host->requests.size(), 1);
    EXPECT_FALSE(first->outcome);
    EXPECT_FALSE(failure) << "the window says nothing of it";
}

TEST_F(AskedStartsTest, OfTwoAtOnceOneIsStarted) {
    host->answersLate = true;
    const auto first = askAndTake();
    const auto second = askAndTake();
    ASSERT_TRUE(waitUntil([&] { return first->outcome || second->outcome; }));
    const Caller& loser = first->outcome ? *first : *second;
    const Caller& winner = first->outcome ? *second : *first;
    EXPECT_EQ(loser.error->kind, Error::Kind::AlreadyRunning);
    host->answerStarts();
    EXPECT_TRUE(runs(winner));
    EXPECT_EQ(host->requests.size(), 1);
}

TEST_F(AskedStartsTest, StartedByAnotherProgramMeanwhileItIsRefused) {
    FakeMachine elsewhere(small.library, build);
    ASSERT_TRUE(elsewhere.start());
    const auto caller = askAndTake();
    ASSERT_TRUE(ends(*caller));
    EXPECT_EQ(*caller->outcome, WindowRun::Outcome::Refused);
    EXPECT_FALSE(caller->why().isEmpty());
    EXPECT_TRUE(elsewhere.isRunning());
}

TEST_F(AskedStartsTest, AMachineThatWasJustMadeIsFound) {
    ASSERT_TRUE(waitUntil([this] { return model->isLoaded(); }));
    const QString fresh = QStringLiteral("fresh");
    small.add(fresh);
    const auto caller = ask({small.library, fresh, {}});
    starts->take(fresh, idOf(*caller));
    EXPECT_TRUE(runs(*caller)) << caller->why().toStdString();
}

TEST_F(AskedStartsTest, AMachineThatIsGoneIsToldToBe) {
    for (const bool isRead : {false, true}) {
        ASSERT_TRUE(!isRead || waitUntil([this] { return model->isLoaded(); }));
        const auto caller = ask({small.library, QStringLiteral("gone"), {}});
        starts->take(QStringLiteral("gone"), idOf(*caller));
        ASSERT_TRUE(ends(*caller));
        EXPECT_EQ(caller->error->kind, Error::Kind::NotFound);
    }
    EXPECT_TRUE(host->requests.isEmpty());
}

TEST_F(AskedStartsTest, WhatIsWrongWithTheRequestIsTold) {
    for (const char* how : {"mode", "link", "nonsense", "large", "machine"}) {
        const auto caller = ask(request());
        const QString path = caller->run->requestPath();
        QString name = build;
        if (how == std::string_view("mode")) {
            ::chmod(QFile::encodeName(path).constData(), 0666);
        } else if (how == std::string_view("link")) {
            ASSERT_TRUE(QFile::rename(path, path + QStringLiteral("2")));
            ASSERT_TRUE(QFile::link(path + QStringLiteral("2"), path));
        } else if (how == std::string_view("nonsense")) {
            SmallLibrary::write(path, "nonsense");
        } else if (how == std::string_view("large")) {
            SmallLibrary::write(path, QByteArray(4 << 20, ' '));
        } else {
            name = QStringLiteral("other");
        }
        starts->take(name, idOf(*caller));
        ASSERT_TRUE(ends(*caller)) << how;
        EXPECT_EQ(*caller->outcome, WindowRun::Outcome::Refused) << how;
        EXPECT_FALSE(caller->why().isEmpty()) << how;
    }
    EXPECT_TRUE(host->requests.isEmpty());
    EXPECT_TRUE(shown.isEmpty());
}

TEST_F(AskedStartsTest, ARequestThatNobodyWaitsForStartsNothing) {
    auto caller = ask(request());
    const QString id = idOf(*caller);
    caller.reset();
    starts->take(build, id);
    starts->take(build, QStringLiteral("0123456789abcdef0123456789abcdef"));
    starts->take(build, QStringLiteral("../../.."));
    // Those before it have been looked at when this one runs.
    const auto other = askAndTake();
    ASSERT_TRUE(runs(*other));
    EXPECT_EQ(host->requests.size(), 1);
}

TEST_F(AskedStartsTest, AWindowWithoutAHostRefuses) {
    closeWindow();
    openWindow();
    const auto caller = askAndTake();
    ASSERT_TRUE(ends(*caller));
    EXPECT_EQ(caller->error->kind, Error::Kind::Unsupported);
    EXPECT_TRUE(caller->why().contains(QStringLiteral("--no-graphics")));
}
