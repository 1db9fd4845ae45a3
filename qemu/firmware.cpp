// SPDX-License-Identifier: Apache-2.0
#include "qemu/firmware.h"

#include "core/disk/disk_space.h"
#include "core/disk/file_copy.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>

#include <cerrno>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::qemu {
namespace {

constexpr qint64 signatureOffset = 40;
constexpr const char* signature = "_FVH";

QString package(Architecture guest) {
    return guest == Architecture::Arm64 ? QStringLiteral("qemu-efi-aarch64")
                                        : QStringLiteral("ovmf");
}

bool isReadableFile(const QString& path) {
    const QFileInfo info(path);
    return info.isFile() && info.isReadable() && info.size() > 0;
}

bool isWritable(const QString& path) {
    return ::access(QFile::encodeName(path).constData(), R_OK | W_OK) == 0;
}

// 0 or errno.
int renameWithoutReplacing(const QString& from, const QString& to) {
    const QByteArray source = QFile::encodeName(from);
    const QByteArray target = QFile::encodeName(to);
    if (::renameat2(AT_FDCWD, source.constData(), AT_FDCWD, target.constData(), RENAME_NOREPLACE) ==
        0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return errno;
    // A filesystem without this kind of rename. The machine's lock keeps others of us away.
    struct stat status {};
    if (::lstat(target.constData(), &status) == 0)
        return EEXIST;
    return ::rename(source.constData(), target.constData()) == 0 ? 0 : errno;
}

} // namespace

Result<Firmware> findFirmware(const ProgramPaths& paths, Architecture guest) {
    Firmware firmware;
    if (guest == Architecture::Arm64) {
        firmware.code = paths.aavmfFolder + QStringLiteral("/AAVMF_CODE.fd");
        firmware.variables = paths.aavmfFolder + QStringLiteral("/AAVMF_VARS.fd");
    } else {
        firmware.code = paths.ovmfFolder + QStringLiteral("/OVMF_CODE_4M.fd");
        firmware.variables = paths.ovmfFolder + QStringLiteral("/OVMF_VARS_4M.fd");
    }
    for (const QString& file : {firmware.code, firmware.variables})
        if (!isReadableFile(file))
            //: %1: "arm64" or "amd64", %2: path of a file, %3: a Debian package
            return fail(Error::Kind::Unsupported,
                        Tr::tr("The firmware that starts %1 machines was not found (\"%2\"). "
                               "Install the package \"%3\".")
                            .arg(toText(guest), file, package(guest)));
    firmware.variablesSize =
        ByteCount::fromBytes(static_cast<quint64>(QFileInfo(firmware.variables).size()));
    return firmware;
}

bool isVariableStore(const QString& path, ByteCount size) {
    QFile file(path);
    if (!QFileInfo(path).isFile() || !file.open(QIODevice::ReadOnly))
        return false;
    return static_cast<quint64>(file.size()) == size.bytes() && file.seek(signatureOffset) &&
           file.read(4) == signature;
}

Result<VariableStore> chooseVariableStore(const QString& machineDirectory,
                                          Architecture guest,
                                          const Firmware& firmware,
                                          const QString& recordedChoice) {
    VariableStore store;
    const QString separate = machineDirectory + QStringLiteral("/efivars-%1.fd").arg(toText(guest));
    const QString nvram = machineDirectory + QStringLiteral("/nvram.bin");
    const QFileInfo separateInfo(separate);

    // Variables that were written once stay in use, whatever happens to nvram.bin.
    const bool separateExists = separateInfo.exists() || separateInfo.isSymLink();
    const bool separateWanted =
        recordedChoice == QLatin1String("separate") || (recordedChoice.isEmpty() && separateExists);
    if (!separateWanted && isVariableStore(nvram, firmware.variablesSize)) {
        store.path = nvram;
        store.choice = QStringLiteral("nvram");
    } else {
        store.path = separate;
        store.choice = QStringLiteral("separate");
        store.missing = !separateExists;
    }
    if (store.missing)
        return store;
    if (store.choice == QLatin1String("separate") &&
        (!separateInfo.isFile() ||
         static_cast<quint64>(separateInfo.size()) != firmware.variablesSize.bytes()))
        return fail(
            Error::Kind::Integrity,
            Tr::tr("The firmware's variables \"%1\" are damaged: the file should have %2 bytes. "
                   "Move it away; the next start makes a new one.")
                .arg(store.path)
                .arg(firmware.variablesSize.bytes()));
    if (!isWritable(store.path))
        return fail(Error::Kind::Permission,
                    Tr::tr("The firmware's variables \"%1\" may not be written. Check the owner "
                           "and mode of the file.")
                        .arg(store.path));
    return store;
}

Result<QString> prepareVariableStore(const QString& machineDirectory,
                                     const Firmware& firmware,
                                     const VariableStore& store) {
    if (store.missing) {
        // Made beside it and renamed, so that a start cut short leaves no half store.
        const QString part =
            store.path + QLatin1Char('.') + QUuid::createUuid().toString(QUuid::Id128);
        // Left by a start that was killed; the lock makes us the only one here.
        const QDir folder(machineDirectory);
        const QStringList leftovers = folder.entryList(
            {QFileInfo(store.path).fileName() + QStringLiteral(".?*")}, QDir::Files | QDir::Hidden);
        for (const QString& name : leftovers)
            if (name.size() == QFileInfo(part).fileName().size())
                QFile::remove(folder.filePath(name));
        // Sparse: an arm64 store is 64 MiB of zeros.
        const auto copied =
            copyDiskFrom(CopyMethod::Sparse, firmware.variables, part, JobContext{});
        if (!copied)
            return fail(copied.error());
        if (const int error = renameWithoutReplacing(part, store.path); error != 0) {
            QFile::remove(part);
            return fail(Error::fromErrno(
                Tr::tr("Cannot make the firmware's variables \"%1\".").arg(store.path), error));
        }
        if (const auto synced = syncDirectory(machineDirectory); !synced)
            return fail(synced.error());
    }
    const auto sidecar = Sidecar::read(machineDirectory);
    if (!sidecar)
        return fail(sidecar.error());
    if (sidecar->efivars != store.choice) {
        const auto recorded = Sidecar::update(
            machineDirectory, [&store](Sidecar& stored) { stored.efivars = store.choice; });
        if (!recorded)
            return fail(recorded.error());
    }
    return store.path;
}

} // namespace vitrine::qemu
