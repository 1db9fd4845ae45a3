// SPDX-License-Identifier: Apache-2.0
#include "core/posix/host.h"

#include <QFile>

#include <algorithm>
#include <array>
#include <sys/vfs.h>
#include <unistd.h>

namespace vitrine::posix {

namespace {

constexpr qint64 maximumMountInfo = 16 << 20; // bytes; hosts of containers have long ones
constexpr qint64 longestId = 4096;

// linux/magic.h and the file systems' own sources.
constexpr std::array<quint32, 11> foreignFileSystems{
    0x6969,     // NFS
    0xFF534D42, // CIFS
    0xFE534D42, // SMB 2
    0x517B,     // SMB
    0x65735546, // FUSE, virtiofs
    0x4D44,     // FAT
    0x2011BAB0, // exFAT
    0x7366746E, // NTFS (ntfs3)
    0x5346544E, // NTFS
    0x01021997, // 9p
    0x00C36400, // Ceph
};

// Files of /proc say size 0.
QByteArray textOf(const char* path, qint64 longest) {
    QFile file(QString::fromLatin1(path));
    return file.open(QIODevice::ReadOnly) ? file.read(longest) : QByteArray();
}

QByteArray firstLine(const char* path) {
    const QByteArray text = textOf(path, longestId).trimmed();
    return text.left(text.indexOf('\n'));
}

// Spaces and the like are written as \040 in /proc/self/mountinfo (proc(5)).
QByteArray unescaped(const QByteArray& text) {
    QByteArray plain;
    plain.reserve(text.size());
    for (qsizetype i = 0; i < text.size(); ++i) {
        bool isOctal = false;
        const int code = text[i] == '\\' ? text.mid(i + 1, 3).toInt(&isOctal, 8) : 0;
        plain += isOctal ? static_cast<char>(code) : text[i];
        i += isOctal ? 3 : 0;
    }
    return plain;
}

quint64 pages(int which) {
    const long count = ::sysconf(which);
    const long size = ::sysconf(_SC_PAGESIZE);
    return count > 0 && size > 0 ? static_cast<quint64>(count) * static_cast<quint64>(size) : 0;
}

} // namespace

QByteArray bootId() {
    return textOf("/proc/sys/kernel/random/boot_id", longestId).trimmed();
}

QByteArray hostId() {
    for (const char* path : {"/etc/machine-id", "/var/lib/dbus/machine-id"}) {
        const QByteArray text = firstLine(path);
        if (!text.isEmpty() && text != "uninitialized")
            return text;
    }
    return {};
}

quint64 physicalMemory() {
    return pages(_SC_PHYS_PAGES);
}

quint64 availableMemory() {
    return pages(_SC_AVPHYS_PAGES);
}

QList<QByteArray> mountPoints() {
    QList<QByteArray> points;
    for (const QByteArray& line : textOf("/proc/self/mountinfo", maximumMountInfo).split('\n')) {
        const QList<QByteArray> fields = line.split(' ');
        if (fields.size() >= 5)
            points.append(unescaped(fields[4]));
    }
    return points;
}

bool isForeignVolume(const char* path) {
    struct statfs info {};
    if (::statfs(path, &info) != 0)
        return false;
    const auto type = static_cast<quint32>(info.f_type);
    return std::find(foreignFileSystems.begin(), foreignFileSystems.end(), type) !=
           foreignFileSystems.end();
}

} // namespace vitrine::posix
