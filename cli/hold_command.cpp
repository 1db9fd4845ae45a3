// SPDX-License-Identifier: Apache-2.0
// Holds a machine's lock for a window that shows the machine itself (contract 1, macOS): the
// process that `vitrinectl stop`, Tart and everybody else sees as running it.
//
// Standard input is one end of a socket pair. Lines are JSON objects. To the window:
//   {"event": "held", "remarks": […]}  the lock is held; what was changed on the way, translated
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
#include "core/disk/file_lock.h"
#include "core/library/address_twin.h"
#include "core/library/interrupted_restore.h"
#include "core/library/machine_operations.h"
#include "core/library/machine_reader.h"
#include "core/machine/sidecar.h"
#include "core/snapshot/snapshot_operations.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
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
        if (::pipe(ends.data()) != 0)
            return fail(Error::fromErrno(Tr::tr("Cannot make a pipe."), errno));
        Signals signals;
        signals.m_read = FileDescriptor(ends[0]);
        signals.m_write = FileDescriptor(ends[1]);
        for (const int end : ends) {
            ::fcntl(end, F_SETFD, FD_CLOEXEC);
            ::fcntl(end, F_SETFL, O_NONBLOCK);
        }
        g_noted = ends[1];
        struct sigaction action {};
        action.sa_handler = noteWish;
        action.sa_flags = SA_RESTART;
        ::sigemptyset(&action.sa_mask);
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
bool tell(const char* event, const QStringList& remarks = {}, bool hasRemarks = false) {
    QJsonObject object{{QLatin1String("event"), QLatin1String(event)}};
    if (hasRemarks)
        object.insert(QLatin1String("remarks"), QJsonArray::fromStringList(remarks));
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

Result<> checkWindow() {
    struct stat info {};
    if (::fstat(window, &info) == 0 && S_ISSOCK(info.st_mode))
        return {};
    return fail(Error::Kind::InvalidInput,
                Tr::tr("\"vitrinectl hold\" is started by the window, which hands it a socket as "
                       "standard input. To run a machine here, use \"vitrinectl run\"."));
}

// What waits is left to a backend that can take the snapshot that this machine wants before it.
bool wantsSnapshotFirst(const QString& directory) {
    const Result<Sidecar> sidecar = Sidecar::read(directory);
    return sidecar && !sidecar->pending.isEmpty() && takesAutomaticSnapshots(sidecar->snapshots) &&
           !MachineReader::isSuspended(directory);
}

QStringList applyWaiting(ConfigFile& config, const QString& directory) {
    if (wantsSnapshotFirst(directory))
        return {Tr::tr("Changes of the settings wait for a snapshot, which is not taken here. Take "
                       "one and change the settings again.")};
    Result<QStringList> dropped = applyPending(config, directory);
    return dropped ? *std::move(dropped) : QStringList{dropped.error().message};
}

struct Held {
    ConfigFile config;
    FileDescriptor folder; // wherever it is moved to
    QStringList remarks;
};

// As MachineHold (qemu), without what belongs to the window: `alive` on the runtime directory.
Result<Held> take(const Library& library, const QString& name) {
    const Result<MachineInfo> machine = library.find(name);
    if (!machine)
        return fail(machine.error());
    if (machine->isImage)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is a cached image and cannot be run. Clone it first and run the "
                           "clone.")
                        .arg(name));
    const QString directory = machine->directory;
    (void)waitForChange(library, directory);
    const Result<DirectoryLock> global = library.globalLock();
    if (!global)
        return fail(global.error());
    FileDescriptor folder(
        ::open(QFile::encodeName(directory).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.isValid())
        return fail(
            Error::fromErrno(Tr::tr("Cannot open the folder \"%1\".").arg(directory), errno));
    Result<ConfigFile> config = ConfigFile::tryLock(directory + QLatin1String("/config.json"));
    if (!config)
        return fail(config.error());
    QStringList remarks;
    const Result<bool> recovered = config->recover();
    if (!recovered)
        return fail(recovered.error());
    if (*recovered)
        remarks << Tr::tr("config.json was half written by an earlier change and was restored.");
    const Result<bool> restored = finishRestore(*config, directory);
    if (!restored)
        return fail(restored.error());
    remarks << applyWaiting(*config, directory);
    const Result<QByteArray> text = config->read();
    if (!text)
        return fail(text.error());
    const Result<MachineConfig> content = MachineConfig::fromJson(*text);
    if (!content)
        return fail(content.error());
    const auto twin = findAddressTwin(library, *content, directory);
    if (!twin)
        return fail(twin.error());
    // A saved state fits only the address it was saved with.
    if (*twin && !MachineReader::isSuspended(directory)) {
        const Result<QString> separated = separateAddress(*config, *content, **twin);
        if (!separated)
            return fail(separated.error());
        remarks << *separated;
    }
    return Held{std::move(*config), std::move(folder), std::move(remarks)};
}

QString pathOf(const FileDescriptor& folder) {
#ifdef F_GETPATH
    std::array<char, PATH_MAX> path{};
    return ::fcntl(folder.get(), F_GETPATH, path.data()) == 0 ? QFile::decodeName(path.data())
                                                              : QString();
#else
    return QStringLiteral("/proc/self/fd/%1").arg(folder.get());
#endif
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

Result<int> hold(const std::string& name) {
    if (const Result<> checked = checkWindow(); !checked)
        return fail(checked.error());
    const Result<Signals> signals = Signals::make();
    if (!signals)
        return fail(signals.error());
    const Result<Library> library = Library::open();
    if (!library)
        return fail(library.error());
    Result<Held> held = take(*library, toQString(name));
    if (!held)
        return fail(held.error());
    if (!tell("held", held->remarks, true))
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
            (void)tell("released", applyWaiting(held->config, pathOf(held->folder)), true);
            return 0;
        case Heard::Gone:
            return 0;
        }
    }
}

} // namespace

void addHoldCommand(CLI::App& root, CommandList& commands) {
    auto name = std::make_shared<std::string>();
    CLI::App* const app = root.add_subcommand("hold", "Hold a machine's lock for the window");
    app->group(""); // for the window, not for people
    app->add_option("name", *name, "Name of a machine")->required()->type_name("");
    commands.push_back({app, [name] { return hold(*name); }});
}

} // namespace vitrine::cli
