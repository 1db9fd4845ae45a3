// SPDX-License-Identifier: Apache-2.0
#include "core/disk/trash.h"

#include "core/disk/directory_tree.h"

#include <QFile>
#include <QFileInfo>
#include <QHash>

#include <mutex>

namespace vitrine {

namespace {

// Where things went that this process moved. The Finder's own note of it is not for programs, and
// the Trash cannot be listed without the user's leave.
struct Moved {
    std::mutex mutex;
    QHash<QString, QString> places;

    static Moved& instance() {
        static Moved moved;
        return moved;
    }
};

} // namespace

Result<QString> moveToTrash(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    QString target;
    if (!QFile::moveToTrash(absolute, &target) || target.isEmpty())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" cannot be moved to the Trash, because its volume has none that "
                           "you may use. Delete it permanently instead.")
                        .arg(QFileInfo(absolute).fileName()));
    Moved& moved = Moved::instance();
    const std::scoped_lock lock(moved.mutex);
    moved.places.insert(absolute, target);
    return target;
}

Result<> restoreFromTrash(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    Moved& moved = Moved::instance();
    const std::scoped_lock lock(moved.mutex);
    const QString place = moved.places.value(absolute);
    if (place.isEmpty() || !QFileInfo::exists(place))
        return fail(Error::Kind::NotFound,
                    Tr::tr("\"%1\" cannot be put back from here. Open the Trash, look for it, and "
                           "choose Put Back.")
                        .arg(QFileInfo(absolute).fileName()));
    const auto back = renameWithoutReplacing(place, absolute);
    if (!back && back.error().kind == Error::Kind::AlreadyExists)
        return fail(Error::Kind::AlreadyExists,
                    Tr::tr("\"%1\" cannot be put back, because there is another one of this name. "
                           "Rename that one and try again.")
                        .arg(QFileInfo(absolute).fileName()));
    if (back)
        moved.places.remove(absolute);
    return back;
}

} // namespace vitrine
