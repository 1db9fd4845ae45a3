// SPDX-License-Identifier: Apache-2.0
// What travels over vitrine.sock as JSON: status, changes, the result of a command in the guest.
#include "core/hypervisor/machine_changes.h"
#include "core/hypervisor/machine_client.h"
#include "core/hypervisor/machine_exec.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;

TEST(MachineStatus, SurvivesTheWayThroughJson) {
    MachineStatus status;
    status.state = MachineState::Paused;
    status.processId = 4321;
    status.startedAt = QDateTime::fromMSecsSinceEpoch(1700000000123);
    status.accelerator = QStringLiteral("TCG");
    status.acceleratorNote = QStringLiteral("emulated, slow");
    status.note = QStringLiteral("a note");
    status.address = QStringLiteral("10.0.2.15");
    status.addressSource = QStringLiteral("agent");
    status.sshPort = 40022;
    status.network = QStringLiteral("nat");
    status.reachable = true;
    status.agentAnswers = true;
    status.width = 1280;
    status.height = 800;
    status.lastError = QStringLiteral("an error");
    status.pending = {{QStringLiteral("cpuCount"), 2, 4}};
    EXPECT_EQ(MachineStatus::fromJson(status.toJson()), status);
}

TEST(MachineStatus, KeepsEveryState) {
    for (int state = 0; state <= static_cast<int>(MachineState::Broken); ++state) {
        MachineStatus status;
        status.state = static_cast<MachineState>(state);
        EXPECT_EQ(MachineStatus::fromJson(status.toJson()).state, status.state);
    }
}

TEST(MachineStatus, BoundsWhatAnotherProgramSends) {
    QJsonArray pending;
    for (int i = 0; i < 5000; ++i) {
        pending.append(QJsonObject{{QStringLiteral("key"), QStringLiteral("cpuCount")}});
    }
    const auto status =
        MachineStatus::fromJson({{QStringLiteral("state"), 7},
                                 {QStringLiteral("note"), QString(100000, QLatin1Char('x'))},
                                 {QStringLiteral("sshPort"), 700000},
                                 {QStringLiteral("width"), -5},
                                 {QStringLiteral("height"), 1e300},
                                 {QStringLiteral("pending"), pending}});
    EXPECT_EQ(status.state, MachineState::Starting);
    EXPECT_EQ(status.note.size(), 2000);
    EXPECT_EQ(status.sshPort, 0);
    EXPECT_EQ(status.width, 0);
    EXPECT_EQ(status.height, 0);
    EXPECT_EQ(status.pending.size(), 100);
}

TEST(MachineChanges, SurviveTheWayThroughJson) {
    MachineChanges changes;
    changes.cpuCount = 3;
    changes.memory = ByteCount::fromMiB(1536);
    changes.display = DisplaySize::fromText(QStringLiteral("1600x1000px"));
    changes.refit = Refit::Off;
    changes.macAddress = MacAddress::fromText(QStringLiteral("02:00:00:00:00:01"));
    changes.diskSize = ByteCount::fromGB(60);
    const auto read = changesFromJson(changesToJson(changes));
    ASSERT_TRUE(read);
    EXPECT_EQ(changesToJson(*read), changesToJson(changes));
    EXPECT_EQ(read->diskSize, changes.diskSize);
    EXPECT_TRUE(changesFromJson({})->isEmpty());
}

TEST(MachineChanges, RefuseWhatCannotBeUnderstood) {
    for (const QJsonObject& bad :
         {QJsonObject{{QStringLiteral("cpuCount"), QStringLiteral("two")}},
          QJsonObject{{QStringLiteral("cpuCount"), -1}},
          QJsonObject{{QStringLiteral("memorySize"), -5}},
          QJsonObject{{QStringLiteral("memorySize"), 0.5}},
          QJsonObject{{QStringLiteral("display"), QStringLiteral("big")}},
          QJsonObject{{QStringLiteral("displayRefit"), true}},
          QJsonObject{{QStringLiteral("macAddress"), QStringLiteral("1:2:3")}},
          QJsonObject{{QStringLiteral("newerThanThis"), 1}}}) {
        const auto read = changesFromJson(bad);
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().kind, Error::Kind::InvalidInput);
    }
}

TEST(MachineExec, CarriesShortOutputInTheAnswer) {
    const QTemporaryDir folder;
    const GuestAgent::ExecResult result{7, QByteArray("out\0put", 7), "error", true};
    const auto json = execToJson(result, folder.path());
    ASSERT_TRUE(json);
    const auto read = execFromJson(*json);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->exitCode, 7);
    EXPECT_EQ(read->standardOutput, result.standardOutput);
    EXPECT_EQ(read->standardError, result.standardError);
    EXPECT_TRUE(read->truncated);
}

TEST(MachineExec, CarriesLongOutputInAFileThatTheReaderRemoves) {
    const QTemporaryDir folder;
    const GuestAgent::ExecResult result{0, QByteArray(16 << 20, 'x'), {}, false};
    const auto json = execToJson(result, folder.path());
    ASSERT_TRUE(json);
    const QFileInfoList files = QDir(folder.path()).entryInfoList(QDir::Files);
    ASSERT_EQ(files.size(), 1);
    EXPECT_EQ(files.first().permissions() & (QFile::ReadGroup | QFile::ReadOther), 0);
    const auto read = execFromJson(*json);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->standardOutput, result.standardOutput);
    EXPECT_TRUE(QDir(folder.path()).isEmpty());
}

TEST(MachineExec, SaysWhenTheOutputCannotBeKept) {
    const auto json =
        execToJson({0, QByteArray(1 << 20, 'x'), {}, false}, QStringLiteral("/nonexistent"));
    EXPECT_FALSE(json);
    EXPECT_EQ(execFromJson(QJsonValue(5)).error().kind, Error::Kind::Integrity);
}
TEST(MachineStatus, SshIsAtTheForwardOrAtABridgedGuestsOwnAddress) {
    MachineStatus status;
    status.address = QStringLiteral("192.0.2.7");
    status.network = QStringLiteral("nat");
    EXPECT_FALSE(status.sshAddress().isKnown());
    status.sshPort = 40022;
    EXPECT_EQ(status.sshAddress().host, QStringLiteral("127.0.0.1"));
    EXPECT_EQ(status.sshAddress().port, 40022);
    status.sshPort = 0;
    status.reachable = true;
    EXPECT_EQ(status.sshAddress().host, QStringLiteral("192.0.2.7"));
    status.reachable = false;
    status.network = QStringLiteral("bridged");
    EXPECT_EQ(status.sshAddress().host, QStringLiteral("192.0.2.7"));
    EXPECT_EQ(status.sshAddress().port, 22);
    status.address = QStringLiteral("-oProxyCommand=x");
    EXPECT_FALSE(status.sshAddress().isKnown());
}
