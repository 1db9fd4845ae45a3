// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/vz/host/vz_library.h"
#include "vz/host/hosted_machine.h"
#include "vz/host/own_holder.h"

#include <QDir>
#include <QFileInfo>

namespace vitrine::vz::test {

using vitrine::test::waitUntil;

// A machine of this process, asked as every other program asks it: over its socket.
class HostedMachineTest : public VzLibrary {
protected:
    void make(const Hypervisor::RunRequest& wish) {
        ended.reset();
        failure.reset();
        client.reset();
        directory = small.library.machinesPath() + QLatin1Char('/') + wish.name;
        machine = std::make_unique<HostedMachine>(
            services, wish, std::make_unique<OwnHolder>(wish), HostedMachine::Screen::None);
        QObject::connect(machine.get(),
                         &HostedMachine::ended,
                         machine.get(),
                         [this](int code, const std::optional<Error>& error) {
                             ended = code;
                             failure = error;
                         });
        QObject::connect(machine.get(),
                         &HostedMachine::refused,
                         machine.get(),
                         [this](const Error& error) { refusals << error; });
        QObject::connect(machine.get(),
                         &HostedMachine::viewerOpened,
                         machine.get(),
                         [this](const QString& viewer) { viewers << viewer; });
        machine->start();
    }
    // It runs, and `client` is connected.
    void run(const Hypervisor::RunRequest& wish) {
        make(wish);
        client = std::make_unique<MachineClient>(small.library.home(), directory);
        ASSERT_TRUE(waitUntil([this] {
            return ended.has_value() ||
                   (machine->run() && machine->run()->state() == MachineState::Running);
        }));
        ASSERT_FALSE(ended) << failure.value_or(Error{}).message.toStdString();
        ASSERT_TRUE(client->waitForConnected(30000));
        ASSERT_TRUE(becomes(MachineState::Running));
    }
    bool becomes(MachineState state) {
        return waitUntil([this, state] { return client->status().state == state; });
    }
    bool ends() {
        return waitUntil([this] { return ended.has_value(); });
    }
    // Waits for the answer while this process answers it.
    Result<QJsonValue> call(const char* method, const QJsonObject& parameters = {}) {
        return client->callAndWait(QLatin1String(method), parameters, 10000);
    }
    [[nodiscard]] QString path(const char* name) const {
        return directory + QLatin1Char('/') + QLatin1String(name);
    }
    [[nodiscard]] bool exists(const char* name) const { return QFileInfo::exists(path(name)); }
    QString makeFolder(const char* name) {
        const QString folder = outside.filePath(QLatin1String(name));
        QDir().mkpath(folder);
        return folder;
    }

    QTemporaryDir outside;
    QString directory;
    std::unique_ptr<HostedMachine> machine;
    std::unique_ptr<MachineClient> client;
    std::optional<int> ended;
    std::optional<Error> failure;
    QList<Error> refusals;
    QStringList viewers;
};

} // namespace vitrine::vz::test
