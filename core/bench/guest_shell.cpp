// SPDX-License-Identifier: Apache-2.0
#include "core/bench/guest_shell.h"

#include "core/bench/fio_report.h"
#include "core/bench/process_output.h"
#include "core/hypervisor/machine_exec.h"
#include "core/hypervisor/ssh_process.h"
#include "core/machine/run_command.h"
#include "core/value/plain_text.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QProcess>
#include <QTimer>

#include <optional>

namespace vitrine::bench {

namespace {

constexpr int lookPeriod = 100; // ms
constexpr qsizetype longestWords = 300;
constexpr int pauseLimit = 5000; // ms; after a resumption the machine may be told to be paused

QStringList shellWords(const QString& script, const QStringList& arguments) {
    return QStringList{QStringLiteral("-c"), script, QStringLiteral("benchmark")} + arguments;
}

double secondsOf(const QElapsedTimer& clock) {
    return static_cast<double>(clock.nsecsElapsed()) / 1e9;
}

class AgentShell final : public GuestShell {
public:
    explicit AgentShell(MachineClient& client)
        : m_client(client) {}

    Result<Executor::Output> run(const QString& script,
                                 const QStringList& arguments,
                                 std::stop_token stop,
                                 int limit) override {
        QElapsedTimer clock;
        clock.start();
        const auto answer = call(script, arguments, stop, limit);
        if (!answer)
            return fail(answer.error());
        auto result = execFromJson(*answer);
        if (!result)
            return fail(result.error());
        if (result->truncated)
            return fail(Error::Kind::Integrity,
                        Tr::tr("The workload wrote more than the 16 MiB that the guest agent "
                               "passes on. Let it write its result only."));
        return Executor::Output{
            result->exitCode, result->standardOutput, result->standardError, secondsOf(clock)};
    }

private:
    static Error pausedError(const QString& note) {
        return {Error::Kind::Busy,
                Tr::tr("The machine was paused meanwhile, so this cannot be measured. %1")
                    .arg(note)
                    .trimmed(),
                {}};
    }

    // Runs the event loop until the answer is there; the program that runs may take hours.
    Result<QJsonValue> call(const QString& script,
                            const QStringList& arguments,
                            const std::stop_token& stop,
                            int limit) {
        const auto answer = std::make_shared<std::optional<Result<QJsonValue>>>();
        m_client.call(
            QStringLiteral("agent.exec"),
            execParameters(QStringLiteral("/bin/sh"), shellWords(script, arguments), {}, limit),
            [answer](Result<QJsonValue> result) { *answer = std::move(result); },
            limit);
        QEventLoop loop;
        QTimer look; // wakes the loop
        look.start(lookPeriod);
        QElapsedTimer paused;
        while (!answer->has_value()) {
            if (stop.stop_requested())
                return fail(Error::cancelled());
            if (m_client.status().state != MachineState::Paused)
                paused.invalidate();
            else if (!paused.isValid())
                paused.start();
            else if (paused.hasExpired(pauseLimit))
                return fail(pausedError(m_client.status().note));
            if (!m_client.isConnected())
                return fail(Error::Kind::NotRunning,
                            Tr::tr("The machine has ended, or its process does not answer."));
            loop.processEvents(QEventLoop::WaitForMoreEvents);
        }
        // What the agent says of a guest that goes down leads astray.
        if (!**answer && m_client.status().state == MachineState::ShuttingDown)
            return fail(Error::Kind::NotRunning,
                        Tr::tr("The machine was shut down meanwhile, so this cannot be measured. "
                               "Start it and go on with --resume."),
                        (**answer).error().message);
        return **answer;
    }

    MachineClient& m_client;
};

class SshShell final : public GuestShell {
public:
    SshShell(SshTarget target, QString machineDirectory, QString askPass)
        : m_target(std::move(target))
        , m_directory(std::move(machineDirectory))
        , m_askPass(std::move(askPass)) {}

    Result<Executor::Output> run(const QString& script,
                                 const QStringList& arguments,
                                 std::stop_token stop,
                                 int limit) override {
        SshTarget target = m_target;
        target.input = false;
        target.command = {
            quotedForShell(QStringList{QStringLiteral("/bin/sh")} + shellWords(script, arguments))};
        QProcess process;
        if (auto prepared = prepareSsh(process, target, m_directory, m_askPass); !prepared)
            return fail(prepared.error());
        // A guest that has crashed says nothing, not even that the connection is gone.
        process.setArguments(QStringList{QStringLiteral("-o"),
                                         QStringLiteral("ServerAliveInterval=30"),
                                         QStringLiteral("-o"),
                                         QStringLiteral("ServerAliveCountMax=6")} +
                             process.arguments());
        process.setStandardInputFile(QProcess::nullDevice());
        QElapsedTimer clock;
        clock.start();
        process.start();
        if (!process.waitForStarted(-1))
            return fail(Error::Kind::Internal,
                        Tr::tr("Cannot start \"%1\".").arg(process.program()),
                        process.errorString());
        while (!process.waitForFinished(lookPeriod) && process.state() != QProcess::NotRunning) {
            if (stop.stop_requested())
                return fail(stopped(process, Error::cancelled()));
            if (clock.hasExpired(limit))
                return fail(stopped(
                    process,
                    {Error::Kind::Timeout,
                     Tr::tr("The guest did not answer for %1 s over ssh.").arg(limit / 1000),
                     {}}));
            if (unreadOutput(process) > maximumFioOutput)
                return fail(stopped(process,
                                    {Error::Kind::Integrity,
                                     Tr::tr("The workload wrote more than 64 MiB and was stopped. "
                                            "Let it write its result only."),
                                     {}}));
        }
        const QByteArray said = process.readAllStandardError();
        if (process.exitStatus() != QProcess::NormalExit || process.exitCode() == sshFailed)
            return fail(m_hasAnswered ? lost(said) : sshFailure(m_target, said));
        m_hasAnswered = true;
        return Executor::Output{
            process.exitCode(), process.readAllStandardOutput(), said, secondsOf(clock)};
    }

private:
    static Error stopped(QProcess& process, const Error& error) {
        process.kill();
        process.waitForFinished(-1);
        return error;
    }

    static Error lost(const QByteArray& said) {
        return {Error::Kind::NotRunning,
                Tr::tr("The guest does not answer over ssh any more: it has crashed, hangs or was "
                       "shut down. ssh says: %1")
                    .arg(plainText(QString::fromUtf8(said).simplified().right(longestWords))),
                {}};
    }

    SshTarget m_target;
    QString m_directory;
    QString m_askPass;
    bool m_hasAnswered = false;
};

} // namespace

std::unique_ptr<GuestShell> agentShell(MachineClient& client) {
    return std::make_unique<AgentShell>(client);
}

std::unique_ptr<GuestShell>
sshShell(const SshTarget& target, const QString& machineDirectory, const QString& askPass) {
    return std::make_unique<SshShell>(target, machineDirectory, askPass);
}

} // namespace vitrine::bench
