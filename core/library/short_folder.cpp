// SPDX-License-Identifier: Apache-2.0
#include "core/library/short_folder.h"

#include "core/value/sha256.h"

#include <QFile>

#include <cerrno>
#include <cstdio>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr qsizetype nameLength = 16; // hexadecimal digits of the folder's digest

Result<> makeOwn(const QString& path) {
    const QByteArray name = QFile::encodeName(path);
    if (::mkdir(name.constData(), 0700) != 0 && errno != EEXIST)
        return fail(Error::fromErrno(Tr::tr("Cannot create the folder \"%1\".").arg(path), errno));
    struct stat info {};
    if (::lstat(name.constData(), &info) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot use the folder \"%1\".").arg(path), errno));
    if (!S_ISDIR(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 077) != 0)
        return fail(Error::Kind::Permission,
                    Tr::tr("The folder \"%1\" is not private to you. Remove it, or make it yours "
                           "with mode 0700, and try again.")
                        .arg(path));
    return {};
}

bool leadsTo(const QByteArray& link, const QByteArray& target) {
    QByteArray found(target.size() + 1, '\0');
    const ssize_t size =
        ::readlink(link.constData(), found.data(), static_cast<size_t>(found.size()));
    return size == target.size() && found.startsWith(target);
}

} // namespace

Result<QString> shortFolder(const QString& folder, const QString& base) {
    const QString own = QStringLiteral("%1/vitrine-%2").arg(base).arg(::geteuid());
    if (auto made = makeOwn(own); !made)
        return fail(made.error());
    const QByteArray target = QFile::encodeName(folder);
    const QString path = own + QLatin1Char('/') + Sha256::ofBytes(target).toHex().left(nameLength);
    const QByteArray link = QFile::encodeName(path);
    if (leadsTo(link, target))
        return path;
    // Beside it and then over it: whoever uses it meanwhile finds the one or the other.
    const QByteArray fresh = link + '-' + QByteArray::number(::getpid()) + '-' +
                             QByteArray::number(reinterpret_cast<quintptr>(&own), 16);
    if (::symlink(target.constData(), fresh.constData()) != 0 ||
        std::rename(fresh.constData(), link.constData()) != 0) {
        const int error = errno;
        ::unlink(fresh.constData());
        return fail(Error::fromErrno(
            Tr::tr("Cannot make the link \"%1\" for the sockets of \"%2\".").arg(path, folder),
            error));
    }
    return path;
}

} // namespace vitrine
