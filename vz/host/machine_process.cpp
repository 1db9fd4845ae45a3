// SPDX-License-Identifier: Apache-2.0
#include "vz/host/machine_process.h"

#include "core/disk/real_path.h"
#include "core/run/signal_watch.h"
#include "core/value/plain_text.h"
#include "vz/host/hosted_machine.h"
#include "vz/host/own_holder.h"

#include <QEventLoop>
#include <QTextStream>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::vz {

namespace {

// What this process says. A caller that went away must not end the machine.
void say(const QString& sentence) {
    QTextStream stream(stderr);
    stream << withRealPaths(sentence) << Qt::endl;
}

void onSignal(HostedMachine& machine, int number, bool& ending) {
    switch (number) {
    case SIGUSR1:
        machine.suspend();
        break;
    case SIGUSR2:
        machine.shutDown();
        break;
    case SIGINT:
        ending = true;
        machine.interrupt();
        break;
    default: // SIGTERM, SIGHUP: may be repeated by whoever ends the session
        if (!std::exchange(ending, true))
            machine.interrupt();
        break;
    }
}

void tell(const QString& kind, const QString& text, bool verbose) {
    static const QStringList alwaysSaid{QStringLiteral("remark"),
                                        QStringLiteral("shutdown-ignored"),
                                        QStringLiteral("suspend-failed"),
                                        QStringLiteral("network-failed")};
    if (verbose || alwaysSaid.contains(kind))
        say(text);
}

// For somebody who started the machine by hand and sees nothing of it.
void explainToTerminal(const QString& name) {
    const QString quoted = QLatin1Char('"') + plainText(name) + QLatin1Char('"');
    say(Tr::tr("%1 runs without a window. Log in: vitrinectl ssh %1, or vitrinectl exec %1 "
               "COMMAND. Ctrl-C here shuts it down, a second one forces it off.")
            .arg(quoted));
}

} // namespace

int runMachine(const Services& services, const Hypervisor::RunRequest& request) {
    ::umask(077);
    // A terminal or pipe that goes away must not take the guest with it.
    ::signal(SIGPIPE, SIG_IGN);
    // Before the locks: whoever sees the machine running may signal it.
    const SignalWatch signalWatch({SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2});
    HostedMachine machine(
        services, request, std::make_unique<OwnHolder>(request), HostedMachine::Screen::None);
    QEventLoop loop;
    int code = 0;
    bool ending = false;
    QObject::connect(&signalWatch, &SignalWatch::arrived, &machine, [&](int number) {
        onSignal(machine, number, ending);
    });
    QObject::connect(
        &machine, &HostedMachine::told, &machine, [&](const QString& kind, const QString& text) {
            tell(kind, text, request.verbose);
        });
    QObject::connect(&machine, &HostedMachine::refused, &machine, [](const Error& error) {
        say(error.message);
    });
    QObject::connect(&machine, &HostedMachine::viewerOpened, &machine, [](const QString& path) {
        QTextStream stream(stdout);
        stream << path << Qt::endl;
    });
    if (request.withoutWindow && ::isatty(STDERR_FILENO) == 1)
        QObject::connect(
            &machine, &HostedMachine::started, &machine, [&] { explainToTerminal(request.name); });
    QObject::connect(&machine,
                     &HostedMachine::ended,
                     &loop,
                     [&](int exitCode, const std::optional<Error>& error) {
                         code = exitCode;
                         if (error)
                             say(error->message);
                         if (error && !error->detail.isEmpty())
                             say(error->detail);
                         loop.quit();
                     });
    if (request.verbose)
        QObject::connect(&machine, &HostedMachine::started, &machine, [&] {
            for (const QString& note : machine.plan()->notes)
                say(note);
        });
    QMetaObject::invokeMethod(&machine, &HostedMachine::start, Qt::QueuedConnection);
    loop.exec();
    return code;
}

} // namespace vitrine::vz
