// SPDX-License-Identifier: Apache-2.0
#include "core/library/last_used.h"

#include <QFile>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#ifdef Q_OS_LINUX
#include <sys/xattr.h>
#endif

namespace vitrine {

namespace {

constexpr const char* attribute = "user.vitrine.used";
constexpr int longestNumber = 20; // characters

} // namespace

Result<> recordUse(const QString& directory, const QDateTime& when) {
    const QByteArray path = QFile::encodeName(directory);
    timespec times[2] = {};
    times[0].tv_sec = static_cast<time_t>(when.toSecsSinceEpoch());
    times[1].tv_nsec = UTIME_OMIT;
    if (::utimensat(AT_FDCWD, path.constData(), times, 0) != 0)
        return fail(
            Error::fromErrno(Tr::tr("Cannot note that \"%1\" was used.").arg(directory), errno));
#ifdef Q_OS_LINUX
    const QByteArray text = QByteArray::number(when.toSecsSinceEpoch());
    // Not every file system can; then the time above has to do.
    (void)::setxattr(
        path.constData(), attribute, text.constData(), static_cast<size_t>(text.size()), 0);
#endif
    return {};
}

std::optional<QDateTime> recordedUse(const QString& directory) {
#ifdef Q_OS_LINUX
    char text[longestNumber] = {};
    const ssize_t size =
        ::getxattr(QFile::encodeName(directory).constData(), attribute, text, sizeof(text));
    bool isNumber = false;
    const qint64 seconds =
        size > 0 ? QByteArray(text, static_cast<qsizetype>(size)).toLongLong(&isNumber) : 0;
    if (isNumber && seconds >= 0)
        return QDateTime::fromSecsSinceEpoch(seconds);
#else
    Q_UNUSED(directory)
#endif
    return std::nullopt;
}

} // namespace vitrine
