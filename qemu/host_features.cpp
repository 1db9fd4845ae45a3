// SPDX-License-Identifier: Apache-2.0
#include "qemu/host_features.h"

#include "qemu/accelerator_probe.h"
#include "qemu/firmware.h"
#include "qemu/nested_virtualization.h"
#include "qemu/network_planner.h"
#include "qemu/peripheral_planner.h"
#include "qemu/sharing/share_transport.h"
#include "qemu/softnet/softnet_host.h"

#include <QFileInfo>

#include <QSysInfo>

#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::qemu {
namespace {

FeatureStatus yes(QString note = {}) {
    return {true, std::move(note)};
}

FeatureStatus no(QString reason) {
    return {false, std::move(reason)};
}

QString onlyMac() {
    return Tr::tr("Needs a Mac with Apple silicon.");
}

QString processorText(const HostInfo& host) {
    //: how many threads a processor runs at once
    const QString threads =
        host.threads == 1 ? Tr::tr("1 thread") : Tr::tr("%1 threads").arg(host.threads);
    return host.processor.isEmpty() ? threads
                                    : QStringLiteral("%1, %2").arg(host.processor, threads);
}

HostCheck checkVirtualization(const AcceleratorVerdict& verdict, const HostInfo& host) {
    HostCheck check;
    check.subject = Tr::tr("Hardware virtualization");
    if (verdict.usable()) {
        check.finding = QStringLiteral("KVM, %1").arg(processorText(host));
    } else {
        check.verdict = HostCheck::Verdict::Warning;
        check.finding = verdict.reason();
    }
    return check;
}

struct GuestSupport {
    FeatureStatus machines;
    FeatureStatus firmware;
    Emulator emulator;
};

GuestSupport supportFor(const ProgramPaths& paths,
                        const HostInfo& host,
                        Architecture guest,
                        const AcceleratorVerdict& verdict) {
    GuestSupport support;
    if (const auto emulator = findEmulator(paths, guest)) {
        support.emulator = *emulator;
        if (guest != host.architecture)
            support.machines = yes(Tr::tr("Emulated, much slower on this %1 processor.")
                                       .arg(toText(host.architecture)));
        else if (!verdict.usable())
            support.machines = yes(Tr::tr("Emulated, slow."));
        else
            support.machines = yes();
    } else {
        support.machines = no(emulator.error().message);
    }
    const auto firmware = findFirmware(paths, guest);
    support.firmware = firmware ? yes() : no(firmware.error().message);
    return support;
}

HostCheck checkMachines(const GuestSupport& support, Architecture guest) {
    HostCheck check;
    //: %1: "arm64" or "amd64"
    check.subject = Tr::tr("Machines for %1").arg(toText(guest));
    if (!support.machines.available) {
        check.verdict = HostCheck::Verdict::Missing;
        check.finding = support.machines.reason;
        return check;
    }
    check.finding = support.emulator.version.isEmpty()
                        ? QStringLiteral("QEMU")
                        : QStringLiteral("QEMU %1").arg(support.emulator.version);
    if (!support.machines.reason.isEmpty()) {
        check.verdict = HostCheck::Verdict::Warning;
        check.finding = support.machines.reason;
    }
    return check;
}

HostCheck checkFirmware(const GuestSupport& support, Architecture guest) {
    HostCheck check;
    //: %1: "arm64" or "amd64"
    check.subject = Tr::tr("Firmware for UEFI, %1").arg(toText(guest));
    if (support.firmware.available) {
        check.finding =
            guest == Architecture::Arm64 ? QStringLiteral("AAVMF") : QStringLiteral("OVMF");
    } else {
        check.verdict = HostCheck::Verdict::Missing;
        check.finding = support.firmware.reason;
    }
    return check;
}

HostCheck checkShares(const ProgramPaths& paths, const ShareTransport& transport) {
    HostCheck check;
    check.subject = Tr::tr("Shared folders");
    switch (transport.kind) {
    case ShareTransport::Kind::Virtiofs:
        check.verdict = HostCheck::Verdict::Good;
        check.finding = Tr::tr("virtiofs (virtiofsd %1)")
                            .arg(programVersion(paths, transport.virtiofsd))
                            .replace(QStringLiteral(" )"), QStringLiteral(")"));
        break;
    case ShareTransport::Kind::Plan9:
        check.verdict = HostCheck::Verdict::Warning;
        check.finding = transport.note;
        break;
    case ShareTransport::Kind::None:
        check.verdict = HostCheck::Verdict::Missing;
        check.finding = transport.note;
        break;
    }
    return check;
}

FeatureStatus unless(const QString& reason) {
    return reason.isEmpty() ? yes() : no(reason);
}

void addFeatures(QHash<Feature, FeatureStatus>& features,
                 const ProgramPaths& paths,
                 const HostInfo& host,
                 const AcceleratorVerdict& verdict) {
    features.insert(Feature::HardwareAcceleration, verdict.usable() ? yes() : no(verdict.reason()));
    features.insert(Feature::AcceleratorChoice, yes());
    features.insert(Feature::DarwinGuests,
                    no(Tr::tr("macOS machines run only on a Mac with Apple silicon, through "
                              "Apple's Virtualization framework.")));
    for (const Feature feature : {Feature::KernelBoot,
                                  Feature::DisplayRefit,
                                  Feature::DiskCaching,
                                  Feature::DiskSynchronisation,
                                  Feature::ReadOnlyRootDisk,
                                  Feature::Pause,
                                  Feature::Suspend,
                                  Feature::PortForwards,
                                  Feature::HostOnly,
                                  Feature::Serial,
                                  Feature::VncServer,
                                  Feature::Clipboard})
        features.insert(feature, yes());
    const Accelerator accelerator = verdict.usable() ? Accelerator::Kvm : Accelerator::Tcg;
    QString nested = whyNotNested(host.architecture, accelerator, paths, host);
    if (!verdict.usable() && host.architecture == Architecture::Amd64)
        nested = Tr::tr("It needs KVM. %1").arg(verdict.reason());
    features.insert(Feature::NestedVirtualization, unless(nested));
    features.insert(Feature::Bridged, unless(whyNotBridged(paths)));
    features.insert(Feature::Softnet, unless(whyNotSoftnet(paths)));
    // A card without a sound server is still a card: the reason is a note.
    const auto emulator = findEmulator(paths, host.architecture);
    features.insert(Feature::Audio,
                    yes(chooseAudio(paths, emulator ? emulator->path : QString()).reason));
    features.insert(Feature::Rosetta, no(onlyMac()));
    features.insert(Feature::Recovery, no(onlyMac()));
    features.insert(Feature::TrackpadChoice, no(onlyMac()));
}

QString deviceText() {
    struct stat device {};
    if (::stat("/dev/kvm", &device) != 0)
        return QStringLiteral("missing");
    return QStringLiteral("mode %1, owner %2:%3, %4")
        .arg(device.st_mode & 07777, 4, 8, QLatin1Char('0'))
        .arg(device.st_uid)
        .arg(device.st_gid)
        .arg(::access("/dev/kvm", R_OK | W_OK) == 0 ? QStringLiteral("usable by this user")
                                                    : QStringLiteral("not usable by this user"));
}

QString
diagnosisOf(const QString& emulator, const HostInfo& host, const AcceleratorVerdict& verdict) {
    return QStringLiteral("Vitrine %1\nSystem: %2\nKernel: %3\nProcessor: %4, %5 threads\n"
                          "Memory: %6\nEmulator: %7\n/dev/kvm: %8\nKVM test: %9\n")
        .arg(QStringLiteral(VITRINE_VERSION), QSysInfo::prettyProductName(), host.kernel)
        .arg(host.processor.isEmpty() ? QStringLiteral("unknown") : host.processor)
        .arg(host.threads)
        .arg(host.memory.toMemoryText(), emulator, deviceText())
        .arg(verdict.usable()           ? QStringLiteral("passed")
             : verdict.detail.isEmpty() ? QStringLiteral("not run")
                                        : verdict.detail.trimmed());
}

} // namespace

HypervisorInfo
describeHost(const ProgramPaths& paths, const HostInfo& host, Hypervisor::Refresh refresh) {
    HypervisorInfo info;
    const AcceleratorVerdict verdict = acceleratorVerdict(paths, refresh);
    const Architecture foreign =
        host.architecture == Architecture::Arm64 ? Architecture::Amd64 : Architecture::Arm64;
    const GuestSupport own = supportFor(paths, host, host.architecture, verdict);
    const GuestSupport other = supportFor(paths, host, foreign, verdict);
    const bool hostIsArm = host.architecture == Architecture::Arm64;

    info.architecture = host.architecture;
    info.name = QStringLiteral("QEMU");
    const QString version =
        own.emulator.version.isEmpty() ? other.emulator.version : own.emulator.version;
    if (!version.isEmpty())
        info.name += QLatin1Char(' ') + version;

    addFeatures(info.features, paths, host, verdict);
    for (const QString& bridge : bridges(paths))
        info.bridges.append({bridge, whyNotBridge(paths, bridge)});
    const ShareTransport shares = findShareTransport(paths);
    info.features.insert(Feature::LiveShares,
                         {shares.kind != ShareTransport::Kind::None, shares.note});
    info.features.insert(Feature::Arm64Guests, hostIsArm ? own.machines : other.machines);
    info.features.insert(Feature::Amd64Guests, hostIsArm ? other.machines : own.machines);
    const bool anyMachines = own.machines.available || other.machines.available;
    info.features.insert(Feature::LinuxGuests, anyMachines ? yes() : no(own.machines.reason));
    info.features.insert(Feature::EfiBoot, own.firmware);

    info.checks << checkVirtualization(verdict, host) << checkMachines(own, host.architecture)
                << checkMachines(other, foreign) << checkFirmware(own, host.architecture)
                << checkFirmware(other, foreign) << checkShares(paths, shares);
    info.diagnosis = diagnosisOf(info.name, host, verdict);
    return info;
}

} // namespace vitrine::qemu
