// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/held_machine.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryDir>

#include <csignal>
#include <fcntl.h>
#include <functional>
#include <grp.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace vitrine::test {

inline QString s(const char* text) {
    return QString::fromUtf8(text);
}

struct Finished {
    int code = -1;
    QByteArray out;
    QByteArray err;
    [[nodiscard]] QJsonDocument json() const { return QJsonDocument::fromJson(out); }
};

// The built vitrinectl on a library of its own, with a home of its own.
class CommandLine : public testing::Test {
protected:
    CommandLine() {
        m_environment.insert(s("VITRINE_HOME"), m_small.library.home());
        m_environment.insert(s("HOME"), m_home.path());
        m_environment.insert(s("XDG_CONFIG_HOME"), m_home.filePath(s("config")));
        m_environment.insert(s("PATH"), qEnvironmentVariable("PATH"));
        m_environment.insert(s("LC_ALL"), s("C"));
    }

    std::unique_ptr<QProcess> start(const QStringList& arguments,
                                    const std::function<void()>& inChild = {}) {
        auto process = std::make_unique<QProcess>();
        process->setProcessEnvironment(m_environment);
        process->setWorkingDirectory(m_home.path());
        if (inChild)
            process->setChildProcessModifier(inChild);
        process->start(m_program, arguments);
        EXPECT_TRUE(process->waitForStarted(-1));
        return process;
    }
    static Finished finish(QProcess& process) {
        // It may have been seen to end while something else was waited for.
        EXPECT_TRUE(process.state() == QProcess::NotRunning || process.waitForFinished(60000));
        EXPECT_EQ(process.exitStatus(), QProcess::NormalExit);
        return {
            process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }
    Finished run(const QStringList& arguments,
                 const QByteArray& input = {},
                 const std::function<void()>& inChild = {}) {
        const auto process = start(arguments, inChild);
        process->write(input);
        process->closeWriteChannel();
        return finish(*process);
    }
    Finished run(std::initializer_list<const char*> words) {
        QStringList arguments;
        for (const char* word : words)
            arguments.append(s(word));
        return run(arguments);
    }

    // Another process that holds a machine's lock until it gets SIGINT or goes with the value.
    std::unique_ptr<QProcess>
    hold(const QString& directory, const char* how = "hold", bool ignoresInterrupt = false) {
        auto process = std::make_unique<QProcess>();
        if (ignoresInterrupt)
            process->setChildProcessModifier([] { ::signal(SIGINT, SIG_IGN); });
        process->start(s(LOCK_HELPER), {s(how), directory + s("/config.json")});
        EXPECT_TRUE(process->waitForReadyRead(30000));
        EXPECT_EQ(process->readAllStandardOutput(), QByteArray("held\n"));
        return process;
    }

    [[nodiscard]] QString add(const char* name) { return m_small.add(s(name)); }
    [[nodiscard]] QStringList machineFolders() const {
        return QDir(m_small.library.machinesPath())
            .entryList(QDir::Dirs | QDir::Hidden | QDir::NoDotAndDotDot);
    }
    static QByteArray read(const QString& path) {
        QFile file(path);
        EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
        return file.readAll();
    }

    SmallLibrary m_small;
    QTemporaryDir m_home;
    QString m_program = s(VITRINE_BIN_DIR "/vitrinectl");
    QProcessEnvironment m_environment;
};

} // namespace vitrine::test
