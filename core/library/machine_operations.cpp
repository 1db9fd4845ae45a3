// SPDX-License-Identifier: Apache-2.0
#include "core/library/machine_operations.h"

#include "core/disk/directory_tree.h"
#include "core/disk/disk_space.h"
#include "core/disk/trash.h"
#include "core/library/interrupted_restore.h"
#include "core/library/runtime_directory.h"

#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QThread>

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

constexpr int aliveTimeout = 5000;  // milliseconds, contract 2
constexpr int changeTimeout = 3000; // milliseconds: what another `set` needs, many times over

QString configPath(const QString& machineDirectory) {
    return machineDirectory + QStringLiteral("/config.json");
}

bool exists(const QString& path) {
    struct stat info {};
    return ::lstat(QFile::encodeName(path).constData(), &info) == 0;
}

Error stillAlive(const QString& machineDirectory) {
    return Error{Error::Kind::AlreadyRunning,
                 Tr::tr("Programs of the last run of \"%1\" have not ended yet. Wait a moment and "
                        "try again.")
                     .arg(QFileInfo(machineDirectory).fileName()),
                 {}};
}

// Whether the lock of config.json that another process has can be that of a short change: `alive`
// is free, and the process is on this host. Nobody is waited for who runs the machine.
std::optional<qint64> processThatChanges(const QString& machineDirectory,
                                         const Result<RuntimeDirectory>& runtime) {
    if (runtime && runtime->isAlive())
        return std::nullopt;
    const auto holder = ConfigFile::holder(configPath(machineDirectory));
    if (!holder || (*holder && (*holder)->pid <= 0))
        return std::nullopt;
    return *holder ? (*holder)->pid : 0; // 0: it has just let go, or it only reads
}

Error beingChanged(const QString& machineDirectory, qint64 process) {
    return Error{
        Error::Kind::AlreadyRunning,
        Tr::tr("\"%1\" is being changed or run by another program (process %2). Wait until "
               "it has finished, or stop it, and try again.")
            .arg(QFileInfo(machineDirectory).fileName())
            .arg(process),
        {}};
}

// For rename and delete, which also work on what cannot be locked because it is broken.
Result<std::optional<ConfigFile>> lockIfPossible(const Library& library, const QString& directory) {
    auto lock = lockStopped(library, directory);
    // A config.json that may only be read can still tell whether somebody runs the machine.
    if (!lock && lock.error().kind == Error::Kind::Permission)
        lock = lockStopped(library, directory, ConfigFile::Mode::Shared);
    if (lock)
        return std::optional<ConfigFile>(*std::move(lock));
    const bool isBroken =
        lock.error().kind == Error::Kind::NotFound || lock.error().kind == Error::Kind::Integrity;
    if (!isBroken)
        return fail(lock.error());
    // Its config.json may have been taken away while it runs: `alive` is the lock that is left.
    const auto runtime = RuntimeDirectory::locate(library.home(), directory);
    if (runtime && runtime->isAlive())
        return fail(Error::Kind::AlreadyRunning,
                    Tr::tr("\"%1\" is running, although its config.json cannot be used. Stop it "
                           "first.")
                        .arg(QFileInfo(directory).fileName()));
    return std::optional<ConfigFile>();
}

Error noSuchMachine(const QString& name) {
    return Error{
        Error::Kind::NotFound,
        Tr::tr("There is no machine \"%1\". Look at the list for the names there are.").arg(name),
        {}};
}

void removeRuntimeDirectory(const Result<RuntimeDirectory>& runtime) {
    if (!runtime)
        return;
    const auto lock = DirectoryLock::tryLock(runtime->path());
    if (lock)
        removeTree(runtime->path());
}

Result<> deleteImage(const Library& library, const ImageReference& reference) {
    if (const auto image = library.image(reference);
        !image && !exists(library.imagePath(reference)))
        return fail(image.error());
    const auto hostLock = library.hostLock(reference.host());
    if (!hostLock)
        return fail(hostLock.error());
    const QString path = library.imagePath(reference);
    struct stat info {};
    if (::lstat(QFile::encodeName(path).constData(), &info) != 0 ||
        S_ISLNK(info.st_mode) == reference.isByDigest()) // W10: never what is not of that kind
        return fail(library.image(reference).error());
    if (!reference.isByDigest()) {
        if (::unlink(QFile::encodeName(path).constData()) != 0)
            return fail(Error::fromErrno(Tr::tr("Cannot remove \"%1\".").arg(path), errno));
        return library.collectImagesLocked(*hostLock, reference.host());
    }
    const auto lock = lockIfPossible(library, path);
    if (!lock)
        return fail(lock.error());
    const auto aside = library.moveAside(path);
    if (!aside)
        return fail(aside.error());
    const auto removed = removeTree(aside->path);
    const auto collected = library.collectImagesLocked(*hostLock, reference.host());
    return removed ? collected : removed;
}

} // namespace

Result<ConfigFile> lockStopped(const Library& library,
                               const QString& machineDirectory,
                               ConfigFile::Mode mode,
                               const std::function<bool()>& cancelled) {
    // What a restore that was cut off left can only be put right by who may write.
    if (mode == ConfigFile::Mode::Shared && exists(restoreReadyPath(machineDirectory)))
        if (auto finished =
                lockStopped(library, machineDirectory, ConfigFile::Mode::Exclusive, cancelled);
            !finished)
            return finished;
    const auto tryOnce = [&]() -> Result<ConfigFile> {
        const auto global = library.globalLock();
        if (!global)
            return fail(global.error());
        return ConfigFile::tryLock(configPath(machineDirectory), mode);
    };
    QElapsedTimer timer;
    timer.start();
    auto file = tryOnce();
    const auto runtime = RuntimeDirectory::locate(library.home(), machineDirectory);
    while (!file && file.error().kind == Error::Kind::AlreadyRunning) {
        const auto process = processThatChanges(machineDirectory, runtime);
        if (!process)
            return file;
        if (timer.elapsed() > changeTimeout)
            return *process == 0 ? std::move(file) : fail(beingChanged(machineDirectory, *process));
        if (cancelled && cancelled())
            return fail(Error::cancelled());
        QThread::msleep(20);
        file = tryOnce();
    }
    if (!file)
        return file;
    if (!runtime && runtime.error().kind != Error::Kind::Permission)
        return fail(runtime.error());
    timer.restart();
    while (runtime && runtime->isAlive()) {
        if (cancelled && cancelled())
            return fail(Error::cancelled());
        if (timer.elapsed() > aliveTimeout)
            return fail(stillAlive(machineDirectory));
        QThread::msleep(20);
    }
    if (mode == ConfigFile::Mode::Exclusive) {
        if (auto recovered = file->recover(); !recovered)
            return fail(recovered.error());
        if (auto finished = finishRestore(*file, machineDirectory); !finished)
            return fail(finished.error());
    }
    return file;
}

bool waitForChange(const Library& library, const QString& machineDirectory) {
    const auto runtime = RuntimeDirectory::locate(library.home(), machineDirectory);
    QElapsedTimer timer;
    timer.start();
    do {
        const auto process = processThatChanges(machineDirectory, runtime);
        if (!process || *process == 0)
            return process.has_value();
        QThread::msleep(20);
    } while (timer.elapsed() <= changeTimeout);
    return false;
}

Result<> renameMachine(const Library& library, const MachineName& from, const MachineName& to) {
    const QString source = library.machinePath(from);
    const QString target = library.machinePath(to);
    if (auto allowed = to.checkNew(); !allowed)
        return allowed;
    if (!library.isMachine(from))
        return fail(noSuchMachine(from.text()));
    const auto taken = [&to] {
        return fail(
            Error::Kind::AlreadyExists,
            Tr::tr("There is a machine \"%1\" already. Choose another name.").arg(to.text()));
    };
    if (exists(target))
        return taken();
    const auto lock = lockIfPossible(library, source);
    if (!lock)
        return fail(lock.error());
    const auto global = library.globalLock();
    if (!global)
        return fail(global.error());
    if (const auto moved = renameWithoutReplacing(source, target); !moved) {
        if (moved.error().kind == Error::Kind::AlreadyExists)
            return taken();
        return moved;
    }
    return syncDirectory(library.machinesPath());
}

Result<> deleteMachine(const Library& library, const QString& nameOrReference, DeleteMode mode) {
    if (const auto reference = ImageReference::fromText(nameOrReference))
        return deleteImage(library, *reference);
    const auto name = MachineName::fromText(nameOrReference);
    if (!name)
        return fail(name.error());
    const QString path = library.machinePath(*name);
    if (!library.isMachine(*name))
        return fail(noSuchMachine(name->text()));
    const auto lock = lockIfPossible(library, path);
    if (!lock)
        return fail(lock.error());
    const auto runtime = RuntimeDirectory::locate(library.home(), path);
    if (mode == DeleteMode::Trash) {
        if (const auto moved = moveToTrash(path); !moved)
            return fail(moved.error());
        removeRuntimeDirectory(runtime);
        return {};
    }
    const auto aside = [&]() -> Result<Library::TemporaryDirectory> {
        const auto global = library.globalLock();
        if (!global)
            return fail(global.error());
        return library.moveAside(path);
    }();
    if (!aside)
        return fail(aside.error());
    removeRuntimeDirectory(runtime);
    return removeTree(aside->path);
}

} // namespace vitrine
