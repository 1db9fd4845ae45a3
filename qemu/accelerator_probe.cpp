// SPDX-License-Identifier: Apache-2.0
#include "qemu/accelerator_probe.h"

#include "qemu/host_cache.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryFile>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::qemu {
namespace {

constexpr int probeVersion = 1;        // of the test guest; part of the fingerprint
constexpr int wholeTimeLimit = 1900;   // ms, from the question to the verdict
constexpr int smallestTestTime = 800;  // ms
constexpr int usableExitCode = 33;     // 0x10 written to isa-debug-exit: (0x10 << 1) | 1
constexpr qint64 timeoutKeptFor = 600; // s

struct Entry {
    AcceleratorVerdict::Cause cause;
    const char* word;
};
// Only what a test found is kept on disk.
constexpr Entry storedCauses[] = {{AcceleratorVerdict::Cause::Usable, "usable"},
                                  {AcceleratorVerdict::Cause::TestFailed, "failed"},
                                  {AcceleratorVerdict::Cause::TestTimedOut, "timeout"}};

// The line that names the error, else the last one, without the program's name.
QString tellingLine(const QByteArray& text) {
    const QStringList lines = QString::fromUtf8(text).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QString line = lines.isEmpty() ? QString() : lines.last();
    for (const QString& candidate : lines)
        if (candidate.contains(QLatin1String("error:"))) {
            line = candidate;
            break;
        }
    const QString program = emulatorName(hostArchitecture()) + QLatin1String(": ");
    if (line.startsWith(program))
        line.remove(0, program.size());
    return line.simplified().left(200);
}

constexpr bool onArm() {
#if defined(__aarch64__)
    return true;
#else
    return false;
#endif
}

QStringList testArguments(const QString& rom) {
    const char* const common =
        "-accel kvm -cpu host -m 64 -nodefaults -no-user-config -display none "
        "-no-reboot -machine ";
    const char* const machine =
        onArm() ? "virt,gic-version=host -serial stdio -bios"
                : "q35 -device isa-debug-exit,iobase=0xf4,iosize=4 -debugcon stdio -bios";
    return (QLatin1String(common) + QLatin1String(machine)).split(QLatin1Char(' ')) << rom;
}

// An arm64 guest has no device to choose an exit code with; its last letter tells.
bool hasRun(const BriefRun& run) {
    return onArm() ? run.exitCode == 0 && run.output.trimmed().endsWith("VMFCU")
                   : run.exitCode == usableExitCode;
}

AcceleratorVerdict testGuest(const QString& emulator, int timeLimit) {
    AcceleratorVerdict verdict;
    verdict.cause = AcceleratorVerdict::Cause::TestFailed;
    QTemporaryFile rom;
    const QByteArray content = probeRom();
    if (!rom.open() || rom.write(content) != content.size() || !rom.flush()) {
        verdict.detail = QStringLiteral("cannot write the test guest: ") + rom.errorString();
        return verdict;
    }
    const QStringList arguments = testArguments(rom.fileName());
    const BriefRun run = runBriefly(emulator, arguments, timeLimit);
    if (!run.started) {
        verdict.detail = QStringLiteral("%1 did not start").arg(emulator);
        return verdict;
    }
    const QString reached = QString::fromLatin1(run.output.left(16).simplified());
    if (run.timedOut) {
        verdict.cause = AcceleratorVerdict::Cause::TestTimedOut;
        verdict.detail = QStringLiteral("no end after %1 ms").arg(timeLimit);
    } else if (run.crashed) {
        verdict.detail = QStringLiteral("ended by signal %1").arg(run.exitCode);
    } else if (hasRun(run)) {
        verdict.cause = AcceleratorVerdict::Cause::Usable;
        return verdict;
    } else {
        verdict.detail = QStringLiteral("exit code %1").arg(run.exitCode);
    }
    if (!reached.isEmpty())
        verdict.detail += QStringLiteral(", got as far as %1").arg(reached);
    if (const QString line = tellingLine(run.errors); !line.isEmpty())
        verdict.detail += QStringLiteral(": ") + line;
    return verdict;
}

std::optional<AcceleratorVerdict> fromCache(const QJsonObject& object) {
    for (const Entry& entry : storedCauses) {
        if (object.value(QStringLiteral("verdict")).toString() != QLatin1String(entry.word))
            continue;
        const qint64 age =
            QDateTime::currentSecsSinceEpoch() - object.value(QStringLiteral("time")).toInteger();
        if (entry.cause == AcceleratorVerdict::Cause::TestTimedOut &&
            (age < 0 || age > timeoutKeptFor))
            return std::nullopt;
        AcceleratorVerdict verdict;
        verdict.cause = entry.cause;
        verdict.detail = object.value(QStringLiteral("detail")).toString();
        return verdict;
    }
    return std::nullopt;
}

QJsonObject toCache(const AcceleratorVerdict& verdict) {
    QJsonObject object;
    for (const Entry& entry : storedCauses)
        if (entry.cause == verdict.cause)
            object.insert(QStringLiteral("verdict"), QLatin1String(entry.word));
    object.insert(QStringLiteral("detail"), verdict.detail);
    object.insert(QStringLiteral("time"), QDateTime::currentSecsSinceEpoch());
    return object;
}

} // namespace

QString AcceleratorVerdict::reason() const {
    switch (cause) {
    case Cause::Usable:
        return {};
    case Cause::NoDevice:
        return Tr::tr("This computer offers no KVM (/dev/kvm is missing or nothing stands behind "
                      "it). Machines are emulated, "
                      "which is slow. Switch virtualization on in the computer's setup, or, in a "
                      "virtual machine, allow nested virtualization.");
    case Cause::NoPermission:
        return Tr::tr("You may not use /dev/kvm. Machines are emulated, which is slow. Join the "
                      "group \"kvm\" (\"sudo adduser $USER kvm\") and sign in again.");
    case Cause::NoEmulator:
        return Tr::tr("KVM could not be tested because \"%1\" is not installed. Install the "
                      "package \"%2\".")
            .arg(emulatorName(hostArchitecture()), emulatorPackage(hostArchitecture()));
    case Cause::TestFailed:
        //: %1: untranslated technical detail
        return Tr::tr("This computer offers /dev/kvm but a test guest did not run (%1). Machines "
                      "are emulated, which is slow.")
            .arg(detail);
    case Cause::TestTimedOut:
        //: %1: untranslated technical detail
        return Tr::tr("This computer offers /dev/kvm but a test guest did not come to its end "
                      "(%1). Machines are emulated, which is slow.")
            .arg(detail);
    }
    return {};
}

AcceleratorVerdict acceleratorVerdict(const ProgramPaths& paths, Hypervisor::Refresh refresh) {
    QElapsedTimer clock;
    clock.start();
    AcceleratorVerdict verdict;
    const QByteArray device = QFile::encodeName(paths.kvmDevice);
    struct stat status {};
    if (::stat(device.constData(), &status) != 0) {
        verdict.cause = AcceleratorVerdict::Cause::NoDevice;
        return verdict;
    }
    const int descriptor = ::open(device.constData(), O_RDWR | O_CLOEXEC);
    if (descriptor < 0) {
        // The node may stand there without a driver behind it.
        verdict.cause = errno == EACCES || errno == EPERM ? AcceleratorVerdict::Cause::NoPermission
                                                          : AcceleratorVerdict::Cause::NoDevice;
        return verdict;
    }
    ::close(descriptor);
    const QString emulator = paths.find(emulatorName(hostArchitecture()));
    if (emulator.isEmpty()) {
        verdict.cause = AcceleratorVerdict::Cause::NoEmulator;
        return verdict;
    }
    const QString fingerprint =
        QStringLiteral("%1|%2|%3|%4|%5:%6:%7")
            .arg(probeVersion)
            .arg(HostInfo::read().kernel, programVersion(paths, emulator), emulator)
            .arg(status.st_mode, 0, 8)
            .arg(status.st_uid)
            .arg(status.st_gid);
    const HostCache cache(paths.cacheFile);
    const QString key = QStringLiteral("kvm");
    if (refresh == Hypervisor::Refresh::UseCache)
        if (const auto known = cache.value(key, fingerprint))
            if (const auto kept = fromCache(*known))
                return *kept;
    verdict = testGuest(
        emulator, std::max(smallestTestTime, wholeTimeLimit - static_cast<int>(clock.elapsed())));
    cache.store(key, fingerprint, toCache(verdict));
    return verdict;
}

Result<AcceleratorDecision> chooseAccelerator(AcceleratorChoice choice,
                                              Architecture guest,
                                              Architecture host,
                                              const AcceleratorVerdict& verdict) {
    using Cause = AcceleratorVerdict::Cause;
    AcceleratorDecision decision;
    if (guest != host) {
        if (choice == AcceleratorChoice::Kvm)
            return fail(Error::Kind::Unsupported,
                        Tr::tr("KVM cannot run this machine: its processor is %1 and this "
                               "computer's is %2. Choose Automatic as its accelerator.")
                            .arg(toText(guest), toText(host)));
        decision.note = Tr::tr("Emulated, slow: the machine's processor is %1 and this computer's "
                               "is %2.")
                            .arg(toText(guest), toText(host));
        return decision;
    }
    switch (choice) {
    case AcceleratorChoice::Tcg:
        decision.note = Tr::tr("Emulated, slow: the machine's settings say so.");
        return decision;
    case AcceleratorChoice::Automatic:
        decision.accelerator = verdict.usable() ? Accelerator::Kvm : Accelerator::Tcg;
        decision.note = verdict.reason();
        return decision;
    case AcceleratorChoice::Kvm:
        break;
    }
    if (verdict.cause == Cause::NoDevice)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The machine's settings ask for KVM and this computer offers none "
                           "(/dev/kvm is missing or nothing stands behind it). Choose Automatic as "
                           "its accelerator."));
    if (verdict.cause == Cause::NoPermission)
        return fail(Error::Kind::Permission,
                    Tr::tr("The machine's settings ask for KVM and you may not use /dev/kvm. Join "
                           "the group \"kvm\" and sign in again, or choose Automatic as its "
                           "accelerator."));
    decision.accelerator = Accelerator::Kvm;
    if (!verdict.usable())
        decision.note = Tr::tr("KVM is used because the machine's settings say so, although a test "
                               "guest did not run (%1). If the machine does not start, choose "
                               "Automatic as its accelerator.")
                            .arg(verdict.detail);
    return decision;
}

} // namespace vitrine::qemu
