// SPDX-License-Identifier: Apache-2.0
#include "qemu/watched_disks.h"

#include <QFile>

#include <fcntl.h>
#include <sys/stat.h>

namespace vitrine::qemu {

void WatchedDisks::watch(const LaunchPlan& plan) {
    QStringList paths{plan.diskPath};
    for (const PlannedDisk& disk : plan.disks) {
        if (disk.kind == ExtraDisk::Kind::File) {
            paths << disk.path;
        }
    }
    for (const QString& path : std::as_const(paths)) {
        FileDescriptor file(::open(QFile::encodeName(path).constData(), O_PATH | O_CLOEXEC));
        if (file.isValid()) {
            m_disks.push_back({path, std::move(file)});
        }
    }
}

QString WatchedDisks::missing() const {
    for (const Disk& disk : m_disks) {
        struct stat found {};
        if (::fstat(disk.file.get(), &found) == 0 && found.st_nlink == 0) {
            return disk.path;
        }
    }
    return {};
}

} // namespace vitrine::qemu
