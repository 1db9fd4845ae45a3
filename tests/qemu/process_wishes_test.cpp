// SPDX-License-Identifier: Apache-2.0
// What a machine's process makes of changes and options that it cannot honour at once.
#include "tests/qemu/machine_process_fixture.h"

#include <QTcpServer>

#include <csignal>

using namespace vitrine;
using namespace vitrine::test;

TEST_F(MachineProcessTest, AMachineThatGoesOnFromItsSavedStateTakesChanges) {
    startAndConnect();
    program->signal(SIGUSR1);
    expectEnd(0, "suspended");
    startAndConnect();
    const auto answer = call("change", {{QStringLiteral("cpuCount"), 2}});
    ASSERT_TRUE(answer) << qPrintable(answer.error().message);
    EXPECT_EQ(answer->toArray().size(), 1);
    EXPECT_TRUE(call("shutdown"));
    expectEnd(0, "stopped");
    EXPECT_EQ(library.library.machine(*MachineName::fromText(name))->config->cpuCount, 2);
}

TEST_F(MachineProcessTest, AStoredForwardWhosePortIsTakenIsSaidToBeMissing) {
    // The firewall opens it; with QEMU's own network the pretended QEMU says that it is taken.
    QTcpServer other;
    ASSERT_TRUE(other.listen(QHostAddress::LocalHost));
    const quint16 port = other.serverPort();
    ASSERT_TRUE(Sidecar::update(directory, [port](Sidecar& sidecar) {
        sidecar.run.forwards = {{port, 80}};
    }));
    startAndConnect(QStringLiteral("ports-taken"));
    EXPECT_TRUE(waitUntil(
        [this] { return program->output().contains(QStringLiteral("runs WITHOUT")); }, 20000))
        << qPrintable(program->output());
    EXPECT_TRUE(program->output().contains(QString::number(port)));
    EXPECT_TRUE(waitUntil(
        [this] { return program->eventKinds().contains(QStringLiteral("forward-failed")); }));
    EXPECT_EQ(client.status().state, MachineState::Running);
}

TEST_F(MachineProcessTest, TellsWhatItsRunWasStartedWith) {
    startAndConnect();
    ASSERT_TRUE(Sidecar::update(directory, [](Sidecar& sidecar) { sidecar.run.audio = false; }));
    const auto answer = call("run.options");
    ASSERT_TRUE(answer) << qPrintable(answer.error().message);
    for (const char* key : {"started", "now"}) {
        const auto options = RunOptions::fromJson((*answer)[QLatin1String(key)].toObject());
        ASSERT_TRUE(options) << key;
        EXPECT_EQ(options->accelerator, AcceleratorChoice::Tcg) << key;
        EXPECT_TRUE(options->audio) << key;
    }
}
