// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_lock.h"
#include "core/result/result.h"

#include <QString>

namespace vitrine {

// <library>/run/<first 12 hex of SHA-256(host id, boot id, device, inode of the machine's
// directory)>/, contract 1. 0700, owner and mode checked at each use. On NFS, CIFS, FUSE and FAT
// /var/tmp/vitrine-UID/run/<same>.
class RuntimeDirectory final {
public:
    // Computes the path; checks an existing directory's owner, mode and `machine` file. Makes
    // nothing.
    [[nodiscard]] static Result<RuntimeDirectory> locate(const QString& libraryHome,
                                                         const QString& machineDirectory);
    // For the holder of config.json's lock: makes it if missing, takes `alive` (waits up to 5 s),
    // empties it, writes `machine`. The lock's descriptor is inheritable on wish (QEMU, virtiofsd).
    [[nodiscard]] Result<DirectoryLock> claim() const;

    [[nodiscard]] const QString& path() const { return m_path; }
    [[nodiscard]] QString controlSocket() const; // vitrine.sock
    [[nodiscard]] QString qmpSocket() const;     // qmp.sock
    [[nodiscard]] QString displaySocket() const; // vnc.sock
    [[nodiscard]] QString serialSocket() const;  // serial.sock
    [[nodiscard]] QString agentSocket() const;   // agent.sock
    [[nodiscard]] QString logFile() const;       // log
    [[nodiscard]] bool isAlive() const;          // `alive` held by anybody

private:
    QString m_path;
    QString m_machineDirectory;
    QString m_identity; // content of the file `machine`
};

// A socket path of any length: paths over 100 bytes are reached through /proc/self/fd/N of the
// opened folder. Keeps the folder open for its life.
class SocketAddress final {
public:
    [[nodiscard]] static Result<SocketAddress> of(const QString& path);
    [[nodiscard]] const QString& text() const { return m_text; } // at most 100 bytes

private:
    QString m_text;
    FileDescriptor m_folder;
};

} // namespace vitrine
