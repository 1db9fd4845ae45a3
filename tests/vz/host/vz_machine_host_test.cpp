// SPDX-License-Identifier: Apache-2.0
// Machines of a window's process; this test is the window, and vitrinectl holds their locks.
#include "vz/host/vz_machine_host.h"

#include "tests/support/send_signal.h"
#include "tests/vz/host/vz_library.h"
#include "vz/host/vz_screens.h"
#include "vz/plan/saved_state.h"

#include <QFileInfo>

#include <csignal>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::vz;
using namespace vitrine::vz::test;
using vitrine::test::waitUntil;

namespace {

class VzMachineHostTest : public VzLibrary {
protected:
    void SetUp() override {
        host = std::make_unique<VzMachineHost>(services);
        QObject::connect(host.get(),
                         &MachineHost::ended,
                         host.get(),
                         [this](const QString& name, const std::optional<Error>& error) {
                             endedNames << name;
                             failure = error;
                         });
    }
    std::optional<Result<>> startIn(MachineHost& where, const Hypervisor::RunRequest& wish) {
        std::optional<Result<>> answer;
        where.start(wish, [&answer](const Result<>& started) { answer = started; });
        EXPECT_FALSE(answer) << "from the event loop";
        EXPECT_TRUE(waitUntil([&] { return answer.has_value(); }));
        return answer;
    }
    void start(const Hypervisor::RunRequest& wish) {
        const auto started = startIn(*host, wish);
        ASSERT_TRUE(started && *started)
            << (started ? started->error().message.toStdString() : std::string());
    }
    bool ends() {
        return waitUntil([this] { return host->machines().isEmpty(); });
    }

    std::unique_ptr<VzMachineHost> host;
    QStringList endedNames;
    std::optional<Error> failure;
};

} // namespace

TEST_F(VzMachineHostTest, AnotherProcessIsSeenAsRunningTheMachine) {
    const QString directory = addLinux();
    start(request(QStringLiteral("linux")));
    EXPECT_EQ(host->machines(), QStringList(QStringLiteral("linux")));
    ASSERT_NE(host->machine(QStringLiteral("linux")), nullptr);
    EXPECT_NE(host->machine(QStringLiteral("linux"))->run(), nullptr);
    EXPECT_EQ(stateOf(directory), MachineState::Running);
    EXPECT_GT(holder(directory), 0);
    EXPECT_NE(holder(directory), ::getpid());
    // It is talked to like every other one.
    MachineClient client(small.library.home(), directory);
    ASSERT_TRUE(client.waitForConnected(30000));
    EXPECT_TRUE(client.callAndWait(QStringLiteral("pause"), {}, 10000));
    EXPECT_EQ(factory->last->current, VmState::Paused);
    EXPECT_TRUE(
        client.callAndWait(QStringLiteral("change"), {{QStringLiteral("cpuCount"), 2}}, 10000));
    EXPECT_TRUE(client.callAndWait(QStringLiteral("forceOff"), {}, 10000));
    ASSERT_TRUE(ends());
    EXPECT_EQ(endedNames, QStringList(QStringLiteral("linux")));
    EXPECT_FALSE(failure);
    EXPECT_TRUE(waitUntil([&] { return holder(directory) == 0; }));
    EXPECT_EQ(MachineConfig::fromJson(*ConfigFile::read(directory + QLatin1String("/config.json")))
                  ->cpuCount,
              2)
        << "what waited was made by the holder of the lock";
}

TEST_F(VzMachineHostTest, WhatIsSentToTheHolderIsDoneToTheMachine) {
    const QString directory = addMac();
    auto wish = request(QStringLiteral("mac"));
    wish.options = suspendable();
    start(wish);
    vitrine::test::sendSignal(static_cast<pid_t>(holder(directory)), SIGINT);
    EXPECT_TRUE(
        waitUntil([this] { return factory->last->asked.endsWith(QLatin1String("button")); }));
    EXPECT_EQ(stateOf(directory), MachineState::Running) << "the lock is still held";
    vitrine::test::sendSignal(static_cast<pid_t>(holder(directory)), SIGINT);
    ASSERT_TRUE(ends());
    EXPECT_TRUE(waitUntil([&] { return holder(directory) == 0; }));

    start(wish);
    vitrine::test::sendSignal(static_cast<pid_t>(holder(directory)), SIGUSR1);
    ASSERT_TRUE(ends());
    EXPECT_TRUE(waitUntil([&] { return stateOf(directory) == MachineState::Suspended; }))
        << "once the holder of the lock is gone";
    start(wish);
    EXPECT_EQ(asked(), "restore resume");
}

TEST_F(VzMachineHostTest, WhoeverStartedItHasWishesAndIsToldWhatHappens) {
    const QString directory = addLinux();
    const QString name = QStringLiteral("linux");
    QStringList told;
    QObject::connect(host.get(),
                     &MachineHost::told,
                     host.get(),
                     [&told](const QString& who, const QString& kind) {
                         told << who + QLatin1Char(' ') + kind;
                     });
    QStringList viewers;
    QObject::connect(host.get(),
                     &MachineHost::viewerOpened,
                     host.get(),
                     [&viewers](const QString&, const QString& path) { viewers << path; });
    std::optional<Error> declined;
    QObject::connect(host.get(),
                     &MachineHost::declined,
                     host.get(),
                     [&declined](const QString&, const Error& error) { declined = error; });
    host->wish(QStringLiteral("nobody"), MachineHost::Wish::Interrupt);
    auto wish = request(name);
    wish.options.serial.kind = SerialLine::Kind::NewTerminal;
    start(wish);
    EXPECT_TRUE(told.contains(QStringLiteral("linux started")));
    ASSERT_EQ(viewers.size(), 1);
    EXPECT_TRUE(viewers.constFirst().startsWith(QLatin1String("/dev/")));
    host->wish(name, MachineHost::Wish::Interrupt);
    EXPECT_TRUE(
        waitUntil([this] { return factory->last->asked.endsWith(QLatin1String("button")); }));
    EXPECT_EQ(stateOf(directory), MachineState::Running);
    host->wish(name, MachineHost::Wish::Interrupt);
    ASSERT_TRUE(ends());
    EXPECT_FALSE(failure);
    EXPECT_TRUE(told.contains(QStringLiteral("linux forced-off")));
    EXPECT_FALSE(declined);
    // What cannot be suspended says so and goes on.
    addMac();
    start(request(QStringLiteral("mac")));
    host->wish(QStringLiteral("mac"), MachineHost::Wish::Suspend);
    EXPECT_TRUE(
        waitUntil([&] { return declined || told.last().endsWith(QLatin1String("failed")); }));
    EXPECT_EQ(host->machines(), QStringList(QStringLiteral("mac")));
}

TEST_F(VzMachineHostTest, AWishBeforeTheGuestRunsEndsTheStart) {
    addLinux();
    std::optional<Result<>> answer;
    host->start(request(QStringLiteral("linux")),
                [&answer](const Result<>& started) { answer = started; });
    host->wish(QStringLiteral("linux"), MachineHost::Wish::Interrupt);
    ASSERT_TRUE(waitUntil([&] { return answer.has_value(); }));
    ASSERT_FALSE(*answer);
    EXPECT_TRUE(answer->error().isCancelled());
    EXPECT_TRUE(endedNames.isEmpty());
}

TEST_F(VzMachineHostTest, TheDeathOfTheHolderShutsTheMachineDown) {
    const QString directory = addLinux();
    start(request(QStringLiteral("linux")));
    vitrine::test::sendSignal(static_cast<pid_t>(holder(directory)), SIGKILL);
    EXPECT_TRUE(
        waitUntil([this] { return factory->last->asked.endsWith(QLatin1String("button")); }));
    // Nobody else starts it meanwhile.
    const auto runtime = RuntimeDirectory::locate(small.library.home(), directory);
    EXPECT_TRUE(runtime->isAlive());
    factory->last->events->guestStopped();
    ASSERT_TRUE(ends());
    EXPECT_FALSE(runtime->isAlive());
    EXPECT_TRUE(eventsOf(directory).contains(QLatin1String("remark")));
}

TEST_F(VzMachineHostTest, NoMachineIsStartedTwice) {
    addLinux();
    start(request(QStringLiteral("linux")));
    const auto again = startIn(*host, request(QStringLiteral("linux")));
    ASSERT_FALSE(*again);
    EXPECT_EQ(again->error().kind, Error::Kind::AlreadyRunning);
    VzMachineHost other(services);
    const auto elsewhere = startIn(other, request(QStringLiteral("linux")));
    ASSERT_FALSE(*elsewhere);
    EXPECT_EQ(elsewhere->error().kind, Error::Kind::AlreadyRunning);
    EXPECT_TRUE(other.machines().isEmpty());
    EXPECT_EQ(host->machines().size(), 1);
}

TEST_F(VzMachineHostTest, AStartThatFailsIsToldOnce) {
    const QString directory = addLinux();
    factory->failures = {{QStringLiteral("start"), VzInternal}};
    const auto failed = startIn(*host, request(QStringLiteral("linux")));
    ASSERT_FALSE(*failed);
    EXPECT_FALSE(failed->error().message.isEmpty());
    EXPECT_TRUE(host->machines().isEmpty());
    EXPECT_TRUE(endedNames.isEmpty());
    EXPECT_TRUE(waitUntil([&] { return holder(directory) == 0; }));
    EXPECT_EQ(startIn(*host, request(QStringLiteral("nobody")))->error().kind,
              Error::Kind::NotFound);
}

TEST_F(VzMachineHostTest, WithoutVitrinectlNothingStarts) {
    addLinux();
    services.vitrinectl = QStringLiteral("/nonexistent/vitrinectl");
    VzMachineHost other(services);
    EXPECT_EQ(startIn(other, request(QStringLiteral("linux")))->error().kind,
              Error::Kind::NotFound);
}

TEST_F(VzMachineHostTest, TheWindowsEndIsTheMachinesEnd) {
    const QString directory = addLinux();
    start(request(QStringLiteral("linux")));
    host.reset();
    EXPECT_TRUE(waitUntil([&] { return holder(directory) == 0; }));
    EXPECT_EQ(stateOf(directory), MachineState::Stopped);
}

TEST_F(VzMachineHostTest, AScreenIsThereWhileItsMachineRuns) {
    addLinux();
    const QString name = QStringLiteral("linux");
    VzScreens screens(host.get());
    QStringList told;
    QObject::connect(&screens, &HostedScreens::shown, [&](const QString& which) {
        told << QStringLiteral("shown ") + which;
        EXPECT_EQ(screens.machine(which), factory->last);
    });
    QObject::connect(&screens, &HostedScreens::gone, [&](const QString& which) {
        told << QStringLiteral("gone ") + which;
        EXPECT_EQ(screens.machine(which), nullptr);
        EXPECT_NE(factory->last, nullptr) << "views let go of a machine that is still there";
    });
    QObject::connect(
        &screens, &HostedScreens::pausedChanged, [&](const QString& which, bool paused) {
            told << (paused ? QStringLiteral("paused ") : QStringLiteral("goes on ")) + which;
            EXPECT_EQ(screens.isPaused(which), paused);
        });
    QObject::connect(&screens, &HostedScreens::displayReconfigured, [&](const QString& which) {
        told << QStringLiteral("size ") + which;
    });
    EXPECT_EQ(screens.machine(name), nullptr);
    start(request(name));
    EXPECT_EQ(screens.machine(name), factory->last);
    EXPECT_FALSE(screens.isPaused(name));
    EXPECT_FALSE(screens.capturesSystemKeys(name));
    factory->last->events->displayReconfigured();
    MachineRun* const run = host->machine(name)->run();
    run->pause();
    ASSERT_TRUE(waitUntil([&] { return screens.isPaused(name); }));
    run->resume();
    ASSERT_TRUE(waitUntil([&] { return !screens.isPaused(name); }));
    host->machine(name)->forceOff();
    ASSERT_TRUE(ends());
    EXPECT_EQ(told,
              (QStringList{QStringLiteral("shown linux"),
                           QStringLiteral("size linux"),
                           QStringLiteral("paused linux"),
                           QStringLiteral("goes on linux"),
                           QStringLiteral("gone linux")}));
}

TEST_F(VzMachineHostTest, AMachineThatDoesNotStartHasNoScreen) {
    addLinux();
    VzScreens screens(host.get());
    bool shown = false;
    QObject::connect(&screens, &HostedScreens::shown, [&shown] { shown = true; });
    factory->refusal = Error{Error::Kind::Unsupported, QStringLiteral("No."), {}};
    const auto answer = startIn(*host, request(QStringLiteral("linux")));
    ASSERT_TRUE(answer);
    EXPECT_FALSE(*answer);
    EXPECT_FALSE(shown);
}

TEST_F(VzMachineHostTest, APictureIsThatOfTheViewThatCameLast) {
    const QString directory = addLinux();
    auto screens = std::make_unique<VzScreens>(host.get());
    start(request(QStringLiteral("linux")));
    MachineClient client(small.library.home(), directory);
    ASSERT_TRUE(client.waitForConnected(30000));
    const auto take = [&client] {
        return client.callAndWait(QStringLiteral("screenshot"), {}, 10000);
    };
    const auto hidden = take();
    EXPECT_EQ(hidden.error().kind, Error::Kind::Busy);
    EXPECT_TRUE(hidden.error().message.contains(QLatin1String("console")));

    int asked = 0;
    const auto showing = [&asked](const char* content, int width) {
        return [&asked, content, width](const ScreenTaken& taken) {
            ++asked;
            taken(ScreenPicture{content, width, 2});
        };
    };
    QObject first;
    auto second = std::make_unique<QObject>();
    screens->setPictures(QStringLiteral("other"), &first, showing("wrong", 9));
    screens->setPictures(QStringLiteral("linux"), &first, showing("first", 3));
    screens->setPictures(QStringLiteral("linux"), second.get(), showing("second", 4));
    const auto picture = take();
    ASSERT_TRUE(picture) << picture.error().message.toStdString();
    EXPECT_EQ(picture->toObject().value(QLatin1String("width")).toInt(), 4);
    EXPECT_EQ(picture->toObject().value(QLatin1String("height")).toInt(), 2);
    const QString path = picture->toObject().value(QLatin1String("path")).toString();
    const auto content = [&path] {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    EXPECT_EQ(content(), QByteArray("second"));
    EXPECT_EQ(take()->toObject(), picture->toObject());
    EXPECT_EQ(asked, 1) << "at most two a second are made";

    second.reset();
    EXPECT_TRUE(waitUntil([&] { return take() && asked == 2; }));
    EXPECT_EQ(content(), QByteArray("first"));
    screens.reset();
    EXPECT_TRUE(waitUntil([&] { return !take(); })) << "nobody has the views any more";
}
