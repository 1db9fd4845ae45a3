// SPDX-License-Identifier: Apache-2.0
#include "ui/create/creation_choice.h"

#include "core/disk/disk_space.h"
#include "core/disk/file_copy.h"
#include "core/library/linux_machine.h"

#include <QFileInfo>

namespace vitrine::ui {

namespace {

std::optional<Error> problemOf(const CreationChoice& choice) {
    if (choice.file.isEmpty())
        return {};
    if (choice.kind == CreationChoice::Kind::MacOs) {
        const QFileInfo file(choice.file);
        if (!file.isFile() || !file.isReadable() || file.size() == 0)
            return Error{Error::Kind::NotFound,
                         Tr::tr("\"%1\" is no file that can be read. Choose a restore image; its "
                                "name ends in .ipsw.")
                             .arg(choice.file),
                         {}};
        return {};
    }
    NewLinuxMachine machine;
    if (choice.kind == CreationChoice::Kind::Disc)
        machine.installationDisc = choice.file;
    else
        machine.diskImage = choice.file;
    if (choice.diskSize)
        machine.diskSize = ByteCount::fromGB(*choice.diskSize);
    const auto possible = checkLinuxMachine(machine);
    return possible ? std::nullopt : std::optional(possible.error());
}

} // namespace

std::optional<CreationChoice::Kind> CreationChoice::kindOfFile(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == QLatin1String("iso"))
        return Kind::Disc;
    if (suffix == QLatin1String("img") || suffix == QLatin1String("raw"))
        return Kind::DiskImage;
    if (suffix == QLatin1String("ipsw"))
        return Kind::MacOs;
    return std::nullopt;
}

QStringList CreationChoice::words(const QStringList& more) const {
    QStringList words{QStringLiteral("create")};
    if (kind == Kind::MacOs) {
        words << QStringLiteral("--from-ipsw")
              << (file.isEmpty() ? QStringLiteral("latest") : file);
    } else {
        words << QStringLiteral("--linux");
        if (architecture != hostArchitecture())
            words << QStringLiteral("--arch") << toText(architecture);
        words << QStringLiteral("--cpu") << QString::number(cpuCount) << QStringLiteral("--memory")
              << QString::number(memory.wholeMiB());
        if (!file.isEmpty())
            words << (kind == Kind::Disc ? QStringLiteral("--iso") : QStringLiteral("--from-image"))
                  << file;
    }
    if (diskSize)
        words << QStringLiteral("--disk-size") << QString::number(*diskSize);
    return words << more << QStringLiteral("--") << name;
}

CreationOutlook lookAhead(const CreationChoice& choice, const QString& libraryHome) {
    CreationOutlook outlook;
    outlook.problem = problemOf(choice);
    if (const auto space = volumeSpace(libraryHome)) {
        outlook.volume = space->total;
        outlook.available = space->available;
    }
    if (choice.file.isEmpty())
        return outlook;
    const auto size = fileSize(choice.file);
    if (!size || !QFileInfo(choice.file).isFile())
        return outlook;
    outlook.fileSize = size->logical;
    if (choice.kind == CreationChoice::Kind::MacOs)
        outlook.atFirst =
            size->logical; // at least: what is installed is larger than what is packed
    else if (choice.kind == CreationChoice::Kind::DiskImage && !outlook.problem &&
             !canReflink(choice.file, libraryHome))
        outlook.atFirst = size->allocated;
    return outlook;
}

} // namespace vitrine::ui
