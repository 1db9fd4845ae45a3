// SPDX-License-Identifier: Apache-2.0
#include "core/disk/mount.h"

#include "core/disk/file_descriptor.h"
#include "core/disk/small_file.h"

#include <QFile>
#include <QFileInfo>

#include <fcntl.h>
#include <optional>
#include <sys/stat.h>

namespace vitrine {

namespace {

struct Place {
    dev_t device = 0;
    quint64 mount = 0; // 0 where mounts have no numbers
    friend bool operator==(const Place&, const Place&) = default;
};

#ifdef Q_OS_LINUX
// Every kernel tells it for an open file.
quint64 mountOfDescriptor(int descriptor) {
    const auto text = readSmallFile(QStringLiteral("/proc/self/fdinfo/%1").arg(descriptor), 65536);
    if (!text)
        return 0;
    for (const QByteArray& line : text->split('\n'))
        if (line.startsWith("mnt_id:"))
            return line.mid(7).trimmed().toULongLong();
    return 0;
}
#endif

std::optional<Place> placeOf(const QString& path) {
    const QByteArray name = QFile::encodeName(path);
    struct stat info {};
    if (::stat(name.constData(), &info) != 0)
        return std::nullopt;
    Place place{info.st_dev, 0};
#ifdef Q_OS_LINUX
#ifdef STATX_MNT_ID
    struct statx extended {};
    if (::statx(AT_FDCWD, name.constData(), 0, STATX_MNT_ID, &extended) == 0 &&
        (extended.stx_mask & STATX_MNT_ID) != 0) { // since Linux 5.8
        place.mount = extended.stx_mnt_id;
        return place;
    }
#endif
    const FileDescriptor fd(::open(name.constData(), O_PATH | O_CLOEXEC));
    if (fd.isValid())
        place.mount = mountOfDescriptor(fd.get());
#endif
    return place;
}

} // namespace

bool isSameMount(const QString& one, const QString& other) {
    const auto a = placeOf(one);
    return a && a == placeOf(other);
}

QString nearestFolder(const QString& path) {
    QString place = path;
    while (!QFileInfo::exists(place) && place != QFileInfo(place).path())
        place = QFileInfo(place).path();
    return place;
}

} // namespace vitrine
