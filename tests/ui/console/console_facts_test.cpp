// SPDX-License-Identifier: Apache-2.0
#include "ui/console/console_facts.h"

#include "tests/support/fake_machine.h"
#include "tests/support/gui_support.h"

#include <gtest/gtest.h>

namespace vitrine::ui {

TEST(ConsoleFacts, ARefitThatWaitsToBeWrittenIsHeededAtOnce) {
    test::SmallLibrary small;
    const QString directory = small.add(QStringLiteral("box"));
    test::FakeMachine machine(small.library, QStringLiteral("box"));
    ASSERT_TRUE(machine.start());
    MachineClient client(small.library.home(), directory);
    client.attach();
    ASSERT_TRUE(test::waitUntil([&client] { return client.isConnected(); }));
    const auto info = small.library.find(QStringLiteral("box"));
    ASSERT_TRUE(info);
    EXPECT_FALSE(consoleFacts(*info, &client).followsWindow);
    MachineStatus now = machine.status();
    now.pending = {{QStringLiteral("displayRefit"), QJsonValue(QJsonValue::Null), true}};
    machine.setStatus(now);
    ASSERT_TRUE(test::waitUntil([&client] { return !client.status().pending.isEmpty(); }));
    EXPECT_TRUE(consoleFacts(*info, &client).followsWindow);
    EXPECT_EQ(consoleFacts(*info, &client).refit, Refit::On);
    now.pending.first().newValue = false;
    machine.setStatus(now);
    EXPECT_TRUE(test::waitUntil([&] { return consoleFacts(*info, &client).refit == Refit::Off; }));
    EXPECT_FALSE(consoleFacts(*info, nullptr).followsWindow);
}

} // namespace vitrine::ui
