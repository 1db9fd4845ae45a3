// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_client.h"
#include "tests/support/held_machine.h"
#include "tests/support/machine_program.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <initializer_list>

namespace vitrine::test {

// A machine whose process runs a pretended QEMU (tests/qemu/fake_qemu_main.cpp).
class MachineProcessTest : public testing::Test {
protected:
    MachineProcessTest()
        : directory(library.add(name))
        , client(library.library.home(), directory) {
        // A kernel instead of firmware, and no test guest for KVM: nothing of this computer is
        // asked.
        SmallLibrary::write(directory + QLatin1String("/vmlinux"), "kernel");
        EXPECT_TRUE(Sidecar::update(directory, [](Sidecar& sidecar) {
            sidecar.run.kernel = KernelBoot{QStringLiteral("vmlinux"), {}, {}};
            sidecar.run.accelerator = AcceleratorChoice::Tcg;
        }));
        for (const char* emulator : {"qemu-system-x86_64", "qemu-system-aarch64"}) {
            QFile::link(QStringLiteral(VITRINE_FAKE_QEMU_PROGRAM),
                        programs.filePath(QLatin1String(emulator)));
        }
    }

    void start(const QString& behaviour = {}, int secondsToShutDown = 30) {
        program = std::make_unique<MachineProgram>(library.library, name, secondsToShutDown);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("PATH"), programs.path());
        environment.insert(QStringLiteral("XDG_CACHE_HOME"), programs.path());
        environment.insert(QStringLiteral("VITRINE_FAKE_QEMU"), behaviour);
        environment.insert(QStringLiteral("MY_TOKEN"), QStringLiteral("secret"));
        program->process.setProcessEnvironment(environment);
        if (!errorsTo.isEmpty()) {
            program->process.setChildProcessModifier([terminal = errorsTo] {
                ::dup2(::open(terminal.constData(), O_RDWR | O_NOCTTY), STDERR_FILENO);
            });
        }
        program->start();
    }
    void startAndConnect(const QString& behaviour = {}, int secondsToShutDown = 30) {
        start(behaviour, secondsToShutDown);
        ASSERT_TRUE(client.waitForConnected(20000)) << qPrintable(program->output());
        ASSERT_TRUE(waitForState(MachineState::Running)) << qPrintable(program->output());
    }
    bool waitForState(MachineState state) {
        return waitUntil([this, state] { return client.status().state == state; });
    }
    Result<QJsonValue> call(const char* method, const QJsonObject& parameters = {}) {
        return client.callAndWait(QLatin1String(method), parameters, 20000);
    }
    struct Spoken {
        int code = -1;
        QByteArray out;
        QByteArray err;
    };
    Spoken vitrinectl(std::initializer_list<const char*> words) {
        QStringList arguments;
        for (const char* word : words) {
            arguments.append(QLatin1String(word));
        }
        QProcess command;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("VITRINE_HOME"), library.library.home());
        environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
        command.setProcessEnvironment(environment);
        command.start(QStringLiteral(VITRINE_BIN_DIR "/vitrinectl"), arguments);
        EXPECT_TRUE(
            waitUntil([&command] { return command.state() == QProcess::NotRunning; }, 60000));
        return {
            command.exitCode(), command.readAllStandardOutput(), command.readAllStandardError()};
    }
    bool waitForQemu() {
        return waitUntil([this] { return program->qemuPid() > 0; }, 20000);
    }
    [[nodiscard]] bool isReleased() const {
        const auto holder = ConfigFile::holder(directory + QLatin1String("/config.json"));
        return holder && !holder->has_value() && !program->runtime().isAlive() &&
               !QFileInfo::exists(program->runtime().controlSocket());
    }
    void expectEnd(int exitCode, const char* lastEvent) {
        ASSERT_TRUE(program->waitForEnd()) << qPrintable(program->output());
        EXPECT_EQ(program->process.exitCode(), exitCode) << qPrintable(program->output());
        EXPECT_EQ(program->eventKinds().value(program->eventKinds().size() - 1),
                  QLatin1String(lastEvent));
        EXPECT_TRUE(isReleased());
    }

    const QString name = QStringLiteral("m");
    SmallLibrary library;
    QTemporaryDir programs;
    QString directory;
    MachineClient client;
    std::unique_ptr<MachineProgram> program;
    QByteArray errorsTo; // a terminal device for the standard error of the machine's process
};

} // namespace vitrine::test
