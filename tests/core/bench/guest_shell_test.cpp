// SPDX-License-Identifier: Apache-2.0
#include "core/bench/guest_shell.h"

#include "core/hypervisor/control_server.h"
#include "tests/core/bench/bench_support.h"
#include "tests/support/held_machine.h"

#include <QJsonArray>
#include <QJsonObject>

#include <memory>

namespace vitrine::bench {

TEST(AgentShell, AMachineThatStaysPausedIsNoMeasurement) {
    test::SmallLibrary library;
    const QString directory = library.add(s("m"));
    const auto held = test::HeldMachine::take(library.library, directory);
    ASSERT_TRUE(held);
    MachineStatus status;
    status.state = MachineState::Paused;
    status.note = s("The disk of this computer is full.");
    ControlServer server;
    server.on(s("hello"), [&server](const QJsonObject&, const auto& respond) {
        respond(QJsonObject{{s("protocol"), 1},
                            {s("methods"), QJsonArray::fromStringList(server.methods())}});
    });
    server.on(s("subscribe"),
              [&status](const QJsonObject&, const auto& respond) { respond(status.toJson()); });
    server.on(s("agent.exec"), [](const QJsonObject&, const auto&) {}); // it does not go on
    ASSERT_TRUE(server.listen(held->runtime.controlSocket()));
    MachineClient client(library.library.home(), directory);
    ASSERT_TRUE(client.waitForConnected(10000));
    const auto output = agentShell(client)->run(s("true"), {}, {}, 30000);
    ASSERT_FALSE(output);
    EXPECT_EQ(output.error().kind, Error::Kind::Busy) << output.error().message.toStdString();
    EXPECT_TRUE(output.error().message.contains(s("The disk of this computer is full.")))
        << output.error().message.toStdString();
}

} // namespace vitrine::bench
