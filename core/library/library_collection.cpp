// SPDX-License-Identifier: Apache-2.0
#include "core/disk/directory_tree.h"
#include "core/disk/mount.h"
#include "core/library/library.h"
#include "core/library/runtime_directory.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSet>
#include <QUrl>
#include <QUuid>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

namespace vitrine {

namespace {

constexpr qint64 keptSeconds = 24 * 60 * 60; // contract 2 "Pulls"
constexpr int attempts = 8;
const QString stagingPrefix = QStringLiteral(".vitrine-new-");
// For what tmp/ cannot take because it lies on another volume.
const QString otherVolumeFolder = QStringLiteral(".vitrine-tmp");
const QString throwAwayMark = QStringLiteral(".vitrine-throw-away");

QDir::Filters everything() {
    return QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot;
}

QString freshName() {
    return QUuid::createUuid().toString(QUuid::WithoutBraces).toUpper();
}

// A name of freshName(), or of a folder that was not moved to its place yet.
bool isFreshName(const QString& text) {
    QString name = text;
    if (name.startsWith(stagingPrefix))
        name.remove(0, stagingPrefix.size());
    const QUuid id = QUuid::fromString(name);
    return !id.isNull() && id.toString(QUuid::WithoutBraces).toUpper() == name;
}

// Newest change of an entry or of what lies directly in it.
QDateTime lastChange(const QFileInfo& entry) {
    QDateTime last = entry.isSymLink() ? QDateTime::fromMSecsSinceEpoch(0) : entry.lastModified();
    if (entry.isDir() && !entry.isSymLink())
        for (const QFileInfo& child : QDir(entry.filePath()).entryInfoList(everything()))
            last = qMax(last, child.lastModified());
    return last;
}

bool isAnything(const QString& /*name*/) {
    return true;
}

bool isStaging(const QString& name) {
    return name.startsWith(stagingPrefix) && isFreshName(name);
}

// Made by makeThrowAway(), which marks it with the lock held: unlocked, its maker has ended.
bool isThrowAway(const QFileInfo& entry) {
    return isFreshName(entry.fileName()) && entry.isDir() && !entry.isSymLink() &&
           QFileInfo::exists(entry.absoluteFilePath() + QLatin1Char('/') + throwAwayMark);
}

// Unlocked entries whose name `isOurs`: old ones, and those that are of no use any more.
void collectFolder(const QString& folder,
                   bool (*isOurs)(const QString& name),
                   QStringList& removed) {
    const QDateTime now = QDateTime::currentDateTimeUtc();
    for (const QFileInfo& entry : QDir(folder).entryInfoList(everything())) {
        const QString path = entry.absoluteFilePath();
        const bool isOld = lastChange(entry).secsTo(now) > keptSeconds;
        if (!isOurs(entry.fileName()) || (!isOld && !isThrowAway(entry)))
            continue;
        std::optional<DirectoryLock> lock;
        if (!entry.isSymLink()) {
            auto taken = DirectoryLock::tryLock(path);
            if (!taken && taken.error().kind == Error::Kind::Busy)
                continue;
            if (taken)
                lock = *std::move(taken);
        }
        if (removeTree(path))
            removed.append(path);
    }
}

// Part of a reference, or a tag: none begins with a dot. What does is the library's own.
bool isOfImages(const QFileInfo& entry) {
    return !entry.fileName().startsWith(QLatin1Char('.'));
}

// Every link below `folder`, without following any.
void linksBelow(const QString& folder, int depth, QStringList& links) {
    if (depth > 32)
        return;
    for (const QFileInfo& entry : QDir(folder).entryInfoList(everything())) {
        if (!isOfImages(entry))
            continue;
        if (entry.isSymLink())
            links.append(entry.absoluteFilePath());
        else if (entry.isDir() && !entry.fileName().startsWith(QLatin1String("sha256:")))
            linksBelow(entry.absoluteFilePath(), depth + 1, links);
    }
}

void digestFoldersBelow(const QString& folder, int depth, QStringList& folders) {
    if (depth > 32)
        return;
    for (const QFileInfo& entry :
         QDir(folder).entryInfoList(QDir::Dirs | QDir::Hidden | QDir::NoDotAndDotDot)) {
        if (entry.isSymLink() || !isOfImages(entry))
            continue;
        if (entry.fileName().startsWith(QLatin1String("sha256:")))
            folders.append(entry.absoluteFilePath());
        else
            digestFoldersBelow(entry.absoluteFilePath(), depth + 1, folders);
    }
}

bool isInitialized(const QString& directory) {
    for (const char* file : {"/config.json", "/disk.img", "/nvram.bin"})
        if (!QFileInfo::exists(directory + QLatin1String(file)))
            return false;
    return true;
}

// A fresh folder in `parent`, which is made if it is missing.
Result<Library::TemporaryDirectory> makeFresh(const QString& home, const QString& parent) {
    if (auto made = makeDirectories(parent, parent.endsWith(otherVolumeFolder) ? 0700 : 0777);
        !made)
        return fail(made.error());
    const QString what = Tr::tr("Cannot create a temporary folder in \"%1\".").arg(parent);
    // Made and locked where no collector looks, then moved to where it is seen.
    const QString besides = isSameMount(home, parent) ? home : parent;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const QString name = freshName();
        const QString staging = besides + QLatin1Char('/') + stagingPrefix + name;
        if (::mkdir(QFile::encodeName(staging).constData(), 0700) != 0)
            return fail(Error::fromErrno(what, errno));
        auto lock = DirectoryLock::tryLock(staging);
        if (!lock) {
            if (lock.error().kind == Error::Kind::Busy ||
                lock.error().kind == Error::Kind::NotFound)
                continue;
            return fail(lock.error());
        }
        const QString path = parent + QLatin1Char('/') + name;
        auto moved = renameWithoutReplacing(staging, path);
        if (moved)
            return Library::TemporaryDirectory{path, *std::move(lock)};
        ::rmdir(QFile::encodeName(staging).constData());
        if (moved.error().kind != Error::Kind::AlreadyExists)
            return fail(moved.error());
    }
    return fail(Error::Kind::Busy, what + QLatin1Char(' ') + Tr::tr("Try again."));
}

// The registries' folders of the cache, which may be mounts of their own.
QStringList hostFolders(const QString& images) {
    QStringList folders;
    for (const QFileInfo& entry :
         QDir(images).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot | QDir::NoSymLinks))
        folders.append(entry.filePath());
    return folders;
}

} // namespace

QString Library::partialPath() const {
    const QString usual = m_home + QStringLiteral("/cache/vitrine-partial");
    const QString besides = imagesPath() + QStringLiteral("/.vitrine-partial");
    return isSameMount(nearestFolder(usual), nearestFolder(imagesPath())) ? usual : besides;
}

QStringList Library::partialPaths() const {
    return {m_home + QStringLiteral("/cache/vitrine-partial"),
            imagesPath() + QStringLiteral("/.vitrine-partial")};
}

Result<Library::TemporaryDirectory> Library::makeTemporary(const QString& near) const {
    const QString place = nearestFolder(near.isEmpty() ? machinesPath() : near);
    QString parent = temporaryPath();
    if (auto made = makeDirectories(parent); !made)
        return fail(made.error());
    if (!isSameMount(parent, place))
        parent = place + QLatin1Char('/') + otherVolumeFolder;
    return makeFresh(m_home, parent);
}

Result<Library::TemporaryDirectory> Library::makeThrowAway() const {
    auto temporary = makeTemporary();
    if (!temporary)
        return temporary;
    QFile mark(temporary->path + QLatin1Char('/') + throwAwayMark);
    if (!mark.open(QIODevice::WriteOnly)) {
        ::rmdir(QFile::encodeName(temporary->path).constData());
        return fail(Error::Kind::Permission,
                    Tr::tr("Cannot write in the folder \"%1\": %2.")
                        .arg(temporary->path, mark.errorString()));
    }
    return temporary;
}

Result<Library::TemporaryDirectory> Library::moveAside(const QString& path) const {
    // The places for it, best first. Those in the cache are hidden from whoever looks for images.
    const QString folder = QFileInfo(path).path();
    const QString hidden = QLatin1Char('/') + otherVolumeFolder;
    const QString cache = m_home + QStringLiteral("/cache");
    QStringList places{temporaryPath()};
    if (path.startsWith(cache + QLatin1Char('/'))) {
        places << cache + hidden << imagesPath() + hidden;
        for (const QString& host : hostFolders(imagesPath()))
            if (path.startsWith(host + QLatin1Char('/')))
                places << host + hidden;
    } else {
        places << folder + hidden;
    }
    Result<TemporaryDirectory> outcome = fail(Error::Kind::Internal, {});
    for (const QString& place : std::as_const(places)) {
        if (!isSameMount(nearestFolder(place), folder) && place != places.last())
            continue;
        auto aside = makeFresh(m_home, place);
        if (!aside)
            return aside;
        const auto moved = renameWithoutReplacing(
            path, aside->path + QLatin1Char('/') + QFileInfo(path).fileName());
        if (moved)
            return aside;
        ::rmdir(QFile::encodeName(aside->path).constData());
        outcome = fail(moved.error());
        if (!isOtherVolume(moved.error()))
            break; // a file system that refuses between its own parts: nearer then
    }
    return outcome;
}

QStringList Library::collectTemporary() const {
    QStringList removed;
    collectFolder(temporaryPath(), isAnything, removed);
    collectFolder(m_home, isStaging, removed);
    // Nothing but what makeFresh() made: another program may have given a machine that name.
    QStringList places{machinesPath(), m_home + QStringLiteral("/cache"), imagesPath()};
    places += hostFolders(imagesPath());
    for (const QString& place : std::as_const(places))
        collectFolder(place + QLatin1Char('/') + otherVolumeFolder, isFreshName, removed);
    removed += RuntimeDirectory::collect(m_home);
    return removed;
}

Result<DirectoryLock> Library::hostLock(const QString& host,
                                        int timeoutMilliseconds,
                                        const std::function<bool()>& cancelled) const {
    if (auto made = makeDirectories(hostPath(host)); !made)
        return fail(made.error());
    return DirectoryLock::lock(hostPath(host), timeoutMilliseconds, cancelled);
}

Result<> Library::collectImages() const {
    std::optional<Error> first;
    for (const QFileInfo& entry :
         QDir(imagesPath()).entryInfoList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        if (entry.isSymLink())
            continue;
        const QString host = QUrl::fromPercentEncoding(QFile::encodeName(entry.fileName()));
        const auto lock = hostLock(host, 0);
        const auto collected = lock ? collectImagesLocked(*lock, host) : Result<>();
        if (!collected && !first)
            first = collected.error();
    }
    if (first)
        return fail(*first);
    return {};
}

Result<> Library::collectImagesLocked(const DirectoryLock&, const QString& host) const {
    std::optional<Error> first;
    const auto note = [&first](const Result<>& outcome) {
        if (!outcome && !first)
            first = outcome.error();
    };
    // Tags of every host count: nothing forbids a link into another namespace.
    QStringList links;
    linksBelow(imagesPath(), 0, links);
    QSet<QString> tagged;
    const QString ofHost = QFileInfo(hostPath(host)).absoluteFilePath() + QLatin1Char('/');
    for (const QString& link : std::as_const(links)) {
        const auto target = tagTarget(link);
        if (target)
            tagged.insert(QFileInfo(*target).canonicalFilePath());
        else if (link.startsWith(ofHost) && ::unlink(QFile::encodeName(link).constData()) != 0 &&
                 errno != ENOENT)
            note(fail(Error::fromErrno(Tr::tr("Cannot remove \"%1\".").arg(link), errno)));
    }
    QStringList folders;
    digestFoldersBelow(hostPath(host), 0, folders);
    for (const QString& folder : std::as_const(folders)) {
        if (tagged.contains(QFileInfo(folder).canonicalFilePath()) || !isInitialized(folder) ||
            QFileInfo::exists(folder + QStringLiteral("/.explicitly-pulled")))
            continue;
        auto inUse = ConfigFile::tryLock(folder + QStringLiteral("/config.json"));
        if (!inUse)
            continue; // a push or a clone works with it; the next collection takes it
        const auto aside = moveAside(folder);
        note(aside ? removeTree(aside->path) : Result<>(fail(aside.error())));
    }
    if (first)
        return fail(*first);
    return {};
}

} // namespace vitrine
