// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/host_features.h"

#include "vz/plan/host_reasons.h"

namespace vitrine::vz {
namespace {

FeatureStatus unless(const QString& reason) {
    return {reason.isEmpty(), reason};
}

QString onlyElsewhere() {
    return Tr::tr("Apple's framework has nothing of that kind.");
}

HostCheck check(const QString& subject, const QString& reason, const QString& good, bool vital) {
    HostCheck line;
    line.subject = subject;
    line.finding = reason.isEmpty() ? good : reason;
    if (!reason.isEmpty())
        line.verdict = vital ? HostCheck::Verdict::Missing : HostCheck::Verdict::Warning;
    return line;
}

} // namespace

HypervisorInfo describeHost(const HostCaps& host) {
    HypervisorInfo info;
    info.name = Tr::tr("Apple's Virtualization framework of macOS %1").arg(host.system.toText());
    info.architecture = host.architecture;
    const QString none = whyNoMachines(host);
    const bool isArm = host.architecture == Architecture::Arm64;
    const auto add = [&info, &none](Feature feature, const QString& reason) {
        info.features.insert(feature, unless(none.isEmpty() ? reason : none));
    };
    for (const Feature feature : {Feature::HardwareAcceleration,
                                  Feature::LinuxGuests,
                                  Feature::EfiBoot,
                                  Feature::KernelBoot,
                                  Feature::DiskCaching,
                                  Feature::DiskSynchronisation,
                                  Feature::ReadOnlyRootDisk,
                                  Feature::Pause,
                                  Feature::Softnet,
                                  Feature::HostOnly,
                                  Feature::LiveShares,
                                  Feature::Audio,
                                  Feature::Clipboard,
                                  Feature::Serial,
                                  Feature::VncServer})
        add(feature, {});
    const QString noMac = whyNoMacGuests(host);
    for (const Feature feature :
         {Feature::DarwinGuests, Feature::Recovery, Feature::TrackpadChoice})
        add(feature, noMac);
    add(Feature::Arm64Guests, isArm ? QString() : whyNoForeignGuests(host));
    add(Feature::Amd64Guests, isArm ? whyNoForeignGuests(host) : QString());
    add(Feature::DisplayRefit, whyNotRefit(host));
    add(Feature::Suspend, whyNotSuspend(true, host));
    add(Feature::NestedVirtualization, whyNotNested(false, host));
    add(Feature::Bridged, whyNotBridged(host));
    add(Feature::Rosetta, whyNotRosetta(false, host));
    info.features[Feature::Rosetta].installable =
        none.isEmpty() && host.rosetta == RosettaState::NotInstalled;
    add(Feature::AcceleratorChoice, onlyElsewhere());
    add(Feature::PortForwards,
        Tr::tr("On a Mac a machine has an address of its own: reach its ports there."));
    if (none.isEmpty())
        info.features[Feature::VncServer].reason =
            Tr::tr("On a Mac it is the screen sharing of the guest itself: switch it on there. Its "
                   "address is told as soon as it is known.");
    if (none.isEmpty() && !host.microphone)
        info.features[Feature::Audio].reason =
            Tr::tr("Without the microphone, which this copy of the program may not use.");
    for (const HostInterface& interface : host.interfaces)
        info.bridges.append({interface.identifier, whyNotBridged(host)});

    const QString processor = host.processor.isEmpty() ? toText(host.architecture) : host.processor;
    info.checks
        << check(Tr::tr("Hardware virtualization"), none, processor, true)
        << check(
               Tr::tr("macOS machines"), noMac, Tr::tr("They run, two at a time as a rule."), false)
        << check(Tr::tr("Suspending"), whyNotSuspend(true, host), Tr::tr("Possible"), false)
        << check(Tr::tr("Virtual machines inside machines"),
                 whyNotNested(false, host),
                 Tr::tr("Possible"),
                 false)
        << check(Tr::tr("Rosetta"), whyNotRosetta(false, host), Tr::tr("Installed"), false)
        << check(Tr::tr("Bridged network"), whyNotBridged(host), interfaceChoices(host), false);
    info.diagnosis =
        QStringLiteral("Vitrine %1\nSystem: macOS %2\nProcessor: %3, %4 threads\nMemory: %5\n"
                       "Virtualization: %6, entitled: %7, networking: %8\n")
            .arg(QStringLiteral(VITRINE_VERSION), host.system.toText(), processor)
            .arg(host.processors)
            .arg(host.memory.toMemoryText())
            .arg(host.virtualization ? QStringLiteral("yes") : QStringLiteral("no"),
                 host.virtualizationEntitled ? QStringLiteral("yes") : QStringLiteral("no"),
                 host.networkingEntitled ? QStringLiteral("yes") : QStringLiteral("no"));
    return info;
}

} // namespace vitrine::vz
