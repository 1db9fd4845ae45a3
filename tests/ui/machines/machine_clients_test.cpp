// SPDX-License-Identifier: Apache-2.0
#include "ui/machines/machine_clients.h"

#include "tests/support/fake_machine.h"
#include "tests/support/gui_support.h"
#include "ui/machines/process_watch.h"
#include "ui/machines/thumbnails.h"

#include <QProcess>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::ui;
using vitrine::test::FakeMachine;
using vitrine::test::SmallLibrary;
using vitrine::test::waitUntil;

namespace {

const QString build = QStringLiteral("build");

class MachineClientsTest : public testing::Test {
protected:
    void SetUp() override {
        small.add(build);
        machine = std::make_unique<FakeMachine>(small.library, build);
    }
    void open() {
        model = std::make_unique<LibraryModel>(small.library);
        model->setNamesInView({build});
        clients = std::make_unique<MachineClients>(model.get());
    }
    [[nodiscard]] MachineState shown() const {
        const MachineInfo* info = model->infoAt(model->rowOf(build));
        return info != nullptr ? info->state : MachineState::Broken;
    }
    bool waitForStatus() {
        return waitUntil([this] { return clients->status(build) != nullptr; });
    }
    SmallLibrary small;
    std::unique_ptr<FakeMachine> machine;
    std::unique_ptr<LibraryModel> model;
    std::unique_ptr<MachineClients> clients;
};

} // namespace

TEST_F(MachineClientsTest, AStoppedMachineHasNoClient) {
    open();
    ASSERT_TRUE(waitUntil([this] { return model->isLoaded(); }));
    EXPECT_EQ(clients->client(build), nullptr);
    EXPECT_TRUE(clients->runningNames().isEmpty());
}

TEST_F(MachineClientsTest, AWindowThatOpensLaterAttachesToARunningMachine) {
    ASSERT_TRUE(machine->start());
    open();
    ASSERT_TRUE(waitForStatus());
    EXPECT_EQ(clients->runningNames(), QStringList{build});
    EXPECT_EQ(shown(), MachineState::Running);
}

TEST_F(MachineClientsTest, WhatTheMachineSaysIsShownInTheLibrary) {
    ASSERT_TRUE(machine->start());
    open();
    ASSERT_TRUE(waitForStatus());
    clients->pause(build);
    EXPECT_TRUE(waitUntil([this] { return shown() == MachineState::Paused; }));
    clients->resume(build);
    EXPECT_TRUE(waitUntil([this] { return shown() == MachineState::Running; }));
}

TEST_F(MachineClientsTest, AMachineThatEndsIsStopped) {
    ASSERT_TRUE(machine->start());
    open();
    ASSERT_TRUE(waitForStatus());
    clients->shutDown(build);
    EXPECT_TRUE(waitUntil(
        [this] { return shown() == MachineState::Stopped && clients->client(build) == nullptr; }));
}

TEST_F(MachineClientsTest, AGuestThatDoesNotReactIsTold) {
    machine->shutdownTime = 600000;
    ASSERT_TRUE(machine->start());
    open();
    ASSERT_TRUE(waitForStatus());
    clients->setShutDownPatience(20);
    QString ignored;
    QObject::connect(clients.get(),
                     &MachineClients::shutDownIgnored,
                     clients.get(),
                     [&ignored](const QString& name) { ignored = name; });
    clients->shutDown(build);
    EXPECT_TRUE(waitUntil([&ignored] { return ignored == build; }));
    clients->forceOff(build);
    EXPECT_TRUE(waitUntil([this] { return shown() == MachineState::Stopped; }));
}

TEST_F(MachineClientsTest, AProcessThatHangsIsForcedOffByTheCommandLine) {
    ASSERT_TRUE(machine->start());
    machine->server().on(QStringLiteral("forceOff"),
                         [](const QJsonObject&, const ControlServer::Respond&) {});
    open();
    ASSERT_TRUE(waitForStatus());
    // Stands in for the program: the real one would end this test, which plays the machine.
    const QTemporaryDir folder;
    const QString said = folder.filePath(QStringLiteral("said"));
    const QString program = folder.filePath(QStringLiteral("vitrinectl"));
    SmallLibrary::write(program,
                        "#!/bin/sh\necho \"$* $VITRINE_HOME\" > " + QFile::encodeName(said) +
                            ".new && mv " + QFile::encodeName(said) + ".new " +
                            QFile::encodeName(said) + "; echo no such luck >&2; exit 1\n");
    ASSERT_TRUE(QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner));
    const QByteArray path = qgetenv("PATH");
    qputenv("PATH", QFile::encodeName(folder.path()) + ':' + path);
    Error told;
    QObject::connect(clients.get(),
                     &MachineClients::actionFailed,
                     clients.get(),
                     [&told](const QString&, const Error& error) { told = error; });
    clients->setForceOffPatience(20);
    clients->forceOff(build);
    EXPECT_TRUE(waitUntil([&told] { return !told.message.isEmpty(); }));
    qputenv("PATH", path);
    EXPECT_TRUE(told.message.contains(QStringLiteral("no such luck")));
    QFile file(said);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll().trimmed(),
              "stop --force build " + QFile::encodeName(small.library.home()));
}

TEST_F(MachineClientsTest, AnAnswerThatFailsIsTold) {
    open();
    Error told;
    QObject::connect(clients.get(),
                     &MachineClients::actionFailed,
                     clients.get(),
                     [&told](const QString&, const Error& error) { told = error; });
    clients->pause(build);
    EXPECT_EQ(told.kind, Error::Kind::NotRunning);
    EXPECT_TRUE(told.message.contains(build));
}

TEST_F(MachineClientsTest, ALockOfAnotherProgramIsRunningElsewhere) {
    // Held by this process without a machine behind it: nobody answers.
    auto held =
        ConfigFile::tryLock(small.library.machinesPath() + QStringLiteral("/build/config.json"));
    ASSERT_TRUE(held);
    model = std::make_unique<LibraryModel>(small.library);
    model->setNamesInView({build});
    clients = std::make_unique<MachineClients>(model.get());
    clients->setAnswerPatience(50);
    EXPECT_TRUE(waitUntil([this] { return shown() == MachineState::RunningElsewhere; }));
    EXPECT_TRUE(clients->runningNames().isEmpty());
}

TEST_F(MachineClientsTest, AStartThatFailsSaysWhy) {
    open();
    ASSERT_TRUE(waitUntil([this] { return model->isLoaded(); }));
    StartFailure failure;
    bool failed = false;
    QObject::connect(clients.get(),
                     &MachineClients::startFailed,
                     clients.get(),
                     [&](const QString&, const StartFailure& why) {
                         failure = why;
                         failed = true;
                     });
    // The configuration goes away between the listing and the start.
    ASSERT_TRUE(QFile::remove(small.library.machinesPath() + QStringLiteral("/build/config.json")));
    clients->start(build);
    EXPECT_TRUE(clients->isStarting(build));
    EXPECT_TRUE(waitUntil([&failed] { return failed; }, 20000));
    EXPECT_FALSE(failure.message.isEmpty());
    EXPECT_FALSE(clients->isStarting(build));
}

TEST_F(MachineClientsTest, ARunningMachineHasAPicture) {
    ASSERT_TRUE(machine->start());
    open();
    Thumbnails pictures(clients.get());
    pictures.setNamesInView({build});
    EXPECT_TRUE(waitUntil([&pictures] { return !pictures.small(build).isNull(); }));
    clients->shutDown(build);
    EXPECT_TRUE(waitUntil([&pictures] { return pictures.small(build).isNull(); }));
}

TEST(ProcessWatch, TellsWhenAProcessEnds) {
    QProcess process;
    process.start(QStringLiteral("cat"), QStringList{});
    ASSERT_TRUE(process.waitForStarted());
    ProcessWatch watch(process.processId());
    bool ended = false;
    QObject::connect(&watch, &ProcessWatch::ended, &watch, [&ended] { ended = true; });
    process.closeWriteChannel();
    EXPECT_TRUE(waitUntil([&ended] { return ended; }));
    process.waitForFinished();
}

TEST(ProcessWatch, TellsOfAProcessThatIsGoneAlready) {
    ProcessWatch watch(0);
    bool ended = false;
    QObject::connect(&watch, &ProcessWatch::ended, &watch, [&ended] { ended = true; });
    EXPECT_TRUE(waitUntil([&ended] { return ended; }));
}

TEST(LastLines, ReadsTheEndOfALogAsPlainText) {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("log"));
    SmallLibrary::write(path, "one\ntwo\x1b[31m red\n\nthree\n");
    EXPECT_EQ(lastLines(path, 2),
              (QStringList{QStringLiteral("two[31m red"), QStringLiteral("three")}));
    EXPECT_TRUE(lastLines(folder.filePath(QStringLiteral("missing")), 2).isEmpty());
    SmallLibrary::write(path, QByteArray(1 << 20, 'x') + "\nend\n");
    EXPECT_EQ(lastLines(path, 1), QStringList{QStringLiteral("end")});
}
