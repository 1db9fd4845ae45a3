// SPDX-License-Identifier: Apache-2.0
// What a window started outlives it, and the next window finds it (contract 1).
#include "core/library/runtime_directory.h"
#include "tests/support/gui_support.h"
#include "tests/support/held_machine.h"
#include "tests/support/send_signal.h"

#include <QProcess>

#include <gtest/gtest.h>

#include <csignal>
#include <memory>

using namespace vitrine;
using namespace vitrine::test;

namespace {

const QString name = QStringLiteral("build");

// Connections to the machine's control socket that its process has accepted.
int connectionsTo(const QString& socket) {
    QFile table(QStringLiteral("/proc/net/unix"));
    if (!table.open(QIODevice::ReadOnly))
        return -1;
    int found = 0;
    const QByteArray lines = table.readAll();
    for (const QByteArray& line : lines.split('\n')) {
        const QList<QByteArray> columns = line.simplified().split(' ');
        // Column 6 is the state: 3 is connected, 1 listens.
        if (columns.size() == 8 && columns.at(5) == "03" &&
            columns.at(7) == QFile::encodeName(socket))
            ++found;
    }
    return found;
}

class WindowKilled : public testing::Test {
protected:
    void SetUp() override { small.add(name); }
    void TearDown() override {
        QProcess stop;
        stop.setProcessEnvironment(environment());
        stop.start(QStringLiteral(VITRINE_BIN_DIR "/vitrinectl"),
                   {QStringLiteral("stop"), QStringLiteral("--force"), name});
        stop.waitForFinished(60000);
    }
    [[nodiscard]] QProcessEnvironment environment() const {
        QProcessEnvironment all = QProcessEnvironment::systemEnvironment();
        all.insert(QStringLiteral("VITRINE_HOME"), small.library.home());
        all.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
        all.insert(QStringLiteral("HOME"), small.library.home());
        all.insert(QStringLiteral("XDG_CONFIG_HOME"),
                   small.library.home() + QStringLiteral("/config"));
        all.insert(QStringLiteral("PATH"),
                   QStringLiteral(VITRINE_BIN_DIR ":") + all.value(QStringLiteral("PATH")));
        return all;
    }
    std::unique_ptr<QProcess> open(const QString& program, const QStringList& arguments) const {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(environment());
        process->setProcessChannelMode(QProcess::ForwardedChannels);
        process->start(program, arguments);
        EXPECT_TRUE(process->waitForStarted());
        return process;
    }
    [[nodiscard]] MachineState state() const {
        return small.library.stateOf(small.library.machinesPath() + QLatin1Char('/') + name);
    }
    static void kill(QProcess& process) {
        process.kill();
        EXPECT_TRUE(process.waitForFinished());
    }
    SmallLibrary small;
};

} // namespace

TEST_F(WindowKilled, ItsMachineGoesOnAndTheNextWindowFindsIt) {
    const QString directory = small.library.machinesPath() + QLatin1Char('/') + name;
    const auto first = open(QStringLiteral(WINDOW_STAND_IN), {small.library.home(), name});
    ASSERT_TRUE(waitUntil([this] { return state() == MachineState::Running; }, 60000));
    const auto runtime = RuntimeDirectory::locate(small.library.home(), directory);
    ASSERT_TRUE(runtime);
    const QString socket = runtime->controlSocket();
    ASSERT_TRUE(waitUntil([&] { return connectionsTo(socket) == 1; }, 60000))
        << connectionsTo(socket);
    qint64 machine = 0;
    (void)small.library.stateOf(directory, &machine);
    ASSERT_GT(machine, 0);

    kill(*first);
    ASSERT_TRUE(waitUntil([&] { return connectionsTo(socket) == 0; }));
    EXPECT_EQ(vitrine::test::sendSignal(static_cast<pid_t>(machine), 0), 0)
        << "the machine's process ended";
    EXPECT_EQ(state(), MachineState::Running);

    const auto second = open(QStringLiteral(VITRINE_BIN_DIR "/vitrine"),
                             {QStringLiteral("--library"), small.library.home()});
    EXPECT_TRUE(waitUntil([&] { return connectionsTo(socket) == 1; }, 60000));
    kill(*second);
    EXPECT_EQ(state(), MachineState::Running);
}
