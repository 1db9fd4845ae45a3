// SPDX-License-Identifier: Apache-2.0
#include "core/disk/disk_space.h"
#include "core/disk/file_lock.h"
#include "core/disk/small_file.h"
#include "core/posix/files.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace vitrine {

namespace {

using FileKey = std::pair<dev_t, ino_t>;

FileKey keyOf(const struct stat& info) {
    return {info.st_dev, info.st_ino};
}

bool looksLikeJson(const QByteArray& text) {
    QJsonParseError error{};
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    return error.error == QJsonParseError::NoError && document.isObject();
}

struct flock wholeFile(short type) {
    struct flock range {};
    range.l_type = type;
    range.l_whence = SEEK_SET;
    return range;
}

std::optional<LockHolder> holderOf(int fd, short asked) {
    struct flock range = wholeFile(asked);
    if (::fcntl(fd, F_GETLK, &range) != 0 || range.l_type == F_UNLCK)
        return std::nullopt;
    return LockHolder{range.l_pid};
}

std::function<void(const char*)>& writeObserver() {
    static std::function<void(const char*)> observer;
    return observer;
}

constexpr const char* newName = "config.json.new";
constexpr int maximumAttempts = 16;

void passed(const char* step) {
    if (writeObserver())
        writeObserver()(step);
}

Error alreadyRunning(const QString& path, std::optional<LockHolder> holder) {
    const QString name = QFileInfo(QFileInfo(path).path()).fileName();
    Error error{Error::Kind::AlreadyRunning, {}, {}};
    if (holder && holder->pid > 0)
        error.message = Tr::tr("\"%1\" is running or in use by process %2. Shut it down, or wait "
                               "until the other program has finished, and try again.")
                            .arg(name)
                            .arg(holder->pid);
    else
        error.message = Tr::tr("\"%1\" is running on another computer or in a container. Shut it "
                               "down there and try again.")
                            .arg(name);
    return error;
}

// After a failed stat() or open().
Error cannotOpen(const QString& what, const QString& path, int errorNumber) {
    if (errorNumber != ELOOP)
        return Error::fromErrno(what, errorNumber);
    return Error{Error::Kind::Integrity,
                 Tr::tr("\"%1\" is a link that leads back to itself. Delete the link.").arg(path),
                 {}};
}

Error replacedAllTheTime(const QString& path) {
    return Error{Error::Kind::Busy,
                 Tr::tr("Cannot open \"%1\". It is being replaced all the time. Close other "
                        "programs that use it and try again.")
                     .arg(path),
                 {}};
}

} // namespace

// One locked inode of this process.
struct ConfigFile::Entry : std::enable_shared_from_this<Entry> {
    FileKey key;
    Mode mode = Mode::Exclusive;
    QString path;
    FileDescriptor fd;
    FileDescriptor folder; // of the machine's directory: a rename of it changes paths
    // Opened by somebody before it was known that the file is locked here. Closing one drops the
    // lock, so they go with the entry.
    std::vector<FileDescriptor> strays;

    ~Entry();
};

// The locked files of some volumes. Openings of files that are not locked here hold `mutex` shared
// from before open() until after close(); taking and giving up a lock holds it alone. So no close()
// of ours can drop a lock of ours that somebody still needs. One registry for each of a few groups
// of volumes, so that a volume that hangs holds up nobody who works on another.
struct ConfigFile::Registry {
    std::mutex gate; // taken before `mutex`: without it a stream of readers keeps a lock away
    std::shared_mutex mutex;
    std::mutex straysMutex;
    std::map<FileKey, Entry*> entries; // valid until ~Entry, which takes `mutex` alone first

    static Registry& of(dev_t device) {
        static std::array<Registry, 61> registries;
        return registries[std::hash<dev_t>()(device) % registries.size()];
    }

    [[nodiscard]] std::shared_lock<std::shared_mutex> lockShared() {
        const std::scoped_lock turn(gate);
        return std::shared_lock(mutex);
    }
    [[nodiscard]] std::unique_lock<std::shared_mutex> lockAlone() {
        const std::scoped_lock turn(gate);
        return std::unique_lock(mutex);
    }
    [[nodiscard]] Entry* find(const FileKey& key) const {
        const auto it = entries.find(key);
        return it != entries.end() ? it->second : nullptr;
    }
    void addStray(Entry& entry, FileDescriptor fd) {
        const std::scoped_lock guard(straysMutex);
        entry.strays.push_back(std::move(fd));
    }
    // Closes a descriptor that was opened under the registry of another volume.
    static void discard(FileDescriptor fd, const struct stat& info) {
        Registry& registry = of(info.st_dev);
        const auto lock = registry.lockShared();
        if (Entry* entry = registry.find(keyOf(info)))
            registry.addStray(*entry, std::move(fd));
        else
            fd.reset();
    }

    // Calls `use` with a descriptor of the file: the locked one, or one that is closed afterwards.
    static Result<>
    withDescriptor(const QString& path,
                   const std::function<void(int, const struct stat&, const Entry*)>& use) {
        const QByteArray name = QFile::encodeName(path);
        const QString what = Tr::tr("Cannot open \"%1\".").arg(path);
        for (int attempt = 0; attempt < maximumAttempts; ++attempt) {
            struct stat before {};
            if (::stat(name.constData(), &before) != 0)
                return fail(cannotOpen(what, path, errno));
            Registry& registry = of(before.st_dev);
            auto lock = registry.lockShared();
            if (const Entry* entry = registry.find(keyOf(before))) {
                use(entry->fd.get(), before, entry);
                return {};
            }
            FileDescriptor fd(
                ::open(name.constData(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
            struct stat info {};
            if (!fd.isValid() || ::fstat(fd.get(), &info) != 0)
                return fail(Error::fromErrno(what, errno));
            if (&of(info.st_dev) != &registry) { // a link was turned between stat() and open()
                lock.unlock();
                discard(std::move(fd), info);
                continue;
            }
            Entry* entry = registry.find(keyOf(info));
            use(entry ? entry->fd.get() : fd.get(), info, entry);
            if (entry) // replaced between stat() and open()
                registry.addStray(*entry, std::move(fd));
            return {};
        }
        return fail(replacedAllTheTime(path));
    }
};

ConfigFile::Entry::~Entry() {
    Registry& registry = Registry::of(key.first);
    const auto lock = registry.lockAlone();
    registry.entries.erase(key);
    strays.clear();
    fd.reset();
}

namespace {

std::optional<LockHolder> ownOrForeignHolder(int fd, const bool* exclusiveHere) {
    if (exclusiveHere != nullptr && *exclusiveHere)
        return LockHolder{::getpid()};
    return holderOf(fd, F_RDLCK);
}

} // namespace

Result<std::optional<LockHolder>> ConfigFile::holder(const QString& configPath) {
    std::optional<LockHolder> holder;
    const auto done = Registry::withDescriptor(
        configPath, [&holder](int fd, const struct stat&, const Entry* entry) {
            const bool exclusive = entry != nullptr && entry->mode == Mode::Exclusive;
            holder = ownOrForeignHolder(fd, &exclusive);
        });
    if (!done)
        return fail(done.error());
    return holder;
}

Result<QByteArray> ConfigFile::read(const QString& configPath) {
    Result<QByteArray> content;
    const auto done = Registry::withDescriptor(
        configPath, [&content, &configPath](int fd, const struct stat&, const Entry*) {
            content = readSmallFile(fd, configPath);
        });
    if (!done)
        return fail(done.error());
    return content;
}

Result<ConfigFile::Inspection> ConfigFile::inspect(const QString& configPath) {
    Inspection inspection;
    const auto done = Registry::withDescriptor(
        configPath,
        [&inspection, &configPath](int fd, const struct stat& info, const Entry* entry) {
            const bool exclusive = entry != nullptr && entry->mode == Mode::Exclusive;
            inspection.holder = ownOrForeignHolder(fd, &exclusive);
            inspection.content = readSmallFile(fd, configPath);
            inspection.size = static_cast<quint64>(info.st_size);
            inspection.allocated = static_cast<quint64>(info.st_blocks) * 512;
        });
    if (!done)
        return fail(done.error());
    return inspection;
}

Result<ConfigFile> ConfigFile::tryLock(const QString& configPath, Mode mode) {
    const QByteArray name = QFile::encodeName(configPath);
    const QString what = Tr::tr("Cannot lock \"%1\".").arg(configPath);
    const auto busy = [&configPath] {
        return fail(Error::Kind::Busy,
                    Tr::tr("\"%1\" is in use by this program already. Wait until it has finished "
                           "and try again.")
                        .arg(QFileInfo(QFileInfo(configPath).path()).fileName()));
    };
    for (int attempt = 0; attempt < maximumAttempts; ++attempt) {
        struct stat before {};
        if (::stat(name.constData(), &before) != 0)
            return fail(cannotOpen(what, configPath, errno));
        if (!S_ISREG(before.st_mode))
            return fail(
                Error::Kind::Integrity,
                Tr::tr("\"%1\" is not a regular file. Move it away and put the right file in "
                       "its place.")
                    .arg(configPath));
        Registry& registry = Registry::of(before.st_dev);
        auto lock = registry.lockAlone();
        if (Entry* entry = registry.find(keyOf(before))) {
            if (mode != Mode::Shared || entry->mode != Mode::Shared)
                return busy();
            if (auto shared = entry->weak_from_this().lock())
                return ConfigFile(std::move(shared));
            lock.unlock(); // its last user is just giving it up
            std::this_thread::yield();
            continue;
        }
        const int access = mode == Mode::Exclusive ? O_RDWR : O_RDONLY;
        FileDescriptor fd(::open(name.constData(), access | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
        struct stat info {};
        if (!fd.isValid() || ::fstat(fd.get(), &info) != 0)
            return fail(Error::fromErrno(what, errno));
        if (&Registry::of(info.st_dev) != &registry) {
            lock.unlock();
            Registry::discard(std::move(fd), info);
            continue;
        }
        if (Entry* entry = registry.find(keyOf(info))) { // replaced between stat() and open()
            registry.addStray(*entry, std::move(fd));
            continue;
        }
        const short type = mode == Mode::Exclusive ? F_WRLCK : F_RDLCK;
        struct flock range = wholeFile(type);
        if (::fcntl(fd.get(), F_SETLK, &range) != 0) {
            if (errno == EAGAIN || errno == EACCES)
                return fail(alreadyRunning(configPath, holderOf(fd.get(), type)));
            return fail(Error::fromErrno(what, errno));
        }
        struct stat now {};
        if (::stat(name.constData(), &now) != 0 || keyOf(now) != keyOf(info))
            continue; // replaced between open() and lock: this inode is nobody's machine
        auto entry = std::make_shared<Entry>();
        entry->key = keyOf(info);
        entry->mode = mode;
        entry->path = configPath;
        entry->fd = std::move(fd);
        entry->folder = FileDescriptor(
            ::open(QFile::encodeName(QFileInfo(configPath).absolutePath()).constData(),
                   O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        registry.entries[entry->key] = entry.get();
        return ConfigFile(std::move(entry));
    }
    return fail(replacedAllTheTime(configPath));
}

ConfigFile::ConfigFile(std::shared_ptr<Entry> entry)
    : m_entry(std::move(entry)) {}
ConfigFile::~ConfigFile() = default;
ConfigFile::ConfigFile(ConfigFile&&) noexcept = default;
ConfigFile& ConfigFile::operator=(ConfigFile&&) noexcept = default;

const QString& ConfigFile::path() const {
    return m_entry->path;
}

void ConfigFile::setWriteObserver(std::function<void(const char*)> observer) {
    writeObserver() = std::move(observer);
}

Result<QByteArray> ConfigFile::read() const {
    return readSmallFile(m_entry->fd.get(), m_entry->path);
}

Result<> ConfigFile::write(const QByteArray& text) {
    const QString& path = m_entry->path;
    const QString newPath = path + QLatin1String(".new");
    if (m_entry->mode != Mode::Exclusive)
        return fail(Error::Kind::Internal,
                    Tr::tr("Cannot write \"%1\". It is open for reading only.").arg(path));
    if (text.size() > maximumSmallFile)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("Cannot write \"%1\". The new text is larger than 1 MB.").arg(path));
    const int folder = m_entry->folder.get();
    const auto removeNew = [folder] { ::unlinkat(folder, newName, 0); };
    {
        removeNew();
        const FileDescriptor fresh(
            ::openat(folder, newName, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!fresh.isValid())
            return fail(Error::fromErrno(Tr::tr("Cannot create \"%1\".").arg(newPath), errno));
        auto written = writeFully(fresh.get(), text, 0, newPath);
        passed("new written");
        if (written)
            written = syncFile(fresh.get(), newPath);
        if (!written) {
            removeNew();
            return written;
        }
        (void)posix::flush(
            folder); // where folders cannot be synced, their entries are written at once
        passed("new synced");
    }
    return overwrite(text);
}

Result<> ConfigFile::overwrite(const QByteArray& text) {
    const QString& path = m_entry->path;
    const int fd = m_entry->fd.get();
    const auto before = read();
    const auto put = [fd, &path](const QByteArray& bytes, qint64 oldSize) -> Result<> {
        // One call, never shorter than the file: a reader sees old text, new text or new text and
        // spaces.
        const QByteArray padded = bytes.leftJustified(std::max<qint64>(bytes.size(), oldSize), ' ');
        if (auto written = writeFully(fd, padded, 0, path); !written)
            return written;
        passed("overwritten");
        while (::ftruncate(fd, static_cast<off_t>(bytes.size())) != 0)
            if (errno != EINTR)
                return fail(Error::fromErrno(Tr::tr("Cannot write \"%1\".").arg(path), errno));
        passed("truncated");
        return syncFile(fd, path);
    };
    auto written = put(text, before ? before->size() : 0);
    if (written)
        passed("synced");
    else if (!before || !put(*before, text.size()))
        return written; // `.new` stays for the next holder of the lock
    ::unlinkat(m_entry->folder.get(), newName, 0);
    return written;
}

Result<bool> ConfigFile::recover() {
    const FileDescriptor left(
        ::openat(m_entry->folder.get(), newName, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    if (!left.isValid())
        return false;
    const auto current = read();
    if (current && looksLikeJson(*current)) {
        ::unlinkat(m_entry->folder.get(), newName, 0);
        return false;
    }
    const auto saved = readSmallFile(left.get(), m_entry->path + QLatin1String(".new"));
    if (!saved || !looksLikeJson(*saved))
        return false;
    if (auto written = overwrite(*saved); !written)
        return fail(written.error());
    return true;
}

} // namespace vitrine
