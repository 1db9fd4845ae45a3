// SPDX-License-Identifier: Apache-2.0
#include "core/library/foreign_volume.h"

#include "core/posix/host.h"

#include <QFile>

#include <sys/stat.h>
#include <thread>

namespace vitrine {

namespace {

struct Busy {
    std::mutex mutex;
    QSet<QString> directories;

    static Busy& instance() {
        static auto* busy = new Busy; // never destroyed: a hung thread may outlive main()
        return *busy;
    }
};

} // namespace

ForeignVolumes::ForeignVolumes(const QString& folder) {
    const QString below = folder + QLatin1Char('/');
    for (const QByteArray& place : posix::mountPoints()) {
        const QString point = QFile::decodeName(place);
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
