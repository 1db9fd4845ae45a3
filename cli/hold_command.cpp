// SPDX-License-Identifier: Apache-2.0
// Holds a machine's lock for a window that shows the machine itself (contract 1, macOS): the
// process that `vitrinectl stop`, Tart and everybody else sees as running it.
//
// Standard input is one end of a socket pair. Lines are JSON objects. To the window:
//   {"event": "held", "remarks": […], "twin": "NAME"}  the lock is held; what was changed on the
//                                      way, translated; the running machine with the same MAC
//                                      address, if it could not be replaced
//   {"event": "refused", "kind": WORD, "message": …, "detail": …}  it is not, and this ends
//   {"event": "interrupt"}             SIGINT or SIGTERM: shut down; again: off
//   {"event": "suspend"}               SIGUSR1
//   {"event": "shut-down"}             SIGUSR2 or SIGHUP
// From the window:
//   {"do": "release"}                  the machine has ended: changes that wait are made, then
//   {"event": "released", "remarks": […]} and the lock is let go
// The end of the socket lets the lock go at once; the window takes the end of this process, however
// it comes, as "shut down".
#include "cli/command.h"
#include "cli/output.h"
#include "core/disk/file_descriptor.h"
#include "core/disk/real_path.h"
#include "core/hypervisor/control_message.h"
#include "core/posix/descriptors.h"
#include "core/run/machine_hold.h"
#include "core/snapshot/automatic_snapshot.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::cli {

namespace {

constexpr qsizetype longestLine = 4096; // bytes; a window that says more is none of ours
constexpr int window = STDIN_FILENO;

struct Options {
    std::string name;
    bool discardState = false;
};

std::atomic<int> g_noted{-1};

void noteWish(int number) {
    const int saved = errno;
    const auto byte = static_cast<unsigned char>(number);
    if (const int fd = g_noted.load(std::memory_order_relaxed); fd >= 0)
        (void)!::write(fd, &byte, 1); // a full pipe means that many wait already
    errno = saved;
}

// Signals as bytes to be read, from before the lock is taken.
class Signals final {
public:
    [[nodiscard]] static Result<Signals> make() {
        std::array<int, 2> ends{-1, -1};
        if (!posix::makePipe(ends))
            return fail(Error::fromErrno(Tr::tr("Cannot make a pipe."), errno));
        Signals signals;
        signals.m_read = FileDescriptor(ends[0]);
        signals.m_write = FileDescriptor(ends[1]);
        for (const int end : ends)
            ::fcntl(end, F_SETFL, O_NONBLOCK);
        g_noted = ends[1];
        struct sigaction action {};
        action.sa_handler = noteWish;
        action.sa_flags = SA_RESTART;
        sigemptyset(&action.sa_mask);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2})
            ::sigaction(number, &action, nullptr);
        ::signal(SIGPIPE, SIG_IGN); // a window that is gone is seen by reading
        return signals;
    }
    [[nodiscard]] int descriptor() const { return m_read.get(); }

private:
    FileDescriptor m_read;
    FileDescriptor m_write;
};

const char* eventOf(unsigned char number) {
    switch (number) {
    case SIGUSR1:
        return "suspend";
    case SIGUSR2:
    case SIGHUP:
        return "shut-down";
    default:
        return "interrupt";
    }
}

// False when the window is gone.
bool send(const QJsonObject& object) {
    const QByteArray line = QJsonDocument(object).toJson(QJsonDocument::Compact) + '\n';
    qsizetype sent = 0;
    while (sent < line.size()) {
        const ssize_t n =
            ::write(window, line.constData() + sent, static_cast<std::size_t>(line.size() - sent));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        sent += n;
    }
    return true;
}

bool tell(const char* event, QJsonObject more = {}) {
    more.insert(QLatin1String("event"), QLatin1String(event));
    return send(more);
}

QJsonObject remarksOf(const QStringList& remarks) {
    return {{QLatin1String("remarks"), QJsonArray::fromStringList(remarks)}};
}

Result<> checkWindow() {
    struct stat info {};
    if (::fstat(window, &info) == 0 && S_ISSOCK(info.st_mode))
        return {};
    return fail(Error::Kind::InvalidInput,
                Tr::tr("\"vitrinectl hold\" is started by the window, which hands it a socket as "
                       "standard input. To run a machine here, use \"vitrinectl run\"."));
}

void tellRefusal(const Error& error) {
    QJsonObject object{{QLatin1String("event"), QLatin1String("refused")},
                       {QLatin1String("kind"), control::toWord(error.kind)},
                       {QLatin1String("message"), error.message},
                       {QLatin1String("detail"), error.detail}};
    (void)send(object);
}

// All that is done under the lock before a machine starts; `alive` is left to the window.
Result<MachineHold> take(const Library& library, const QString& name, bool discardsState) {
    Result<MachineHold> held = MachineHold::take(library,
                                                 name,
                                                 discardsState ? MachineHold::SavedState::Discarded
                                                               : MachineHold::SavedState::GoesOn);
    if (!held)
        return held;
    if (held->changesWait)
        held->remarks << held->applyWaitingChanges({});
    if (discardsState && held->machine.state == MachineState::Suspended) {
        const Result<> kept = keepBeforeRisk(
            held->config, held->folderPath(), Tr::tr("Before the saved state was thrown away"), {});
        if (!kept)
            return fail(withRealPaths(kept.error()));
    }
    const DirectoryLock handedOver = std::move(held->alive);
    return held;
}

enum class Heard { Nothing, Release, Gone };

Heard hear(QByteArray& buffer) {
    std::array<char, 1024> bytes{};
    const ssize_t n = ::read(window, bytes.data(), bytes.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return Heard::Nothing;
    if (n <= 0)
        return Heard::Gone;
    buffer.append(bytes.data(), n);
    for (qsizetype end = buffer.indexOf('\n'); end >= 0; end = buffer.indexOf('\n')) {
        const QJsonObject line = QJsonDocument::fromJson(buffer.left(end)).object();
        buffer.remove(0, end + 1);
        if (line.value(QLatin1String("do")) == QLatin1String("release"))
            return Heard::Release;
    }
    return buffer.size() > longestLine ? Heard::Gone : Heard::Nothing;
}

Result<int> hold(const Options& options) {
    if (const Result<> checked = checkWindow(); !checked)
        return fail(checked.error());
    const Result<Signals> signals = Signals::make();
    if (!signals)
        return fail(signals.error());
    const Result<Library> library = Library::open();
    if (!library)
        return fail(library.error());
    Result<MachineHold> held = take(*library, toQString(options.name), options.discardState);
    if (!held) {
        tellRefusal(held.error());
        return fail(held.error());
    }
    QJsonObject told = remarksOf(held->remarks);
    if (held->twin)
        told.insert(QLatin1String("twin"), held->twin->name);
    if (!tell("held", told))
        return 0;
    QByteArray buffer;
    for (;;) {
        std::array<pollfd, 2> waited{{{window, POLLIN, 0}, {signals->descriptor(), POLLIN, 0}}};
        if (::poll(waited.data(), waited.size(), -1) < 0 && errno != EINTR)
            return fail(Error::fromErrno(Tr::tr("Cannot wait for the window."), errno));
        unsigned char number = 0;
        while (::read(signals->descriptor(), &number, 1) == 1)
            (void)tell(eventOf(number));
        if (waited[0].revents == 0)
            continue;
        switch (hear(buffer)) {
        case Heard::Nothing:
            break;
        case Heard::Release:
            (void)tell("released", remarksOf(held->applyWaitingChanges({})));
            return 0;
        case Heard::Gone:
            return 0;
        }
    }
}

} // namespace

void addHoldCommand(CLI::App& root, CommandList& commands) {
    auto options = std::make_shared<Options>();
    CLI::App* const app = root.add_subcommand("hold", "Hold a machine's lock for the window");
    app->group(""); // for the window, not for people
    app->add_option("name", options->name, "Name of a machine")->required()->type_name("");
    app->add_flag("--discard-state",
                  options->discardState,
                  "The window starts the machine afresh although it is suspended");
    commands.push_back({app, [options] { return hold(*options); }});
}

} // namespace vitrine::cli
