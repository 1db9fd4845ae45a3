// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/host_reasons.h"

#include "core/result/error.h"

#include <QStringList>

namespace vitrine::vz {

QString whyNoMachines(const HostCaps& host) {
    if (host.system < macOs13)
        return Tr::tr("It needs macOS 13; this is macOS %1.").arg(host.system.toText());
    if (!host.virtualization)
        return Tr::tr("This Mac has no hardware virtualization, or it is inside a virtual machine "
                      "that does not pass it on.");
    if (!host.virtualizationEntitled)
        return Tr::tr("This copy of the program is not signed for virtualization. Sign it with "
                      "its entitlements, or install it again.");
    return {};
}

QString whyNoMacGuests(const HostCaps& host) {
    if (host.architecture != Architecture::Arm64)
        return Tr::tr("macOS machines run only on a Mac with Apple silicon.");
    return whyNoMachines(host);
}

QString whyNoForeignGuests(const HostCaps& host) {
    if (host.architecture == Architecture::Arm64)
        return Tr::tr("A Mac with Apple silicon runs arm64 machines only. Programs for amd64 run "
                      "inside one with Rosetta.");
    return Tr::tr("A Mac with an Intel processor runs amd64 machines only.");
}

QString whyNotNested(bool macGuest, const HostCaps& host) {
    if (macGuest)
        return Tr::tr("Only Linux machines can run virtual machines of their own. Switch it off "
                      "in Settings.");
    if (host.architecture != Architecture::Arm64)
        return Tr::tr("It needs a Mac with Apple silicon, M3 or later.");
    if (host.system < macOs15)
        return Tr::tr("It needs macOS 15; this is macOS %1.").arg(host.system.toText());
    if (!host.nested)
        return host.processor.isEmpty()
                   ? Tr::tr("It needs an M3 or later, and that no policy forbids it.")
                   : Tr::tr("It needs an M3 or later, and that no policy forbids it; this is an "
                            "%1.")
                         .arg(host.processor);
    return {};
}

QString whyNotSuspend(bool macGuest, const HostCaps& host) {
    if (!macGuest)
        return Tr::tr("On a Mac only macOS machines can be suspended.");
    if (host.architecture != Architecture::Arm64)
        return Tr::tr("It needs a Mac with Apple silicon.");
    if (host.system < macOs14)
        return Tr::tr("It needs macOS 14; this is macOS %1.").arg(host.system.toText());
    return {};
}

QString whyNotBridged(const HostCaps& host) {
    if (!host.networkingEntitled)
        return Tr::tr("Apple lets only programs with the entitlement com.apple.vm.networking do "
                      "that, which this copy does not have. Use Softnet, or a copy that was signed "
                      "with it.");
    if (host.interfaces.isEmpty())
        return Tr::tr("This Mac has no interface to be bridged to.");
    return {};
}

QString whyNotRosetta(bool macGuest, const HostCaps& host) {
    if (macGuest)
        return Tr::tr("It is for Linux machines. Switch it off under Boot in the machine's "
                      "settings.");
    switch (host.rosetta) {
    case RosettaState::NotSupported:
        return Tr::tr("It needs a Mac with Apple silicon and macOS 13.");
    case RosettaState::NotInstalled:
        return Tr::tr("It is not installed on this Mac. Type this in Terminal, once: "
                      "softwareupdate --install-rosetta");
    case RosettaState::Installed:
        break;
    }
    return {};
}

QString whyNotRefit(const HostCaps& host) {
    if (host.system < macOs14)
        return Tr::tr("That the display follows the window needs macOS 14; this is macOS %1.")
            .arg(host.system.toText());
    return {};
}

QString interfaceChoices(const HostCaps& host) {
    QStringList choices;
    for (const HostInterface& interface : host.interfaces)
        choices << (interface.name.isEmpty()
                        ? interface.identifier
                        //: %1: "en0", %2: "Wi-Fi"
                        : Tr::tr("%1 (or \"%2\")").arg(interface.identifier, interface.name));
    return choices.join(QLatin1String(", "));
}

} // namespace vitrine::vz
