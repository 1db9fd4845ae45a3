// SPDX-License-Identifier: Apache-2.0
#include "qemu/child_process.h"

#include "core/credentials/credential_store.h"

#include <QFile>

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <initializer_list>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace vitrine::qemu {

namespace {

constexpr qint64 maximumLog = 1 << 20;  // bytes; more is dropped, said once
constexpr qsizetype maximumLine = 4096; // bytes of a kept line
constexpr qsizetype maximumLines = 20;

// Runs between fork and exec: async-signal-safe calls only.
void prepareChild(pid_t parent, const std::vector<int>& inherited) {
    ::setpgid(0, 0);
    ::umask(077);
    for (int number = 1; number < 32; ++number) {
        ::signal(number, SIG_DFL);
    }
    // When the computer or the session ends, every process gets SIGTERM or SIGHUP. The machine's
    // process then shuts the guest down; a QEMU that obeyed the signal itself would cut it off.
    sigset_t blocked;
    ::sigemptyset(&blocked);
    for (const int number : {SIGTERM, SIGHUP, SIGINT}) {
        ::sigaddset(&blocked, number);
    }
    ::sigprocmask(SIG_SETMASK, &blocked, nullptr);
    // Whatever a library opened without close-on-exec stays here.
    constexpr unsigned closeOnExec = 1U << 2; // CLOSE_RANGE_CLOEXEC, Linux 5.11
    ::syscall(SYS_close_range, 3U, ~0U, closeOnExec);
    for (const int fd : inherited) {
        ::fcntl(fd, F_SETFD, 0);
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have died before the line above; then nobody would send the signal.
    if (::getppid() != parent) {
        ::_exit(127);
    }
}

} // namespace

ChildProcess::ChildProcess(QObject* parent)
    : QObject(parent) {
    m_process.setProcessChannelMode(QProcess::SeparateChannels);
    connect(&m_process, &QProcess::readyReadStandardError, this, &ChildProcess::readErrors);
    connect(&m_process, &QProcess::finished, this, [this] {
        readErrors();
        if (!m_partialLine.isEmpty()) {
            keepLine(std::exchange(m_partialLine, {}));
        }
        Q_EMIT finished();
    });
}

ChildProcess::~ChildProcess() {
    m_process.disconnect(this);
    if (isRunning()) {
        m_process.kill();
        m_process.waitForFinished(-1);
    }
}

Result<> ChildProcess::start(const Request& request) {
    m_log = FileDescriptor(::open(QFile::encodeName(request.logFile).constData(),
                                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                                  0600));
    if (!m_log.isValid()) {
        return fail(
            Error::fromErrno(tr("Cannot write the log \"%1\".").arg(request.logFile), errno));
    }
    m_process.setProgram(request.program);
    m_process.setArguments(request.arguments);
    m_process.setWorkingDirectory(request.workingDirectory);
    m_process.setProcessEnvironment(withoutSecrets(request.environment));
    m_process.setStandardInputFile(QProcess::nullDevice());
    m_process.setStandardOutputFile(QProcess::nullDevice());
    m_process.setChildProcessModifier(
        [parent = ::getpid(),
         inherited = std::vector<int>(request.inherited.begin(), request.inherited.end())] {
            prepareChild(parent, inherited);
        });
    m_process.start(QIODevice::ReadOnly);
    if (!m_process.waitForStarted(-1)) {
        return fail(m_process.error() == QProcess::FailedToStart ? Error::Kind::NotFound
                                                                 : Error::Kind::Internal,
                    tr("Cannot start \"%1\". The system says: %2.")
                        .arg(request.program, m_process.errorString()));
    }
    return {};
}

bool ChildProcess::isRunning() const {
    return m_process.state() != QProcess::NotRunning;
}

qint64 ChildProcess::processId() const {
    return m_process.processId();
}

void ChildProcess::kill() {
    m_process.kill();
}

int ChildProcess::endedBySignal() const {
    // Qt tells the signal's number as the exit code of a crashed process.
    return m_process.exitStatus() == QProcess::CrashExit ? m_process.exitCode() : 0;
}

int ChildProcess::exitCode() const {
    return m_process.exitCode();
}

void ChildProcess::readErrors() {
    const QByteArray bytes = m_process.readAllStandardError();
    writeLog(bytes);
    qsizetype start = 0;
    for (qsizetype end = bytes.indexOf('\n'); end >= 0; end = bytes.indexOf('\n', start)) {
        keepLine(std::exchange(m_partialLine, {}) + bytes.mid(start, end - start));
        start = end + 1;
    }
    m_partialLine = (m_partialLine + bytes.mid(start)).left(maximumLine);
}

void ChildProcess::keepLine(const QByteArray& line) {
    const QString text = QString::fromLocal8Bit(line.left(maximumLine)).trimmed();
    if (text.isEmpty()) {
        return;
    }
    m_lastLines.append(text);
    if (m_lastLines.size() > maximumLines) {
        m_lastLines.removeFirst();
    }
}

void ChildProcess::writeLog(const QByteArray& bytes) {
    if (m_logged > maximumLog) {
        return;
    }
    m_logged += bytes.size();
    QByteArray text = bytes;
    if (m_logged > maximumLog) {
        text = "… the log is full; further lines are dropped\n";
    }
    // The log is a help, not a promise: a full disk must not stop the machine.
    const ssize_t written =
        ::write(m_log.get(), text.constData(), static_cast<size_t>(text.size()));
    Q_UNUSED(written)
}

} // namespace vitrine::qemu
