// SPDX-License-Identifier: Apache-2.0
// A program that behaves to its parent like qemu-system-…: control socket, agent, exit. What it
// does differently is told by words in VITRINE_FAKE_QEMU:
//   refuse            writes a reason to stderr and exits with 1
//   silent            never makes its control socket
//   mute              makes the control socket and never greets
//   deaf              greets and never answers
//   agent             a guest agent listens and shuts the guest down
//   addressed         it tells an address
//   ignores-powerdown the guest does not react to the power button
//   blocked, unsaved  its state cannot be saved; saving fails
//   no-freeze         the agent cannot freeze the file systems
//   thaws-late        the agent thaws them at the second attempt; never-thaws: at none
//   mirror-full       a copy of the disk does not fit; mirror-endless: it is never complete
// What a snapshot looked like when the guest went on is written to "gone-on" in its folder: a line
// "thaw" or "cont", with "synced" when its disk has its name by then.
// SIGUSR1 fills the disk (BLOCK_IO_ERROR), SIGUSR2 crashes the guest (GUEST_PANICKED).
#include "tests/support/fake_guest_agent.h"
#include "tests/support/fake_qmp_server.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QSocketNotifier>
#include <QTextStream>
#include <QTimer>

#include <csignal>
#include <sys/signalfd.h>
#include <unistd.h>
#include <utility>

using namespace vitrine::test;

namespace {

QJsonObject oneWord(const char* key, const QJsonValue& value) {
    return {{QLatin1String(key), value}};
}

class FakeQemu final : public QObject {
public:
    explicit FakeQemu(const QStringList& words)
        : m_words(words)
        , m_qmp(QDir::currentPath() + QLatin1String("/qmp.sock"))
        , m_agent(QDir::currentPath() + QLatin1String("/agent.sock")) {
        m_qmp.greets = !has("mute");
        on("qmp_capabilities", [this](const QJsonObject&) {
            if (has("agent")) {
                // After the answer, as the guest would.
                QTimer::singleShot(50, this, [this] {
                    m_qmp.sendEvent("VSERPORT_CHANGE",
                                    {{QStringLiteral("id"), QStringLiteral("agentport")},
                                     {QStringLiteral("open"), true}});
                });
            }
            return done();
        });
        on("query-status", [this](const QJsonObject&) {
            return FakeQmpServer::value(
                QJsonObject{{QStringLiteral("status"),
                             m_running ? QStringLiteral("running") : QStringLiteral("paused")},
                            {QStringLiteral("running"), m_running}});
        });
        on("stop", [this](const QJsonObject&) {
            setRunning(false);
            return done();
        });
        on("cont", [this](const QJsonObject&) {
            noteGoingOn("cont");
            setRunning(true);
            return done();
        });
        on("query-migrate", [this](const QJsonObject&) {
            if (has("blocked")) {
                return FakeQmpServer::value(oneWord(
                    "blocked-reasons",
                    QJsonArray{QStringLiteral(
                        "State blocked by non-migratable device '0000:00:05.0/vhost-user-fs'")}));
            }
            return FakeQmpServer::value(m_migration.isEmpty() ? QJsonObject{}
                                                              : oneWord("status", m_migration));
        });
        for (const char* command : {"migrate-set-parameters", "getfd"}) {
            on(command, [](const QJsonObject&) { return done(); });
        }
        on("migrate", [this](const QJsonObject&) {
            m_migration = has("unsaved") ? QStringLiteral("failed") : QStringLiteral("completed");
            return done();
        });
        answerMirror();
        answerFreezing();
        on("query-chardev", [](const QJsonObject&) { return FakeQmpServer::value(QJsonArray{}); });
        on("system_reset", [this](const QJsonObject&) {
            m_qmp.sendEvent("RESET", oneWord("reason", QStringLiteral("host-qmp-system-reset")));
            return done();
        });
        on("system_powerdown", [this](const QJsonObject&) {
            m_qmp.sendEvent("POWERDOWN");
            if (!has("ignores-powerdown")) {
                end("guest-shutdown");
            }
            return done();
        });
        on("quit", [this](const QJsonObject&) {
            end("host-qmp-quit");
            return done();
        });
        on("screendump", [](const QJsonObject& arguments) {
            QFile file(arguments.value(QLatin1String("filename")).toString());
            file.open(QIODevice::WriteOnly);
            file.write(QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\4\0\0\0\3\0", 24));
            return done();
        });
        m_qmp.monitor = [this](const QString& line) { return monitor(line); };
        if (has("addressed")) {
            m_agent.answers[QStringLiteral("guest-network-get-interfaces")] =
                [](const QJsonObject&) {
                    const QJsonObject address{
                        {QStringLiteral("ip-address-type"), QStringLiteral("ipv4")},
                        {QStringLiteral("ip-address"), QStringLiteral("10.0.2.15")},
                        {QStringLiteral("prefix"), 24}};
                    return FakeGuestAgent::value(QJsonArray{
                        QJsonObject{{QStringLiteral("name"), QStringLiteral("eth0")},
                                    {QStringLiteral("ip-addresses"), QJsonArray{address}}}});
                };
        }
        m_agent.answers[QStringLiteral("guest-shutdown")] = [this](const QJsonObject&) {
            end("guest-shutdown");
            return std::nullopt;
        };
    }

    void fillDisk() {
        m_qmp.sendEvent("BLOCK_IO_ERROR",
                        {{QStringLiteral("node-name"), QStringLiteral("disk0")},
                         {QStringLiteral("operation"), QStringLiteral("write")},
                         {QStringLiteral("action"), QStringLiteral("stop")},
                         {QStringLiteral("nospace"), true},
                         {QStringLiteral("reason"), QStringLiteral("No space left on device")}});
        setRunning(false);
    }
    void panic() {
        m_qmp.sendEvent("GUEST_PANICKED", oneWord("action", QStringLiteral("pause")));
        setRunning(false);
    }

private:
    [[nodiscard]] bool has(const char* word) const { return m_words.contains(QLatin1String(word)); }
    static std::optional<QJsonObject> done() { return FakeQmpServer::value(QJsonObject{}); }
    void on(const char* command, const FakeQmpServer::Answer& answer) {
        m_qmp.answers[QLatin1String(command)] =
            [this, answer](const QJsonObject& arguments) -> std::optional<QJsonObject> {
            return has("deaf") ? std::nullopt : answer(arguments);
        };
    }
    void answerMirror() {
        on("blockdev-add", [this](const QJsonObject& node) {
            m_copy = node[QLatin1String("file")][QLatin1String("filename")].toString();
            return done();
        });
        on("blockdev-mirror", [this](const QJsonObject& arguments) {
            m_job = arguments[QLatin1String("job-id")].toString();
            return done();
        });
        on("query-block-jobs", [this](const QJsonObject&) {
            if (has("mirror-full") && !m_job.isEmpty()) {
                m_qmp.sendEvent(
                    "BLOCK_JOB_COMPLETED",
                    {{QStringLiteral("device"), std::exchange(m_job, {})},
                     {QStringLiteral("error"), QStringLiteral("No space left on device")}});
            }
            const QJsonObject job{{QStringLiteral("device"), m_job},
                                  {QStringLiteral("len"), 1 << 20},
                                  {QStringLiteral("offset"), 1 << 19},
                                  {QStringLiteral("ready"), !has("mirror-endless")}};
            return FakeQmpServer::value(m_job.isEmpty() ? QJsonArray{} : QJsonArray{job});
        });
        on("block-job-cancel", [this](const QJsonObject&) {
            m_job.clear();
            return done();
        });
    }
    void answerFreezing() {
        const auto refusal = [](const char* text) {
            return std::optional(FakeQmpServer::refusal(QLatin1String(text)));
        };
        m_agent.answers[QStringLiteral("guest-fsfreeze-freeze")] = [this,
                                                                    refusal](const QJsonObject&) {
            return has("no-freeze") ? refusal("no file system can be frozen")
                                    : std::optional(FakeGuestAgent::value(2));
        };
        m_agent.answers[QStringLiteral("guest-fsfreeze-thaw")] = [this,
                                                                  refusal](const QJsonObject&) {
            noteGoingOn("thaw");
            ++m_thaws;
            if (has("never-thaws") || (has("thaws-late") && m_thaws == 1)) {
                return refusal("failed to thaw /");
            }
            return std::optional(FakeGuestAgent::value(2));
        };
    }
    void noteGoingOn(const char* how) const {
        if (m_copy.isEmpty()) {
            return;
        }
        QFile note(QStringLiteral("gone-on"));
        note.open(QIODevice::WriteOnly | QIODevice::Append);
        note.write(how);
        note.write(QFile::exists(m_copy) ? "\n" : " synced\n");
    }
    void setRunning(bool running) {
        m_running = running;
        m_qmp.sendEvent(running ? "RESUME" : "STOP");
    }
    void end(const char* reason) {
        QTimer::singleShot(0, this, [this, reason] {
            m_qmp.sendEvent("SHUTDOWN", oneWord("reason", QLatin1String(reason)));
            QCoreApplication::exit(0);
        });
    }
    QString monitor(const QString& line) {
        if (line.startsWith(QLatin1String("hostfwd_add"))) {
            if (has("ports-taken") && !line.endsWith(QLatin1String(":22"))) {
                return QStringLiteral("could not set up host forwarding rule\r\n");
            }
            m_forwards.append(line.section(QLatin1Char(':'), -1));
            return {};
        }
        QString text;
        for (const QString& guestPort : m_forwards) {
            text += QStringLiteral("  TCP[HOST_FORWARD] 88 127.0.0.1 1 10.0.2.15 %1 0 0\r\n")
                        .arg(guestPort);
        }
        return text;
    }

    QStringList m_words;
    FakeQmpServer m_qmp;
    FakeGuestAgent m_agent;
    QStringList m_forwards;
    QString m_migration; // its status
    QString m_copy;      // of the disk, being made for a snapshot
    QString m_job;       // that makes it
    int m_thaws = 0;
    bool m_running = true;
};

} // namespace

int main(int argc, char** argv) {
    QCoreApplication application(argc, argv);
    if (application.arguments().contains(QStringLiteral("--version"))) {
        QTextStream(stdout) << "QEMU emulator version 7.2.22 (pretended)\n";
        return 0;
    }
    const QStringList words = qEnvironmentVariable("VITRINE_FAKE_QEMU").split(QLatin1Char(','));
    QFile pid(QStringLiteral("fake.pid"));
    pid.open(QIODevice::WriteOnly);
    pid.write(QByteArray::number(static_cast<qint64>(::getpid())));
    pid.close();
    if (words.contains(QLatin1String("refuse"))) {
        QTextStream(stderr) << "qemu-system-x86_64: Could not open '/some/disk.img': "
                               "No such file or directory\n";
        return 1;
    }
    if (words.contains(QLatin1String("silent"))) {
        return QCoreApplication::exec();
    }
    sigset_t set;
    ::sigemptyset(&set);
    ::sigaddset(&set, SIGUSR1);
    ::sigaddset(&set, SIGUSR2);
    ::sigprocmask(SIG_BLOCK, &set, nullptr);
    FakeQemu qemu(words);
    const int signals = ::signalfd(-1, &set, SFD_CLOEXEC);
    QSocketNotifier notifier(signals, QSocketNotifier::Read);
    QObject::connect(&notifier, &QSocketNotifier::activated, &qemu, [&qemu, signals] {
        signalfd_siginfo info{};
        if (::read(signals, &info, sizeof(info)) == sizeof(info)) {
            if (info.ssi_signo == SIGUSR1) {
                qemu.fillDisk();
            } else {
                qemu.panic();
            }
        }
    });
    return QCoreApplication::exec();
}
