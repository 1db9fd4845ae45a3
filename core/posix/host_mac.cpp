// SPDX-License-Identifier: Apache-2.0
#include "core/posix/host.h"

#include <array>
#include <cstring>
#include <ctime>
#include <sys/mount.h>
#include <sys/sysctl.h>
#include <unistd.h>
#include <vector>

namespace vitrine::posix {

namespace {

template <class Number>
Number numberOf(const char* name) {
    Number number = 0;
    size_t size = sizeof(number);
    return ::sysctlbyname(name, &number, &size, nullptr, 0) == 0 && size == sizeof(number) ? number
                                                                                           : 0;
}

} // namespace

QByteArray bootId() {
    std::array<char, 64> text{};
    size_t size = text.size() - 1;
    return ::sysctlbyname("kern.bootsessionuuid", text.data(), &size, nullptr, 0) == 0
               ? QByteArray(text.data())
               : QByteArray();
}

QByteArray hostId() {
    std::array<unsigned char, 16> id{};
    const timespec wait{1, 0};
    return ::gethostuuid(id.data(), &wait) == 0
               ? QByteArray(reinterpret_cast<const char*>(id.data()), id.size()).toHex()
               : QByteArray();
}

quint64 physicalMemory() {
    return numberOf<quint64>("hw.memsize");
}

quint64 availableMemory() {
    // Percent, what the tool memory_pressure shows.
    const int level = numberOf<int>("kern.memorystatus_level");
    return level > 0 && level <= 100 ? physicalMemory() / 100 * static_cast<quint64>(level) : 0;
}

QList<QByteArray> mountPoints() {
    const int count = ::getfsstat(nullptr, 0, MNT_NOWAIT);
    if (count <= 0)
        return {};
    std::vector<struct statfs> volumes(static_cast<size_t>(count) + 8); // more may come meanwhile
    const int told = ::getfsstat(
        volumes.data(), static_cast<int>(volumes.size() * sizeof(struct statfs)), MNT_NOWAIT);
    QList<QByteArray> points;
    for (int i = 0; i < told; ++i)
        points.append(QByteArray(volumes.at(static_cast<size_t>(i)).f_mntonname));
    return points;
}

bool isForeignVolume(const char* path) {
    struct statfs info {};
    if (::statfs(path, &info) != 0)
        return false;
    if ((info.f_flags & MNT_LOCAL) == 0)
        return true;
    for (const char* kind : {"msdos", "exfat", "ntfs", "smbfs", "nfs", "webdav"})
        if (std::strcmp(info.f_fstypename, kind) == 0)
            return true;
    return std::strstr(info.f_fstypename, "fuse") != nullptr;
}

} // namespace vitrine::posix
