// SPDX-License-Identifier: Apache-2.0
#include "cli/kernel_session.h"

#include "cli/output.h"
#include "cli/raw_terminal.h"
#include "core/run/signal_watch.h"
#include "qemu/kernel_run/kernel_run.h"
#include "qemu/kernel_run/kernel_run_planner.h"

#include <QDir>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QSocketNotifier>

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace vitrine::cli {

namespace {

using namespace qemu;

constexpr qsizetype keptOutput = 256 * 1024; // bytes of each stream, the last
constexpr char endKey = 0x1d;                // Ctrl-]

// False when nobody reads any more.
bool writeAll(int fd, const QByteArray& bytes) {
    qsizetype done = 0;
    while (done < bytes.size()) {
        const ssize_t written =
            ::write(fd, bytes.constData() + done, static_cast<size_t>(bytes.size() - done));
        if (written >= 0) {
            done += written;
        } else if (errno == EAGAIN) {
            pollfd wanted{fd, POLLOUT, 0};
            ::poll(&wanted, 1, -1);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

class Session final {
public:
    Session(const KernelSessionOptions& options, KernelOutcome& outcome)
        : m_options(options)
        , m_outcome(outcome) {}

    // False: virtiofs did not start, and another plan may do without.
    bool run(const KernelRunPlan& plan) {
        KernelRun run(plan);
        QEventLoop loop;
        const SignalWatch signals({SIGINT, SIGTERM, SIGHUP});
        QObject::connect(&signals, &SignalWatch::arrived, &run, [&run] { run.cancel(); });
        QObject::connect(&run, &KernelRun::output, &run, [&](const QByteArray& bytes) {
            take(run, STDOUT_FILENO, m_outcome.output, bytes);
        });
        QObject::connect(&run, &KernelRun::errors, &run, [&](const QByteArray& bytes) {
            take(run, STDERR_FILENO, m_outcome.errors, bytes);
        });
        QObject::connect(&run, &KernelRun::console, &run, [&](const QByteArray& bytes) {
            if (m_options.console)
                (void)writeAll(STDERR_FILENO, bytes);
        });
        QObject::connect(&run, &KernelRun::mounted, &run, [&](const QString& method) {
            m_outcome.method = method;
        });
        QObject::connect(&run, &KernelRun::finished, &loop, [&] {
            m_outcome.result = run.outcome();
            loop.quit();
        });
        std::optional<RawTerminal> terminal;
        std::unique_ptr<QSocketNotifier> keyboard;
        if (plan.interactive) {
            terminal.emplace();
            keyboard = std::make_unique<QSocketNotifier>(STDIN_FILENO, QSocketNotifier::Read);
            QObject::connect(keyboard.get(), &QSocketNotifier::activated, &run, [&] {
                passKeys(run, *keyboard);
            });
        }
        run.start();
        loop.exec();
        return m_outcome.result.has_value() || !run.virtiofsFailed();
    }

private:
    void take(KernelRun& run, int fd, QByteArray& kept, const QByteArray& bytes) {
        if (m_options.passOn) {
            if (!writeAll(fd, bytes))
                run.cancel();
            return;
        }
        kept = (kept + bytes).right(keptOutput);
    }

    static void passKeys(KernelRun& run, QSocketNotifier& keyboard) {
        std::array<char, 4096> keys{};
        const ssize_t size = ::read(STDIN_FILENO, keys.data(), keys.size());
        const QByteArray typed(keys.data(), std::max<ssize_t>(size, 0));
        if (size <= 0 || typed.contains(endKey)) {
            keyboard.setEnabled(false);
            run.cancel();
            return;
        }
        run.type(typed);
    }

    const KernelSessionOptions& m_options;
    KernelOutcome& m_outcome;
};

void fitTerminal(KernelRunPlan& plan) {
    winsize size{};
    if (::ioctl(STDIN_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        plan.rows = size.ws_row;
        plan.columns = size.ws_col;
    }
    plan.terminal = qEnvironmentVariable("TERM", plan.terminal);
}

Result<KernelRunPlan> planFor(const KernelRunRequest& request,
                              const KernelSessionOptions& options) {
    auto plan = planKernelRun(request, QDir::currentPath());
    if (!plan)
        return plan;
    if (plan->interactive && !standardInputIsTerminal())
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("A shell needs a terminal as standard input. Give a command instead."));
    if (plan->interactive)
        fitTerminal(*plan);
    if (options.notes) {
        for (const QString& text : std::as_const(plan->notes))
            note(plain(text));
        if (plan->interactive)
            note(Tr::tr("\"exit\" ends the shell and the guest, Ctrl-] ends them at once."));
    }
    return plan;
}

} // namespace

QJsonObject KernelOutcome::toJson(const QString& name) const {
    QJsonObject object{{QStringLiteral("Name"), name},
                       {QStringLiteral("Seconds"), seconds},
                       {QStringLiteral("State"),
                        state == State::Passed   ? QStringLiteral("passed")
                        : state == State::Failed ? QStringLiteral("failed")
                                                 : QStringLiteral("error")},
                       {QStringLiteral("Output"), QString::fromUtf8(output)},
                       {QStringLiteral("Errors"), QString::fromUtf8(errors)}};
    if (exitCode >= 0)
        object.insert(QStringLiteral("ExitCode"), exitCode);
    if (!method.isEmpty())
        object.insert(QStringLiteral("Share"), method);
    if (!result)
        object.insert(QStringLiteral("Reason"), result.error().message);
    return object;
}

KernelOutcome runKernel(const KernelRunRequest& request, const KernelSessionOptions& options) {
    KernelOutcome outcome;
    QElapsedTimer clock;
    clock.start();
    ::signal(SIGPIPE, SIG_IGN);
    auto plan = planFor(request, options);
    if (plan) {
        Session session(options, outcome);
        if (!session.run(*plan) && plan->fallsBack) {
            if (options.notes)
                note(Tr::tr("%1 Folders are shared by 9P instead.")
                         .arg(plain(outcome.result.error().message)));
            KernelRunRequest other = request;
            other.share = KernelRunRequest::Share::Plan9;
            KernelSessionOptions quiet = options;
            quiet.notes = false;
            plan = planFor(other, quiet);
            if (plan)
                (void)session.run(*plan);
        }
    }
    if (!plan)
        outcome.result = fail(plan.error());
    outcome.seconds = static_cast<double>(clock.nsecsElapsed()) / 1e9;
    if (outcome.result) {
        outcome.exitCode = *outcome.result;
        outcome.state =
            outcome.exitCode == 0 ? KernelOutcome::State::Passed : KernelOutcome::State::Failed;
    }
    return outcome;
}

} // namespace vitrine::cli
