// SPDX-License-Identifier: Apache-2.0
#include "core/disk/directory_tree.h"
#include "core/disk/disk_space.h"
#include "core/disk/file_copy.h"
#include "core/disk/small_file.h"
#include "core/library/machine_operations.h"
#include "core/library/machine_reader.h"
#include "core/library/runtime_directory.h"
#include "core/library/saved_state.h"
#include "core/machine/machine_identifier.h"
#include "core/posix/files.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>

namespace vitrine {

namespace {

struct Part {
    QString name;
    quint64 allocated = 0; // bytes
};

class Clone final {
public:
    // `library` has the source, `place` gets the copy.
    Clone(const Library& library,
          const Library& place,
          const MachineName& target,
          const JobContext& context)
        : m_library(library)
        , m_place(place)
        , m_target(target)
        , m_context(context) {}

    Result<> run(const QString& sourceName) {
        if (auto allowed = m_target.checkNew(); !allowed)
            return allowed;
        auto source = m_library.find(sourceName);
        if (!source)
            return fail(source.error());
        m_source = *source;
        m_settings = m_source.directory;
        if (auto usable = checkSource(); !usable && !mayBeChange())
            return usable;
        if (exists(m_place.machinePath(m_target)))
            return fail(taken());
        if (m_context.cancelled())
            return fail(Error::cancelled());
        // A cached image never runs and is not locked: several may clone it while it is pulled
        // anew.
        std::optional<ConfigFile> lock;
        if (!m_source.isImage) {
            auto locked =
                lockStopped(m_library, m_source.directory, ConfigFile::Mode::Shared, [this] {
                    return m_context.cancelled();
                });
            if (!locked)
                return fail(locked.error());
            lock = *std::move(locked);
            m_source.state = MachineReader::isSuspended(m_source.directory)
                                 ? MachineState::Suspended
                                 : MachineState::Stopped;
        }
        // Another machine may write to the disk as one of its own.
        if (DirectoryLock::isHeld(m_source.directory + QStringLiteral("/disk.img")))
            return fail(Error::Kind::Busy,
                        Tr::tr("Cannot clone \"%1\": another machine runs with its disk. Shut that "
                               "machine down first.")
                            .arg(m_source.name));
        return build(lock);
    }

    Result<> runFrom(const QString& folder, const QString& settings) {
        m_source.name = QFileInfo(folder).fileName();
        m_source.directory = folder;
        m_settings = settings;
        if (MachineReader::isSuspended(folder))
            m_source.state = MachineState::Suspended;
        if (exists(m_place.machinePath(m_target)))
            return fail(taken());
        return build({});
    }

private:
    Result<> build(const std::optional<ConfigFile>& lock) {
        if (auto made = makeDirectories(m_place.machinesPath()); !made)
            return made;
        auto temporary = m_place.makeTemporary(m_place.machinesPath());
        if (!temporary)
            return fail(temporary.error());
        auto done = fill(temporary->path, lock);
        if (done)
            done = publish(temporary->path);
        if (!done)
            removeTree(temporary->path);
        else
            Library::touch(m_source.directory); // only a hint for pruning
        return done;
    }

    static bool exists(const QString& path) {
        struct stat info {};
        return ::lstat(QFile::encodeName(path).constData(), &info) == 0;
    }

    [[nodiscard]] Error taken() const {
        return Error{
            Error::Kind::AlreadyExists,
            Tr::tr("There is a machine \"%1\" already. Choose another name.").arg(m_target.text()),
            {}};
    }

    [[nodiscard]] Result<> checkSource() const {
        switch (m_source.state) {
        case MachineState::Stopped:
        case MachineState::Suspended:
            return {};
        case MachineState::Broken:
            return fail(
                Error::Kind::Integrity,
                Tr::tr("Cannot clone \"%1\". %2").arg(m_source.name, m_source.brokenReason));
        case MachineState::RunningElsewhere:
            return fail(Error::Kind::AlreadyRunning,
                        Tr::tr("Cannot clone \"%1\" while it runs on another computer or in a "
                               "container. Shut it down there first.")
                            .arg(m_source.name));
        default:
            return fail(Error::Kind::AlreadyRunning,
                        Tr::tr("Cannot clone \"%1\" while it is running. Shut it down first.")
                            .arg(m_source.name));
        }
    }

    // A lock that another program has for the moment of a change is waited for, see lockStopped().
    [[nodiscard]] bool mayBeChange() const {
        if (m_source.state != MachineState::Running || !m_source.config || m_source.isImage)
            return false;
        const auto runtime = RuntimeDirectory::locate(m_library.home(), m_source.directory);
        return runtime && !runtime->isAlive();
    }

    [[nodiscard]] bool isSuspended() const { return m_source.state == MachineState::Suspended; }

    // Files that are copied byte for byte. config.json and vitrine.json are written anew.
    [[nodiscard]] QList<Part> parts() const {
        QStringList names{QStringLiteral("disk.img"), QStringLiteral("nvram.bin")};
        const QDir folder(m_source.directory);
        if (!m_source.isImage)
            names += folder.entryList({QStringLiteral("efivars-*.fd")}, QDir::Files);
        if (isSuspended())
            names += folder.entryList(
                {QStringLiteral("state.vzvmsave"),
                 QLatin1String(hasOnlyUsedState(m_source.directory) ? usedStateName
                                                                    : savedStateName),
                 QLatin1String(stateFingerprintName)},
                QDir::Files);
        QList<Part> parts;
        for (const QString& name : std::as_const(names)) {
            const auto size = fileSize(folder.filePath(name));
            parts.append({name, size ? size->allocated.bytes() : 0});
        }
        return parts;
    }

    [[nodiscard]] Result<> checkSpace(const QString& folder, quint64 needed) const {
        if (canReflink(m_source.directory + QStringLiteral("/disk.img"), folder))
            return {};
        const auto space = volumeSpace(folder);
        if (space && space->available.bytes() < needed)
            return fail(Error::Kind::DiskFull,
                        Tr::tr("Cannot clone \"%1\". It needs %2 and only %3 are free. Free some "
                               "space and try again.")
                            .arg(m_source.name,
                                 ByteCount::fromBytes(needed).toText(),
                                 space->available.toText()));
        return {};
    }

    Result<> fill(const QString& folder, const std::optional<ConfigFile>& lock) {
        const QList<Part> parts = this->parts();
        quint64 total = 0;
        for (const Part& part : parts)
            total += part.allocated;
        if (auto fits = checkSpace(folder, total); !fits)
            return fits;
        quint64 before = 0; // what the parts so far said of their own size
        for (const Part& part : parts) {
            total -= part.allocated; // now the parts that are still to come
            const auto copied = copyPart(part, folder, before, total);
            if (!copied)
                return fail(copied.error());
            before += *copied;
        }
        if (auto written = writeConfig(folder, lock); !written)
            return written;
        if (auto written = writeSidecar(folder); !written)
            return written;
        if (isSuspended())
            if (auto renewed = renewFingerprint(m_source.directory, folder); !renewed)
                return renewed;
        return syncDirectory(folder);
    }

    // Returns the bytes it reported. `after` is the estimate of the parts that follow.
    Result<quint64>
    copyPart(const Part& part, const QString& folder, quint64 before, quint64 after) {
        quint64 own = part.allocated;
        JobContext context = m_context;
        context.report = [this, before, after, &own](Progress progress) {
            own = std::max(progress.done, progress.total.value_or(own));
            progress.done += before;
            progress.total = before + own + after;
            m_context.report(std::move(progress));
        };
        const QString from = m_source.directory + QLatin1Char('/') + part.name;
        const QString to = folder + QLatin1Char('/') + part.name;
        const auto method = copyDisk(from, to, context);
        if (!method)
            return fail(method.error());
        static constexpr const char* words[] = {"reflink", "copy_file_range", "sparse copy"};
        m_context.log(QStringLiteral("%1: %2").arg(
            part.name, QLatin1String(words[static_cast<size_t>(*method)])));
        struct stat info {};
        if (isSuspended() && ::stat(QFile::encodeName(from).constData(), &info) == 0) {
            // A saved state remembers the times of its disks.
            const timespec times[2] = {posix::accessTime(info), posix::modificationTime(info)};
            ::utimensat(AT_FDCWD, QFile::encodeName(to).constData(), times, 0);
        }
        return own;
    }

    Result<> writeConfig(const QString& folder, const std::optional<ConfigFile>& lock) {
        const auto text =
            lock ? lock->read()
                 : ConfigFile::read(m_source.directory + QStringLiteral("/config.json"));
        if (!text)
            return fail(text.error());
        auto config = MachineConfig::fromJson(*text);
        if (!config)
            return fail(config.error());
        if (!isSuspended()) {
            config->macAddress = MacAddress::random();
            if (config->system == GuestSystem::Darwin) {
                if (const auto renewed = renewedMachineIdentifier(config->ecid))
                    config->ecid = *renewed;
                else
                    m_context.log(QStringLiteral("machine identifier of unknown form kept"));
            }
        }
        return replaceFile(folder + QStringLiteral("/config.json"), config->toJson());
    }

    Result<> writeSidecar(const QString& folder) const {
        Sidecar sidecar;
        if (m_source.isImage) { // a vitrine.json in an image is a stranger's
            sidecar.sourceImage = m_source.name;
            sidecar.addEvent(QStringLiteral("made"),
                             Tr::tr("Made from the image \"%1\".").arg(m_source.name),
                             QDateTime::currentDateTime());
        } else {
            auto read = Sidecar::read(m_settings);
            if (!read)
                return fail(read.error());
            sidecar = *std::move(read);
            sidecar.run.forwards.clear();
            sidecar.events = {};
            sidecar.addEvent(QStringLiteral("made"),
                             Tr::tr("Made as a copy of \"%1\".").arg(m_source.name),
                             QDateTime::currentDateTime());
            sidecar.snapshots = {};
            sidecar.unknown.remove(QStringLiteral("logs"));
            if (!isSuspended())
                sidecar.pending.removeIf([](const PendingChange& change) {
                    return change.key == QLatin1String("macAddress") ||
                           change.key == QLatin1String("ecid");
                });
        }
        return Sidecar::update(folder, [&sidecar](Sidecar& target) { target = sidecar; });
    }

    Result<> publish(const QString& folder) const {
        if (m_context.cancelled())
            return fail(Error::cancelled());
        const auto global = m_place.globalLock();
        if (!global)
            return fail(global.error());
        const auto moved = renameWithoutReplacing(folder, m_place.machinePath(m_target));
        if (!moved)
            return fail(moved.error().kind == Error::Kind::AlreadyExists ? taken() : moved.error());
        return syncDirectory(m_place.machinesPath());
    }

    const Library& m_library;
    const Library& m_place;
    const MachineName& m_target;
    const JobContext& m_context;
    MachineInfo m_source;
    QString m_settings; // directory whose vitrine.json is copied
};

} // namespace

Result<> cloneMachine(const Library& library,
                      const QString& sourceNameOrReference,
                      const MachineName& target,
                      const JobContext& context) {
    return Clone(library, library, target, context).run(sourceNameOrReference);
}

Result<> cloneMachineTo(const Library& library,
                        const QString& sourceNameOrReference,
                        const Library& place,
                        const MachineName& target,
                        const JobContext& context) {
    return Clone(library, place, target, context).run(sourceNameOrReference);
}

Result<> cloneFolder(const Library& library,
                     const QString& folder,
                     const QString& settings,
                     const MachineName& target,
                     const JobContext& context) {
    return Clone(library, library, target, context).runFrom(folder, settings);
}

} // namespace vitrine
