// SPDX-License-Identifier: Apache-2.0
#include "ui/kernel/kernel_child.h"

#include "core/credentials/credential_store.h"
#include "core/hypervisor/machine_launcher.h"
#include "core/posix/descriptors.h"
#include "core/posix/processes.h"

#include <QDir>
#include <QJsonDocument>
#include <QTimer>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace vitrine::ui {

namespace {

constexpr int patience = 10000; // ms from SIGTERM to SIGKILL
constexpr qsizetype keptComplaint = 4000;
constexpr qsizetype longestAnswer = 16 * 1024 * 1024;
constexpr qsizetype longestReport = 64 * 1024; // what a pipe holds

} // namespace

KernelChild::KernelChild(QObject* parent)
    : QObject(parent)
    , m_patience(new QTimer(this)) {
    m_patience->setSingleShot(true);
    m_patience->setInterval(patience);
    connect(m_patience, &QTimer::timeout, &m_process, &QProcess::kill);
    connect(&m_process, &QProcess::readyReadStandardOutput, this, [this] {
        const QByteArray bytes = m_process.readAllStandardOutput();
        if (!m_keep)
            Q_EMIT output(bytes);
        else if (m_answer.size() + bytes.size() <= longestAnswer)
            m_answer += bytes;
    });
    connect(&m_process, &QProcess::readyReadStandardError, this, [this] {
        const QByteArray bytes = m_process.readAllStandardError();
        m_complaint = (m_complaint + bytes).right(keptComplaint);
        if (!m_keep)
            Q_EMIT errors(bytes);
    });
    connect(&m_process, &QProcess::finished, this, &KernelChild::ended);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            failedToStart();
    });
}

KernelChild::~KernelChild() {
    m_process.disconnect(this);
    closeReport();
}

void KernelChild::run(const QStringList& arguments) {
    start(arguments, false);
}

void KernelChild::ask(const QStringList& arguments) {
    start(arguments, true);
}

void KernelChild::start(const QStringList& arguments, bool keep) {
    if (m_running)
        return;
    m_running = true;
    m_keep = keep;
    m_stopped = false;
    m_answer.clear();
    m_complaint.clear();
    m_clock.start();
    QStringList words = QStringList{QStringLiteral("kernel")} + arguments;
    std::array<int, 2> pipe{-1, -1};
    if (!keep && posix::makePipe(pipe)) {
        m_reportRead = pipe[0];
        m_reportWrite = pipe[1];
        (void)::fcntl(m_reportRead, F_SETFL, O_NONBLOCK);
        words.insert(2, QStringLiteral("--report=/dev/fd/%1").arg(m_reportWrite));
    }
    m_process.setProcessEnvironment(withoutSecrets(QProcessEnvironment::systemEnvironment()));
    m_process.setWorkingDirectory(QDir::homePath());
    m_process.setStandardInputFile(QProcess::nullDevice());
    m_process.setChildProcessModifier([report = m_reportWrite] {
        ::setpgid(0, 0); // a Ctrl-C meant for this program must not reach it
        if (report >= 0)
            (void)::fcntl(report, F_SETFD, 0);
        posix::endWithParent(SIGTERM);
    });
    const QString program = vitrinectlPath();
    if (program.isEmpty()) {
        // As with every other end: after this function.
        QMetaObject::invokeMethod(this, &KernelChild::failedToStart, Qt::QueuedConnection);
        return;
    }
    m_process.start(program, words);
}

void KernelChild::stop() {
    if (!m_running || m_stopped)
        return;
    m_stopped = true;
    m_process.terminate();
    m_patience->start();
}

double KernelChild::seconds() const {
    return m_clock.isValid() ? static_cast<double>(m_clock.elapsed()) / 1000 : 0;
}

QString KernelChild::complaint() const {
    return QString::fromUtf8(m_complaint).trimmed();
}

void KernelChild::failedToStart() {
    m_running = false;
    closeReport();
    KernelResult result;
    result.reason = tr("The program vitrinectl cannot be started. Install Vitrine again, or put "
                       "vitrinectl beside this program or into a folder of PATH.");
    Q_EMIT finished(result);
}

QJsonObject KernelChild::report() {
    QByteArray bytes;
    std::array<char, 4096> part{};
    while (m_reportRead >= 0 && bytes.size() < longestReport) {
        const ssize_t size = ::read(m_reportRead, part.data(), part.size());
        if (size <= 0)
            break;
        bytes.append(part.data(), size);
    }
    closeReport();
    return QJsonDocument::fromJson(bytes).object();
}

void KernelChild::closeReport() {
    for (int* const end : {&m_reportRead, &m_reportWrite}) {
        if (*end >= 0)
            ::close(*end);
        *end = -1;
    }
}

void KernelChild::ended() {
    m_patience->stop();
    m_running = false;
    const QJsonObject told = report();
    KernelResult result;
    result.seconds = told.value(QLatin1String("Seconds")).toDouble(seconds());
    result.share = told.value(QLatin1String("Share")).toString();
    result.reason = told.value(QLatin1String("Reason")).toString();
    if (told.contains(QLatin1String("ExitCode"))) {
        result.exitCode = told.value(QLatin1String("ExitCode")).toInt();
        result.state =
            result.exitCode == 0 ? KernelResult::State::Passed : KernelResult::State::Failed;
    } else if (m_stopped) {
        result.state = KernelResult::State::Stopped;
    } else if (result.reason.isEmpty()) {
        result.reason = complaint();
        if (result.reason.isEmpty())
            result.reason = tr("vitrinectl ended unexpectedly and left no word. Run it again; if "
                               "that happens again, run the line below in a terminal.");
    }
    Q_EMIT finished(result);
}

} // namespace vitrine::ui
