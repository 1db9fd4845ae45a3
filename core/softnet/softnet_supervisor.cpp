// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_supervisor.h"

#include "core/credentials/credential_store.h"
#include "core/posix/descriptors.h"
#include "core/posix/processes.h"

#include <QFile>
#include <QPointer>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr int mostSilences = 2;
constexpr int usageError = 2;          // a wrong command line stays wrong
constexpr qint64 maximumLog = 1 << 20; // bytes of one run of the machine
constexpr qsizetype maximumLine = 4096;

// Runs between fork and exec: async-signal-safe calls only.
void prepareChild(pid_t parent, int machine, int control) {
    ::setpgid(0, 0);
    ::umask(077);
    for (int number = 1; number < 32; ++number) {
        ::signal(number, SIG_DFL);
    }
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(machine, 0);
    if (control >= 0) {
        ::dup2(control, 1);
    }
    posix::closeOnExec(3);
    posix::endWithParent(SIGKILL);
    // The parent may have died meanwhile; then nobody would end this process.
    if (::getppid() != parent) {
        ::_exit(127);
    }
}

Result<std::array<FileDescriptor, 2>> socketPair() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
        return fail(Error::fromErrno(
            Tr::tr("The network of the machine cannot be started: no control channel."), errno));
    }
    for (const int end : ends) {
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
    }
    return std::array{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

} // namespace

SoftnetSupervisor::SoftnetSupervisor(Setup setup, QObject* parent)
    : QObject(parent)
    , m_setup(std::move(setup)) {
    m_again.setSingleShot(true);
    m_kill.setSingleShot(true);
    connect(&m_again, &QTimer::timeout, this, [this] {
        ++m_restarts;
        if (const auto launched = launch(); !launched) {
            Q_EMIT gaveUp(launched.error());
        }
    });
    connect(&m_watch, &QTimer::timeout, this, &SoftnetSupervisor::watch);
    connect(&m_kill, &QTimer::timeout, this, [this] {
        if (m_process) {
            m_process->kill();
        }
    });
}

SoftnetSupervisor::~SoftnetSupervisor() {
    if (m_process) {
        m_process->disconnect(this);
        if (m_process->state() != QProcess::NotRunning) {
            m_process->kill();
            m_process->waitForFinished(-1);
        }
    }
}

Result<> SoftnetSupervisor::start() {
    if (!m_setup.logFile.isEmpty()) {
        m_log = FileDescriptor(::open(QFile::encodeName(m_setup.logFile).constData(),
                                      O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                                      0600));
    }
    return launch();
}

Result<> SoftnetSupervisor::launch() {
    QStringList arguments = m_setup.arguments;
    arguments << QStringLiteral("--vm-fd=0");
    FileDescriptor ours;
    FileDescriptor theirs;
    if (m_setup.hasControl) {
        auto ends = socketPair();
        if (!ends) {
            return fail(ends.error());
        }
        ours = std::move((*ends)[0]);
        theirs = std::move((*ends)[1]);
        arguments << QStringLiteral("--control-fd=1");
    }
    // From the first frame on: a restart must not open for a moment what is forbidden.
    for (const auto& [option, list] : {std::pair("--allow=", m_setup.policy.allow),
                                       std::pair("--block=", m_setup.policy.block)}) {
        if (!list.isEmpty()) {
            arguments << QLatin1String(option) + list.join(QLatin1Char(','));
        }
    }
    m_process = std::make_unique<QProcess>();
    m_process->setProgram(m_setup.program);
    m_process->setArguments(arguments);
    m_process->setWorkingDirectory(QStringLiteral("/"));
    m_process->setProcessEnvironment(withoutSecrets(QProcessEnvironment::systemEnvironment()));
    m_process->setProcessChannelMode(QProcess::SeparateChannels);
    m_process->setStandardInputFile(QProcess::nullDevice());
    m_process->setStandardOutputFile(QProcess::nullDevice());
    m_process->setChildProcessModifier(
        [parent = ::getpid(), machine = m_setup.socket.get(), control = theirs.get()] {
            prepareChild(parent, machine, control);
        });
    connect(
        m_process.get(), &QProcess::readyReadStandardError, this, &SoftnetSupervisor::readErrors);
    connect(m_process.get(), &QProcess::finished, this, &SoftnetSupervisor::onFinished);
    m_life.start();
    m_process->start(QIODevice::ReadOnly);
    if (!m_process->waitForStarted(-1)) {
        const QString reason = m_process->errorString();
        m_process->disconnect(this);
        m_process.release()->deleteLater();
        return fail(Error::Kind::NotFound,
                    tr("The network of the machine cannot be started: \"%1\" cannot be executed. "
                       "The system says: %2.")
                        .arg(m_setup.program, reason));
    }
    if (m_setup.hasControl) {
        m_client = std::make_unique<SoftnetClient>(std::move(ours));
        connect(m_client.get(), &SoftnetClient::notified, this, &SoftnetSupervisor::notified);
        greet();
    } else {
        m_ready = true;
        QMetaObject::invokeMethod(this, &SoftnetSupervisor::ready, Qt::QueuedConnection);
    }
    return {};
}

void SoftnetSupervisor::greet() {
    m_client->call(
        QStringLiteral("softnet.policy.get"),
        {},
        [this](const Result<QJsonObject>& answer) {
            if (answer) {
                m_ready = true;
                m_silences = 0;
                m_watch.start(m_setup.pace.watch);
                Q_EMIT ready();
            } else if (answer.error().kind == Error::Kind::Timeout && m_process) {
                m_process->kill(); // hangs; what comes after is decided by its end
            }
        },
        m_setup.pace.greeting);
}

void SoftnetSupervisor::watch() {
    if (!m_client)
        return;
    m_client->call(
        QStringLiteral("softnet.policy.get"),
        {},
        [this](const Result<QJsonObject>& answer) {
            const bool silent = !answer && answer.error().kind == Error::Kind::Timeout;
            m_silences = silent ? m_silences + 1 : 0;
            if (m_silences >= mostSilences && m_process)
                m_process->kill(); // hangs; it is started again
        },
        m_setup.pace.watch);
}

void SoftnetSupervisor::stop() {
    m_stopping = true;
    m_again.stop();
    m_watch.stop();
    if (!m_process || m_process->state() == QProcess::NotRunning) {
        QMetaObject::invokeMethod(this, &SoftnetSupervisor::stopped, Qt::QueuedConnection);
        return;
    }
    ::kill(static_cast<pid_t>(m_process->processId()), SIGINT);
    m_kill.start(m_setup.pace.patience);
}

// A socket of datagrams does not tell; there the child does not end by itself either.
bool SoftnetSupervisor::machineIsGone() const {
    pollfd watched{m_setup.socket.get(), 0, 0};
    return ::poll(&watched, 1, 0) > 0 && (watched.revents & (POLLHUP | POLLERR)) != 0;
}

QString SoftnetSupervisor::howItEnded() const {
    const QString how = m_signal != 0 ? tr("by signal %1").arg(m_signal)
                                      : tr("with exit status %1").arg(m_exitCode);
    return m_lastLine.isEmpty() ? how : QStringLiteral("%1: %2").arg(how, m_lastLine);
}

void SoftnetSupervisor::onFinished() {
    readErrors();
    m_kill.stop();
    m_watch.stop();
    if (!m_partialLine.isEmpty()) {
        m_lastLine = QString::fromLocal8Bit(m_partialLine).trimmed();
        m_partialLine.clear();
    }
    // Qt tells the signal's number as the exit code of a crashed process.
    const bool crashed = m_process->exitStatus() == QProcess::CrashExit;
    m_signal = crashed ? m_process->exitCode() : 0;
    m_exitCode = crashed ? 0 : m_process->exitCode();
    m_process.release()->deleteLater(); // it is what called
    m_ready = false;
    if (m_client) {
        const QPointer<SoftnetSupervisor> alive(this);
        SoftnetClient* const client = m_client.release();
        client->disconnect(this);
        client->close();
        client->deleteLater(); // one of its signals may be on the way
        if (!alive) {
            return;
        }
    }
    if (m_stopping) {
        Q_EMIT stopped();
        return;
    }
    if (machineIsGone()) {
        return; // stop() follows
    }
    m_failures = m_life.elapsed() >= m_setup.pace.healthy ? 1 : m_failures + 1;
    if (m_exitCode == usageError || m_failures > m_setup.pace.attempts) {
        Q_EMIT gaveUp(Error{Error::Kind::Internal,
                            tr("The network of the machine ended %1. It is not started again; "
                               "restart the machine.")
                                .arg(howItEnded()),
                            m_lastLine});
        return;
    }
    const int doublings = std::min(m_failures - 1, 16);
    const qint64 delay =
        std::min<qint64>(qint64{m_setup.pace.first} << doublings, m_setup.pace.longest);
    m_again.start(static_cast<int>(delay));
    Q_EMIT ended(tr("The network of the machine ended %1. It is started again.").arg(howItEnded()));
}

void SoftnetSupervisor::readErrors() {
    const QByteArray bytes = m_process->readAllStandardError();
    if (m_log.isValid() && m_logged <= maximumLog) {
        m_logged += bytes.size();
        // The log is a help, not a promise: a full disk must not stop the network.
        const ssize_t written =
            ::write(m_log.get(), bytes.constData(), static_cast<size_t>(bytes.size()));
        Q_UNUSED(written)
    }
    qsizetype start = 0;
    for (qsizetype end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', start)) {
        const QByteArray line = std::exchange(m_partialLine, {}) + bytes.mid(start, end - start);
        const QString text = QString::fromLocal8Bit(line.left(maximumLine)).trimmed();
        if (!text.isEmpty()) {
            m_lastLine = text;
        }
        start = end + 1;
    }
    m_partialLine = (m_partialLine + bytes.mid(start)).left(maximumLine);
}

} // namespace vitrine
