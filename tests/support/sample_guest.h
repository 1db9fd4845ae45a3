// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_copy.h"
#include "core/library/library.h"
#include "core/machine/sidecar.h"

#include <QDir>
#include <QFile>

namespace vitrine::test {

// Copies the sample guest (packaging/sample-guest; VITRINE_SAMPLE_GUEST names its folder) of this
// computer's architecture into a library. Started by its kernel it is ready sooner than by
// firmware.
enum class SampleBoot { Kernel, Firmware };
inline bool addSampleGuest(const Library& library, const QString& name, SampleBoot boot) {
    const QDir guest(qEnvironmentVariable("VITRINE_SAMPLE_GUEST") + QLatin1Char('/') +
                     toText(hostArchitecture()));
    const QString directory = library.machinesPath() + QLatin1Char('/') + name;
    if (!QDir().mkpath(directory)) {
        return false;
    }
    for (const char* file : {"config.json", "nvram.bin", "disk.img"}) {
        const QString source = guest.filePath(QLatin1String("machine/") + QLatin1String(file));
        if (!copyDisk(source, directory + QLatin1Char('/') + QLatin1String(file), {})) {
            return false;
        }
    }
    if (boot == SampleBoot::Firmware) {
        return true;
    }
    QFile words(guest.filePath(QStringLiteral("boot/cmdline")));
    if (!words.open(QIODevice::ReadOnly)) {
        return false;
    }
    const QString commandLine = QString::fromUtf8(words.readAll()).trimmed();
    return Sidecar::update(directory,
                           [&](Sidecar& sidecar) {
                               sidecar.run.kernel =
                                   KernelBoot{guest.filePath(QStringLiteral("boot/vmlinux")),
                                              guest.filePath(QStringLiteral("boot/initrd")),
                                              commandLine};
                           })
        .has_value();
}

} // namespace vitrine::test
