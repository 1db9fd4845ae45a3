// SPDX-License-Identifier: Apache-2.0
#include "core/library/last_used.h"

#include "core/posix/files.h"

#include <QFile>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>

namespace vitrine {

namespace {

constexpr const char* attribute = "vitrine.used";

} // namespace

Result<> recordUse(const QString& directory, const QDateTime& when) {
    const QByteArray path = QFile::encodeName(directory);
    timespec times[2] = {};
    times[0].tv_sec = static_cast<time_t>(when.toSecsSinceEpoch());
    times[1].tv_nsec = UTIME_OMIT;
    if (::utimensat(AT_FDCWD, path.constData(), times, 0) != 0)
        return fail(
            Error::fromErrno(Tr::tr("Cannot note that \"%1\" was used.").arg(directory), errno));
    // Not every file system can; then the time above has to do.
    (void)posix::setAttribute(
        path.constData(), attribute, QByteArray::number(when.toSecsSinceEpoch()));
    return {};
}

std::optional<QDateTime> recordedUse(const QString& directory) {
    bool isNumber = false;
    const qint64 seconds =
        posix::attribute(QFile::encodeName(directory).constData(), attribute).toLongLong(&isNumber);
    if (isNumber && seconds >= 0)
        return QDateTime::fromSecsSinceEpoch(seconds);
    return std::nullopt;
}

} // namespace vitrine
