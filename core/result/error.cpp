// SPDX-License-Identifier: Apache-2.0
#include "core/result/error.h"

#include <cerrno>
#include <cstring>

namespace vitrine {

Error Error::fromErrno(const QString& what, int errorNumber) {
    Error error;
    QString reason;
    switch (errorNumber) {
    case ENOSPC:
    case EDQUOT:
        error.kind = Kind::DiskFull;
        reason = Tr::tr("There is no space left. Free some space and try again.");
        break;
    case EACCES:
    case EPERM:
        error.kind = Kind::Permission;
        reason =
            Tr::tr("Permission was denied. Check the owner and mode of the file and its folder.");
        break;
    case EROFS:
        error.kind = Kind::Unsupported;
        reason = Tr::tr("The file system is read-only. Mount it for writing, or use a folder on "
                        "another one.");
        break;
    case EFBIG:
        error.kind = Kind::Unsupported;
        reason = Tr::tr("The file would be larger than its file system, or a limit of this "
                        "process, allows. Choose a smaller size, or a folder on another file "
                        "system.");
        break;
    case ENOENT:
    case ENOTDIR:
        error.kind = Kind::NotFound;
        reason = Tr::tr("It does not exist.");
        break;
    case EEXIST:
    case ENOTEMPTY:
        error.kind = Kind::AlreadyExists;
        reason = Tr::tr("It exists already.");
        break;
    case EAGAIN:
    case EBUSY:
    case ETXTBSY:
        error.kind = Kind::Busy;
        reason = Tr::tr("Another program is using it. Wait until it has finished.");
        break;
    default:
        error.kind = Kind::Internal;
        //: %1 is the operating system's own text
        reason =
            Tr::tr("The system says: %1.").arg(QString::fromLocal8Bit(std::strerror(errorNumber)));
        break;
    }
    error.message = what + QLatin1Char(' ') + reason;
    error.detail = QStringLiteral("errno %1 (%2)")
                       .arg(errorNumber)
                       .arg(QString::fromLocal8Bit(std::strerror(errorNumber)));
    return error;
}

Error Error::cancelled() {
    return Error{Kind::Cancelled, Tr::tr("Cancelled."), {}};
}

int exitCode(const Error& error) {
    switch (error.kind) {
    case Error::Kind::NotFound:
    case Error::Kind::NotRunning:
    case Error::Kind::AlreadyRunning:
        return 2;
    case Error::Kind::InvalidInput:
        return 64;
    case Error::Kind::Cancelled:
        return 130;
    default:
        return 1;
    }
}

} // namespace vitrine
