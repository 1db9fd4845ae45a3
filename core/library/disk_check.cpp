// SPDX-License-Identifier: Apache-2.0
#include "core/library/disk_check.h"

#include "core/disk/file_lock.h"
#include "core/image/image_reference.h"
#include "core/library/library.h"

#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <array>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr qint64 sector = 512; // bytes

// Beginnings of files that are taken for disks by mistake, from the formats' own descriptions.
struct Beginning {
    qint64 offset;
    QByteArrayView bytes;
    const char* name; // for people
    bool isDisk;      // qemu-img converts it
};
constexpr std::array beginnings{
    Beginning{0, "QFI\xfb", QT_TRANSLATE_NOOP("vitrine::Tr", "a qcow2 disk"), true},
    Beginning{0, "KDMV", QT_TRANSLATE_NOOP("vitrine::Tr", "a VMDK disk"), true},
    Beginning{0, "vhdxfile", QT_TRANSLATE_NOOP("vitrine::Tr", "a VHDX disk"), true},
    Beginning{0, "conectix", QT_TRANSLATE_NOOP("vitrine::Tr", "a VHD disk"), true},
    Beginning{64, "\x7f\x10\xda\xbe", QT_TRANSLATE_NOOP("vitrine::Tr", "a VDI disk"), true},
    Beginning{0,
              "\xfd"
              "7zXZ",
              QT_TRANSLATE_NOOP("vitrine::Tr", "an xz archive"),
              false},
    Beginning{0, "\x1f\x8b\x08", QT_TRANSLATE_NOOP("vitrine::Tr", "a gzip archive"), false},
    Beginning{0, "\x28\xb5\x2f\xfd", QT_TRANSLATE_NOOP("vitrine::Tr", "a zstd archive"), false},
    Beginning{0, "PK\x03\x04", QT_TRANSLATE_NOOP("vitrine::Tr", "a zip archive"), false},
};

const Beginning* beginningOf(const QString& path) {
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly))
        return nullptr;
    const QByteArray head = file.read(sector);
    for (const Beginning& beginning : beginnings)
        if (QByteArrayView(head)
                .sliced(std::min<qsizetype>(beginning.offset, head.size()))
                .startsWith(beginning.bytes))
            return &beginning;
    return nullptr;
}

Error cannotTake(const QString& path, const QString& reason, Error::Kind kind) {
    //: %1: path of a disk, %2: whole sentence
    return Error{kind, Tr::tr("The disk \"%1\" cannot be taken. %2").arg(path, reason), {}};
}

// The line to paste. Quoted for a shell.
QString conversionOf(const QString& path) {
    const auto quoted = [](QString text) {
        return QLatin1Char('\'') + text.replace(QLatin1Char('\''), QLatin1String("'\\''")) +
               QLatin1Char('\'');
    };
    const QFileInfo info(path);
    return QStringLiteral("qemu-img convert -O raw %1 %2")
        .arg(quoted(path),
             quoted(info.path() + QLatin1Char('/') + info.completeBaseName() +
                    QStringLiteral(".raw")));
}

} // namespace

std::optional<QString> foreignDiskFormat(const QString& path) {
    const Beginning* const found = beginningOf(path);
    return found ? std::optional(Tr::tr(found->name)) : std::nullopt;
}

Result<> checkDiskToCopy(const QString& path) {
    const QFileInfo info(path);
    if (!info.exists())
        return fail(cannotTake(
            path, Tr::tr("It does not exist. Check the path."), Error::Kind::InvalidInput));
    if (!info.isFile() || info.size() == 0)
        return fail(cannotTake(
            path, Tr::tr("It is no disk image file, or it is empty."), Error::Kind::InvalidInput));
    if (::access(QFile::encodeName(path).constData(), R_OK) != 0)
        return fail(cannotTake(path,
                               Tr::tr("It may not be read. Check the owner and mode of the file."),
                               Error::Kind::Permission));
    if (const Beginning* const found = beginningOf(path))
        return fail(cannotTake(
            path,
            found->isDisk ? Tr::tr("It is %1, and machines have raw disks. Convert it first: %2")
                                .arg(Tr::tr(found->name), conversionOf(path))
                          : Tr::tr("It is %1. Unpack it first.").arg(Tr::tr(found->name)),
            Error::Kind::Unsupported));
    const QString suffix = info.suffix().toLower();
    for (const char* format : {"qcow", "qcow2", "vmdk", "vdi", "vhd", "vhdx", "asif", "dmg"})
        if (suffix == QLatin1String(format))
            return fail(cannotTake(path,
                                   Tr::tr("Machines have raw disks. Convert it with \"qemu-img "
                                          "convert -O raw\" first."),
                                   Error::Kind::Unsupported));
    // A file that is being written gives a copy that never was.
    const QString beside = info.absolutePath() + QStringLiteral("/config.json");
    const auto holder = ConfigFile::holder(beside);
    if (DirectoryLock::isHeld(path) || (holder && holder->has_value()))
        return fail(cannotTake(path,
                               Tr::tr("A machine or another program uses it. Wait until that has "
                                      "ended."),
                               Error::Kind::Busy));
    if (info.size() % sector != 0)
        return fail(cannotTake(path,
                               Tr::tr("Its size is no multiple of 512 bytes, so it is no image of "
                                      "a disk."),
                               Error::Kind::InvalidInput));
    return {};
}

Error unusableDisk(const QString& path, const QString& reason, Error::Kind kind) {
    //: %1: path of a disk, %2: whole sentence
    return Error{kind, Tr::tr("The disk \"%1\" cannot be used. %2").arg(path, reason), {}};
}

Result<> checkDiskFile(const QString& path, bool readOnly) {
    const QFileInfo info(path);
    if (!info.exists())
        return fail(unusableDisk(path,
                                 Tr::tr("It does not exist. Check the path; a disk that a machine "
                                        "no longer needs is taken out in its settings.")));
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
