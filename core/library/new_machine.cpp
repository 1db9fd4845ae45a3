// SPDX-License-Identifier: Apache-2.0
#include "core/library/new_machine.h"

#include "core/disk/directory_tree.h"
#include "core/disk/disk_space.h"
#include "core/disk/file_descriptor.h"
#include "core/disk/small_file.h"

#include <QDir>
#include <QFile>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace vitrine {

namespace {

Error taken(const MachineName& name) {
    return {Error::Kind::AlreadyExists,
            Tr::tr("There is a machine \"%1\" already. Choose another name.").arg(name.text()),
            {}};
}

bool exists(const QString& path) {
    struct stat info {};
    return ::lstat(QFile::encodeName(path).constData(), &info) == 0;
}

} // namespace

NewMachine::NewMachine(Library library, MachineName name, Library::TemporaryDirectory folder)
    : m_library(std::move(library))
    , m_name(std::move(name))
    , m_folder(std::move(folder)) {}

NewMachine::NewMachine(NewMachine&& other) noexcept
    : m_library(std::move(other.m_library))
    , m_name(std::move(other.m_name))
    , m_folder(std::move(other.m_folder))
    , m_owned(std::exchange(other.m_owned, false)) {}

NewMachine::~NewMachine() {
    if (m_owned)
        (void)removeTree(m_folder.path);
}

Result<NewMachine> NewMachine::begin(const Library& library, const MachineName& name) {
    if (const auto allowed = name.checkNew(); !allowed)
        return fail(allowed.error());
    if (exists(library.machinePath(name)))
        return fail(taken(name));
    if (const auto made = makeDirectories(library.machinesPath()); !made)
        return fail(made.error());
    auto folder = library.makeTemporary(library.machinesPath());
    if (!folder)
        return fail(folder.error());
    return NewMachine(library, name, *std::move(folder));
}

Result<> NewMachine::makeEmptyDisk(ByteCount size) const {
    const QString path = diskPath();
    const FileDescriptor disk(
        ::open(QFile::encodeName(path).constData(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!disk.isValid())
        return fail(Error::fromErrno(Tr::tr("Cannot make the disk \"%1\".").arg(path), errno));
    if (::ftruncate(disk.get(), static_cast<off_t>(size.bytes())) != 0) {
        if (errno == EFBIG)
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("The volume of the library takes no file of %1. Choose a smaller "
                               "disk, or move the library to another volume.")
                            .arg(size.toText()));
        return fail(Error::fromErrno(
            Tr::tr("Cannot make the disk \"%1\" of %2.").arg(path, size.toText()), errno));
    }
    return syncFile(disk.get(), path);
}

Result<> NewMachine::writeConfig(const MachineConfig& config) const {
    return replaceFile(configPath(), config.toJson());
}

Result<> NewMachine::writeSidecar(const Sidecar& sidecar) const {
    return Sidecar::update(folder(), [&sidecar](Sidecar& target) { target = sidecar; });
}

Result<> NewMachine::publish() {
    const QDir files(folder());
    for (const QString& name : files.entryList(QDir::Files | QDir::Hidden)) {
        const QString path = files.filePath(name);
        const FileDescriptor file(
            ::open(QFile::encodeName(path).constData(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!file.isValid())
            return fail(Error::fromErrno(Tr::tr("Cannot open \"%1\".").arg(path), errno));
        if (const auto synced = syncFile(file.get(), path); !synced)
            return synced;
    }
    if (const auto synced = syncDirectory(folder()); !synced)
        return synced;
    const auto global = m_library.globalLock();
    if (!global)
        return fail(global.error());
    const auto moved = renameWithoutReplacing(folder(), m_library.machinePath(m_name));
    if (!moved)
        return fail(moved.error().kind == Error::Kind::AlreadyExists ? taken(m_name)
                                                                     : moved.error());
    m_owned = false;
    return syncDirectory(m_library.machinesPath());
}

} // namespace vitrine
