// SPDX-License-Identifier: Apache-2.0
#include "core/bench/host_executor.h"

#include "core/bench/bench_host.h"
#include "core/bench/fio_report.h"
#include "core/bench/page_cache.h"
#include "core/bench/process_output.h"
#include "core/disk/disk_space.h"
#include "core/disk/file_descriptor.h"
#include "core/posix/descriptors.h"

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace vitrine::bench {

namespace {

constexpr int lookPeriod = 100; // ms
constexpr qsizetype keptErrors = 4096;
const QLatin1String markName(".vitrine-benchmark");

// Ends the command's process group when this program has gone: the kernel's own signal would reach
// the shell only. Between fork and exec: system calls alone.
void watchParent(int alive) {
    if (::fork() != 0)
        return;
    posix::closeDescriptors(0, alive);
    char byte = 0;
    while (::read(alive, &byte, 1) < 0 && errno == EINTR) {
    }
    ::kill(0, SIGKILL);
    ::_exit(0);
}

QByteArray lastOf(const QByteArray& text) {
    return text.size() > keptErrors ? text.right(keptErrors) : text;
}

} // namespace

Result<std::unique_ptr<HostExecutor>> HostExecutor::make(const QString& folder) {
    const QString mark = folder + QLatin1Char('/') + markName;
    const bool isOld = QFileInfo::exists(folder) && !QDir(folder).isEmpty();
    if (isOld && !QFileInfo::exists(mark))
        return fail(Error::Kind::AlreadyExists,
                    Tr::tr("\"%1\" is there already and holds no test files of a benchmark. Move "
                           "it away, or choose another folder.")
                        .arg(folder));
    if (!QDir().mkpath(folder))
        return fail(
            Error::fromErrno(Tr::tr("Cannot create the folder \"%1\".").arg(folder), errno));
    auto lock = DirectoryLock::tryLock(folder);
    if (!lock)
        return fail(lock.error().kind == Error::Kind::Busy
                        ? Error{Error::Kind::Busy,
                                Tr::tr("This campaign is running in another process. Wait for its "
                                       "end, or stop it."),
                                lock.error().message}
                        : lock.error());
    QFile file(mark);
    if (!file.open(QIODevice::WriteOnly))
        return fail(Error::Kind::Permission,
                    Tr::tr("Cannot write in the folder \"%1\": %2. Choose another folder.")
                        .arg(folder, file.errorString()));
    return std::unique_ptr<HostExecutor>(new HostExecutor(folder, *std::move(lock)));
}

HostExecutor::HostExecutor(QString folder, DirectoryLock lock)
    : m_folder(std::move(folder))
    , m_lock(std::move(lock)) {}

HostExecutor::~HostExecutor() {
    QDir(m_folder).removeRecursively();
}

QString HostExecutor::name() const {
    return QStringLiteral("host");
}

QJsonObject HostExecutor::options() const {
    return {{QStringLiteral("kind"), QStringLiteral("host")}};
}

Result<Executor::Output> HostExecutor::run(const QString& command, std::stop_token stop) {
    std::array<int, 2> ends{-1, -1};
    if (!posix::makePipe(ends))
        return fail(Error::fromErrno(Tr::tr("Cannot start a workload."), errno));
    const FileDescriptor alive(ends[0]);
    const FileDescriptor held(ends[1]);
    QProcess process;
    process.setWorkingDirectory(m_folder);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setChildProcessModifier([fd = alive.get()] {
        ::setpgid(0, 0);
        watchParent(fd);
    });
    QElapsedTimer clock;
    clock.start();
    process.start(QStringLiteral("/bin/sh"), {QStringLiteral("-c"), command});
    if (!process.waitForStarted(-1))
        return fail(Error::Kind::Internal,
                    Tr::tr("Cannot start /bin/sh: %1.").arg(process.errorString()));
    const auto group = static_cast<pid_t>(process.processId());
    bool isTooMuch = false;
    while (!process.waitForFinished(lookPeriod) && process.state() != QProcess::NotRunning) {
        isTooMuch = unreadOutput(process) > maximumFioOutput;
        if (stop.stop_requested() || isTooMuch)
            ::kill(-group, SIGKILL);
    }
    const double seconds = static_cast<double>(clock.nsecsElapsed()) / 1e9;
    // The watcher, which kept the group's number from being given away, and what was left behind.
    ::kill(-group, SIGKILL);
    if (stop.stop_requested())
        return fail(Error::cancelled());
    if (isTooMuch || unreadOutput(process) > maximumFioOutput)
        return fail(Error::Kind::Integrity,
                    Tr::tr("The workload wrote more than 64 MiB and was stopped. Let it write its "
                           "result only."));
    // Of a signal it is that signal; shells add 128.
    const int code = process.exitCode() + (process.exitStatus() == QProcess::NormalExit ? 0 : 128);
    return Output{
        code, process.readAllStandardOutput(), lastOf(process.readAllStandardError()), seconds};
}

Result<> HostExecutor::dropCaches() {
    return dropPageCache(m_folder);
}

Result<> HostExecutor::removeTestFiles(std::stop_token stop) {
    const auto removed = run(QStringLiteral("rm -rf ./*"), std::move(stop));
    return removed ? Result<>() : fail(removed.error());
}

Result<quint64> HostExecutor::freeSpace() const {
    const auto space = volumeSpace(m_folder);
    if (!space)
        return fail(space.error());
    return space->available.bytes();
}

QJsonObject HostExecutor::noise() const {
    return hostNoise();
}

} // namespace vitrine::bench
