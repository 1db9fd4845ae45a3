// SPDX-License-Identifier: Apache-2.0
// What disks do to machines, through the process against a pretended QEMU: full ones, those of
// others.
#include "tests/qemu/machine_process_fixture.h"

using namespace vitrine;
using namespace vitrine::test;

TEST_F(MachineProcessTest, AMachineWhoseDiskAnotherOneUsesIsLeftAlone) {
    const QString owner = library.add(QStringLiteral("e"));
    const QString disk = owner + QStringLiteral("/disk.img");
    ASSERT_TRUE(Sidecar::update(directory, [&disk](Sidecar& sidecar) {
        sidecar.run.disks = {{disk, {}}};
    }));
    startAndConnect();
    for (const auto& words : {std::initializer_list<const char*>{"set", "e", "--cpu", "3"},
                              {"set", "e", "--disk-size", "3"},
                              {"rename", "e", "f"},
                              {"clone", "e", "f"},
                              {"snapshot", "e", "create", "First"},
                              {"delete", "e"}}) {
        const Spoken spoken = vitrinectl(words);
        EXPECT_NE(spoken.code, 0) << *words.begin();
        EXPECT_TRUE(spoken.err.contains("\"e\"") || spoken.err.contains("in use"))
            << spoken.err.toStdString();
    }
    EXPECT_TRUE(QFileInfo::exists(disk));
    EXPECT_FALSE(QFileInfo::exists(library.library.machinesPath() + QStringLiteral("/f")));
    ASSERT_TRUE(call("forceOff"));
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_EQ(vitrinectl({"clone", "e", "f"}).code, 0);
    // The other way round: its owner is being worked with.
    const auto held = ConfigFile::tryLock(owner + QStringLiteral("/config.json"));
    ASSERT_TRUE(held);
    start();
    ASSERT_TRUE(program->waitForEnd());
    EXPECT_NE(program->process.exitCode(), 0);
    EXPECT_TRUE(program->output().contains(QStringLiteral("belongs to another machine")))
        << qPrintable(program->output());
}

TEST_F(MachineProcessTest, APauseByHandHasNoReason) {
    MachineConfig many =
        *MachineConfig::fromJson(*ConfigFile::read(directory + QStringLiteral("/config.json")));
    many.cpuCount = 200;
    SmallLibrary::write(directory + QStringLiteral("/config.json"), many.toJson());
    startAndConnect();
    ASSERT_FALSE(client.status().note.isEmpty()) << "more processors than this computer has";
    ASSERT_TRUE(call("pause"));
    ASSERT_TRUE(waitForState(MachineState::Paused));
    EXPECT_EQ(client.status().note, QString());
}

TEST_F(MachineProcessTest, AMachineThatAFullDiskPausedIsListedAsPausedAndResumedByCommand) {
    startAndConnect();
    EXPECT_TRUE(vitrinectl({"list"}).out.contains("running"));
    program->signalQemu(SIGUSR1);
    ASSERT_TRUE(waitForState(MachineState::Paused));
    const Spoken list = vitrinectl({"list"});
    EXPECT_EQ(list.code, 0);
    EXPECT_TRUE(list.out.contains("paused")) << list.out.toStdString();
    EXPECT_TRUE(list.err.contains("\"m\" is paused: The disk of this computer is full"))
        << list.err.toStdString();
    const QJsonObject entry =
        QJsonDocument::fromJson(vitrinectl({"list", "--format", "json"}).out)[0].toObject();
    EXPECT_EQ(entry.value(QLatin1String("State")).toString(), QStringLiteral("paused"));
    EXPECT_TRUE(entry.value(QLatin1String("Running")).toBool());
    EXPECT_TRUE(entry.value(QLatin1String("Reason")).toString().contains(QLatin1String("full")));
    const Spoken get = vitrinectl({"get", "m", "--format", "json"});
    const QJsonObject machine = QJsonDocument::fromJson(get.out).object();
    EXPECT_EQ(machine.value(QLatin1String("State")).toString(), QStringLiteral("paused"));
    EXPECT_TRUE(machine.value(QLatin1String("Running")).toBool());
    EXPECT_EQ(machine.size(), 12);
    EXPECT_TRUE(vitrinectl({"get", "m"}).err.contains("full"));

    const Spoken resumed = vitrinectl({"resume", "m"});
    EXPECT_EQ(resumed.code, 0) << resumed.err.toStdString();
    ASSERT_TRUE(waitForState(MachineState::Running));
    EXPECT_EQ(vitrinectl({"resume", "m"}).code, 0) << "it runs already";
    EXPECT_TRUE(vitrinectl({"list"}).out.contains("running"));
    const Spoken paused = vitrinectl({"pause", "m"});
    EXPECT_EQ(paused.code, 0) << paused.err.toStdString();
    ASSERT_TRUE(waitForState(MachineState::Paused));
    EXPECT_EQ(vitrinectl({"pause", "m"}).code, 0) << "it is paused already";
    EXPECT_TRUE(vitrinectl({"list"}).out.contains("paused"));
}
