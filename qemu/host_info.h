// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/machine_config.h"
#include "core/result/result.h"
#include "core/value/byte_count.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace vitrine::qemu {

// What this computer is, from /proc and uname. Any thread.
struct HostInfo {
    Architecture architecture = hostArchitecture();
    int threads = 1;   // processors this process may use
    ByteCount memory;  // physical memory
    QString processor; // "AMD Ryzen 7 7840U"; empty when the system does not tell
    QString kernel;    // release, "6.1.0-57-amd64"

    [[nodiscard]] static HostInfo read();
};

// "qemu-system-x86_64" or "qemu-system-aarch64", and the Debian package that has it.
[[nodiscard]] QString emulatorName(Architecture guest);
[[nodiscard]] QString emulatorPackage(Architecture guest);

// The outcome of a short helper program.
struct BriefRun {
    bool started = false;
    bool timedOut = false;
    bool crashed = false; // ended by a signal
    int exitCode = -1;
    QByteArray output;
    QByteArray errors;
};
// Runs a program and waits; it is killed after the time limit, when the calling thread's process
// dies, and when it used more than 5 s of processor time. It gets a bare environment. Any thread.
[[nodiscard]] BriefRun
runBriefly(const QString& program, const QStringList& arguments, int timeoutMilliseconds);

// Where the programs of the backend are looked for; replaced by tests.
struct ProgramPaths {
    QStringList folders; // empty: PATH and the usual system folders
    QString cacheFile;   // empty: <user's cache>/vitrine/host.json
    QString kvmDevice = QStringLiteral("/dev/kvm");
    QString ovmfFolder = QStringLiteral("/usr/share/OVMF");
    QString aavmfFolder = QStringLiteral("/usr/share/AAVMF");
    QStringList virtiofsd{QStringLiteral("/usr/libexec/virtiofsd"),
                          QStringLiteral("/usr/lib/qemu/virtiofsd"),
                          QStringLiteral("/usr/lib/virtiofsd")};

    QStringList bridgeHelper{QStringLiteral("/usr/lib/qemu/qemu-bridge-helper"),
                             QStringLiteral("/usr/libexec/qemu-bridge-helper")};
    QString bridgeConfiguration = QStringLiteral("/etc/qemu/bridge.conf");
    QString softnet; // vitrine-softnet; empty: looked for beside this program
    QString networkClass = QStringLiteral("/sys/class/net");
    QString cpuInfo = QStringLiteral("/proc/cpuinfo");
    QString moduleFolder = QStringLiteral("/sys/module");
    QString soundServer; // its socket; empty: the one of this session

    [[nodiscard]] QString find(const QString& program) const; // absolute path, empty when missing
};

struct Emulator {
    QString path;
    QString version; // "7.2.22"; empty when it could not be asked
};
// NotFound names the package; Unsupported when older than 7.2. The version is asked once for each
// file (cached by size and time of change).
[[nodiscard]] Result<Emulator> findEmulator(const ProgramPaths& paths, Architecture guest);
// Version of any program that answers --version; cached in the same way. Empty when it does not.
[[nodiscard]] QString programVersion(const ProgramPaths& paths, const QString& program);

} // namespace vitrine::qemu
