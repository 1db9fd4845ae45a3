// SPDX-License-Identifier: Apache-2.0
#include "core/library/machine_reader.h"

#include "core/disk/file_lock.h"
#include "core/library/last_used.h"
#include "core/library/runtime_directory.h"
#include "core/library/saved_state.h"
#include "core/machine/sidecar.h"
#include "core/posix/files.h"

#include <QFile>

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

bool statAt(const QString& directory, const char* name, struct stat& info) {
    return ::stat(QFile::encodeName(directory + QLatin1Char('/') + QLatin1String(name)).constData(),
                  &info) == 0;
}

MachineState heldState(const LockHolder& holder) {
    return holder.pid > 0 ? MachineState::Running : MachineState::RunningElsewhere;
}

// What stands where a file should be, as a sentence; empty for a file.
QString notAFile(const QString& name, mode_t mode) {
    if (S_ISREG(mode))
        return {};
    const QString what = S_ISDIR(mode)    ? Tr::tr("a folder")
                         : S_ISFIFO(mode) ? Tr::tr("a pipe")
                         : S_ISSOCK(mode) ? Tr::tr("a socket")
                                          : Tr::tr("a device");
    //: %1: name of a file, %2: "a folder", "a pipe", …
    return Tr::tr("\"%1\" is %2 and no file. Move it away and put the right file in its place.")
        .arg(name, what);
}

// For a name that leads to no file; empty when there is no such name.
QString deadLink(const QString& directory, const QString& name) {
    char target[4096] = {};
    const ssize_t length =
        ::readlink(QFile::encodeName(directory + QLatin1Char('/') + name).constData(),
                   target,
                   sizeof(target) - 1);
    if (length <= 0)
        return {};
    return Tr::tr("\"%1\" is a link to \"%2\", which cannot be reached. Connect the volume, or "
                  "replace the link.")
        .arg(name, QFile::decodeName(QByteArray(target, static_cast<qsizetype>(length))));
}

QDateTime timeOf(const timespec& time) {
    return QDateTime::fromMSecsSinceEpoch(
        static_cast<qint64>(time.tv_sec) * 1000 + time.tv_nsec / 1000000, Qt::UTC);
}

} // namespace

MachineReader::MachineReader(const QString& libraryHome)
    : m_runtimeBase(RuntimeDirectory::basePath(libraryHome))
    , m_foreign(libraryHome) {}

MachineState MachineReader::stateOf(const QString& directory, qint64* holderPid) const {
    if (!m_foreign.contains(directory))
        return stateNow(directory, holderPid);
    struct Answer {
        MachineState state;
        qint64 pid;
    };
    const auto answer = HangGuard::call<Answer>(directory, [reader = *this, directory] {
        Answer found{MachineState::Broken, 0};
        found.state = reader.stateNow(directory, &found.pid);
        return found;
    });
    if (holderPid)
        *holderPid = answer ? answer->pid : 0;
    return answer ? answer->state : MachineState::Broken;
}

MachineInfo MachineReader::read(const QString& directory, const QString& name) const {
    if (!m_foreign.contains(directory))
        return readNow(directory, name);
    auto info = HangGuard::call<MachineInfo>(
        directory, [reader = *this, directory, name] { return reader.readNow(directory, name); });
    if (info)
        return *std::move(info);
    MachineInfo hung;
    hung.name = name;
    hung.directory = directory;
    hung.state = MachineState::Broken;
    hung.brokenReason = Tr::tr("Its volume does not answer. Check the connection to the disk or "
                               "server it lies on.");
    return hung;
}

bool MachineReader::isSuspended(const QString& directory) {
    struct stat info {};
    // The last one: killed just after it went on, it may go on from there again or be discarded.
    return statAt(directory, "state.vzvmsave", info) || statAt(directory, savedStateName, info) ||
           statAt(directory, usedStateName, info);
}

bool MachineReader::isAlive(const QString& directory) const {
    struct stat info {};
    if (::stat(QFile::encodeName(directory).constData(), &info) != 0)
        return false;
    return DirectoryLock::isHeld(m_runtimeBase + QLatin1Char('/') +
                                 RuntimeDirectory::nameFor(info.st_dev, info.st_ino));
}

MachineState MachineReader::stateNow(const QString& directory, qint64* holderPid) const {
    if (holderPid)
        *holderPid = 0;
    const auto holder = ConfigFile::holder(directory + QStringLiteral("/config.json"));
    if (!holder) // it may have been taken away while the machine runs
        return isAlive(directory) ? MachineState::Running : MachineState::Broken;
    if (*holder) {
        if (holderPid)
            *holderPid = (*holder)->pid;
        return heldState(**holder);
    }
    if (isAlive(directory))
        return MachineState::ShuttingDown; // the holder is gone, QEMU is about to go
    return isSuspended(directory) ? MachineState::Suspended : MachineState::Stopped;
}

MachineInfo MachineReader::readNow(const QString& directory, const QString& name) const {
    MachineInfo info;
    info.name = name;
    info.directory = directory;
    const auto breakWith = [&info](const QString& reason) {
        if (info.brokenReason.isEmpty())
            info.brokenReason = reason;
        info.state = MachineState::Broken;
    };
    struct stat folder {};
    if (::stat(QFile::encodeName(directory).constData(), &folder) != 0) {
        breakWith(Error::fromErrno(Tr::tr("Cannot open the folder \"%1\".").arg(directory), errno)
                      .message);
        return info;
    }
    info.accessed = recordedUse(directory).value_or(timeOf(posix::accessTime(folder)));

    QStringList missing;
    quint64 size = 0;
    quint64 allocated = 0;
    const auto config = ConfigFile::inspect(directory + QStringLiteral("/config.json"));
    if (config) {
        size += config->size;
        allocated += config->allocated;
    } else if (config.error().kind == Error::Kind::NotFound) {
        missing.append(QStringLiteral("config.json"));
    } else {
        breakWith(config.error().message);
    }
    for (const char* file : {"disk.img", "nvram.bin"}) {
        struct stat part {};
        if (!statAt(directory, file, part)) {
            if (const QString dead = deadLink(directory, QLatin1String(file)); !dead.isEmpty())
                breakWith(dead);
            else
                missing.append(QLatin1String(file));
            continue;
        }
        if (const QString wrong = notAFile(QLatin1String(file), part.st_mode); !wrong.isEmpty()) {
            breakWith(wrong);
            continue;
        }
        size += static_cast<quint64>(part.st_size);
        allocated += static_cast<quint64>(part.st_blocks) * 512;
        if (file[0] == 'd')
            info.diskSize = ByteCount::fromBytes(static_cast<quint64>(part.st_size));
    }
    info.size = ByteCount::fromBytes(size);
    info.allocated = ByteCount::fromBytes(allocated);
    if (!missing.isEmpty())
        breakWith(Tr::tr("Files are missing: %1. Restore them from a copy, or delete the machine.")
                      .arg(missing.join(QStringLiteral(", "))));

    if (config && !config->content) {
        breakWith(config->content.error().message);
    } else if (config) {
        auto parsed = MachineConfig::fromJson(*config->content);
        if (!parsed)
            breakWith(parsed.error().message);
        else if (info.brokenReason.isEmpty())
            info.config = *std::move(parsed);
    }
    // A machine that runs is shown as running whatever its file holds: it must be stoppable.
    if (config && config->holder) {
        info.holderPid = config->holder->pid;
        info.state = heldState(*config->holder);
    } else if (DirectoryLock::isHeld(m_runtimeBase + QLatin1Char('/') +
                                     RuntimeDirectory::nameFor(folder.st_dev, folder.st_ino))) {
        info.state = config ? MachineState::ShuttingDown : MachineState::Running;
    } else if (info.brokenReason.isEmpty()) {
        // One that runs tells of it when the file is needed.
        const auto sidecar = Sidecar::read(directory);
        if (!sidecar && sidecar.error().kind == Error::Kind::Integrity) {
            const QString message = sidecar.error().message;
            breakWith(message.contains(QLatin1String("vitrine.json"))
                          ? message
                          : Tr::tr("vitrine.json cannot be used. %1").arg(message));
            info.config.reset();
        } else if (isSuspended(directory)) {
            info.state = MachineState::Suspended;
        }
    }
    return info;
}

} // namespace vitrine
