// SPDX-License-Identifier: Apache-2.0
#include "core/registry/image_publisher.h"

#include "core/disk/directory_tree.h"
#include "core/disk/disk_space.h"
#include "core/disk/mount.h"
#include "core/disk/small_file.h"
#include "core/library/last_used.h"
#include "core/posix/files.h"

#include <QFile>
#include <QFileInfo>
#include <QUuid>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

enum class Node { Missing, Folder, Link, Other };

Node nodeAt(const QString& path) {
    struct stat info {};
    if (::lstat(QFile::encodeName(path).constData(), &info) != 0)
        return Node::Missing;
    if (S_ISDIR(info.st_mode))
        return Node::Folder;
    return S_ISLNK(info.st_mode) ? Node::Link : Node::Other;
}

bool isComplete(const QString& directory) {
    if (nodeAt(directory) != Node::Folder)
        return false;
    for (const auto* name : {"/config.json", "/disk.img", "/nvram.bin"}) {
        if (!QFileInfo::exists(directory + QLatin1String(name)))
            return false;
    }
    return true;
}

QString digestPath(const Library& library, const ImageReference& reference, const Sha256& digest) {
    return library.imagePath(ImageReference::withDigest(reference, digest));
}

// The folders from the registry's host down to the namespace.
QStringList foldersOf(const Library& library, const ImageReference& reference) {
    const QString root = library.imagesPath();
    const QString image = library.imagePath(reference);
    QStringList folders;
    qsizetype slash = root.size();
    while ((slash = image.indexOf(QLatin1Char('/'), slash + 1)) > 0)
        folders += image.left(slash);
    return folders;
}

// True when a tag may be put at the path.
Result<> checkTagPlace(const QString& path) {
    switch (nodeAt(path)) {
    case Node::Missing:
    case Node::Link:
        return {};
    case Node::Folder:
        return fail(Error::Kind::AlreadyExists,
                    Tr::tr("This tag cannot be stored: images of a longer name lie in \"%1\". "
                           "Delete those images, or pull this one by its digest.")
                        .arg(path));
    case Node::Other:
        break;
    }
    return fail(Error::Kind::AlreadyExists,
                Tr::tr("This tag cannot be stored: a file is in its place, \"%1\". Move it away.")
                    .arg(path));
}

Result<> makeFolders(const QStringList& folders) {
    for (const QString& folder : folders) {
        if (::mkdir(QFile::encodeName(folder).constData(), 0777) != 0 && errno != EEXIST)
            return fail(
                Error::fromErrno(Tr::tr("Cannot make the folder \"%1\".").arg(folder), errno));
        if (nodeAt(folder) != Node::Folder)
            return fail(
                Error::Kind::AlreadyExists,
                Tr::tr("This image cannot be stored: \"%1\" is in the way. It is the tag of an "
                       "image with a shorter name; delete that tag first.")
                    .arg(folder));
    }
    return {};
}

// Specification 1.5: the image that a tag leaves is the first that pruning takes.
void ageImageBehind(const QString& tagPath, const Sha256& next) {
    const QString old = QFile::symLinkTarget(tagPath);
    if (old.isEmpty() || QFileInfo(old).fileName() == next.toText())
        return;
    if (!QFileInfo(old).isSymLink())
        (void)recordUse(old, QDateTime::fromSecsSinceEpoch(0));
}

// The link is made in the partial store or tmp/, never beside the tag: a name left behind there
// would be taken for a tag.
Result<> linkTag(const Library& library, const QString& tagPath, const Sha256& digest) {
    const QString fresh = library.partialPath() + QLatin1String("/.tag-") +
                          QUuid::createUuid().toString(QUuid::WithoutBraces);
    if (auto made = makeDirectories(library.partialPath(), 0700); !made)
        return made;
    const QByteArray target = digest.toText().toLatin1(); // relative: a library may move (M11)
    const QByteArray from = QFile::encodeName(fresh);
    if (::symlink(target.constData(), from.constData()) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot make the tag \"%1\".").arg(tagPath), errno));
    ageImageBehind(tagPath, digest);
    if (::rename(from.constData(), QFile::encodeName(tagPath).constData()) != 0) {
        const int code = errno;
        ::unlink(from.constData());
        return fail(Error::fromErrno(Tr::tr("Cannot make the tag \"%1\".").arg(tagPath), code));
    }
    return syncDirectory(QFileInfo(tagPath).path());
}

} // namespace

bool isImageStored(const Library& library, const ImageReference& reference, const Sha256& digest) {
    return isComplete(digestPath(library, reference, digest));
}

bool isImageHere(const Library& library, const ImageReference& reference, const Sha256& digest) {
    const QString directory = digestPath(library, reference, digest);
    if (!isComplete(directory))
        return false;
    if (reference.isByDigest())
        return QFileInfo::exists(directory + QLatin1String("/.explicitly-pulled"));
    const QString tag = library.imagePath(reference);
    return nodeAt(tag) == Node::Link &&
           QFileInfo(tag).canonicalFilePath() == QFileInfo(directory).canonicalFilePath();
}

Result<> checkImagePath(const Library& library, const ImageReference& reference) {
    const QStringList folders = foldersOf(library, reference);
    // What is fetched is renamed to its place.
    if (const QString place = nearestFolder(folders.last());
        !isSameMount(nearestFolder(library.partialPath()), place))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("This image cannot be stored: the folder \"%1\" of the library is a "
                           "volume of its own. Unmount it, or mount the volume at \"%2\" instead.")
                        .arg(place, library.imagesPath()));
    for (const QString& folder : folders) {
        const Node node = nodeAt(folder);
        if (node == Node::Missing)
            return {};
        if (node != Node::Folder)
            return makeFolders({folder});
    }
    return reference.isByDigest() ? Result<>() : checkTagPlace(library.imagePath(reference));
}

Result<QString> publishImage(const Publication& publication, PartialStore* store) {
    const Library& library = publication.library;
    const ImageReference& reference = publication.reference;
    const Sha256& digest = publication.digest;
    const std::stop_token& stop = publication.stop;
    const QString target = digestPath(library, reference, digest);
    const QStringList folders = foldersOf(library, reference);
    if (auto made = makeDirectories(library.imagesPath()); !made)
        return fail(made.error());
    if (auto made = makeFolders(folders); !made)
        return fail(made.error());
    {
        auto lock = DirectoryLock::tryLock(folders.first());
        if (!lock && lock.error().kind == Error::Kind::Busy) {
            if (publication.onWait)
                publication.onWait();
            lock = DirectoryLock::lock(
                folders.first(), INT_MAX, [&] { return stop.stop_requested(); });
        }
        if (!lock)
            return fail(lock.error());
        if (auto made = makeFolders(folders); !made) // somebody may have changed them meanwhile
            return fail(made.error());
        if (!reference.isByDigest()) {
            if (auto place = checkTagPlace(library.imagePath(reference)); !place)
                return fail(place.error());
        }

        const bool there = isComplete(target);
        if (!there && !store)
            return fail(Error::Kind::NotFound,
                        Tr::tr("The image \"%1\" was deleted meanwhile. Pull it again.")
                            .arg(reference.toText()));
        if (!there) {
            if (nodeAt(target) != Node::Missing) {
                // Half an image. Moved where it is collected, not deleted.
                if (const auto aside = library.moveAside(target); !aside)
                    return fail(aside.error());
            }
            if (auto moved = renameWithoutReplacing(store->imagePath(), target); !moved)
                return fail(moved.error());
            if (auto synced = syncDirectory(folders.last()); !synced)
                return fail(synced.error());
        }
        if (reference.isByDigest()) {
            const QString marker = target + QLatin1String("/.explicitly-pulled");
            const FileDescriptor file(::open(QFile::encodeName(marker).constData(),
                                             O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                                             0600));
            if (!file.isValid())
                return fail(Error::fromErrno(Tr::tr("Cannot write \"%1\".").arg(marker), errno));
        } else if (auto linked = linkTag(library, library.imagePath(reference), digest); !linked) {
            return fail(linked.error());
        }
    }
    return target;
}

Result<> flushFile(int descriptor,
                   const QString& path,
                   quint64 size,
                   const std::stop_token& stop,
                   const std::function<void(quint64)>& report) {
    // All of it is started at once and then waited for piece by piece: fsync itself cannot be
    // cancelled. Errors are left to the fsync, which sees them too.
    constexpr quint64 step = 16 * 1024 * 1024;
    for (quint64 offset = 0; offset < size; offset += 4 * step) {
        if (stop.stop_requested())
            return fail(Error::cancelled());
        posix::startWriteBack(descriptor, offset, std::min(4 * step, size - offset));
    }
    for (quint64 offset = 0; offset < size; offset += step) {
        if (stop.stop_requested())
            return fail(Error::cancelled());
        if (!posix::writeBack(descriptor, offset, std::min(step, size - offset)))
            break;
        report(std::min(offset + step, size));
    }
    return syncFile(descriptor, path);
}

} // namespace vitrine
