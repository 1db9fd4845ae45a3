// SPDX-License-Identifier: Apache-2.0
// vitrine-softnet: exit code 0 after SIGINT, SIGTERM or the machine's end, 1 after a failure, 2 for
// a wrong command line. One line on stderr says why.
#include "softnet/program/relay.h"
#include "softnet/program/sandbox.h"

#include <csignal>
#include <cstdio>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace {

using namespace vitrine::softnet;

int fail(const Problem& problem, int code) {
    std::fprintf(stderr, "vitrine-softnet: %s\n", problem.message.c_str());
    return code;
}

// Readable when one of the signals that end this program has come.
int stopDescriptor() {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM}) {
        sigaddset(&signals, signal);
    }
    ::sigprocmask(SIG_BLOCK, &signals, nullptr);
    return ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

} // namespace

#ifdef VITRINE_SANITIZED
// The leak check traces the process, which the sandbox forbids.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
    return "detect_leaks=0";
}
#endif

int main(int argc, char** argv) {
    const std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
    const auto options = Options::parse(arguments);
    if (!options) {
        return fail(options.error(), Options::usageExitCode);
    }
    switch (options->ask) {
    case Options::Ask::Help:
        std::fputs(Options::help().data(), stdout);
        return 0;
    case Options::Ask::Version:
        std::puts("vitrine-softnet " VITRINE_VERSION);
        return 0;
    case Options::Ask::Nothing:
        return 0;
    case Options::Ask::Run:
        break;
    }
    const pid_t parent = ::getppid();
    std::signal(SIGPIPE, SIG_IGN); // libslirp writes to sockets that may have been closed
    const int stop = stopDescriptor();
    std::uint64_t seed = 0;
    if (stop < 0 || ::getrandom(&seed, sizeof seed, 0) != sizeof seed) {
        return fail({"the system gives no signals or no random numbers"}, 1);
    }
    if (const auto dropped = dropPrivileges(options->user, options->group); !dropped) {
        return fail(dropped.error(), 1);
    }
    // After the change of user, which clears it. A loop that hangs would not read SIGTERM.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {
        return fail({"the program that started this one is gone"}, 1);
    }
    auto socket = VmSocket::adopt(options->vmFd, options->mtu);
    if (!socket) {
        return fail(socket.error(), 1);
    }
    std::optional<ControlSocket> control;
    if (options->controlFd >= 0) {
        const auto adopted = ControlSocket::adopt(options->controlFd);
        if (!adopted) {
            return fail(adopted.error(), 1);
        }
        control = *adopted;
    }
    auto relay = Relay::create(*options, {std::move(*socket), control, HostAddresses(), seed});
    if (!relay) {
        return fail(relay.error(), 1);
    }
    const std::size_t mostFiles =
        enterSandbox(!options->exposures.empty() || options->controlFd >= 0);
    (*relay)->exposePorts(options->exposures);
    (*relay)->run(stop, mostFiles);
    return 0;
}
