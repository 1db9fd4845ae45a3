// SPDX-License-Identifier: Apache-2.0
#include "core/library/disk_check.h"

#include "core/image/image_reference.h"
#include "core/library/library.h"

#include <QFile>
#include <QFileInfo>

#include <unistd.h>

namespace vitrine {

Error unusableDisk(const QString& path, const QString& reason, Error::Kind kind) {
    //: %1: path of a disk, %2: whole sentence
    return Error{kind, Tr::tr("The disk \"%1\" cannot be used. %2").arg(path, reason), {}};
}

Result<> checkDiskFile(const QString& path, bool readOnly) {
    const QFileInfo info(path);
    if (!info.exists())
        return fail(unusableDisk(path, Tr::tr("It does not exist.")));
    if (info.isDir())
        return fail(unusableDisk(path, Tr::tr("It is a folder. Choose a disk image file.")));
    if (!info.isFile())
        return fail(unusableDisk(path, Tr::tr("It is not a file. Choose a disk image file.")));
    if (info.size() == 0)
        return fail(unusableDisk(path, Tr::tr("The file is empty.")));
    const int wanted = readOnly ? R_OK : R_OK | W_OK;
    if (::access(QFile::encodeName(path).constData(), wanted) != 0)
        return fail(Error::Kind::Permission,
                    readOnly
                        ? Tr::tr("The disk \"%1\" may not be read. Check the owner and mode of the "
                                 "file.")
                              .arg(path)
                        : Tr::tr("The disk \"%1\" may not be written. Check the owner and mode of "
                                 "the file, or use it read-only.")
                              .arg(path));
    return {};
}

Result<MachineInfo> imageOfDisk(const QString& machineDirectory, const QString& reference) {
    const QString machines = QFileInfo(machineDirectory).path();
    const QString home = QFileInfo(machines).path();
    const auto parsed = ImageReference::fromText(reference);
    if (!parsed)
        return fail(parsed.error());
    const QString missing =
        Tr::tr("There is no such file and no such image in the library. Pull "
               "the image first with \"vitrinectl pull\", or correct the path.");
    if (QFileInfo(machines).fileName() != QLatin1String("vms") ||
        !QFileInfo(home + QStringLiteral("/cache/OCIs")).isDir())
        return fail(unusableDisk(reference, missing));
    const auto library = Library::open(home);
    if (!library)
        return fail(library.error());
    const auto image = library->image(*parsed);
    if (!image)
        return fail(unusableDisk(reference, missing));
    if (!image->config)
        return fail(unusableDisk(reference, image->brokenReason));
    return *image;
}

} // namespace vitrine
