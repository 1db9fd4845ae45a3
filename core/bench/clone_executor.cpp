// SPDX-License-Identifier: Apache-2.0
#include "core/bench/clone_executor.h"

#include "core/bench/guest_reach.h"
#include "core/bench/page_cache.h"
#include "core/disk/disk_space.h"

namespace vitrine::bench {

namespace {

constexpr int growLimit = 3 * 60 * 1000; // ms: the guest's file system grows too
constexpr quint64 mebi = 1 << 20;

Error tooSmall(const QString& name, quint64 needed, quint64 free, const QString& why) {
    return {Error::Kind::DiskFull,
            Tr::tr("The test files need %1, and the guest of \"%2\" has %3 free. %4")
                .arg(ByteCount::fromBytes(needed).toText(),
                     name,
                     ByteCount::fromBytes(free).toText(),
                     why),
            {}};
}

} // namespace

Result<std::unique_ptr<CloneExecutor>> CloneExecutor::open(const Request& request,
                                                           const JobContext& context) {
    std::unique_ptr<CloneExecutor> executor(new CloneExecutor(request));
    if (auto opened = executor->openAll(context); !opened)
        return fail(opened.error());
    return executor;
}

CloneExecutor::CloneExecutor(Request request)
    : m_request(std::move(request)) {}

CloneExecutor::~CloneExecutor() = default;

Result<> CloneExecutor::openAll(const JobContext& context) {
    const auto tell = [&](const QString& what) {
        Progress progress;
        progress.step = what.arg(m_request.guest.name);
        context.report(progress);
    };
    tell(Tr::tr("Cloning the machine for \"%1\""));
    JobContext quiet;
    quiet.stop = context.stop;
    auto machine = ThrowawayMachine::make(m_request.machine, quiet);
    if (!machine)
        return fail(machine.error());
    m_machine = *std::move(machine);
    tell(Tr::tr("Starting the clone for \"%1\""));
    auto shell = start(context.stop);
    if (!shell)
        return fail(shell.error());
    m_accelerator = m_machine->client().status().accelerator;
    tell(Tr::tr("Preparing the guest for \"%1\""));
    auto guest =
        GuestExecutor::open(m_request.guest, *std::move(shell), m_request.fio, context.stop);
    if (!guest)
        return fail(guest.error());
    m_guest = *std::move(guest);
    m_guest->abandon(); // all of it is thrown away
    if (auto enough = makeRoom(); !enough)
        return enough;
    end();
    return {};
}

Result<std::unique_ptr<GuestShell>> CloneExecutor::start(const std::stop_token& stop) {
    if (auto started = m_machine->start(stop); !started)
        return fail(started.error());
    auto shell = reachGuest({.client = &m_machine->client(),
                             .machineDirectory = m_machine->directory(),
                             .folder = m_machine->folder(),
                             .isUp = [this] { return m_machine->isRunning(); }},
                            stop);
    if (!shell)
        return shell;
    if (m_request.prepareGuest)
        if (auto prepared = m_request.prepareGuest(m_machine->client(), **shell, stop); !prepared)
            return fail(prepared.error());
    return shell;
}

Result<> CloneExecutor::makeRoom() {
    const auto free = m_guest->freeSpace();
    if (!free)
        return fail(free.error());
    m_free = *free;
    const quint64 needed = m_request.space;
    if (m_free >= needed)
        return {};
    if (!m_request.grow)
        return fail(tooSmall(name(),
                             needed,
                             m_free,
                             Tr::tr("Let its disk grow with --grow, or choose a smaller suite.")));
    if (auto grown = grow(needed - m_free); !grown)
        return grown;
    const auto now = m_guest->freeSpace();
    if (!now)
        return fail(now.error());
    m_free = *now;
    return m_free >= needed
               ? Result<>()
               : fail(tooSmall(name(),
                               needed,
                               m_free,
                               Tr::tr("Its disk has grown and its file system has not.")));
}

Result<> CloneExecutor::grow(quint64 bytes) {
    const auto size = fileSize(m_machine->diskPath());
    if (!size)
        return fail(size.error());
    // Tables of the file system, and what it keeps for root.
    const quint64 more = (bytes + bytes / 8) / mebi * mebi + 64 * mebi;
    const quint64 wanted = size->logical.bytes() / mebi * mebi + more;
    const auto room = volumeSpace(m_machine->directory());
    if (room && room->available.bytes() < more)
        return fail(Error::Kind::DiskFull,
                    Tr::tr("The clone's disk would have to grow by %1, and this computer has %2 "
                           "free. Make room, or choose a smaller suite.")
                        .arg(ByteCount::fromBytes(more).toText(), room->available.toText()));
    const auto answer =
        m_machine->client().callAndWait(QStringLiteral("disk.grow"),
                                        {{QStringLiteral("size"), static_cast<qint64>(wanted)},
                                         {QStringLiteral("partition"), true}},
                                        growLimit);
    if (!answer)
        return fail(answer.error());
    const QJsonObject done = answer->toObject();
    if (done.value(QLatin1String("partition")) == QLatin1String("grown"))
        return {};
    return fail(Error::Kind::Unsupported,
                Tr::tr("The clone's disk has grown, the guest's file system has not: %1 Enlarge "
                       "the machine, or choose a smaller suite.")
                    .arg(done.value(QLatin1String("text")).toString()));
}

Result<> CloneExecutor::begin(std::stop_token stop) {
    if (m_machine->isRunning())
        return m_request.idle == Idle::Paused ? m_machine->resume() : Result<>();
    auto shell = start(stop);
    if (!shell)
        return fail(shell.error());
    m_guest->setShell(*std::move(shell));
    return {};
}

void CloneExecutor::end() {
    // A clone that cannot rest disturbs the others, which their noise shows.
    if (m_request.idle == Idle::Paused)
        (void)m_machine->pause();
    else
        (void)m_machine->shutDown();
}

Result<Executor::Output> CloneExecutor::run(const QString& command, std::stop_token stop) {
    return m_guest->run(command, std::move(stop));
}

Result<> CloneExecutor::dropCaches() {
    if (auto dropped = m_guest->dropCaches(); !dropped)
        return dropped;
    for (const QString& file : QStringList{m_machine->diskPath()} + m_request.hostFiles)
        if (auto dropped = dropPageCacheOf(file); !dropped)
            return dropped;
    return {};
}

QJsonObject CloneExecutor::noise() const {
    return m_guest->noise();
}

} // namespace vitrine::bench
