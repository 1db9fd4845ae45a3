// SPDX-License-Identifier: Apache-2.0
#include "cli/run_in_window.h"

#include "cli/console_window.h"
#include "cli/output.h"
#include "cli/running_machine.h"
#include "core/run/signal_watch.h"
#include "core/run/window_run.h"

#include <QDeadlineTimer>
#include <QEventLoop>

#include <csignal>
#include <optional>
#include <utility>

namespace vitrine::cli {

namespace {

constexpr int endTime = 5000; // ms, from the machine's end to both locks free
const char* const alwaysSaid[] = {"remark", "shutdown-ignored", "suspend-failed", "network-failed"};

// Follows one machine, from handing it over to its end.
class Follower final {
public:
    Follower(const Hypervisor::RunRequest& request, QString directory, WindowRun& run)
        : m_request(request)
        , m_directory(std::move(directory))
        , m_run(run) {
        QObject::connect(&run, &WindowRun::started, &m_loop, [this] { explain(); });
        QObject::connect(
            &run, &WindowRun::told, &m_loop, [this](const QString& kind, const QString& text) {
                if (m_request.verbose || isAlwaysSaid(kind))
                    note(plain(text));
            });
        QObject::connect(
            &run, &WindowRun::viewerOpened, &m_loop, [](const QString& path) { printLine(path); });
        QObject::connect(&run, &WindowRun::declined, &m_loop, [](const Error& error) {
            note(plain(error.message));
        });
        QObject::connect(&run, &WindowRun::deaf, &m_loop, [this] {
            note(Tr::tr("The window that runs %1 does not answer. Ctrl-C once more ends this "
                        "command and leaves the machine to the window.")
                     .arg(quoted()));
        });
        QObject::connect(&run,
                         &WindowRun::finished,
                         &m_loop,
                         [this](WindowRun::Outcome outcome, const std::optional<Error>& error) {
                             m_outcome = outcome;
                             m_error = error;
                             m_loop.quit();
                         });
    }

    void handle(int number) {
        switch (number) {
        case SIGUSR1:
            m_run.wish(MachineHost::Wish::Suspend);
            break;
        case SIGUSR2:
            m_run.wish(MachineHost::Wish::ShutDown);
            break;
        case SIGINT:
            if (m_run.isDeaf())
                m_loop.quit();
            m_ending = true;
            m_run.wish(MachineHost::Wish::Interrupt);
            break;
        default: // SIGTERM, SIGHUP: may be repeated by whoever ends the session
            if (!std::exchange(m_ending, true))
                m_run.wish(MachineHost::Wish::Interrupt);
            break;
        }
    }

    [[nodiscard]] Result<int> follow() {
        m_loop.exec();
        if (!m_outcome) {
            note(Tr::tr("%1 was left to the window. If that stays as it is, end Vitrine by force: "
                        "its machines end with it.")
                     .arg(quoted()));
            return 1;
        }
        const bool cancelled = m_error && m_error->isCancelled();
        if (*m_outcome == WindowRun::Outcome::NotTaken && !cancelled)
            return fail(*m_error);
        const bool runsElsewhere = m_error && m_error->kind == Error::Kind::AlreadyRunning;
        // Whoever called this may go on with the machine's files.
        const bool free =
            runsElsewhere || waitUntilFree(m_request.library, m_directory, QDeadlineTimer(endTime));
        if (*m_outcome == WindowRun::Outcome::Lost) {
            note(free ? Tr::tr("The window that ran %1 has ended, and the machine with it, as if "
                               "the plug was pulled. Start it again.")
                            .arg(quoted())
                      : Tr::tr("The window that runs %1 does not answer this command any more. "
                               "The machine still runs; shut it down with: vitrinectl stop %1")
                            .arg(quoted()));
            return 1;
        }
        if (!m_error)
            return 0;
        note(plain(m_error->message));
        if (!m_error->detail.isEmpty())
            note(plain(m_error->detail));
        return runsElsewhere ? exitCode(*m_error) : 1;
    }

private:
    [[nodiscard]] static bool isAlwaysSaid(const QString& kind) {
        for (const char* const word : alwaysSaid)
            if (kind == QLatin1String(word))
                return true;
        return false;
    }
    [[nodiscard]] QString quoted() const {
        return QLatin1Char('"') + plain(m_request.name) + QLatin1Char('"');
    }
    void explain() const {
        if (standardErrorIsTerminal())
            note(Tr::tr("%1 runs in the window. Log in: vitrinectl ssh %1, or vitrinectl exec %1 "
                        "COMMAND. Ctrl-C here shuts it down, a second one forces it off.")
                     .arg(quoted()));
    }

    const Hypervisor::RunRequest& m_request;
    const QString m_directory;
    WindowRun& m_run;
    QEventLoop m_loop;
    std::optional<WindowRun::Outcome> m_outcome;
    std::optional<Error> m_error;
    bool m_ending = false;
};

} // namespace

Result<int> runInWindow(const Hypervisor::RunRequest& request, const QString& program) {
    const auto machine = request.library.find(request.name);
    if (!machine)
        return fail(machine.error());
    // A reader of the output that goes away must not end this.
    ::signal(SIGPIPE, SIG_IGN);
    const SignalWatch signalWatch({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2});
    const auto run = WindowRun::make(request);
    if (!run)
        return fail(run.error());
    Follower follower(request, machine->directory, **run);
    QObject::connect(&signalWatch, &SignalWatch::arrived, run->get(), [&follower](int number) {
        follower.handle(number);
    });
    const auto window = openConsole(program,
                                    request.name,
                                    request.library.home(),
                                    {QStringLiteral("--start"), (*run)->requestPath()});
    if (!window)
        return fail(window.error());
    (*run)->watch(static_cast<pid_t>(*window));
    return follower.follow();
}

} // namespace vitrine::cli
