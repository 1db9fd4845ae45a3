// SPDX-License-Identifier: Apache-2.0
#include "core/disk/trash.h"

#include "core/disk/directory_tree.h"
#include "core/disk/disk_space.h"
#include "core/disk/file_descriptor.h"
#include "core/disk/mount.h"
#include "core/disk/small_file.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QStandardPaths>
#include <QUrl>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr int attempts = 1000;
constexpr qsizetype longestName = 255; // bytes of a file name; encrypting file systems take fewer
const QString noteSuffix = QStringLiteral(".trashinfo");

struct Trash {
    QString folder;
    QString top; // of the volume; empty for the home Trash, whose paths are absolute
};

// A folder of ours that nobody else can put things into.
bool makeOwn(const QString& path) {
    const QByteArray name = QFile::encodeName(path);
    if (::mkdir(name.constData(), 0700) != 0 && errno != EEXIST)
        return false;
    struct stat info {};
    return ::lstat(name.constData(), &info) == 0 && S_ISDIR(info.st_mode) &&
           info.st_uid == ::geteuid() && ::access(name.constData(), W_OK | X_OK) == 0;
}

bool prepare(const QString& folder) {
    return makeOwn(folder) && makeOwn(folder + QStringLiteral("/files")) &&
           makeOwn(folder + QStringLiteral("/info"));
}

// The folder where the mount that holds `folder` begins.
QString topOf(const QString& folder) {
    QString top = folder;
    while (top != QLatin1String("/") && isSameMount(QFileInfo(top).path(), folder))
        top = QFileInfo(top).path();
    return top;
}

// Of a path that exists or did.
std::optional<Trash> trashFor(const QString& path) {
    const QString folder = QFileInfo(path).path();
    const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    const QString home = data + QStringLiteral("/Trash");
    if (makeDirectories(data) && isSameMount(data, folder) && prepare(home) &&
        isSameMount(home + QStringLiteral("/files"), folder))
        return Trash{home, {}};
    const QString top = topOf(folder);
    const QString prefix = top == QLatin1String("/") ? QString() : top;
    struct stat info {};
    const QString common = prefix + QStringLiteral("/.Trash");
    // The administrator's folder counts only when it is a real folder with the sticky bit.
    if (::lstat(QFile::encodeName(common).constData(), &info) == 0 && S_ISDIR(info.st_mode) &&
        (info.st_mode & S_ISVTX) != 0) {
        const QString own = common + QStringLiteral("/%1").arg(::geteuid());
        if (prepare(own))
            return Trash{own, top};
    }
    const QString own = prefix + QStringLiteral("/.Trash-%1").arg(::geteuid());
    if (prepare(own))
        return Trash{own, top};
    return std::nullopt;
}

// The name's beginning with `ending` behind it in at most `bytes` bytes.
QString shortened(QString name, const QString& ending, qsizetype bytes) {
    const qsizetype room = bytes - QFile::encodeName(ending).size();
    while (!name.isEmpty() && QFile::encodeName(name).size() > room)
        name.chop(name.size() > 1 && name.back().isLowSurrogate() ? 2 : 1);
    return name + ending;
}

// As the Trash notes it.
QByteArray placeOf(const Trash& trash, const QString& path) {
    QString place = path;
    if (!trash.top.isEmpty())
        place = path.sliced(trash.top.size() + (trash.top.endsWith(QLatin1Char('/')) ? 0 : 1));
    return QUrl::toPercentEncoding(place, "/");
}

QByteArray infoText(const Trash& trash, const QString& path) {
    return "[Trash Info]\nPath=" + placeOf(trash, path) + "\nDeletionDate=" +
           QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-ddThh:mm:ss")).toLatin1() +
           '\n';
}

bool isThere(const QString& path) {
    struct stat info {};
    return ::lstat(QFile::encodeName(path).constData(), &info) == 0;
}

// The name in the Trash of what was moved from `path` last; empty when there is none.
QString lastFrom(const Trash& trash, const QString& path) {
    const QByteArray place = "Path=" + placeOf(trash, path);
    QString name;
    QByteArray latest;
    const QFileInfoList notes = QDir(trash.folder + QStringLiteral("/info"))
                                    .entryInfoList({QLatin1Char('*') + noteSuffix}, QDir::Files);
    for (const QFileInfo& note : notes) {
        const auto text = readSmallFile(note.filePath(), 64 * 1024);
        if (!text)
            continue;
        const QList<QByteArray> lines = text->split('\n');
        const auto dated = std::find_if(lines.begin(), lines.end(), [](const QByteArray& line) {
            return line.startsWith("DeletionDate=");
        });
        const QString candidate = note.fileName().chopped(noteSuffix.size());
        if (!lines.contains(place) || dated == lines.end() || *dated < latest ||
            !isThere(trash.folder + QStringLiteral("/files/") + candidate))
            continue;
        latest = *dated;
        name = candidate;
    }
    return name;
}

} // namespace

Result<QString> moveToTrash(const QString& path) {
    const QFileInfo info(path);
    // Without links on the way: they would hide where the volume begins.
    const QString absolute =
        QDir(QFileInfo(info.absolutePath()).canonicalFilePath()).filePath(info.fileName());
    struct stat present {};
    if (::lstat(QFile::encodeName(absolute).constData(), &present) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot move \"%1\" to the Trash.").arg(path), errno));
    const auto trash = trashFor(absolute);
    if (!trash)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" cannot be moved to the Trash, because its volume has none that "
                           "you may use. Delete it permanently instead.")
                        .arg(info.fileName()));
    qsizetype room = longestName - noteSuffix.size();
    for (int attempt = 1; attempt <= attempts; ++attempt) {
        const QString ending = attempt == 1 ? QString() : QStringLiteral(" %1").arg(attempt);
        const QString name = shortened(info.fileName(), ending, room);
        const QString note = trash->folder + QStringLiteral("/info/") + name + noteSuffix;
        const QString target = trash->folder + QStringLiteral("/files/") + name;
        const QByteArray noteName = QFile::encodeName(note);
        const FileDescriptor fd(
            ::open(noteName.constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
        if (!fd.isValid() && errno == EEXIST)
            continue;
        if (!fd.isValid() && errno == ENAMETOOLONG && room > 16) {
            room /= 2;
            continue;
        }
        if (!fd.isValid())
            return fail(Error::fromErrno(Tr::tr("Cannot create \"%1\".").arg(note), errno));
        auto moved = writeFully(fd.get(), infoText(*trash, absolute), 0, note);
        if (moved)
            moved = syncFile(fd.get(), note);
        if (moved)
            moved = renameWithoutReplacing(absolute, target);
        if (moved)
            return target;
        ::unlink(noteName.constData());
        if (moved.error().kind != Error::Kind::AlreadyExists)
            return fail(moved.error());
    }
    return fail(Error::Kind::AlreadyExists,
                Tr::tr("The Trash holds too many things called \"%1\". Empty it and try again.")
                    .arg(info.fileName()));
}

Result<> restoreFromTrash(const QString& path) {
    const QString absolute = QFileInfo(path).absoluteFilePath();
    const auto trash = trashFor(absolute);
    const QString name = trash ? lastFrom(*trash, absolute) : QString();
    if (name.isEmpty())
        return fail(
            Error::Kind::NotFound,
            Tr::tr("\"%1\" is not in the Trash any more.").arg(QFileInfo(absolute).fileName()));
    const auto moved =
        renameWithoutReplacing(trash->folder + QStringLiteral("/files/") + name, absolute);
    if (!moved && moved.error().kind == Error::Kind::AlreadyExists)
        return fail(Error::Kind::AlreadyExists,
                    Tr::tr("\"%1\" cannot be put back, because there is another one of this name. "
                           "Rename that one and try again.")
                        .arg(QFileInfo(absolute).fileName()));
    if (!moved)
        return moved;
    QFile::remove(trash->folder + QStringLiteral("/info/") + name + noteSuffix);
    return {};
}

} // namespace vitrine
