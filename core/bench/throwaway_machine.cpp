// SPDX-License-Identifier: Apache-2.0
#include "core/bench/throwaway_machine.h"

#include "core/credentials/credential_store.h"
#include "core/disk/directory_tree.h"
#include "core/hypervisor/machine_launcher.h"
#include "core/library/machine_operations.h"
#include "core/library/runtime_directory.h"
#include "core/machine/sidecar.h"
#include "core/posix/processes.h"
#include "core/value/plain_text.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::bench {

namespace {

const QString cloneName = QStringLiteral("benchmark");
constexpr int connectStep = 200;      // ms
constexpr int startLimit = 60 * 1000; // ms until the machine's process answers
constexpr int askLimit = 30 * 1000;   // ms
constexpr int downLimit = 60 * 1000;  // ms that a guest has to shut down
constexpr int endLimit = 10 * 1000;   // ms that the machine's process has after that
constexpr int goneLimit = 5 * 1000;   // ms that QEMU has, which gets a signal too
constexpr qint64 longestEnd = 4096;   // bytes of what it said

// Between fork and exec: system calls alone.
void bindToParent(pid_t parent) {
    ::setpgid(0, 0); // Ctrl-C is for the campaign
    ::umask(077);
    posix::endWithParent(SIGKILL); // nothing of a clone is worth a shutdown
    if (::getppid() != parent)
        ::_exit(127);
}

// What a clone must not have: it would change things of this computer, or be in the way of the
// machine itself.
void leaveOut(RunOptions& options, const QString& sourceDirectory) {
    options.disks.clear();
    options.shares.clear();
    options.forwards.clear();
    options.serial = {};
    options.vncServer = false;
    options.audio = false;
    options.clipboard = false;
    if (!options.kernel)
        return;
    for (QString* path : {&options.kernel->kernel, &options.kernel->initrd})
        if (!path->isEmpty())
            *path = QDir(sourceDirectory).absoluteFilePath(*path);
}

Result<> setSize(const Library& library, const MachineName& name, int cpus, quint64 memory) {
    MachineChanges changes;
    changes.cpuCount = cpus;
    changes.memory = ByteCount::fromBytes(memory);
    return changeMachine(library, name, changes);
}

} // namespace

Result<std::unique_ptr<ThrowawayMachine>> ThrowawayMachine::make(const Request& request,
                                                                 const JobContext& context) {
    auto place = request.library.makeThrowAway();
    if (!place)
        return fail(place.error());
    std::unique_ptr<ThrowawayMachine> machine(new ThrowawayMachine(*std::move(place)));
    if (auto filled = machine->fill(request, context); !filled)
        return fail(filled.error());
    return machine;
}

ThrowawayMachine::ThrowawayMachine(Library::TemporaryDirectory place)
    : m_place(std::move(place))
    , m_home(m_place.path + QStringLiteral("/library")) {}

ThrowawayMachine::~ThrowawayMachine() {
    m_client.reset();
    if (m_process) {
        m_process->kill(); // and QEMU with it
        m_process->waitForFinished(-1);
        // Which has the runtime directory's lock as long as it has its files.
        if (const auto runtime = RuntimeDirectory::locate(m_home, m_directory))
            (void)DirectoryLock::lock(runtime->path(), goneLimit);
    }
    removeTree(m_place.path);
}

Result<> ThrowawayMachine::fill(const Request& request, const JobContext& context) {
    const auto source = request.library.find(request.source);
    if (!source)
        return fail(source.error());
    const auto library = Library::open(m_home);
    if (!library)
        return fail(library.error());
    const auto name = MachineName::fromText(cloneName);
    if (!name)
        return fail(name.error());
    auto done = cloneMachineTo(request.library, request.source, *library, *name, context);
    if (!done)
        return done;
    m_directory = library->machinePath(*name);
    done = Sidecar::update(m_directory, [&](Sidecar& sidecar) {
        sidecar.pending.clear(); // the size is what the campaign says
        leaveOut(sidecar.run, source->directory);
        request.change(sidecar.run);
    });
    if (!done)
        return done;
    return setSize(*library, *name, request.cpus, request.memory);
}

Result<> ThrowawayMachine::start(const std::stop_token& stop) {
    const QString program = vitrinectlPath();
    if (program.isEmpty())
        return fail(Error::Kind::NotFound,
                    Tr::tr("The program vitrinectl is missing, so no machine can be started. "
                           "Install it beside this program or into a folder of PATH."));
    m_process = std::make_unique<QProcess>();
    QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
    environment.insert(QStringLiteral("VITRINE_HOME"), m_home);
    m_process->setProcessEnvironment(environment);
    m_process->setStandardInputFile(QProcess::nullDevice());
    m_process->setProcessChannelMode(QProcess::MergedChannels);
    m_process->setStandardOutputFile(m_place.path + QStringLiteral("/output"));
    m_process->setChildProcessModifier([parent = ::getpid()] { bindToParent(parent); });
    m_process->start(program, {QStringLiteral("run"), cloneName, QStringLiteral("--no-graphics")});
    if (!m_process->waitForStarted(-1))
        return fail(Error::Kind::Internal,
                    Tr::tr("Cannot start \"%1\".").arg(program),
                    m_process->errorString());
    m_client = std::make_unique<MachineClient>(m_home, m_directory);
    m_client->attach();
    QElapsedTimer clock;
    clock.start();
    while (!m_client->waitForConnected(connectStep)) {
        if (stop.stop_requested())
            return fail(Error::cancelled());
        if (!isRunning())
            return fail(Error::Kind::Internal,
                        Tr::tr("The clone did not start. It said: %1").arg(saidAtLast()));
        if (clock.hasExpired(startLimit))
            return fail(
                Error::Kind::Timeout,
                Tr::tr("The clone's process does not answer. It said: %1").arg(saidAtLast()));
    }
    return {};
}

Result<> ThrowawayMachine::ask(const char* method) {
    if (!isRunning())
        return fail(Error::Kind::NotRunning,
                    Tr::tr("The clone has ended. It said: %1").arg(saidAtLast()));
    const auto answer = m_client->callAndWait(QLatin1String(method), {}, askLimit);
    return answer ? Result<>() : fail(answer.error());
}

Result<> ThrowawayMachine::shutDown() {
    if (!isRunning())
        return {};
    auto asked = ask("shutdown");
    // One that does not answer must not go on beside those that are measured next.
    if (!asked || !m_process->waitForFinished(downLimit)) {
        asked = ask("forceOff");
        if (!m_process->waitForFinished(endLimit)) {
            m_process->kill();
            m_process->waitForFinished(-1);
        }
    }
    m_client.reset();
    m_process.reset();
    return asked;
}

Result<> ThrowawayMachine::pause() {
    return ask("pause");
}

Result<> ThrowawayMachine::resume() {
    return ask("resume");
}

bool ThrowawayMachine::isRunning() const {
    return m_process && m_process->state() != QProcess::NotRunning;
}

QString ThrowawayMachine::saidAtLast() const {
    QFile file(m_place.path + QStringLiteral("/output"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    if (file.size() > longestEnd)
        file.seek(file.size() - longestEnd);
    const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
    return plainText(QString::fromUtf8(lines.last()));
}

} // namespace vitrine::bench
