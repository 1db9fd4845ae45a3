// SPDX-License-Identifier: Apache-2.0
// The contract of a running machine, the same for the fake and for every backend. The guest is
// booted once: the cases build on each other and run in the order of this file.
#include "core/hypervisor/serial_client.h"
#include "tests/contract/contract_fixture.h"
#include "tests/support/protocol_methods.h"

#include <QHostAddress>
#include <QTcpServer>
#include <QTcpSocket>

using namespace vitrine;
using namespace vitrine::test;

TEST_F(MachineContract, AStoppedMachineAnswersThatItDoesNotRun) {
    EXPECT_EQ(machine->library().stateOf(machine->directory()), MachineState::Stopped);
    EXPECT_FALSE(client->waitForConnected(100));
    for (const char* verb : {"shutdown", "forceOff", "pause", "resume", "status"}) {
        EXPECT_EQ(call(verb).error().kind, Error::Kind::NotRunning) << verb;
    }
}

TEST_F(MachineContract, AStartedMachineRunsAndSaysSo) {
    ASSERT_TRUE(machine->start());
    ASSERT_TRUE(client->waitForConnected(60000));
    ASSERT_TRUE(waitForState(MachineState::Running));
    EXPECT_GT(client->status().processId, 0);
    EXPECT_FALSE(client->status().accelerator.isEmpty());
    EXPECT_TRUE(client->status().startedAt.isValid());
    EXPECT_EQ(machine->library().stateOf(machine->directory()), MachineState::Running);
    // Where it has none of its own, once the guest has told where it is.
    EXPECT_TRUE(waitUntil([] { return client->status().sshAddress().isKnown(); }));
}

TEST_F(MachineContract, OffersEveryRequestOfTheProtocolOrSaysWhyNot) {
    const QJsonObject hello = client->hello();
    EXPECT_EQ(hello.value(QLatin1String("protocol")).toInt(), control::protocolVersion);
    EXPECT_EQ(hello.value(QLatin1String("machine")).toString(), machine->name());
    EXPECT_EQ(hello.value(QLatin1String("pid")).toInteger(), client->status().processId);
    EXPECT_FALSE(hello.value(QLatin1String("program")).toString().isEmpty());
    const QStringList unavailable = hello.value(QLatin1String("unavailable")).toObject().keys();
    EXPECT_EQ(unavailable, machine->unavailable());
    QStringList decided = machine->notPlayed() + unavailable;
    const QJsonArray methods = hello.value(QLatin1String("methods")).toArray();
    for (const QJsonValue& method : methods) {
        EXPECT_FALSE(decided.contains(method.toString())) << qPrintable(method.toString());
        decided << method.toString();
    }
    decided.sort();
    QStringList all = protocolMethods();
    all.sort();
    EXPECT_EQ(decided, all);
}

TEST_F(MachineContract, TellsWhereItsScreenItsLogAndItsViewersAre) {
    EXPECT_EQ(object("display.info").value(QLatin1String("socket")).toString(),
              machine->hasDisplaySocket() ? client->displaySocket() : QString());
    const QJsonObject log = object("log");
    EXPECT_EQ(log.value(QLatin1String("path")).toString(), client->logFile());
    EXPECT_TRUE(log.value(QLatin1String("text")).isString());
    EXPECT_TRUE(QFile::exists(client->logFile()));
    EXPECT_TRUE(object("viewers").isEmpty()) << "nobody asked for one";
}

TEST_F(MachineContract, StartingARunningMachineIsRefusedAndHarmless) {
    EXPECT_EQ(machine->exitCodeOfSecondStart(), 2);
    EXPECT_TRUE(call("status"));
    EXPECT_EQ(client->status().state, MachineState::Running);
}

TEST_F(MachineContract, PausingAPausedMachineSucceeds) {
    EXPECT_TRUE(call("pause"));
    EXPECT_TRUE(call("pause"));
    EXPECT_TRUE(waitForState(MachineState::Paused));
}

TEST_F(MachineContract, APausedMachineStillShowsItsScreen) {
    const auto picture = call("screenshot");
    ASSERT_TRUE(picture);
    EXPECT_GT(picture->toObject().value(QLatin1String("width")).toInt(), 0);
    QFile file(picture->toObject().value(QLatin1String("path")).toString());
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.read(8).endsWith("PNG\r\n\x1a\n"));
}

TEST_F(MachineContract, ResumingARunningMachineSucceeds) {
    EXPECT_TRUE(call("resume"));
    EXPECT_TRUE(call("resume"));
    EXPECT_TRUE(waitForState(MachineState::Running));
}

TEST_F(MachineContract, ForwardsComeAndGoWhileItRuns) {
    if (areRefused({"forward.add", "forward.remove", "forward.list"})) {
        return;
    }
    const auto added = call("forward.add", {{QStringLiteral("guestPort"), 8080}});
    ASSERT_TRUE(added);
    const int port = added->toObject().value(QLatin1String("hostPort")).toInt();
    EXPECT_GT(port, 0);
    const auto again = call(
        "forward.add", {{QStringLiteral("guestPort"), 8081}, {QStringLiteral("hostPort"), port}});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, Error::Kind::AlreadyExists);
    EXPECT_EQ(call("forward.list")->toObject().value(QLatin1String("forwards")).toArray().size(),
              2);
    EXPECT_TRUE(call("forward.remove", {{QStringLiteral("hostPort"), port}}));
    EXPECT_EQ(call("forward.remove", {{QStringLiteral("hostPort"), port}}).error().kind,
              Error::Kind::NotFound);
}

TEST_F(MachineContract, ForwardsOfNoPortsAreRefusedAndThoseOfTakenPortsToo) {
    if (areRefused({"forward.add", "forward.remove", "forward.list"})) {
        return;
    }
    for (const QJsonObject& bad :
         {QJsonObject{},
          QJsonObject{{QStringLiteral("guestPort"), 0}},
          QJsonObject{{QStringLiteral("guestPort"), 65536}},
          QJsonObject{{QStringLiteral("guestPort"), 22}, {QStringLiteral("hostPort"), -1}}}) {
        EXPECT_EQ(kindOf("forward.add", bad), Error::Kind::InvalidInput);
    }
    EXPECT_EQ(kindOf("forward.remove", {}), Error::Kind::InvalidInput);
    QTcpServer other;
    ASSERT_TRUE(other.listen(QHostAddress::LocalHost));
    EXPECT_EQ(kindOf("forward.add",
                     {{QStringLiteral("guestPort"), 8080},
                      {QStringLiteral("hostPort"), other.serverPort()}}),
              Error::Kind::AlreadyExists);
}

TEST_F(MachineContract, AForwardedPortIsOpenAndARemovedOneClosed) {
    if (areRefused({"forward.add", "forward.remove", "forward.list"})) {
        return;
    }
    const quint16 port =
        static_cast<quint16>(object("forward.add", {{QStringLiteral("guestPort"), 22}})
                                 .value(QLatin1String("hostPort"))
                                 .toInt());
    const auto opens = [port] {
        QTcpSocket socket;
        socket.connectToHost(QHostAddress(QHostAddress::LocalHost), port);
        return waitUntil([&] {
                   return socket.state() != QAbstractSocket::ConnectingState &&
                          socket.state() != QAbstractSocket::HostLookupState;
               }) &&
               socket.state() == QAbstractSocket::ConnectedState;
    };
    EXPECT_TRUE(opens());
    ASSERT_TRUE(call("forward.remove", {{QStringLiteral("hostPort"), port}}));
    EXPECT_FALSE(opens());
}

TEST_F(MachineContract, EveryViewerOfTheSerialLineSeesTheSame) {
    const QJsonObject info = object("serial.info");
    EXPECT_EQ(info.value(QLatin1String("socket")).toString(), client->consoleSocket());
    SerialClient typing;
    SerialClient watching;
    QByteArray seen[2];
    int histories = 0;
    int index = 0;
    for (SerialClient* viewer : {&typing, &watching}) {
        QByteArray& text = seen[index++];
        QObject::connect(viewer, &SerialClient::history, viewer, [&](const QByteArray& bytes) {
            text = bytes;
            ++histories;
        });
        QObject::connect(viewer, &SerialClient::received, viewer, [&](const QByteArray& bytes) {
            text += bytes;
        });
        viewer->open(client->consoleSocket());
    }
    ASSERT_TRUE(waitUntil([&] { return histories == 2; }));
    // What is typed comes back once the guest listens: it echoes, or asks again who logs in.
    QDeadlineTimer nextKey(0);
    ASSERT_TRUE(waitUntil(
        [&, before = seen[1].size()] {
            if (nextKey.hasExpired()) {
                typing.send("\r");
                nextKey.setRemainingTime(1000);
            }
            return seen[1].size() > before;
        },
        bootTime));
    ASSERT_TRUE(waitUntil([&] { return seen[0] == seen[1]; }, 30000));
    QFile log(info.value(QLatin1String("log")).toString());
    ASSERT_EQ(log.fileName().isEmpty(), !machine->logsSerialLine());
    if (log.fileName().isEmpty()) {
        return;
    }
    ASSERT_TRUE(log.open(QIODevice::ReadOnly));
    // It is written after the viewers were told.
    EXPECT_TRUE(waitUntil([&] { return log.seek(0) && log.readAll().contains(seen[0].left(16)); }))
        << seen[0].left(64).toPercentEncoding().toStdString();
}

TEST_F(MachineContract, TheClipboardTakesTextInOrderAndIsSwitchedAtOnce) {
    if (areRefused({"clipboard.offer", "clipboard.get", "clipboard.enable"})) {
        return;
    }
    const QString text = QString::fromLatin1(QByteArray("copied").toBase64());
    const auto part = [&](qint64 offset, qint64 size) {
        return QJsonObject{{QStringLiteral("text"), text},
                           {QStringLiteral("offset"), offset},
                           {QStringLiteral("size"), size}};
    };
    EXPECT_TRUE(call("clipboard.offer", part(0, 6)));
    EXPECT_TRUE(call("clipboard.offer", part(0, 12)));
    EXPECT_EQ(kindOf("clipboard.offer", part(7, 13)), Error::Kind::InvalidInput) << "a hole";
    EXPECT_EQ(kindOf("clipboard.offer", part(0, 2 << 20)), Error::Kind::InvalidInput) << "too long";
    EXPECT_EQ(kindOf("clipboard.offer", {}), Error::Kind::InvalidInput);
    const QJsonObject guests = object("clipboard.get");
    EXPECT_EQ(guests.value(QLatin1String("size")).toInteger(-1), 0) << "nothing was copied there";
    EXPECT_EQ(guests.value(QLatin1String("serial")).toInteger(-1), 0);
    EXPECT_EQ(kindOf("clipboard.enable", {}), Error::Kind::InvalidInput);
    for (const bool enabled : {false, true}) {
        const QJsonObject wanted{{QStringLiteral("enabled"), enabled},
                                 {QStringLiteral("keep"), true}};
        EXPECT_TRUE(call("clipboard.enable", wanted));
        EXPECT_TRUE(waitUntil(
            [&] { return (client->status().clipboard == QLatin1String("off")) != enabled; }));
        EXPECT_EQ(Sidecar::read(machine->directory())->run.clipboard, enabled);
    }
    EXPECT_EQ(client->status().clipboard, QStringLiteral("waiting")) << "for an agent in the guest";
}

TEST_F(MachineContract, AChangeWaitsAndTheConfigurationStaysAsItIs) {
    const QByteArray before = configuration();
    ASSERT_TRUE(call("change", {{QStringLiteral("memorySize"), 805306368}}));
    EXPECT_TRUE(waitUntil([] { return client->status().pending.size() == 1; }));
    EXPECT_EQ(configuration(), before);
    EXPECT_EQ(call("change", {{QStringLiteral("cpuCount"), 0}}).error().kind,
              Error::Kind::InvalidInput);
}

TEST_F(MachineContract, AnUnknownRequestIsUnsupportedAndTheConnectionGoesOn) {
    EXPECT_EQ(call("levitate").error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(call("status"));
}

TEST_F(MachineContract, EveryClientSeesTheSame) {
    MachineClient other(machine->library().home(), machine->directory());
    ASSERT_TRUE(other.waitForConnected(30000));
    EXPECT_TRUE(call("pause"));
    EXPECT_TRUE(waitUntil([&] { return other.status().state == MachineState::Paused; }));
    EXPECT_TRUE(other.callAndWait(QStringLiteral("resume"), {}, 10000));
    EXPECT_TRUE(waitForState(MachineState::Running));
    // One that leaves disturbs nobody.
    other.detach();
    EXPECT_TRUE(call("status"));
}

TEST_F(MachineContract, TheAgentAnswersAndTellsTheAddress) {
    ASSERT_TRUE(waitUntil(
        [] { return client->status().agentAnswers && !client->status().address.isEmpty(); },
        bootTime));
    EXPECT_EQ(client->status().addressSource, QStringLiteral("agent"));
    const QJsonObject state = object("agent.state", {{QStringLiteral("wait"), 30000}});
    for (const char* key : {"opened", "seen", "answers"}) {
        EXPECT_TRUE(state.value(QLatin1String(key)).toBool()) << key;
    }
    if (areRefused({"agent.interfaces"})) {
        return;
    }
    const auto interfaces = call("agent.interfaces");
    ASSERT_TRUE(interfaces);
    EXPECT_FALSE(interfaces->toObject().value(QLatin1String("interfaces")).toArray().isEmpty());
}

TEST_F(MachineContract, RunsAProgramInTheGuest) {
    const auto result = run(QStringLiteral("/bin/echo"), {QStringLiteral("hello")});
    ASSERT_TRUE(result) << qPrintable(result.error().message);
    EXPECT_EQ(result->exitCode, 0);
    EXPECT_EQ(result->standardOutput, "hello\n");
    EXPECT_EQ(run(QStringLiteral("/bin/false"), {})->exitCode, 1);
    EXPECT_EQ(run(QStringLiteral("/no/such/program"), {}).error().kind, Error::Kind::NotFound);
}

TEST_F(MachineContract, AFolderIsSharedReadOnlyMountedAndStored) {
    EXPECT_TRUE(ShareList::fromJson(object("share.list")).shares.isEmpty());
    EXPECT_FALSE(ShareList::fromJson(object("share.list")).transport.isEmpty());
    int told = 0;
    QObject context;
    QObject::connect(
        client.get(), &MachineClient::eventHappened, &context, [&](const QString& kind) {
            told += kind == QLatin1String("shares-changed") ? 1 : 0;
        });
    const QString path = makeFolder("data");
    const auto added = ShareStatus::fromJson(object("share.add", {{QStringLiteral("path"), path}}));
    EXPECT_EQ(added.state, ShareState::Mounted) << qPrintable(added.message);
    EXPECT_EQ(added.spec.tag, QStringLiteral("data"));
    EXPECT_EQ(added.guestPath, QStringLiteral("/mnt/vitrine/data"));
    EXPECT_FALSE(added.mountLine.isEmpty());
    EXPECT_TRUE(added.spec.readOnly);
    EXPECT_TRUE(waitUntil([&] { return told > 0; }));
    EXPECT_EQ(storedShares(), QList<ShareSpec>{added.spec});
    EXPECT_EQ(printed("cat", QStringLiteral("/mnt/vitrine/data/file")), "data");
    EXPECT_FALSE(succeeds("touch", QStringLiteral("/mnt/vitrine/data/new")));
    EXPECT_TRUE(call("share.mount", {{QStringLiteral("tag"), added.spec.tag}})) << "it is already";
}

TEST_F(MachineContract, ASecondShareIsRemovedWithoutTheFirst) {
    const auto other = ShareStatus::fromJson(object("share.add",
                                                    {{QStringLiteral("path"), makeFolder("b/data")},
                                                     {QStringLiteral("readOnly"), false},
                                                     {QStringLiteral("keep"), false}}));
    EXPECT_NE(other.spec.tag, QStringLiteral("data")) << "that is taken";
    EXPECT_TRUE(succeeds("touch", other.guestPath + QLatin1String("/new")));
    EXPECT_TRUE(QFile::exists(folder->filePath(QStringLiteral("b/data/new"))));
    EXPECT_EQ(storedShares().size(), 1) << "one of this run only";
    const QJsonObject key{{QStringLiteral("tag"), other.spec.tag}};
    EXPECT_TRUE(call("share.remove", key));
    EXPECT_EQ(kindOf("share.remove", key), Error::Kind::NotFound);
    EXPECT_FALSE(share(other.spec.tag));
    EXPECT_EQ(printed("cat", QStringLiteral("/mnt/vitrine/data/file")), "data");
}

TEST_F(MachineContract, AShareIsRenamedAndBecomesWritableAndIsStoredSo) {
    const auto change = [](const char* tag, QJsonObject parameters) {
        parameters.insert(QStringLiteral("tag"), QLatin1String(tag));
        return parameters;
    };
    const QJsonObject writable{{QStringLiteral("readOnly"), false}};
    EXPECT_TRUE(call("share.change", change("data", writable)));
    EXPECT_TRUE(succeeds("touch", QStringLiteral("/mnt/vitrine/data/new")));
    const QJsonObject renamed{{QStringLiteral("newName"), QStringLiteral("results")}};
    if (!machine->renamesShares()) {
        EXPECT_EQ(kindOf("share.change", change("data", renamed)), Error::Kind::Unsupported);
        EXPECT_EQ(storedShares().first().tag, QStringLiteral("data"));
        EXPECT_FALSE(storedShares().first().readOnly);
        return;
    }
    EXPECT_TRUE(call("share.change", change("data", renamed)));
    EXPECT_EQ(printed("cat", QStringLiteral("/mnt/vitrine/results/file")), "data");
    EXPECT_EQ(printed("cat", QStringLiteral("/mnt/vitrine/data/file")), "");
    ASSERT_EQ(storedShares().size(), 1);
    EXPECT_EQ(storedShares().first().tag, QStringLiteral("results"));
    EXPECT_FALSE(storedShares().first().readOnly);
    const QJsonObject bad{{QStringLiteral("newName"), QStringLiteral("../up")}};
    EXPECT_EQ(kindOf("share.change", change("results", bad)), Error::Kind::InvalidInput);
    EXPECT_EQ(kindOf("share.change", change("data", writable)), Error::Kind::NotFound);
    EXPECT_EQ(kindOf("share.mount", change("data", {})), Error::Kind::NotFound);
}

TEST_F(MachineContract, FoldersThatMustNotBeSharedAreRefused) {
    const auto add = [](const QString& path, bool readOnly = false) {
        return kindOf("share.add",
                      {{QStringLiteral("path"), path}, {QStringLiteral("readOnly"), readOnly}});
    };
    EXPECT_EQ(add(machine->library().home()), Error::Kind::InvalidInput);
    EXPECT_EQ(add(QStringLiteral("/etc")), Error::Kind::InvalidInput);
    EXPECT_EQ(add(folder->filePath(QStringLiteral("none")), true), Error::Kind::NotFound);
    EXPECT_EQ(kindOf("share.add",
                     {{QStringLiteral("path"), makeFolder("third")},
                      {QStringLiteral("tag"), storedShares().first().tag}}),
              Error::Kind::InvalidInput)
        << "a tag is one folder, or has only named ones";
    EXPECT_EQ(storedShares().size(), 1);
}

TEST_F(MachineContract, ASnapshotOfARunningMachineLetsItRun) {
    if (areRefused({"snapshot.create", "snapshot.progress", "snapshot.cancel"})) {
        return;
    }
    QObject context;
    std::optional<Result<QJsonValue>> second;
    std::optional<Result<QJsonValue>> first;
    const auto ask = [](const char* name, std::optional<Result<QJsonValue>>& answer) {
        client->call(
            QStringLiteral("snapshot.create"),
            {{QStringLiteral("name"), QLatin1String(name)}, {QStringLiteral("memory"), false}},
            [&answer](const Result<QJsonValue>& told) { answer = told; },
            bootTime);
    };
    ask("of the disk", first);
    ask("at the same time", second);
    ASSERT_TRUE(waitUntil([&] { return first && second; }, bootTime));
    ASSERT_TRUE(*first) << qPrintable(first->error().message);
    ASSERT_FALSE(*second);
    EXPECT_EQ(second->error().kind, Error::Kind::Busy);
    const auto taken = Snapshot::fromJson((*first)->toObject());
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->name, QStringLiteral("of the disk"));
    EXPECT_FALSE(taken->withMemory);
    EXPECT_EQ(snapshots().current(), taken->id);
    EXPECT_EQ(QFileInfo(machine->directory() + QLatin1String("/snapshots/") + taken->id +
                        QLatin1String("/disk.img"))
                  .size(),
              diskSize());
    EXPECT_TRUE(waitForState(MachineState::Running));
    EXPECT_TRUE(object("snapshot.progress").contains(QLatin1String("done")));
    EXPECT_TRUE(call("snapshot.cancel")) << "there is none to cancel";
}

TEST_F(MachineContract, ASnapshotWithMemoryLetsTheSharesComeBack) {
    if (areRefused({"snapshot.create"})) {
        const QString tag = storedShares().first().tag;
        EXPECT_TRUE(call("share.remove", {{QStringLiteral("tag"), tag}}));
        EXPECT_TRUE(storedShares().isEmpty());
        return;
    }
    const auto answer = client->callAndWait(QStringLiteral("snapshot.create"), {}, bootTime);
    ASSERT_TRUE(answer) << qPrintable(answer.error().message);
    const auto taken = Snapshot::fromJson(answer->toObject());
    ASSERT_TRUE(taken);
    EXPECT_TRUE(taken->withMemory);
    EXPECT_FALSE(taken->name.isEmpty()) << "one is made up";
    EXPECT_EQ(snapshots().all().size(), 2);
    EXPECT_TRUE(waitForState(MachineState::Running));
    EXPECT_TRUE(waitUntil(
        [] { return share(QStringLiteral("results"))->state == ShareState::Mounted; }, bootTime));
    EXPECT_TRUE(call("share.remove", {{QStringLiteral("tag"), QStringLiteral("results")}}));
    EXPECT_TRUE(storedShares().isEmpty());
}

TEST_F(MachineContract, ADiskGrowsAtOnceAndNeverShrinks) {
    if (areRefused({"disk.list", "disk.grow"})) {
        return;
    }
    const QJsonObject disk = rootDisk();
    const qint64 before = diskSize();
    EXPECT_EQ(disk.value(QLatin1String("node")).toString(), QStringLiteral("disk0"));
    EXPECT_TRUE(disk.value(QLatin1String("file")).toString().endsWith(QLatin1String("disk.img")));
    EXPECT_EQ(disk.value(QLatin1String("size")).toInteger(), before);
    EXPECT_FALSE(disk.value(QLatin1String("readOnly")).toBool(true));
    const auto size = [](qint64 bytes, bool partition = false) {
        return QJsonObject{{QStringLiteral("size"), bytes},
                           {QStringLiteral("partition"), partition}};
    };
    EXPECT_EQ(kindOf("disk.grow", {}), Error::Kind::InvalidInput);
    EXPECT_EQ(kindOf("disk.grow", size(before - 512)), Error::Kind::Unsupported);
    EXPECT_EQ(kindOf("disk.grow", size(before + 100)), Error::Kind::InvalidInput) << "no sector";
    constexpr qint64 more = 64 << 20;
    const QJsonObject grown = object("disk.grow", size(before + more));
    EXPECT_EQ(grown.value(QLatin1String("size")).toInteger(), before + more);
    EXPECT_EQ(grown.value(QLatin1String("partition")).toString(), QString());
    EXPECT_EQ(diskSize(), before + more);
    EXPECT_EQ(rootDisk().value(QLatin1String("size")).toInteger(), before + more);
    EXPECT_EQ(kindOf("disk.grow", size(before)), Error::Kind::Unsupported) << "it has grown";
    // The guest's part is told in a word and a sentence.
    const QJsonObject whole = object("disk.grow", size(before + 2 * more, true));
    EXPECT_TRUE(
        QStringList({QStringLiteral("grown"), QStringLiteral("nothing"), QStringLiteral("not")})
            .contains(whole.value(QLatin1String("partition")).toString()));
    EXPECT_FALSE(whole.value(QLatin1String("text")).toString().isEmpty());
}

TEST_F(MachineContract, WhoWantsItKeepsWhatTheDiskWasBeforeItGrows) {
    if (areRefused({"disk.grow", "snapshot.create"})) {
        return;
    }
    const qint64 before = diskSize();
    ASSERT_TRUE(setAutomaticSnapshots(machine->directory(), true));
    const QJsonObject same{{QStringLiteral("size"), before}, {QStringLiteral("partition"), false}};
    EXPECT_TRUE(call("disk.grow", same));
    EXPECT_EQ(snapshots().all().size(), 2) << "nothing grew";
    const QJsonObject larger{{QStringLiteral("size"), before + (1 << 20)},
                             {QStringLiteral("partition"), false}};
    const auto grown = client->callAndWait(QStringLiteral("disk.grow"), larger, bootTime);
    ASSERT_TRUE(grown) << qPrintable(grown.error().message);
    ASSERT_TRUE(setAutomaticSnapshots(machine->directory(), false));
    ASSERT_EQ(snapshots().all().size(), 3);
    const Snapshot kept = snapshots().all().constLast();
    EXPECT_TRUE(kept.automatic);
    EXPECT_FALSE(kept.withMemory);
    EXPECT_EQ(QFileInfo(machine->directory() + QLatin1String("/snapshots/") + kept.id +
                        QLatin1String("/disk.img"))
                  .size(),
              before);
    EXPECT_EQ(diskSize(), before + (1 << 20));
    const SnapshotTree taken = snapshots();
    for (const Snapshot& each : taken.all()) {
        EXPECT_TRUE(
            deleteSnapshot(machine->library(), *MachineName::fromText(machine->name()), each.id));
    }
}

TEST_F(MachineContract, SuspendingEndsItAndTheNextStartGoesOn) {
    if (machine->suspendsOnlyOnWish()) {
        const auto refused = call("suspend");
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
        EXPECT_EQ(refused.error().message, client->status().suspendRefusal);
        EXPECT_TRUE(call("forceOff"));
        ASSERT_TRUE(machine->waitForEnd());
        ASSERT_TRUE(waitUntil([] { return !client->isConnected(); }, endTime));
        ASSERT_TRUE(machine->start());
        ASSERT_TRUE(client->waitForConnected(60000));
        ASSERT_TRUE(waitForState(MachineState::Running));
    }
    EXPECT_TRUE(client->status().suspendRefusal.isEmpty());
    EXPECT_TRUE(call("suspend"));
    ASSERT_TRUE(machine->waitForEnd());
    ASSERT_TRUE(waitUntil([] { return !client->isConnected(); }, endTime));
    EXPECT_TRUE(waitUntil([] {
        return machine->library().stateOf(machine->directory()) == MachineState::Suspended;
    }));
    ASSERT_TRUE(machine->start());
    ASSERT_TRUE(client->waitForConnected(60000));
    ASSERT_TRUE(waitForState(MachineState::Running));
    EXPECT_TRUE(waitUntil([] { return client->status().agentAnswers; }, bootTime));
    EXPECT_EQ(machine->library().stateOf(machine->directory()), MachineState::Running);
}

TEST_F(MachineContract, ShuttingDownTwiceSucceedsAndEndsTheMachine) {
    EXPECT_TRUE(call("shutdown"));
    const auto second = call("shutdown");
    EXPECT_TRUE(second || second.error().kind == Error::Kind::NotRunning);
    ASSERT_TRUE(machine->waitForEnd());
    ASSERT_TRUE(waitUntil([] { return !client->isConnected(); }, endTime));
    EXPECT_EQ(client->status().state, MachineState::Stopped);
    EXPECT_TRUE(client->status().lastError.isEmpty()) << qPrintable(client->status().lastError);
    EXPECT_TRUE(isFree());
    EXPECT_EQ(machine->library().stateOf(machine->directory()), MachineState::Stopped);
}

TEST_F(MachineContract, TheWaitingChangeWasTheLastAct) {
    EXPECT_TRUE(configuration().contains("805306368"));
    EXPECT_TRUE(Sidecar::read(machine->directory())->pending.isEmpty());
}

TEST_F(MachineContract, ForcingOffEndsAMachineThatHasNotBooted) {
    ASSERT_TRUE(machine->start());
    ASSERT_TRUE(client->waitForConnected(60000));
    EXPECT_TRUE(call("forceOff"));
    const auto second = call("forceOff");
    EXPECT_TRUE(second || second.error().kind == Error::Kind::NotRunning);
    ASSERT_TRUE(machine->waitForEnd());
    ASSERT_TRUE(waitUntil([] { return !client->isConnected(); }, endTime));
    EXPECT_TRUE(isFree());
}

TEST_F(MachineContract, ForcingOffAPausedMachineEndsIt) {
    ASSERT_TRUE(machine->start());
    ASSERT_TRUE(client->waitForConnected(60000));
    ASSERT_TRUE(waitForState(MachineState::Running));
    EXPECT_TRUE(call("pause"));
    EXPECT_TRUE(call("forceOff"));
    ASSERT_TRUE(machine->waitForEnd());
    EXPECT_TRUE(waitUntil([] { return isFree(); }));
}

TEST_F(MachineContract, WhatHappenedIsAmongTheEvents) {
    const auto sidecar = Sidecar::read(machine->directory());
    ASSERT_TRUE(sidecar);
    QStringList kinds;
    for (const QJsonValue& event : sidecar->events) {
        kinds.append(event.toObject().value(QLatin1String("kind")).toString());
    }
    for (const char* kind :
         {"started", "paused", "suspended", "shutdown-requested", "stopped", "forced-off"}) {
        EXPECT_TRUE(kinds.contains(QLatin1String(kind))) << kind;
    }
}
