// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/guest_copy.h"

#include "core/hypervisor/machine_client.h"
#include "core/hypervisor/machine_exec.h"
#include "core/hypervisor/ssh_process.h"
#include "core/machine/run_command.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>

#include <memory>

namespace vitrine {

namespace {

constexpr qint64 chunkSize = 384 * 1024; // bytes; fits a line of the control socket as base64
constexpr int connectTime = 5000;        // ms
constexpr int stepTime = 60000;          // ms
constexpr int glance = 100;              // ms between two looks at a cancelled job

// $1 name of the file. Prints the path of the unfinished copy.
constexpr const char* beginScript = R"sh(
lowest=60000 place=/root
while IFS=: read -r user secret uid gid comment home shell; do
  case $shell in */nologin | */false) continue ;; esac
  if [ "$uid" -ge 1000 ] && [ "$uid" -lt "$lowest" ] && [ -d "$home" ]; then
    lowest=$uid place=$home
  fi
done < /etc/passwd
[ "$(id -u)" -eq 0 ] || place=$HOME
part=$(mktemp "$place/.vitrine-copy-XXXXXX") && echo "$part"
)sh";

// $1 unfinished copy, $2 name, $3 bytes. Prints the path of the copy.
constexpr const char* endScript = R"sh(
[ "$(wc -c < "$1")" -eq "$3" ] || { echo "the copy is incomplete" >&2; exit 1; }
folder=${1%/*} target=$folder/$2 number=2
while [ -e "$target" ] || [ -L "$target" ]; do target=$folder/$2.$number number=$((number + 1)); done
[ "$(id -u)" -ne 0 ] || chown "$(stat -c %u:%g "$folder")" "$1" || exit 1
chmod 644 "$1" && mv -n "$1" "$target" && echo "$target"
)sh";

// $1 unfinished copy; what comes in is added to it.
constexpr const char* addScript = R"sh(cat >> "$1")sh";

// One of the ways into a guest.
class Way {
public:
    virtual ~Way() = default;
    // A script of the guest's shell, to its end; what it printed.
    virtual Result<QString> run(const char* script, const QStringList& arguments) = 0;
    // What is left of the file, through addScript.
    virtual Result<> send(QFile& file, const QString& part, const JobContext& context) = 0;

protected:
    static Result<> report(Progress& progress, qint64 more, const JobContext& context) {
        if (context.cancelled())
            return fail(Error::cancelled());
        progress.done += static_cast<quint64>(more);
        context.report(progress);
        return {};
    }
    static Error refusal(const QByteArray& said) {
        return {Error::Kind::Internal,
                Tr::tr("The guest could not take the file. It says: %1")
                    .arg(QString::fromUtf8(said).simplified().left(300)),
                {}};
    }
};

class AgentWay final : public Way {
public:
    explicit AgentWay(MachineClient& client)
        : m_client(client) {}

    Result<QString> run(const char* script, const QStringList& arguments) override {
        return shell(script, arguments, {});
    }
    Result<> send(QFile& file, const QString& part, const JobContext& context) override {
        Progress progress;
        progress.total = static_cast<quint64>(file.size());
        while (!file.atEnd()) {
            const QByteArray bytes = file.read(chunkSize);
            if (bytes.isEmpty())
                break;
            const auto written = shell(addScript, {part}, bytes);
            if (!written)
                return fail(written.error());
            if (auto reported = report(progress, bytes.size(), context); !reported)
                return reported;
        }
        return {};
    }

private:
    Result<QString>
    shell(const char* script, const QStringList& arguments, const QByteArray& input) {
        const auto answer = m_client.callAndWait(
            QStringLiteral("agent.exec"),
            execParameters(
                QStringLiteral("/bin/sh"),
                QStringList{QStringLiteral("-c"), QLatin1String(script), QStringLiteral("copy")} +
                    arguments,
                input,
                stepTime),
            stepTime + connectTime);
        if (!answer)
            return fail(answer.error());
        const auto result = execFromJson(*answer);
        if (!result)
            return fail(result.error());
        if (result->exitCode != 0)
            return fail(refusal(result->standardError));
        return QString::fromUtf8(result->standardOutput).trimmed();
    }

    MachineClient& m_client;
};

class SshWay final : public Way {
public:
    SshWay(SshTarget target, QString machineDirectory)
        : m_target(std::move(target))
        , m_directory(std::move(machineDirectory)) {}

    Result<QString> run(const char* script, const QStringList& arguments) override {
        QProcess process;
        if (auto started = start(process, script, arguments, false); !started)
            return fail(started.error());
        if (!process.waitForFinished(stepTime))
            return fail(silence());
        return outcome(process);
    }
    // One connection for the whole file: each costs the guest a handshake.
    Result<> send(QFile& file, const QString& part, const JobContext& context) override {
        QProcess process;
        if (auto started = start(process, addScript, {part}, true); !started)
            return started;
        Progress progress;
        progress.total = static_cast<quint64>(file.size());
        QElapsedTimer quiet;
        quiet.start();
        while (process.state() != QProcess::NotRunning) {
            if (process.bytesToWrite() == 0) {
                const QByteArray bytes = file.read(chunkSize);
                if (bytes.isEmpty())
                    break;
                process.write(bytes);
            }
            const qint64 before = process.bytesToWrite();
            process.waitForBytesWritten(glance);
            const qint64 taken = before - process.bytesToWrite();
            if (taken > 0)
                quiet.restart();
            if (auto reported = report(progress, taken, context); !reported)
                return reported;
            if (quiet.elapsed() > stepTime)
                return fail(silence());
        }
        process.closeWriteChannel();
        while (!process.waitForFinished(glance) && process.state() != QProcess::NotRunning) {
            if (context.cancelled())
                return fail(Error::cancelled());
            if (quiet.elapsed() > stepTime)
                return fail(silence());
        }
        const auto written = outcome(process);
        return written ? Result<>() : fail(written.error());
    }

private:
    Result<>
    start(QProcess& process, const char* script, const QStringList& arguments, bool input) const {
        SshTarget target = m_target;
        target.input = input;
        target.command = {quotedForShell(QStringList{QStringLiteral("/bin/sh"),
                                                     QStringLiteral("-c"),
                                                     QLatin1String(script),
                                                     QStringLiteral("copy")} +
                                         arguments)};
        if (auto prepared = prepareSsh(process, target, m_directory); !prepared)
            return prepared;
        process.start();
        if (!process.waitForStarted())
            return fail(Error::Kind::Internal,
                        Tr::tr("Cannot start \"%1\".").arg(process.program()),
                        process.errorString());
        if (!input)
            process.closeWriteChannel();
        return {};
    }
    Result<QString> outcome(QProcess& process) const {
        const QByteArray said = process.readAllStandardError();
        if (process.exitStatus() != QProcess::NormalExit || process.exitCode() == sshFailed)
            return fail(sshFailure(m_target, said));
        if (process.exitCode() != 0)
            return fail(refusal(said));
        return QString::fromUtf8(process.readAllStandardOutput()).trimmed();
    }
    static Error silence() {
        return {Error::Kind::Timeout,
                Tr::tr("The guest took nothing for %1 seconds over ssh.").arg(stepTime / 1000),
                {}};
    }

    SshTarget m_target;
    QString m_directory;
};

Result<QString> copyBy(Way& way, QFile& file, const JobContext& context) {
    file.seek(0);
    const auto part = way.run(beginScript, {});
    if (!part)
        return part;
    auto sent = way.send(file, *part, context);
    if (sent) {
        auto target = way.run(endScript,
                              {*part,
                               QFileInfo(file.fileName()).fileName(),
                               QString::number(static_cast<qint64>(file.pos()))});
        if (target)
            return target;
        sent = fail(target.error());
    }
    (void)way.run(R"sh(rm -f -- "$1")sh", {*part});
    return fail(sent.error());
}

} // namespace

Result<QString> copyIntoGuest(const QString& libraryHome,
                              const QString& machineDirectory,
                              const QString& file,
                              const JobContext& context) {
    MachineClient client(libraryHome, machineDirectory);
    const auto answer = client.waitForConnected(connectTime)
                            ? client.callAndWait(QStringLiteral("status"), {}, connectTime)
                            : fail(Error{Error::Kind::NotRunning, {}, {}});
    if (!answer)
        return fail(Error::Kind::NotRunning,
                    Tr::tr("\"%1\" was not copied: the machine does not run.").arg(file));
    QFile source(file);
    if (!source.open(QIODevice::ReadOnly))
        return fail(
            Error::Kind::Permission,
            Tr::tr("Cannot read \"%1\". The system says: %2.").arg(file, source.errorString()));
    const MachineStatus status = MachineStatus::fromJson(answer->toObject());
    if (status.agentAnswers) {
        AgentWay agent(client);
        auto copied = copyBy(agent, source, context);
        // An agent that is not allowed to run programs.
        if (copied || copied.error().kind != Error::Kind::Unsupported)
            return copied;
    }
    SshTarget target;
    target.host = status.sshAddress().host;
    target.port = status.sshAddress().port;
    target.user = rememberedGuestUser(machineDirectory);
    SshWay ssh(target, machineDirectory);
    return copyBy(ssh, source, context);
}

} // namespace vitrine
