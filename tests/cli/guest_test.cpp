// SPDX-License-Identifier: Apache-2.0
// `ip`, `ssh`, `set` and `stop` on a real guest, booted once.
#include "core/hypervisor/guest_copy.h"
#include "core/hypervisor/ssh_process.h"
#include "core/machine/machine_config.h"
#include "core/sharing/share_status.h"
#include "support/event_wait.h"
#include "tests/support/send_signal.h"
#include "vm/running_guest.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QHostAddress>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTcpSocket>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <gtest/gtest.h>
#include <optional>
#include <thread>

namespace vitrine::test {

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

MachineConfig configOf(const RunningGuest& guest) {
    QFile file(guest.machineDirectory() + s("/config.json"));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    const auto config = MachineConfig::fromJson(file.readAll());
    EXPECT_TRUE(config);
    return config.value_or(MachineConfig());
}

// False also for one that ended and was not waited for.
bool isRunning(qint64 pid) {
    QFile status(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!status.open(QIODevice::ReadOnly))
        return false;
    const QByteArray text = status.readAll();
    return text.mid(text.lastIndexOf(')') + 2, 1) != "Z";
}

// A key pair whose public half the guest's user "admin" accepts.
QString makeKey(RunningGuest& guest) {
    const QString key = guest.folder() + s("/key");
    QProcess process;
    process.start(s("ssh-keygen"),
                  {s("-q"), s("-t"), s("ed25519"), s("-N"), QString(), s("-f"), key});
    EXPECT_TRUE(process.waitForFinished() && process.exitCode() == 0);
    QFile half(key + s(".pub"));
    EXPECT_TRUE(half.open(QIODevice::ReadOnly));
    guest.shell(
        QStringLiteral("mkdir -p ~admin/.ssh && echo '%1' >> ~admin/.ssh/authorized_keys && "
                       "chmod 700 ~admin/.ssh && chmod 600 ~admin/.ssh/authorized_keys && "
                       "chown -R admin ~admin/.ssh && echo done")
            .arg(QString::fromUtf8(half.readAll()).trimmed()));
    return key;
}

// An ssh-agent for whatever this program starts, with one key; ends with the test.
class KeyAgent final {
public:
    explicit KeyAgent(const QString& socket) {
        m_agent.start(s("ssh-agent"), {s("-D"), s("-a"), socket});
        EXPECT_TRUE(m_agent.waitForStarted());
        EXPECT_TRUE(waitUntil([&] { return QFile::exists(socket); }));
        qputenv("SSH_AUTH_SOCK", QFile::encodeName(socket));
    }
    ~KeyAgent() {
        qunsetenv("SSH_AUTH_SOCK");
        m_agent.kill();
        m_agent.waitForFinished();
    }
    KeyAgent(const KeyAgent&) = delete;
    KeyAgent& operator=(const KeyAgent&) = delete;

    void add(const QString& key) {
        QProcess process;
        process.start(s("ssh-add"), {s("-q"), key});
        EXPECT_TRUE(process.waitForFinished() && process.exitCode() == 0)
            << process.readAllStandardError().toStdString();
    }

private:
    QProcess m_agent;
};

// The copy runs on a thread of its own, as in the window.
Result<QString> copyIn(RunningGuest& guest, const QString& file, quint64& reported) {
    Result<QString> copied;
    std::atomic_bool finished = false;
    std::thread copier([&] {
        JobContext context;
        context.report = [&](const Progress& progress) { reported = progress.done; };
        copied = copyIntoGuest(guest.library().home(), guest.machineDirectory(), file, context);
        finished = true;
    });
    EXPECT_TRUE(waitUntil([&] { return finished.load(); }, longWait));
    copier.join();
    return copied;
}

QString sshUserOf(RunningGuest& guest) {
    const auto answer = guest.call("share.list");
    return answer ? ShareList::fromJson(*answer).sshUser : answer.error().message;
}

std::optional<ShareStatus> onlyShare(RunningGuest& guest) {
    const auto answer = guest.call("share.list");
    const ShareList list = answer ? ShareList::fromJson(*answer) : ShareList();
    return list.shares.size() == 1 ? std::optional(list.shares.first()) : std::nullopt;
}

// What was sent to the port within the time; nullopt when nobody listens.
std::optional<QByteArray> greetingAt(quint16 port) {
    QTcpSocket socket;
    socket.connectToHost(QHostAddress(QHostAddress::LocalHost), port);
    waitUntil(
        [&] {
            return socket.bytesAvailable() >= 4 ||
                   socket.state() == QAbstractSocket::UnconnectedState;
        },
        30000);
    return socket.state() == QAbstractSocket::ConnectedState || socket.bytesAvailable() > 0
               ? std::optional(socket.readAll())
               : std::nullopt;
}

void expectForwardsCarryBytes(RunningGuest& guest) {
    const auto added = guest.call("forward.add", {{s("guestPort"), 22}});
    ASSERT_TRUE(added) << qPrintable(added.error().message);
    const auto port = static_cast<quint16>((*added)[s("hostPort")].toInt());
    ASSERT_NE(port, 0);
    EXPECT_TRUE(greetingAt(port).value_or("").startsWith("SSH-"));
    ASSERT_TRUE(guest.call("forward.remove", {{s("hostPort"), port}}));
    EXPECT_FALSE(greetingAt(port));
    EXPECT_TRUE(greetingAt(guest.status().sshPort).value_or("").startsWith("SSH-"))
        << "the others stay";
}

} // namespace

TEST(CommandLineWithAGuest, WithoutAnAgentFilesAndSharesComeOverSsh) {
    RunningGuest guest({.byKernel = true});
    KeyAgent keys(guest.folder() + s("/keys.sock"));
    guest.start();
    ASSERT_TRUE(guest.waitUntilReady()) << guest.said().toStdString();
    const QString key = makeKey(guest);
    ASSERT_NE(guest.status().sshPort, 0);
    EXPECT_EQ(guest.shell(s("echo 'other:x:1001:1001::/home/other:/bin/sh' >> /etc/passwd; "
                            "echo 'other:*:19700:0:99999:7:::' >> /etc/shadow; "
                            "echo 'other ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/other; "
                            "mkdir /home/other && cp -a ~admin/.ssh /home/other/ && "
                            "chown -R 1001:1001 /home/other && echo made")),
              s("made"));
    guest.shell(s("sed -i '/sample-guest.agent/d' /etc/inittab; kill -HUP 1; "
                  "(sleep 0.5; killall qemu-ga) > /dev/null 2>&1 &"));
    ASSERT_TRUE(waitUntil([&] { return !guest.status().agentAnswers; }, longWait));

    QFile file(guest.folder() + s("/a file's.bin"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    const QByteArray bytes = QByteArray(700 * 1000, 'x') + QByteArray("\0\n'", 3);
    file.write(bytes);
    file.close();
    const QString folder = guest.folder() + s("/data");
    ASSERT_TRUE(QDir().mkdir(folder));
    // Nobody gets in yet: a sentence, and the share stays as it is.
    quint64 reported = 0;
    const auto refused = copyIn(guest, file.fileName(), reported);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(refused.error().message.contains(s("\"admin\"")))
        << refused.error().message.toStdString();
    const auto shared = guest.vitrinectl({s("share"), s("guest"), s("add"), folder});
    EXPECT_EQ(shared.exitCode, 0) << shared.errors.toStdString();
    EXPECT_TRUE(shared.errors.contains(s("sudo mount -t"))) << shared.errors.toStdString();
    const QStringList mount{s("share"), s("guest"), s("mount"), s("data")};
    const auto out = guest.vitrinectl(mount, longWait);
    EXPECT_NE(out.exitCode, 0);
    EXPECT_TRUE(out.errors.contains(s("ssh does not get in"))) << out.errors.toStdString();
    ASSERT_TRUE(onlyShare(guest));
    EXPECT_EQ(onlyShare(guest)->state, ShareState::Waiting);
    EXPECT_NE(guest.vitrinectl(mount + QStringList{s("--user"), s("other")}, longWait).exitCode, 0);
    EXPECT_EQ(sshUserOf(guest), s("admin")) << "who does not get in is not remembered";

    keys.add(key);
    const auto copied = copyIn(guest, file.fileName(), reported);
    ASSERT_TRUE(copied) << copied.error().message.toStdString();
    EXPECT_EQ(*copied, s("/home/admin/a file's.bin"));
    EXPECT_EQ(reported, static_cast<quint64>(bytes.size()));
    const auto in = guest.vitrinectl(mount, longWait);
    EXPECT_EQ(in.exitCode, 0) << in.errors.toStdString();
    ASSERT_TRUE(onlyShare(guest));
    EXPECT_EQ(onlyShare(guest)->state, ShareState::Mounted)
        << onlyShare(guest)->message.toStdString();
    const auto seen = guest.vitrinectl(
        {s("exec"),
         s("guest"),
         s("sh"),
         s("-c"),
         s("sha256sum < \"$HOME/a file's.bin\" | cut -c1-64; stat -c %U \"$HOME/a file's.bin\"; "
           "ls -A $HOME | grep -c vitrine-copy; grep -c ' /mnt/vitrine/data ' /proc/mounts")},
        longWait);
    EXPECT_EQ(
        seen.output,
        QString::fromLatin1(QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex()) +
            s("\nadmin\n0\n1"))
        << seen.errors.toStdString();
    // Another user, whom nobody has to name twice.
    const auto byOther = guest.vitrinectl(mount + QStringList{s("--user"), s("other")}, longWait);
    EXPECT_EQ(byOther.exitCode, 0) << byOther.errors.toStdString();
    EXPECT_EQ(sshUserOf(guest), s("other"));
    EXPECT_EQ(rememberedGuestUser(guest.machineDirectory()), s("other"));
    EXPECT_TRUE(waitUntil([&] { return guest.status().sshUser == s("other"); }, longWait));
    for (const char* command : {"ssh", "exec"}) {
        const auto who = guest.vitrinectl({s(command), s("guest"), s("id"), s("-un")}, longWait);
        EXPECT_EQ(who.output, s("other")) << command << who.errors.toStdString();
    }
    const auto copiedAgain = copyIn(guest, file.fileName(), reported);
    ASSERT_TRUE(copiedAgain) << copiedAgain.error().message.toStdString();
    EXPECT_EQ(*copiedAgain, s("/home/other/a file's.bin"));
    ASSERT_TRUE(guest.call("forceOff"));
    EXPECT_EQ(guest.waitUntilEnded(), 0);
}

// config.json replaced by an editor, and a process that hangs: nothing of the usual ways is left.
TEST(CommandLineWithAGuest, StopEndsAHungProcessWhoseConfigWasReplaced) {
    RunningGuest guest({.byKernel = true});
    guest.start();
    ASSERT_TRUE(guest.waitUntilState(MachineState::Running)) << guest.said().toStdString();
    const QString config = guest.machineDirectory() + s("/config.json");
    ASSERT_TRUE(QFile::copy(config, config + s(".edited")));
    ASSERT_EQ(::rename(QFile::encodeName(config + s(".edited")).constData(),
                       QFile::encodeName(config).constData()),
              0);
    const qint64 qemu = guest.qemuProcessId();
    ASSERT_GT(qemu, 0);
    vitrine::test::sendSignal(static_cast<pid_t>(guest.processId()), SIGSTOP);
    const auto stopped =
        guest.vitrinectl({s("stop"), s("guest"), s("--timeout"), s("1")}, longWait);
    EXPECT_EQ(stopped.exitCode, 0) << stopped.errors.toStdString();
    EXPECT_TRUE(stopped.errors.contains(s("was forced off"))) << stopped.errors.toStdString();
    EXPECT_FALSE(isRunning(qemu));
    EXPECT_EQ(guest.vitrinectl({s("stop"), s("guest")}).exitCode, 2);
}

TEST(CommandLineWithAGuest, AddressLoginChangeAtNextStartAndStop) {
    RunningGuest guest({.byKernel = true});
    guest.start();
    ASSERT_TRUE(guest.waitUntilReady()) << guest.said().toStdString();

    const auto address = guest.vitrinectl({s("ip"), s("--wait"), s("60"), s("guest")}, longWait);
    EXPECT_EQ(address.exitCode, 0) << address.errors.toStdString();
    EXPECT_EQ(address.output, s("10.0.2.15"));
    for (const char* resolver : {"agent", "dhcp"}) {
        const auto by = guest.vitrinectl(
            {s("ip"), s("--wait"), s("60"), s("--resolver"), s(resolver), s("guest")}, longWait);
        EXPECT_EQ(by.output, s("10.0.2.15")) << resolver << by.errors.toStdString();
    }

    // By the agent: both streams and the exit code are the program's.
    const auto inside = guest.vitrinectl(
        {s("exec"), s("guest"), s("sh"), s("-c"), s("echo out; echo err >&2; exit 5")}, longWait);
    EXPECT_EQ(inside.exitCode, 5) << inside.errors.toStdString();
    EXPECT_EQ(inside.output, s("out"));
    EXPECT_TRUE(inside.errors.contains(s("err")));
    const auto missing = guest.vitrinectl({s("exec"), s("guest"), s("nosuch"), s("-x")}, longWait);
    EXPECT_EQ(missing.exitCode, 127) << missing.errors.toStdString();
    EXPECT_TRUE(missing.errors.contains(s("nosuch: command not found")));

    const QString key = makeKey(guest);
    const auto ran = guest.vitrinectl({s("ssh"),
                                       s("--wait"),
                                       s("60"),
                                       s("-i"),
                                       key,
                                       s("guest"),
                                       s("id"),
                                       s("-un;"),
                                       s("exit"),
                                       s("7")},
                                      longWait);
    EXPECT_EQ(ran.exitCode, 7) << ran.errors.toStdString();
    EXPECT_EQ(ran.output, s("admin"));
    // The same by exec: with -i it goes over ssh, and the words stay words.
    const auto typed = guest.vitrinectl({s("exec"),
                                         s("-i"),
                                         s("--identity"),
                                         key,
                                         s("guest"),
                                         s("sh"),
                                         s("-c"),
                                         s("id -un; exit 9")},
                                        longWait);
    EXPECT_EQ(typed.exitCode, 9) << typed.errors.toStdString();
    EXPECT_EQ(typed.output, s("admin"));
    EXPECT_TRUE(QFile::exists(guest.machineDirectory() + s("/known_hosts")));
    const auto exec = [&](const QStringList& options, const QStringList& words, const char* input) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(s("VITRINE_HOME"), guest.library().home());
        process.setProcessEnvironment(environment);
        process.start(s(VITRINE_BIN_DIR "/vitrinectl"),
                      QStringList{s("exec")} + options +
                          QStringList{s("--identity"), key, s("guest")} + words);
        process.write(input);
        process.closeWriteChannel();
        EXPECT_TRUE(waitUntil([&] { return process.state() == QProcess::NotRunning; }, longWait));
        return RunningGuest::Ran{process.exitCode(),
                                 QString::fromUtf8(process.readAllStandardOutput()).trimmed(),
                                 QString::fromUtf8(process.readAllStandardError()).trimmed()};
    };
    const auto fed = exec({s("-i")}, {s("cat")}, "typed here\nand here\n");
    EXPECT_EQ(fed.exitCode, 0) << fed.errors.toStdString();
    EXPECT_EQ(fed.output, s("typed here\nand here"));
    const auto terminal = exec({s("-t")}, {s("tty")}, "");
    EXPECT_EQ(terminal.exitCode, 0) << terminal.errors.toStdString();
    EXPECT_TRUE(terminal.output.startsWith(s("/dev/pts/"))) << terminal.output.toStdString();

    expectForwardsCarryBytes(guest);

    // An agent that does not answer any more: ssh does it, as its user.
    guest.shell(s("(sleep 1; kill -STOP $(pidof qemu-ga)) >/dev/null 2>&1 </dev/null &"));
    ASSERT_TRUE(waitUntil([&] { return !guest.status().agentAnswers; }, longWait));
    const auto fallen = exec({}, {s("sh"), s("-c"), s("id -un; exit 4")}, "");
    EXPECT_EQ(fallen.exitCode, 4) << fallen.errors.toStdString();
    EXPECT_EQ(fallen.output, s("admin"));
    EXPECT_TRUE(fallen.errors.contains(s("Waiting up to"))) << fallen.errors.toStdString();
    EXPECT_TRUE(fallen.errors.contains(s("over ssh as the user \"admin\"")));

    // config.json of a running machine is left alone; the change comes when it has stopped.
    const MachineConfig before = configOf(guest);
    const auto set = guest.vitrinectl({s("set"), s("guest"), s("--cpu"), s("3")});
    EXPECT_EQ(set.exitCode, 0) << set.errors.toStdString();
    EXPECT_TRUE(set.errors.contains(s("at next start")));
    EXPECT_EQ(configOf(guest), before);
    EXPECT_EQ(guest.vitrinectl({s("set"), s("guest"), s("--disk-size"), s("1")}).exitCode, 1);
    EXPECT_EQ(guest.vitrinectl({s("delete"), s("guest")}).exitCode, 2);

    const auto stopped =
        guest.vitrinectl({s("stop"), s("guest"), s("--timeout"), s("100")}, longWait);
    EXPECT_EQ(stopped.exitCode, 0) << stopped.errors.toStdString();
    EXPECT_TRUE(stopped.errors.contains(s("has shut down"))) << stopped.errors.toStdString();
    EXPECT_EQ(guest.waitUntilEnded(), 0);
    EXPECT_EQ(configOf(guest).cpuCount, 3);
    EXPECT_EQ(guest.vitrinectl({s("stop"), s("guest")}).exitCode, 2);
}

} // namespace vitrine::test
