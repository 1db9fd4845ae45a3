// SPDX-License-Identifier: Apache-2.0
#include "core/library/foreign_volume.h"

#include "core/disk/small_file.h"

#include <QFile>

#include <sys/stat.h>
#include <thread>

namespace vitrine {

namespace {

constexpr qint64 maximumMountInfo = 16 << 20; // bytes; hosts of containers have long ones

struct Busy {
    std::mutex mutex;
    QSet<QString> directories;

    static Busy& instance() {
        static auto* busy = new Busy; // never destroyed: a hung thread may outlive main()
        return *busy;
    }
};

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

} // namespace

ForeignVolumes::ForeignVolumes(const QString& folder) {
    const auto text = readSmallFile(QStringLiteral("/proc/self/mountinfo"), maximumMountInfo);
    if (!text)
        return;
    const QString below = folder + QLatin1Char('/');
    for (const QByteArray& line : text->split('\n')) {
        const QList<QByteArray> fields = line.split(' ');
        if (fields.size() < 5)
            continue;
        const QString point = QFile::decodeName(unescaped(fields[4]));
        if (point.startsWith(below))
            m_mountPoints.insert(point);
    }
}

bool ForeignVolumes::contains(const QString& directory) const {
    if (m_mountPoints.contains(directory))
        return true;
    struct stat info {};
    return ::lstat(QFile::encodeName(directory).constData(), &info) == 0 && S_ISLNK(info.st_mode);
}

bool HangGuard::begin(const QString& directory) {
    Busy& busy = Busy::instance();
    const std::scoped_lock lock(busy.mutex);
    const auto before = busy.directories.size();
    busy.directories.insert(directory);
    return busy.directories.size() > before;
}

void HangGuard::end(const QString& directory) {
    Busy& busy = Busy::instance();
    const std::scoped_lock lock(busy.mutex);
    busy.directories.remove(directory);
}

void HangGuard::detach(std::function<void()> work) {
    std::thread(std::move(work)).detach();
}

} // namespace vitrine
