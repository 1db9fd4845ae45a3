// SPDX-License-Identifier: Apache-2.0
#include "vz/host/hold_process.h"

#include "core/credentials/credential_store.h"
#include "core/hypervisor/control_message.h"
#include "core/hypervisor/machine_launcher.h"
#include "core/job/in_worker.h"
#include "core/posix/descriptors.h"
#include "core/run/machine_hold.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTimer>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace vitrine::vz {

namespace {

constexpr qsizetype longestLine = 1 << 20; // bytes

QStringList remarksOf(const QJsonObject& line) {
    QStringList remarks;
    const QJsonArray list = line.value(QLatin1String("remarks")).toArray();
    for (const QJsonValue& remark : list)
        remarks << remark.toString();
    return remarks;
}

// What the window itself has of a machine.
struct Share {
    MachineInfo machine;
    RuntimeDirectory runtime;
    std::shared_ptr<DirectoryLock> alive;
    std::optional<MachineInfo> twin;
};

Result<Share> takeShare(const Library& library, const QString& name, const QString& twinName) {
    auto machine = readHeldMachine(library, name);
    if (!machine)
        return fail(machine.error());
    auto runtime = RuntimeDirectory::locate(library.home(), machine->directory);
    if (!runtime)
        return fail(runtime.error());
    auto alive = runtime->claim();
    if (!alive)
        return fail(alive.error());
    Share share{*std::move(machine),
                *std::move(runtime),
                std::make_shared<DirectoryLock>(*std::move(alive)),
                {}};
    if (!twinName.isEmpty()) {
        auto twin = library.find(twinName);
        share.twin = twin ? *std::move(twin) : MachineInfo{};
        share.twin->name = twinName;
    }
    return share;
}

} // namespace

HoldProcess::HoldProcess(const Hypervisor::RunRequest& request, QString vitrinectl, QObject* parent)
    : MachineHolder(parent)
    , m_library(request.library)
    , m_name(request.name)
    , m_program(std::move(vitrinectl))
    , m_discardsState(request.discardState) {}

namespace {

// Of processes that are about to end. Never deleted: QProcess would kill what it still has.
QObject* endingProcesses() {
    static QObject* const parent = new QObject;
    return parent;
}

} // namespace

// The process ends by itself when its socket does, and nobody waits for that here.
HoldProcess::~HoldProcess() {
    m_notifier.reset();
    if (m_process == nullptr)
        return;
    m_process->disconnect(this);
    if (m_process->state() == QProcess::NotRunning) {
        delete m_process;
        return;
    }
    m_process->setParent(endingProcesses());
    connect(m_process, &QProcess::finished, m_process, &QObject::deleteLater);
}

void HoldProcess::answer(const Result<>& taken) {
    if (const Taken done = std::exchange(m_taken, {}))
        done(taken);
}

void HoldProcess::take(Taken done) {
    m_taken = std::move(done);
    if (const auto started = start(); !started)
        QTimer::singleShot(0, this, [this, error = started.error()] { answer(fail(error)); });
}

Result<> HoldProcess::start() {
    if (m_program.isEmpty())
        return fail(Error::Kind::NotFound,
                    tr("The program vitrinectl is missing, so no machine can be started. Install "
                       "it beside this program or into a folder of PATH."));
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0)
        return fail(Error::fromErrno(tr("Cannot start \"%1\".").arg(m_program), errno));
    m_socket = FileDescriptor(ends[0]);
    const FileDescriptor theirs(ends[1]);
    for (const int end : ends)
        ::fcntl(end, F_SETFD, FD_CLOEXEC);
    ::fcntl(m_socket.get(), F_SETFL, O_NONBLOCK);
    posix::silence(m_socket.get());

    m_process = new QProcess;
    m_process->setProgram(m_program);
    QStringList arguments{QStringLiteral("hold"), m_name};
    if (m_discardsState)
        arguments << QStringLiteral("--discard-state");
    m_process->setArguments(arguments);
    QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
    environment.insert(QStringLiteral("VITRINE_HOME"), m_library.home());
    m_process->setProcessEnvironment(environment);
    m_process->setInputChannelMode(QProcess::ForwardedInputChannel);
    m_process->setStandardOutputFile(QProcess::nullDevice());
    m_process->setStandardErrorFile(QProcess::nullDevice()); // it tells on the socket
    m_process->setChildProcessModifier([end = theirs.get()] {
        ::dup2(end, STDIN_FILENO);
        ::setpgid(0, 0); // Ctrl-C is for the window
        ::umask(077);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE})
            ::signal(number, SIG_DFL);
    });
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            answer(fail(Error::Kind::NotFound,
                        tr("Cannot start \"%1\".").arg(m_program),
                        m_process->errorString()));
    });
    connect(m_process, &QProcess::finished, this, &HoldProcess::endedUnheld);
    m_notifier = std::make_unique<QSocketNotifier>(m_socket.get(), QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &HoldProcess::read);
    m_process->start();
    return {};
}

void HoldProcess::read() {
    std::array<char, 4096> bytes{};
    const ssize_t n = ::read(m_socket.get(), bytes.data(), bytes.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n > 0)
        m_buffer.append(bytes.data(), n);
    for (qsizetype end = m_buffer.indexOf('\n'); end >= 0; end = m_buffer.indexOf('\n')) {
        const QJsonObject line = QJsonDocument::fromJson(m_buffer.left(end)).object();
        m_buffer.remove(0, end + 1);
        handle(line);
    }
    if (n <= 0 || m_buffer.size() > longestLine)
        gone();
}

void HoldProcess::handle(const QJsonObject& line) {
    const QString event = line.value(QLatin1String("event")).toString();
    if (event == QLatin1String("held"))
        held(line);
    else if (event == QLatin1String("refused"))
        answer(fail(Error{control::kindOf(line.value(QLatin1String("kind")).toString()),
                          line.value(QLatin1String("message")).toString(),
                          line.value(QLatin1String("detail")).toString()}));
    else if (event == QLatin1String("released")) {
        if (const Released done = std::exchange(m_released, {}))
            done(remarksOf(line));
    } else if (event == QLatin1String("interrupt"))
        Q_EMIT wished(Wish::Interrupt);
    else if (event == QLatin1String("suspend"))
        Q_EMIT wished(Wish::Suspend);
    else if (event == QLatin1String("shut-down"))
        Q_EMIT wished(Wish::ShutDown);
}

void HoldProcess::held(const QJsonObject& line) {
    if (m_machine || !m_taken)
        return;
    m_remarks = remarksOf(line);
    inWorker(
        this,
        [library = m_library, name = m_name, twin = line.value(QLatin1String("twin")).toString()] {
            return takeShare(library, name, twin);
        },
        [this](Result<Share> share) {
            if (!share) {
                answer(fail(share.error()));
                return;
            }
            m_machine = std::move(share->machine);
            m_runtime = std::move(share->runtime);
            m_alive = std::move(share->alive);
            m_twin = std::move(share->twin);
            m_folder = m_machine->directory;
            answer({});
        });
}

void HoldProcess::endedUnheld() {
    answer(fail(Error::Kind::Internal,
                tr("The process that was to hold the lock of \"%1\" has ended. Start the machine "
                   "again.")
                    .arg(m_name)));
}

void HoldProcess::gone() {
    m_notifier->setEnabled(false);
    m_socket.reset();
    if (m_taken) {
        // A program that could not be started says why only now.
        if (m_process->state() == QProcess::NotRunning)
            endedUnheld();
        return;
    }
    if (const Released done = std::exchange(m_released, {})) {
        done({});
        return;
    }
    if (m_machine)
        Q_EMIT lost();
}

void HoldProcess::release(Released done) {
    static constexpr char line[] = "{\"do\":\"release\"}\n";
    constexpr auto size = sizeof(line) - 1;
    m_released = std::move(done);
    const bool asked = m_socket.isValid() && ::send(m_socket.get(), line, size, posix::sendFlags) ==
                                                 static_cast<ssize_t>(size);
    if (!asked)
        QTimer::singleShot(0, this, [this] {
            if (const Released answer = std::exchange(m_released, {}))
                answer({});
        });
}

} // namespace vitrine::vz
