// SPDX-License-Identifier: Apache-2.0
#include "qemu/host_info.h"

#include "qemu/host_cache.h"

#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QVersionNumber>

#include <csignal>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace vitrine::qemu {
namespace {

constexpr int versionTimeout = 1000; // ms
constexpr qint64 largestOutput = 64 * 1024;

// "model name : AMD EPYC" of /proc/cpuinfo. arm64 kernels tell no name.
QString processorName() {
    QFile file(QStringLiteral("/proc/cpuinfo"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    const QList<QByteArray> lines = file.read(16 * 1024).split('\n');
    for (const QByteArray& line : lines)
        if (line.startsWith("model name"))
            return QString::fromLatin1(line.mid(line.indexOf(':') + 1)).simplified();
    return {};
}

int usableThreads() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return std::max(1, CPU_COUNT(&set));
    return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

QString fileFingerprint(const QString& path) {
    struct stat status {};
    if (stat(QFile::encodeName(path).constData(), &status) != 0)
        return {};
    return QStringLiteral("%1:%2:%3:%4")
        .arg(status.st_ino)
        .arg(status.st_size)
        .arg(status.st_mtim.tv_sec)
        .arg(status.st_mtim.tv_nsec);
}

} // namespace

HostInfo HostInfo::read() {
    HostInfo info;
    info.threads = usableThreads();
    info.memory = ByteCount::fromBytes(static_cast<quint64>(sysconf(_SC_PHYS_PAGES)) *
                                       static_cast<quint64>(sysconf(_SC_PAGESIZE)));
    info.processor = processorName();
    struct utsname name {};
    if (uname(&name) == 0)
        info.kernel = QString::fromLocal8Bit(name.release);
    return info;
}

QString emulatorName(Architecture guest) {
    return guest == Architecture::Arm64 ? QStringLiteral("qemu-system-aarch64")
                                        : QStringLiteral("qemu-system-x86_64");
}

QString emulatorPackage(Architecture guest) {
    return guest == Architecture::Arm64 ? QStringLiteral("qemu-system-arm")
                                        : QStringLiteral("qemu-system-x86");
}

BriefRun runBriefly(const QString& program, const QStringList& arguments, int timeoutMilliseconds) {
    BriefRun run;
    QProcess process;
    QProcessEnvironment environment;
    environment.insert(QStringLiteral("PATH"), qEnvironmentVariable("PATH"));
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C"));
    process.setProcessEnvironment(environment);
    process.setStandardInputFile(QProcess::nullDevice());
    const pid_t parent = getpid();
    process.setChildProcessModifier([parent] {
        // A program that hangs must not outlive us, nor eat a processor.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent)
            _exit(127);
        const rlimit seconds{5, 5};
        setrlimit(RLIMIT_CPU, &seconds);
        const rlimit nothing{0, 0};
        setrlimit(RLIMIT_CORE, &nothing);
    });
    process.start(program, arguments);
    if (!process.waitForStarted(timeoutMilliseconds))
        return run;
    run.started = true;
    run.timedOut = !process.waitForFinished(timeoutMilliseconds);
    if (run.timedOut) {
        process.kill();
        process.waitForFinished(500);
    }
    run.crashed = process.exitStatus() == QProcess::CrashExit;
    run.exitCode = process.exitCode();
    run.output = process.readAllStandardOutput().left(largestOutput);
    run.errors = process.readAllStandardError().left(largestOutput);
    return run;
}

QString ProgramPaths::find(const QString& program) const {
    if (!folders.isEmpty())
        return QStandardPaths::findExecutable(program, folders);
    const QString found = QStandardPaths::findExecutable(program);
    // A desktop session's or cron's PATH may be short.
    return found.isEmpty()
               ? QStandardPaths::findExecutable(
                     program, {QStringLiteral("/usr/local/bin"), QStringLiteral("/usr/bin")})
               : found;
}

QString programVersion(const ProgramPaths& paths, const QString& program) {
    const QString fingerprint = fileFingerprint(program);
    if (fingerprint.isEmpty())
        return {};
    const HostCache cache(paths.cacheFile);
    const QString key = QStringLiteral("version ") + program;
    if (const auto known = cache.value(key, fingerprint))
        return known->value(QStringLiteral("version")).toString();
    const BriefRun run = runBriefly(program, {QStringLiteral("--version")}, versionTimeout);
    if (!run.started || run.timedOut || run.crashed)
        return {};
    static const QRegularExpression number(QStringLiteral("\\d+\\.\\d+(\\.\\d+)?"));
    const QString version =
        number.match(QString::fromUtf8(run.output.isEmpty() ? run.errors : run.output)).captured(0);
    if (!version.isEmpty())
        cache.store(key, fingerprint, {{QStringLiteral("version"), version}});
    return version;
}

Result<Emulator> findEmulator(const ProgramPaths& paths, Architecture guest) {
    Emulator emulator;
    emulator.path = paths.find(emulatorName(guest));
    if (emulator.path.isEmpty())
        //: %1: a program, %2: "arm64" or "amd64", %3: a Debian package
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The program \"%1\", which runs %2 machines, is not installed. Install "
                           "the package \"%3\".")
                        .arg(emulatorName(guest), toText(guest), emulatorPackage(guest)));
    emulator.version = programVersion(paths, emulator.path);
    const auto version = QVersionNumber::fromString(emulator.version);
    if (!version.isNull() && version < QVersionNumber(7, 2))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" is QEMU %2, and Vitrine needs 7.2 or newer. Update the package "
                           "\"%3\".")
                        .arg(emulator.path, emulator.version, emulatorPackage(guest)));
    return emulator;
}

} // namespace vitrine::qemu
