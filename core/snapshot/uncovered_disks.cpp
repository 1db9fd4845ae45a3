// SPDX-License-Identifier: Apache-2.0
#include "core/snapshot/uncovered_disks.h"

#include "core/library/machine_reader.h"
#include "core/library/saved_state.h"
#include "core/machine/sidecar.h"

#include <QDir>

namespace vitrine {

namespace {

QString listed(const QStringList& disks) {
    QStringList quoted;
    for (const QString& disk : disks)
        quoted << QStringLiteral("\"%1\"").arg(disk);
    return quoted.join(QStringLiteral(", "));
}

} // namespace

QStringList uncoveredDisks(const RunOptions& options) {
    QStringList disks;
    for (const ExtraDisk& disk : options.disks)
        if (!disk.options.readOnly && !disk.isOptical() &&
            disk.kind(QDir::rootPath()) != ExtraDisk::Kind::CachedImage)
            disks << disk.path;
    return disks;
}

QStringList uncoveredDisksOf(const QString& machineDirectory) {
    if (MachineReader::isSuspended(machineDirectory))
        if (const auto saved = StateFingerprint::read(machineDirectory))
            return uncoveredDisks(saved->run);
    const auto sidecar = Sidecar::read(machineDirectory);
    return sidecar ? uncoveredDisks(sidecar->run) : QStringList();
}

QString notInSnapshot(const QStringList& disks) {
    return disks.size() == 1
               ? Tr::tr("The disk %1 is not part of the snapshot: going back leaves it as it is.")
                     .arg(listed(disks))
               : Tr::tr("The disks %1 are not part of the snapshot: going back leaves them as they "
                        "are.")
                     .arg(listed(disks));
}

QString notGoingBack(const QStringList& disks) {
    return disks.size() == 1
               ? Tr::tr("The disk %1 is not part of the snapshot and keeps what it has now.")
                     .arg(listed(disks))
               : Tr::tr("The disks %1 are not part of the snapshot and keep what they have now.")
                     .arg(listed(disks));
}

Result<> checkMemoryFits(const QString& snapshotFolder, const QString& machineDirectory) {
    const auto saved = StateFingerprint::read(snapshotFolder);
    if (!saved)
        return saved.error().kind == Error::Kind::NotFound ? Result<>() : fail(saved.error());
    for (const StateFingerprint::File& file : saved->files) {
        if (QDir::isRelativePath(file.path))
            continue; // comes from the snapshot
        const auto now = fingerprintFiles(machineDirectory, {file.path});
        if (!now)
            return fail(now.error());
        if (*now != QList<StateFingerprint::File>{file})
            return fail(
                Error::Kind::Unsupported,
                Tr::tr("The memory in the snapshot does not fit any more: the disk \"%1\" was "
                       "written since, and no snapshot keeps that one. Go back without the memory "
                       "(--without-memory); the guest boots then.")
                    .arg(file.path));
    }
    return {};
}

} // namespace vitrine
