// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/library/runtime_directory.h"
#include "core/machine/sidecar.h"
#include "tests/support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QDir>
#include <QFile>
#include <QProcess>

#include <csignal>
#include <gtest/gtest.h>
#include <signal.h>

namespace vitrine::test {

// A machine's process, as `vitrinectl run` would be, started by a test. Killed with the test.
class MachineProgram final {
public:
    MachineProgram(const Library& library, QString name, int secondsToShutDown = 30)
        : m_library(library)
        , m_name(std::move(name)) {
        process.setProgram(QStringLiteral(VITRINE_MACHINE_PROGRAM));
        process.setArguments({library.home(), m_name, QString::number(secondsToShutDown)});
        process.setProcessChannelMode(QProcess::MergedChannels);
    }
    ~MachineProgram() {
        if (process.state() == QProcess::NotRunning) {
            return;
        }
        const qint64 qemu = qemuPid();
        process.kill();
        process.waitForFinished(-1);
        // QEMU goes with it; the next test must not meet its locks.
        waitUntil([qemu] { return !isRunning(qemu); }, 20000);
    }

    void start() {
        process.start();
        process.waitForStarted(-1);
    }
    void signal(int number) { sendSignal(static_cast<pid_t>(process.processId()), number); }
    void signalQemu(int number) { sendSignal(static_cast<pid_t>(qemuPid()), number); }
    [[nodiscard]] bool waitForEnd(int timeoutMilliseconds = 60000) {
        return waitUntil([this] { return process.state() == QProcess::NotRunning; },
                         timeoutMilliseconds);
    }
    [[nodiscard]] QString directory() const {
        return m_library.machinesPath() + QLatin1Char('/') + m_name;
    }
    [[nodiscard]] RuntimeDirectory runtime() const {
        return *RuntimeDirectory::locate(m_library.home(), directory());
    }
    [[nodiscard]] QString output() {
        m_output += process.readAll();
        return QString::fromUtf8(m_output);
    }
    [[nodiscard]] QStringList eventKinds() const {
        QStringList kinds;
        if (const auto sidecar = Sidecar::read(directory())) {
            for (const QJsonValue& event : sidecar->events) {
                kinds.append(event.toObject().value(QLatin1String("kind")).toString());
            }
        }
        return kinds;
    }
    // Children of the machine's process: QEMU.
    [[nodiscard]] qint64 qemuPid() const { return qemuOf(process.processId()); }
    [[nodiscard]] static qint64 qemuOf(qint64 pid) {
        QFile children(QStringLiteral("/proc/%1/task/%1/children").arg(pid));
        if (!children.open(QIODevice::ReadOnly)) {
            return 0;
        }
        const QList<QByteArray> pids = children.readAll().simplified().split(' ');
        for (const QByteArray& child : pids) {
            QFile name(QStringLiteral("/proc/%1/comm").arg(QString::fromLatin1(child)));
            if (name.open(QIODevice::ReadOnly) && name.readAll().startsWith("qemu-system")) {
                return child.toLongLong();
            }
        }
        return 0;
    }
    // False also for one that ended and was not waited for.
    [[nodiscard]] static bool isRunning(qint64 pid) {
        QFile status(QStringLiteral("/proc/%1/stat").arg(pid));
        if (pid <= 0 || !status.open(QIODevice::ReadOnly)) {
            return false;
        }
        const QByteArray text = status.readAll();
        return text.mid(text.lastIndexOf(')') + 2, 1) != "Z";
    }

    QProcess process;

private:
    Library m_library;
    QString m_name;
    QByteArray m_output;
};

} // namespace vitrine::test
