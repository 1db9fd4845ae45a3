// SPDX-License-Identifier: Apache-2.0
#include "core/disk/directory_tree.h"
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

QDir::Filters everything() {
    return QDir::AllEntries | QDir::Hidden | QDir::System | QDir::NoDotAndDotDot;
}

QString freshName() {
    return QUuid::createUuid().toString(QUuid::WithoutBraces).toUpper();
}

std::optional<dev_t> deviceOf(const QString& path) {
    struct stat info {};
    if (::stat(QFile::encodeName(path).constData(), &info) != 0)
        return std::nullopt;
    return info.st_dev;
}

// Newest change of an entry or of what lies directly in it.
QDateTime lastChange(const QFileInfo& entry) {
    QDateTime last = entry.isSymLink() ? QDateTime::fromMSecsSinceEpoch(0) : entry.lastModified();
    if (entry.isDir() && !entry.isSymLink())
        for (const QFileInfo& child : QDir(entry.filePath()).entryInfoList(everything()))
            last = qMax(last, child.lastModified());
    return last;
}

void collectFolder(const QString& folder, const QString& prefix, QStringList& removed) {
    const QDateTime now = QDateTime::currentDateTimeUtc();
    for (const QFileInfo& entry : QDir(folder).entryInfoList(everything())) {
        if (!entry.fileName().startsWith(prefix) || lastChange(entry).secsTo(now) <= keptSeconds)
            continue;
        const QString path = entry.absoluteFilePath();
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

// Every link below `folder`, without following any.
void linksBelow(const QString& folder, int depth, QStringList& links) {
    if (depth > 32)
        return;
    for (const QFileInfo& entry : QDir(folder).entryInfoList(everything())) {
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
        if (entry.isSymLink())
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

} // namespace

Result<Library::TemporaryDirectory> Library::makeTemporary(const QString& near) const {
    // The nearest existing folder above the place it is meant for.
    QString place = near.isEmpty() ? machinesPath() : near;
    while (!deviceOf(place) && place != QFileInfo(place).path())
        place = QFileInfo(place).path();
    QString parent = temporaryPath();
    if (auto made = makeDirectories(parent); !made)
        return fail(made.error());
    if (deviceOf(parent) != deviceOf(place)) {
        parent = place + QLatin1Char('/') + otherVolumeFolder;
        if (auto made = makeDirectories(parent, 0700); !made)
            return fail(made.error());
    }
    const QString what = Tr::tr("Cannot create a temporary folder in \"%1\".").arg(parent);
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const QString name = freshName();
        // Made and locked where no collector looks, then moved to where it is seen.
        const bool besideParent = deviceOf(m_home) == deviceOf(parent);
        const QString staging =
            (besideParent ? m_home : parent) + QLatin1Char('/') + stagingPrefix + name;
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
            return TemporaryDirectory{path, *std::move(lock)};
        ::rmdir(QFile::encodeName(staging).constData());
        if (moved.error().kind != Error::Kind::AlreadyExists)
            return fail(moved.error());
    }
    return fail(Error::Kind::Busy, what + QLatin1Char(' ') + Tr::tr("Try again."));
}

Result<Library::TemporaryDirectory> Library::moveAside(const QString& path) const {
    // Never between the images: whatever lies there is taken for one.
    const QString cache = m_home + QStringLiteral("/cache");
    const bool isCached = path.startsWith(cache + QLatin1Char('/'));
    auto aside = makeTemporary(isCached ? cache : QFileInfo(path).path());
    if (!aside)
        return aside;
    const auto moved =
        renameWithoutReplacing(path, aside->path + QLatin1Char('/') + QFileInfo(path).fileName());
    if (!moved) {
        ::rmdir(QFile::encodeName(aside->path).constData());
        return fail(moved.error());
    }
    return aside;
}

QStringList Library::collectTemporary() const {
    QStringList removed;
    collectFolder(temporaryPath(), {}, removed);
    collectFolder(m_home, stagingPrefix, removed);
    for (const QString& place : {machinesPath(), m_home + QStringLiteral("/cache")}) {
        collectFolder(place + QLatin1Char('/') + otherVolumeFolder, {}, removed);
    }
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
