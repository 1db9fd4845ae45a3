// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/result/result.h"

#include <QByteArray>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine {

// flock(2), exclusive, on a file or directory. Held for the life of the value, and by every child
// that inherits the descriptor.
class DirectoryLock final {
public:
    // Does not wait. Busy when somebody else holds it.
    [[nodiscard]] static Result<DirectoryLock> tryLock(const QString& path);
    // Waits in steps of 50 ms until `cancelled` says true or the time is over (Busy).
    [[nodiscard]] static Result<DirectoryLock>
    lock(const QString& path, int timeoutMilliseconds, const std::function<bool()>& cancelled = {});
    [[nodiscard]] int descriptor() const { return m_fd.get(); }
    // Lets programs started from now on keep the lock (clears FD_CLOEXEC), or not.
    Result<> setInheritable(bool inheritable);
    [[nodiscard]] static bool
    isHeld(const QString& path); // by anybody; false if the path is missing

private:
    explicit DirectoryLock(FileDescriptor fd)
        : m_fd(std::move(fd)) {}
    FileDescriptor m_fd;
};

// Who holds the fcntl write lock on a config.json.
struct LockHolder {
    // > 0: process on this host. <= 0: another PID namespace or host (running elsewhere, nothing is
    // signalled).
    qint64 pid = 0;
};

// The fcntl lock on config.json (specification 1.4, contract 2). The write lock says "running".
//
// fcntl locks belong to the process and are dropped when ANY descriptor of the file is closed. All
// access of this process to a config.json therefore goes through ConfigFile, a registry keyed by
// device and inode: while a lock is held, readers use the locked descriptor.
//
// All functions may be called from any thread; one ConfigFile is used by one thread at a time.
class ConfigFile final {
public:
    // Shared: a read lock for as long as the machine must not start or change (the source of a
    // copy). Several processes may hold it; nobody sees the machine as running.
    enum class Mode { Exclusive, Shared };

    // F_GETLK; nullopt when free. NotFound when the file is missing. Never disturbs a lock of this
    // process: a file this process has locked is reported as held by this process without being
    // opened.
    [[nodiscard]] static Result<std::optional<LockHolder>> holder(const QString& configPath);
    // Reads the whole file (at most 1 MiB) without dropping a lock of this process.
    [[nodiscard]] static Result<QByteArray> read(const QString& configPath);

    // Both of the above with one opening, for listings. Not even a content error hides the holder.
    struct Inspection {
        std::optional<LockHolder> holder;
        Result<QByteArray> content;
        quint64 size = 0;      // bytes
        quint64 allocated = 0; // bytes on disk
    };
    [[nodiscard]] static Result<Inspection> inspect(const QString& configPath);

    // F_SETLK, never waiting. Retries when the path no longer leads to the locked inode.
    // AlreadyRunning with the holder's pid in the sentence when somebody else has it; Busy when
    // this process has it; InvalidInput for what is no file, or a link to itself. Within one
    // process shared locks of one file are one lock, released with the last value.
    [[nodiscard]] static Result<ConfigFile> tryLock(const QString& configPath,
                                                    Mode mode = Mode::Exclusive);

    ~ConfigFile();
    ConfigFile(ConfigFile&&) noexcept;
    ConfigFile& operator=(ConfigFile&&) noexcept;

    [[nodiscard]] Result<QByteArray> read() const;
    // New text to config.json.new, fsync; one pwrite over the file through the locked descriptor,
    // padded with spaces if shorter, ftruncate, fsync; unlink .new. Never a rename. Exclusive only.
    Result<> write(const QByteArray& text);
    // Restores from .new when config.json does not parse as JSON and .new does (true when it did);
    // a .new beside a good config.json is removed. Exclusive only.
    Result<bool> recover();
    [[nodiscard]] const QString& path() const; // as given to tryLock; a rename does not change it

    // Called at each step of write() by name ("new written", "new synced", "overwritten",
    // "truncated", "synced"); for tests that kill a process half-way.
    static void setWriteObserver(std::function<void(const char* step)> observer);

private:
    struct Entry;
    struct Registry;
    explicit ConfigFile(std::shared_ptr<Entry> entry);
    Result<> overwrite(const QByteArray& text);
    std::shared_ptr<Entry> m_entry;
};

} // namespace vitrine
