// SPDX-License-Identifier: Apache-2.0
// A machine of this process, asked as every other program asks it: over its socket.
#include "core/hypervisor/serial_client.h"
#include "core/sharing/share_status.h"
#include "tests/vz/host/hosted_machine_fixture.h"
#include "vz/plan/saved_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::vz;
using namespace vitrine::vz::test;
using vitrine::test::HeldMachine;
using vitrine::test::SmallLibrary;
using vitrine::test::waitUntil;

TEST_F(HostedMachineTest, RunsUntilItsGuestEnds) {
    addLinux();
    run(request(QStringLiteral("linux")));
    EXPECT_EQ(stateOf(directory), MachineState::Running);
    EXPECT_EQ(holder(directory), ::getpid());
    EXPECT_EQ(asked(), "start");
    const MachineStatus status = client->status();
    EXPECT_EQ(status.accelerator, QStringLiteral("Virtualization.framework"));
    EXPECT_EQ(status.network, QStringLiteral("nat"));
    EXPECT_GT(status.width, 0);
    EXPECT_TRUE(status.startedAt.isValid());
    factory->last->events->guestStopped();
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 0);
    EXPECT_FALSE(failure);
    EXPECT_EQ(holder(directory), 0);
    EXPECT_EQ(stateOf(directory), MachineState::Stopped);
    EXPECT_EQ(eventsOf(directory),
              QStringList({QStringLiteral("started"), QStringLiteral("stopped")}));
    EXPECT_TRUE(waitUntil([this] { return !client->isConnected(); }));
    EXPECT_EQ(client->status().state, MachineState::Stopped);
}

TEST_F(HostedMachineTest, SaysWhatItCannotDoAndWhy) {
    addLinux();
    run(request(QStringLiteral("linux")));
    const QJsonObject hello = client->hello();
    EXPECT_EQ(hello.value(QLatin1String("machine")), QStringLiteral("linux"));
    EXPECT_EQ(hello.value(QLatin1String("pid")).toInteger(), client->status().processId);
    for (const char* method :
         {"hello",        "status",       "subscribe",  "shutdown",    "forceOff",     "pause",
          "resume",       "suspend",      "change",     "log",         "display.info", "viewers",
          "serial.info",  "run.options",  "agent.exec", "agent.state", "share.list",   "share.add",
          "share.remove", "share.change", "share.mount"})
        EXPECT_TRUE(client->supports(QLatin1String(method))) << method;
    const QJsonObject unavailable = hello.value(QLatin1String("unavailable")).toObject();
    EXPECT_EQ(unavailable.size(), 22); // contract_vz.cpp lists them; and the picture of no window
    EXPECT_TRUE(unavailable.value(QLatin1String("screenshot"))
                    .toString()
                    .contains(QLatin1String("Vitrine's window")));
    for (auto one = unavailable.begin(); one != unavailable.end(); ++one) {
        EXPECT_FALSE(client->supports(one.key())) << one.key().toStdString();
        const auto answer = client->callAndWait(one.key(), {}, 10000);
        ASSERT_FALSE(answer) << one.key().toStdString();
        EXPECT_EQ(answer.error().kind, Error::Kind::Unsupported);
        EXPECT_EQ(answer.error().message, one.value().toString());
        EXPECT_FALSE(answer.error().message.isEmpty());
    }
}

TEST_F(HostedMachineTest, AnswersVerbsWhenTheyAreDone) {
    addLinux();
    run(request(QStringLiteral("linux")));
    EXPECT_TRUE(call("resume")) << "it runs";
    EXPECT_TRUE(call("pause"));
    EXPECT_EQ(factory->last->current, VmState::Paused);
    EXPECT_TRUE(call("pause")) << "it is";
    EXPECT_TRUE(call("resume"));
    EXPECT_EQ(factory->last->current, VmState::Running);
    const auto suspended = call("suspend");
    ASSERT_FALSE(suspended);
    EXPECT_EQ(suspended.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(suspended.error().message.contains(QLatin1String("--suspendable")));
    EXPECT_EQ(client->status().suspendRefusal, suspended.error().message);
    EXPECT_TRUE(refusals.isEmpty()) << "who asked was told";
    EXPECT_TRUE(call("shutdown"));
    EXPECT_TRUE(becomes(MachineState::ShuttingDown));
    EXPECT_TRUE(call("forceOff"));
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 0);
    EXPECT_EQ(asked(), "start pause resume button stop");
    EXPECT_EQ(eventsOf(directory),
              QStringList({QStringLiteral("started"),
                           QStringLiteral("paused"),
                           QStringLiteral("resumed"),
                           QStringLiteral("shutdown-requested"),
                           QStringLiteral("forced-off")}));
}

TEST_F(HostedMachineTest, WhatIsWantedWhileItStartsIsRefusedAtOnce) {
    addLinux();
    factory->holds = {QStringLiteral("start")};
    make(request(QStringLiteral("linux")));
    client = std::make_unique<MachineClient>(small.library.home(), directory);
    ASSERT_TRUE(client->waitForConnected(30000));
    ASSERT_TRUE(waitUntil(
        [this] { return factory->last && factory->last->asked.contains(QLatin1String("start")); }));
    for (const char* method : {"pause", "suspend"})
        EXPECT_EQ(call(method).error().kind, Error::Kind::Busy) << method;
    EXPECT_TRUE(call("forceOff"));
    factory->last->release();
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 0);
    EXPECT_EQ(asked(), "start stop");
}

TEST_F(HostedMachineTest, AVerbThatFailsIsAnsweredWithItsReason) {
    addLinux();
    factory->failures = {{QStringLiteral("pause"), VzInternal}};
    run(request(QStringLiteral("linux")));
    const auto paused = call("pause");
    ASSERT_FALSE(paused);
    EXPECT_FALSE(paused.error().message.isEmpty());
    EXPECT_TRUE(becomes(MachineState::Running));
}

TEST_F(HostedMachineTest, SuspendsAndGoesOn) {
    addMac();
    auto wish = request(QStringLiteral("mac"));
    wish.options = suspendable();
    run(wish);
    EXPECT_EQ(client->status().suspendRefusal, QString());
    EXPECT_TRUE(call("suspend"));
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 0);
    EXPECT_TRUE(exists(vzStateName));
    EXPECT_TRUE(StateFingerprint::read(directory));
    EXPECT_EQ(stateOf(directory), MachineState::Suspended);
    EXPECT_EQ(eventsOf(directory).constLast(), QStringLiteral("suspended"));

    run(request(QStringLiteral("mac"))); // the run that was suspended counts
    EXPECT_EQ(asked(), "restore resume");
    EXPECT_FALSE(exists(vzStateName));
    EXPECT_TRUE(waitUntil([this] { return !exists(vzUsedStateName); }));
    EXPECT_TRUE(
        waitUntil([this] { return eventsOf(directory).constLast() == QLatin1String("resumed"); }));
}

TEST_F(HostedMachineTest, TellsHowFarItIsSavedAndWhatItReads) {
    addMac();
    auto wish = request(QStringLiteral("mac"));
    wish.options = suspendable();
    run(wish);
    const QString usual = client->status().note;
    factory->last->holds = {QStringLiteral("save")};
    std::optional<Result<QJsonValue>> suspended;
    client->call(QStringLiteral("suspend"), {}, [&](const Result<QJsonValue>& answer) {
        suspended = answer;
    });
    EXPECT_TRUE(waitUntil([this] {
        return client->status().state == MachineState::Suspending &&
               client->status().note.contains(QLatin1String("so far"));
    })) << client->status().note.toStdString();
    factory->last->release();
    ASSERT_TRUE(ends());
    EXPECT_TRUE(waitUntil([&] { return suspended.has_value(); }));
    EXPECT_TRUE(*suspended);

    factory->holds = {QStringLiteral("restore")};
    make(wish);
    client = std::make_unique<MachineClient>(small.library.home(), directory);
    ASSERT_TRUE(client->waitForConnected(30000));
    EXPECT_TRUE(waitUntil([this] {
        return client->status().note.contains(QLatin1String("saved state")) &&
               client->status().state == MachineState::Starting;
    })) << client->status().note.toStdString();
    ASSERT_TRUE(waitUntil([this] {
        return factory->last && factory->last->asked.contains(QLatin1String("restore"));
    }));
    factory->last->release();
    EXPECT_TRUE(becomes(MachineState::Running));
    EXPECT_TRUE(waitUntil([&] { return client->status().note == usual; }));
}

TEST_F(HostedMachineTest, AFailedSuspendLetsItRun) {
    addMac();
    factory->failures = {{QStringLiteral("save"), VzSave}};
    auto wish = request(QStringLiteral("mac"));
    wish.options = suspendable();
    run(wish);
    EXPECT_FALSE(call("suspend"));
    EXPECT_TRUE(becomes(MachineState::Running));
    EXPECT_TRUE(waitUntil(
        [this] { return eventsOf(directory).contains(QLatin1String("suspend-failed")); }));
}

TEST_F(HostedMachineTest, ASavedStateIsThrownAwayOnlyWhenTheGuestRuns) {
    addMac();
    auto wish = request(QStringLiteral("mac"));
    wish.options = suspendable();
    run(wish);
    ASSERT_TRUE(call("suspend"));
    ASSERT_TRUE(ends());
    wish.discardState = true;
    factory->failures = {{QStringLiteral("start"), VzOutOfDiskSpace}};
    make(wish);
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    EXPECT_EQ(stateOf(directory), MachineState::Suspended);
    factory->failures.clear();
    run(wish);
    EXPECT_EQ(asked(), "start");
    EXPECT_TRUE(waitUntil([this] { return !exists(vzStateName); }));
}

TEST_F(HostedMachineTest, AStartThatFailsTellsWhyAndLetsGo) {
    addLinux();
    factory->failures = {{QStringLiteral("start"), VzInternal}};
    make(request(QStringLiteral("linux")));
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    ASSERT_TRUE(failure);
    EXPECT_FALSE(failure->message.isEmpty());
    EXPECT_EQ(holder(directory), 0);
    EXPECT_EQ(eventsOf(directory), QStringList(QStringLiteral("start-failed")));
}

TEST_F(HostedMachineTest, WhatIsWrongIsToldBeforeAnythingIsMade) {
    MachineConfig config = SmallLibrary::smallConfig();
    config.architecture = Architecture::Arm64;
    config.cpuCount = 64;
    add(QStringLiteral("large"), config);
    auto wish = request(QStringLiteral("large"));
    wish.options.forwards = {{2222, 22}};
    make(wish);
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    ASSERT_TRUE(failure);
    EXPECT_TRUE(failure->message.contains(QLatin1String("64 processors")));
    EXPECT_TRUE(failure->message.contains(QLatin1String("forwarded ports")));
    EXPECT_EQ(factory->last, nullptr);
}

TEST_F(HostedMachineTest, AMachineThatIsNotThereHasItsExitCode) {
    make(request(QStringLiteral("nobody")));
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 2);
    EXPECT_EQ(failure->kind, Error::Kind::NotFound);
}

TEST_F(HostedMachineTest, TheLimitNamesTheMachinesThatRun) {
    addMac();
    const auto other = HeldMachine::take(small.library, addMac(QStringLiteral("builder")));
    ASSERT_TRUE(other);
    factory->failures = {{QStringLiteral("start"), VzLimitExceeded}};
    make(request(QStringLiteral("mac")));
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    EXPECT_TRUE(failure->message.contains(QLatin1String("builder")))
        << failure->message.toStdString();
}

TEST_F(HostedMachineTest, ACrashIsAFailure) {
    addLinux();
    run(request(QStringLiteral("linux")));
    factory->last->events->stoppedWithError({QLatin1String(vzErrorDomain), VzInternal, {}, {}});
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    EXPECT_TRUE(failure);
    EXPECT_TRUE(eventsOf(directory).contains(QLatin1String("crashed")));
}

TEST_F(HostedMachineTest, ADroppedNetworkComesBackAndIsToldWhenItDoesNot) {
    addLinux();
    run(request(QStringLiteral("linux")));
    const VzFailure failed{QLatin1String(vzErrorDomain), VzNetwork, {}, {}};
    factory->last->events->networkDropped(0, failed);
    EXPECT_TRUE(factory->last->asked.constLast().startsWith(QLatin1String("card0:")));
    EXPECT_FALSE(eventsOf(directory).contains(QLatin1String("network-failed")));
    for (int i = 0; i < 100; ++i)
        factory->last->events->networkDropped(0, failed);
    EXPECT_TRUE(waitUntil(
        [this] { return eventsOf(directory).contains(QLatin1String("network-failed")); }));
    EXPECT_EQ(machine->run()->state(), MachineState::Running);
}

TEST_F(HostedMachineTest, SoftnetIsItsNetwork) {
    addLinux();
    services.findSoftnet = [] {
        SoftnetProgram program;
        program.path = QStringLiteral(VITRINE_SOFTNET_STAND_IN);
        program.isRaised = true;
        return Result<SoftnetProgram>(program);
    };
    auto wish = request(QStringLiteral("linux"));
    wish.options.network.mode = NetworkMode::Softnet;
    run(wish);
    const auto& socket = std::get<SocketAttachment>(factory->plan.cards.constFirst().attachment);
    struct stat open {};
    EXPECT_EQ(::fstat(socket.descriptor, &open), 0);
    EXPECT_EQ(client->status().network, QStringLiteral("softnet"));
    factory->last->events->guestStopped();
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 0);
    struct stat now {};
    EXPECT_TRUE(::fstat(socket.descriptor, &now) != 0 || now.st_ino != open.st_ino)
        << "it is closed; a thread may have opened something with its number since";
}

TEST_F(HostedMachineTest, WithoutSoftnetItIsNotStarted) {
    addLinux();
    services.findSoftnet = [] {
        return Result<SoftnetProgram>(
            fail(Error::Kind::NotFound, QStringLiteral("Install Softnet.")));
    };
    auto wish = request(QStringLiteral("linux"));
    wish.options.network.mode = NetworkMode::Softnet;
    make(wish);
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    EXPECT_EQ(failure->message, QStringLiteral("Install Softnet."));
}

TEST_F(HostedMachineTest, FoldersComeAndGoWhileItRuns) {
    addLinux();
    run(request(QStringLiteral("linux")));
    const QString data = makeFolder("data");
    const auto added = call("share.add", {{QStringLiteral("path"), data}});
    ASSERT_TRUE(added) << added.error().message.toStdString();
    const auto share = ShareStatus::fromJson(added->toObject());
    EXPECT_EQ(share.spec.tag, QStringLiteral("data"));
    EXPECT_TRUE(share.spec.readOnly);
    EXPECT_TRUE(share.mountLine.contains(QLatin1String("-t virtiofs 'vitrine-0'")))
        << share.mountLine.toStdString();
    EXPECT_EQ(factory->last->asked.constLast(), QStringLiteral("share:vitrine-0"));
    EXPECT_EQ(Sidecar::read(directory)->run.shares, QList<ShareSpec>{share.spec});

    const QJsonObject key{{QStringLiteral("tag"), QStringLiteral("data")}};
    QJsonObject writable = key;
    writable.insert(QStringLiteral("readOnly"), false);
    EXPECT_TRUE(call("share.change", writable));
    EXPECT_FALSE(Sidecar::read(directory)->run.shares.constFirst().readOnly);
    QJsonObject renamed = key;
    renamed.insert(QStringLiteral("newName"), QStringLiteral("other"));
    EXPECT_EQ(call("share.change", renamed).error().kind, Error::Kind::Unsupported);

    const auto passing =
        call("share.add",
             {{QStringLiteral("path"), makeFolder("b/data")}, {QStringLiteral("keep"), false}});
    ASSERT_TRUE(passing);
    EXPECT_NE(ShareStatus::fromJson(passing->toObject()).spec.tag, QStringLiteral("data"));
    EXPECT_EQ(Sidecar::read(directory)->run.shares.size(), 1);
    EXPECT_EQ(ShareList::fromJson(*call("share.list")).shares.size(), 2);

    EXPECT_TRUE(call("share.remove", key));
    EXPECT_EQ(call("share.remove", key).error().kind, Error::Kind::NotFound);
    EXPECT_TRUE(Sidecar::read(directory)->run.shares.isEmpty());
    EXPECT_EQ(ShareList::fromJson(*call("share.list")).shares.size(), 1);
}

TEST_F(HostedMachineTest, FoldersThatMustNotBeSharedAreRefused) {
    addLinux();
    run(request(QStringLiteral("linux")));
    const auto add = [this](const QString& folder, const char* tag = "") {
        return call("share.add",
                    {{QStringLiteral("path"), folder},
                     {QStringLiteral("tag"), QLatin1String(tag)},
                     {QStringLiteral("readOnly"), false}})
            .error()
            .kind;
    };
    EXPECT_EQ(add(small.library.home()), Error::Kind::InvalidInput);
    EXPECT_EQ(add(outside.filePath(QStringLiteral("none"))), Error::Kind::NotFound);
    EXPECT_EQ(add(makeFolder("data"), "../up"), Error::Kind::InvalidInput);
    EXPECT_EQ(factory->last->asked, QStringList(QStringLiteral("start")));
    // One that may be read need not become writable.
    const QString home = small.library.home();
    ASSERT_TRUE(
        call("share.add",
             {{QStringLiteral("path"), home}, {QStringLiteral("tag"), QStringLiteral("lib")}}));
    EXPECT_FALSE(call(
        "share.change",
        {{QStringLiteral("tag"), QStringLiteral("lib")}, {QStringLiteral("readOnly"), false}}));
}

TEST_F(HostedMachineTest, AMacMountsWhatItsTagSays) {
    addMac();
    auto wish = request(QStringLiteral("mac"));
    ShareSpec share;
    share.name = QStringLiteral("build");
    share.path = makeFolder("build");
    wish.options.shares = {share};
    run(wish);
    const auto list = ShareList::fromJson(*call("share.list")).shares;
    ASSERT_EQ(list.size(), 1);
    EXPECT_EQ(list.constFirst().guestPath, QStringLiteral("/Volumes/My Shared Files/build"));
    EXPECT_EQ(list.constFirst().state, ShareState::Mounted);
}

TEST_F(HostedMachineTest, AChangeWaitsForTheEnd) {
    addLinux();
    run(request(QStringLiteral("linux")));
    const auto before = ConfigFile::read(path("config.json"));
    ASSERT_TRUE(call("change", {{QStringLiteral("cpuCount"), 2}}));
    EXPECT_TRUE(waitUntil([this] { return client->status().pending.size() == 1; }));
    EXPECT_EQ(*ConfigFile::read(path("config.json")), *before);
    EXPECT_EQ(call("change", {{QStringLiteral("cpuCount"), 0}}).error().kind,
              Error::Kind::InvalidInput);
    ASSERT_TRUE(call("forceOff"));
    ASSERT_TRUE(ends());
    EXPECT_EQ(MachineConfig::fromJson(*ConfigFile::read(path("config.json")))->cpuCount, 2);
}

TEST_F(HostedMachineTest, OneThatIsNotWantedAnyMoreIsNotStarted) {
    addLinux();
    make(request(QStringLiteral("linux")));
    machine->shutDown();
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    EXPECT_EQ(failure->kind, Error::Kind::Cancelled);
    EXPECT_EQ(factory->last, nullptr);
    EXPECT_EQ(holder(directory), 0);
}

TEST_F(HostedMachineTest, GoingAwayTakesTheMachineAndTheLocks) {
    addLinux();
    run(request(QStringLiteral("linux")));
    machine.reset();
    EXPECT_EQ(holder(directory), 0);
    const auto runtime = RuntimeDirectory::locate(small.library.home(), directory);
    ASSERT_TRUE(runtime);
    EXPECT_FALSE(runtime->isAlive());
    EXPECT_FALSE(QFileInfo::exists(runtime->controlSocket()));
}

TEST_F(HostedMachineTest, ATwinOfASuspendedMachineIsRefused) {
    addMac();
    auto wish = request(QStringLiteral("mac"));
    wish.options = suspendable();
    run(wish);
    ASSERT_TRUE(call("suspend"));
    ASSERT_TRUE(ends());
    const auto config = MachineConfig::fromJson(*ConfigFile::read(path("config.json")));
    const auto twin = HeldMachine::take(small.library, add(QStringLiteral("twin"), *config));
    ASSERT_TRUE(twin);
    make(wish);
    ASSERT_TRUE(ends());
    EXPECT_EQ(*ended, 1);
    EXPECT_TRUE(failure->message.contains(QLatin1String("twin")));
    EXPECT_EQ(stateOf(directory), MachineState::Suspended);
}

TEST_F(HostedMachineTest, ItsSerialLineIsSeenAndTypedInto) {
    addLinux();
    run(request(QStringLiteral("linux")));
    ASSERT_TRUE(factory->plan.serial);
    SerialClient viewer;
    QByteArray seen;
    QObject::connect(
        &viewer, &SerialClient::history, &viewer, [&](const QByteArray& bytes) { seen = bytes; });
    QObject::connect(
        &viewer, &SerialClient::received, &viewer, [&](const QByteArray& bytes) { seen += bytes; });
    viewer.open(call("serial.info")->toObject().value(QLatin1String("socket")).toString());
    ASSERT_EQ(::write(factory->plan.serial->fromGuest, "login: ", 7), 7);
    EXPECT_TRUE(waitUntil([&] { return seen == "login: "; }));
}

TEST_F(HostedMachineTest, ItsSerialLineLeadsToANewTerminalOnWish) {
    addLinux();
    auto wish = request(QStringLiteral("linux"));
    wish.options.serial.kind = SerialLine::Kind::NewTerminal;
    run(wish);
    const QString told = call("viewers")->toObject().value(QLatin1String("serial")).toString();
    ASSERT_FALSE(told.isEmpty());
    const FileDescriptor terminal(
        ::open(QFile::encodeName(told).constData(), O_RDWR | O_NOCTTY | O_NONBLOCK));
    ASSERT_TRUE(terminal.isValid());
    ASSERT_EQ(::write(factory->plan.serial->fromGuest, "hello\n", 6), 6);
    char bytes[16];
    ssize_t size = -1;
    EXPECT_TRUE(
        waitUntil([&] { return (size = ::read(terminal.get(), bytes, sizeof(bytes))) > 0; }));
    EXPECT_EQ(QByteArray(bytes, size), "hello\n");
}

TEST_F(HostedMachineTest, ItsServicesAreOpenAsLongAsItRuns) {
    addLinux();
    bool open = false;
    services.openServices = [&open](const OpenedMachine& opened) {
        EXPECT_NE(opened.machine, nullptr);
        EXPECT_EQ(opened.name, QStringLiteral("linux"));
        EXPECT_TRUE(QFileInfo::exists(opened.directory + QLatin1String("/config.json")));
        opened.setAgent(true, true);
        opened.setAddress(QStringLiteral("192.168.64.3"), QStringLiteral("agent"));
        auto service = std::make_unique<QObject>();
        open = true;
        QObject::connect(service.get(), &QObject::destroyed, [&open] { open = false; });
        return service;
    };
    run(request(QStringLiteral("linux")));
    EXPECT_TRUE(open);
    EXPECT_TRUE(
        waitUntil([this] { return client->status().address == QLatin1String("192.168.64.3"); }));
    EXPECT_TRUE(client->status().agentAnswers);
    EXPECT_EQ(client->status().sshAddress().host, QStringLiteral("192.168.64.3"));
    EXPECT_EQ(client->status().sshAddress().port, 22);
    ASSERT_TRUE(call("forceOff"));
    ASSERT_TRUE(ends());
    EXPECT_FALSE(open);
}

TEST_F(HostedMachineTest, ACopyOfAnImagesDiskGoesWithTheRun) {
    addLinux();
    const QString image = small.library.imagesPath() +
                          QStringLiteral("/ghcr.io/org/image/sha256:") + QString(64, u'a');
    ASSERT_TRUE(QDir().mkpath(image));
    MachineConfig config = SmallLibrary::smallConfig();
    config.architecture = Architecture::Arm64;
    SmallLibrary::write(image + QLatin1String("/config.json"), config.toJson());
    SmallLibrary::write(image + QLatin1String("/disk.img"), QByteArray(4096, 'i'));
    SmallLibrary::write(image + QLatin1String("/nvram.bin"), "variables");
    auto wish = request(QStringLiteral("linux"));
    ExtraDisk disk;
    disk.path = QStringLiteral("ghcr.io/org/image@sha256:") + QString(64, u'a');
    wish.options.disks = {disk};
    run(wish);
    ASSERT_EQ(factory->plan.disks.size(), 2);
    const QString copy = std::get<ImageDisk>(factory->plan.disks.at(1).source).path;
    EXPECT_TRUE(copy.startsWith(small.library.temporaryPath()));
    QFile file(copy);
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_EQ(file.readAll(), QByteArray(4096, 'i'));
    ASSERT_TRUE(call("forceOff"));
    ASSERT_TRUE(ends());
    EXPECT_FALSE(QFileInfo::exists(copy));
}
