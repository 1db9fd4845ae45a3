// SPDX-License-Identifier: Apache-2.0
#include "qemu/nested_virtualization.h"

#include <QFile>

namespace vitrine::qemu {
namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.read(1 << 20) : QByteArray();
}

bool hasFlag(const QByteArray& cpuInfo, const QByteArray& flag) {
    const qsizetype begin = cpuInfo.indexOf("\nflags");
    const qsizetype end = cpuInfo.indexOf('\n', begin + 1);
    return begin >= 0 && cpuInfo.mid(begin, end - begin).simplified().split(' ').contains(flag);
}

} // namespace

QString whyNotNested(Architecture guest,
                     Accelerator accelerator,
                     const ProgramPaths& paths,
                     const HostInfo& host) {
    if (guest != host.architecture)
        return Tr::tr("An %1 machine is emulated on this %2 computer, and an emulated processor "
                      "offers no virtualization.")
            .arg(toText(guest), toText(host.architecture));
    if (guest == Architecture::Arm64)
        return Tr::tr("KVM offers it for amd64 machines only.");
    if (accelerator != Accelerator::Kvm)
        return Tr::tr("It needs KVM, and the machine is emulated (TCG).");
    const QByteArray cpu = contentOf(paths.cpuInfo);
    const bool intel = hasFlag(cpu, "vmx");
    if (!intel && !hasFlag(cpu, "svm"))
        return Tr::tr(
            "The processor shows neither \"vmx\" nor \"svm\". Switch virtualization on in "
            "the firmware's settings.");
    const QString module = intel ? QStringLiteral("kvm_intel") : QStringLiteral("kvm_amd");
    const QByteArray parameter = contentOf(paths.moduleFolder + QLatin1Char('/') + module +
                                           QStringLiteral("/parameters/nested"))
                                     .trimmed();
    if (parameter != "1" && parameter != "Y")
        return Tr::tr(
                   "The kernel module %1 has it switched off. Write \"options %1 nested=1\" into "
                   "\"/etc/modprobe.d/kvm.conf\" and restart this computer.")
            .arg(module);
    return {};
}

} // namespace vitrine::qemu
