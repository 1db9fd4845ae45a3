// SPDX-License-Identifier: Apache-2.0
#include "core/job/child_job.h"

#include "core/job/progress_line.h"

#include <QDeadlineTimer>
#include <QProcess>

#include <csignal>
#include <optional>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr int pollInterval = 100; // ms between looks at the stop token
constexpr int patience = 30000;   // ms from SIGINT to SIGKILL
constexpr qsizetype longestLine = 1 << 20;
constexpr qsizetype keptComplaint = 4000;

class ChildRun final {
public:
    ChildRun(const JobContext& context, const QProcessEnvironment& environment)
        : m_context(context) {
        m_process.setProcessEnvironment(environment);
        m_process.setStandardInputFile(QProcess::nullDevice());
        // A Ctrl-C meant for this program must not reach the child.
        m_process.setChildProcessModifier([] { ::setpgid(0, 0); });
    }

    Result<> run(const QString& program, const QStringList& arguments) {
        m_process.start(program, arguments);
        if (!m_process.waitForStarted())
            return fail(Error::Kind::Internal,
                        Tr::tr("\"%1\" cannot be started: %2. Install the program again.")
                            .arg(program, m_process.errorString()));
        while (m_process.state() != QProcess::NotRunning) {
            m_process.waitForReadyRead(pollInterval);
            read();
            cancelIfWished();
        }
        read();
        return outcome(program);
    }

private:
    void read() {
        m_buffer += m_process.readAllStandardOutput();
        m_complaint = (m_complaint + m_process.readAllStandardError()).right(keptComplaint);
        qsizetype begin = 0;
        for (qsizetype end = m_buffer.indexOf('\n'); end >= 0;
             end = m_buffer.indexOf('\n', begin)) {
            take(QByteArrayView(m_buffer).sliced(begin, end - begin));
            begin = end + 1;
        }
        m_buffer.remove(0, begin);
        if (m_buffer.size() > longestLine)
            m_buffer.clear();
    }

    void take(QByteArrayView line) {
        auto message = progressline::decode(line);
        if (!message)
            return;
        if (auto* progress = std::get_if<Progress>(&*message))
            m_context.report(std::move(*progress));
        else if (auto* log = std::get_if<progressline::Log>(&*message))
            m_context.log(log->line);
        else if (auto* error = std::get_if<Error>(&*message))
            m_error = std::move(*error);
        else
            m_finished = true;
    }

    void cancelIfWished() {
        if (!m_context.cancelled() || m_process.state() == QProcess::NotRunning)
            return;
        if (!m_killAt) {
            m_killAt = QDeadlineTimer(patience);
            ::kill(static_cast<pid_t>(m_process.processId()), SIGINT);
        } else if (m_killAt->hasExpired()) {
            m_process.kill();
        }
    }

    Result<> outcome(const QString& program) {
        if (m_error)
            return fail(*std::move(m_error));
        // Finished is finished, even if it was cancelled at the last moment.
        if (m_process.exitStatus() == QProcess::NormalExit &&
            (m_finished || m_process.exitCode() == 0))
            return {};
        if (m_killAt)
            return fail(Error::cancelled());
        return fail(Error::Kind::Internal,
                    Tr::tr("The program that did this work ended unexpectedly. Nothing that was "
                           "there before has been changed; try again."),
                    QStringLiteral("%1: exit status %2, code %3\n%4")
                        .arg(program)
                        .arg(m_process.exitStatus())
                        .arg(m_process.exitCode())
                        .arg(QString::fromLocal8Bit(m_complaint)));
    }

    const JobContext& m_context;
    QProcess m_process;
    QByteArray m_buffer;
    QByteArray m_complaint;
    std::optional<QDeadlineTimer> m_killAt;
    std::optional<Error> m_error;
    bool m_finished = false;
};

} // namespace

Job::Work childWork(QString program, QStringList arguments, QProcessEnvironment environment) {
    return [program = std::move(program),
            arguments = std::move(arguments),
            environment = std::move(environment)](const JobContext& context) {
        return ChildRun(context, environment).run(program, arguments);
    };
}

} // namespace vitrine
