// SPDX-License-Identifier: Apache-2.0
#include "core/sharing/share_safety.h"

#include <QDir>
#include <QFileInfo>

namespace vitrine {

namespace {

// Both are canonical paths.
bool isWithin(const QString& path, const QString& folder) {
    return path == folder || folder == QLatin1String("/") ||
           path.startsWith(folder + QLatin1Char('/'));
}

// The real path, also of a folder that does not exist yet.
QString realPath(const QString& path) {
    const QString canonical = QFileInfo(path).canonicalFilePath();
    return canonical.isEmpty() ? QDir::cleanPath(path) : canonical;
}

Error refusal(const QString& folder, const QString& reason) {
    //: %1: path of a folder, %2: whole sentence
    return {Error::Kind::InvalidInput,
            Tr::tr("\"%1\" cannot be shared so that the guest can write. %2 Share it read-only, "
                   "or share another folder.")
                .arg(folder, reason),
            {}};
}

} // namespace

bool isPrivateFolder(const QString& folder) {
    const QString path = realPath(folder);
    const QString home = realPath(QDir::homePath());
    return path == home || path.startsWith(home + QStringLiteral("/."));
}

Result<QString>
checkSharedFolder(const QString& folder, ShareAccess access, const QStringList& libraries) {
    const QFileInfo info(folder);
    if (!info.exists())
        return fail(Error::Kind::NotFound,
                    Tr::tr("The folder \"%1\" cannot be shared: it does not exist.").arg(folder));
    if (!info.isDir())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("\"%1\" cannot be shared: it is not a folder. Share the folder it is "
                           "in.")
                        .arg(folder));
    const QString path = info.canonicalFilePath();
    for (const char* system : {"/proc", "/sys"})
        if (isWithin(path, QLatin1String(system)))
            return fail(
                Error::Kind::Unsupported,
                Tr::tr("\"%1\" cannot be shared: it belongs to the system kernel.").arg(folder));
    if (access == ShareAccess::Writable) {
        for (const QString& library : libraries) {
            const QString real = realPath(library);
            if (isWithin(path, real) || isWithin(real, path))
                return fail(refusal(folder,
                                    Tr::tr("It contains machines of the library \"%1\", or lies "
                                           "in it: the guest could change them.")
                                        .arg(library)));
        }
        if (path == QLatin1String("/"))
            return fail(refusal(folder, Tr::tr("It is all of this computer.")));
        for (const char* system : {"/etc", "/dev"})
            if (isWithin(path, QLatin1String(system)))
                return fail(refusal(folder, Tr::tr("This computer is configured there.")));
    }
    if (isPrivateFolder(path))
        return access == ShareAccess::Writable
                   ? Tr::tr("\"%1\" holds keys, passwords and settings of yours, and the guest can "
                            "read and change them.")
                         .arg(folder)
                   : Tr::tr("\"%1\" holds keys, passwords and settings of yours, and the guest can "
                            "read them.")
                         .arg(folder);
    return QString();
}

} // namespace vitrine
