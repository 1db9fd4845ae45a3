// SPDX-License-Identifier: Apache-2.0
#include "core/disk/directory_tree.h"

#include "core/disk/file_descriptor.h"
#include "core/posix/files.h"

#include <QDir>
#include <QFile>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>

namespace vitrine {

namespace {

constexpr int maximumDepth = 128; // far above what a library holds; bounds the recursion

struct CloseDirectory {
    void operator()(DIR* directory) const { ::closedir(directory); }
};

class TreeRemoval final {
public:
    // Takes the descriptor.
    void removeEntries(FileDescriptor folder, const QString& path, int depth) {
        const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(folder.get()));
        if (!directory) {
            note(path, errno);
            return;
        }
        const int fd = folder.release();
        // Entries removed while reading may be skipped by some file systems: read until a pass
        // removes nothing.
        bool removed = true;
        while (removed) {
            removed = false;
            ::rewinddir(directory.get());
            while (const dirent* entry = ::readdir(directory.get())) {
                if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0)
                    continue;
                removed |= removeEntry(fd, entry->d_name, path, depth);
            }
        }
    }

    bool removeEntry(int folder, const char* name, const QString& folderPath, int depth) {
        const QString path = folderPath + QLatin1Char('/') + QFile::decodeName(name);
        if (::unlinkat(folder, name, 0) == 0)
            return true;
        if (errno != EISDIR && errno != EPERM) {
            note(path, errno);
            return false;
        }
        if (depth >= maximumDepth) {
            note(path, ELOOP);
            return false;
        }
        constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        FileDescriptor child(::openat(folder, name, flags));
        if (!child.isValid() && errno == EACCES) {
            // A folder of ours without permission bits, as images unpacked by others may hold.
            if (::fchmodat(folder, name, 0700, 0) == 0)
                child = FileDescriptor(::openat(folder, name, flags));
        }
        if (!child.isValid()) {
            note(path, errno == ENOTDIR ? EPERM : errno);
            return false;
        }
        struct stat info {};
        if (::fstat(child.get(), &info) == 0 && (info.st_mode & 0700) != 0700)
            ::fchmod(child.get(), 0700);
        removeEntries(std::move(child), path, depth + 1);
        if (::unlinkat(folder, name, AT_REMOVEDIR) == 0)
            return true;
        note(path, errno);
        return false;
    }

    [[nodiscard]] Result<> outcome() const {
        if (m_first)
            return fail(*m_first);
        return {};
    }

private:
    void note(const QString& path, int errorNumber) {
        if (errorNumber != ENOENT && !m_first)
            m_first = Error::fromErrno(Tr::tr("Cannot remove \"%1\".").arg(path), errorNumber);
    }
    std::optional<Error> m_first;
};

} // namespace

Result<> removeTree(const QString& path) {
    const QFileInfo info(QDir::cleanPath(path));
    const FileDescriptor folder(
        ::open(QFile::encodeName(info.path()).constData(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder.isValid()) {
        if (errno == ENOENT)
            return {};
        return fail(Error::fromErrno(Tr::tr("Cannot remove \"%1\".").arg(path), errno));
    }
    TreeRemoval removal;
    removal.removeEntry(
        folder.get(), QFile::encodeName(info.fileName()).constData(), info.path(), 0);
    return removal.outcome();
}

Result<> emptyDirectory(const QString& path) {
    FileDescriptor folder(::open(QFile::encodeName(path).constData(),
                                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!folder.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot open the folder \"%1\".").arg(path), errno));
    TreeRemoval removal;
    removal.removeEntries(std::move(folder), path, 0);
    return removal.outcome();
}

Result<> renameWithoutReplacing(const QString& from, const QString& to) {
    const QByteArray source = QFile::encodeName(from);
    const QByteArray target = QFile::encodeName(to);
    const QString what = Tr::tr("Cannot move \"%1\" to \"%2\".").arg(from, to);
    if (posix::renameExclusive(source.constData(), target.constData()))
        return {};
    if (errno == EXDEV)
        return fail(Error::Kind::Internal,
                    what + QLatin1Char(' ') +
                        Tr::tr("They are on different volumes. Put both on the same volume."),
                    QStringLiteral("EXDEV"));
    if (errno != EINVAL && errno != ENOSYS)
        return fail(Error::fromErrno(what, errno));
    struct stat info {};
    if (::lstat(source.constData(), &info) != 0)
        return fail(Error::fromErrno(what, errno));
    if (S_ISDIR(info.st_mode)) {
        // mkdir is exclusive, and rename replaces a folder only if it is empty.
        if (::mkdir(target.constData(), 0700) != 0)
            return fail(Error::fromErrno(what, errno));
        if (::rename(source.constData(), target.constData()) == 0)
            return {};
        const int errorNumber = errno;
        ::rmdir(target.constData());
        return fail(Error::fromErrno(what, errorNumber));
    }
    if (::link(source.constData(), target.constData()) != 0)
        return fail(Error::fromErrno(what, errno));
    ::unlink(source.constData());
    return {};
}

bool isOtherVolume(const Error& error) {
    return error.detail == QLatin1String("EXDEV");
}

Result<> makeDirectories(const QString& path, unsigned int mode) {
    const QString clean = QDir::cleanPath(path);
    struct stat info {};
    if (::stat(QFile::encodeName(clean).constData(), &info) == 0 && S_ISDIR(info.st_mode))
        return {};
    const QString parent = QFileInfo(clean).path();
    if (parent != clean)
        if (auto made = makeDirectories(parent); !made)
            return made;
    const QByteArray name = QFile::encodeName(clean);
    if (::mkdir(name.constData(), static_cast<mode_t>(mode)) == 0)
        return {};
    const int errorNumber = errno;
    if (errorNumber == EEXIST && ::stat(name.constData(), &info) == 0 && S_ISDIR(info.st_mode))
        return {};
    if (errorNumber == EEXIST)
        return fail(Error::Kind::AlreadyExists,
                    Tr::tr("Cannot create the folder \"%1\". A file or a link that leads nowhere "
                           "is in its place. Move it away.")
                        .arg(clean));
    return fail(
        Error::fromErrno(Tr::tr("Cannot create the folder \"%1\".").arg(clean), errorNumber));
}

} // namespace vitrine
