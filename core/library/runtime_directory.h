// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_lock.h"
#include "core/result/result.h"

#include <QString>
#include <QStringList>

namespace vitrine {

// <library>/run/<first 12 hex of SHA-256(host id, boot id, device, inode of the machine's
// directory)>/, contract 1. 0700, owner and mode checked at each use. On NFS, CIFS, FUSE and FAT
// /var/tmp/vitrine-UID/run/<same>. A cheap value; may be used from any thread.
class RuntimeDirectory final {
public:
    // Computes the path; checks an existing directory's owner, mode and `machine` file (Permission,
    // or Internal when it belongs to another machine). Makes nothing.
    [[nodiscard]] static Result<RuntimeDirectory> locate(const QString& libraryHome,
                                                         const QString& machineDirectory);
    // For the holder of config.json's lock: makes it if missing, takes `alive` (waits up to 5 s,
    // then Busy), empties it, writes `machine`. DirectoryLock::setInheritable() hands the lock to
    // QEMU, virtiofsd and the network helper.
    [[nodiscard]] Result<DirectoryLock> claim() const;

    [[nodiscard]] const QString& path() const { return m_path; }
    [[nodiscard]] QString controlSocket() const; // vitrine.sock
    [[nodiscard]] QString qmpSocket() const;     // qmp.sock
    [[nodiscard]] QString displaySocket() const; // vnc.sock
    [[nodiscard]] QString serialSocket() const;  // serial.sock
    [[nodiscard]] QString consoleSocket() const; // console.sock: viewers of the serial line
    [[nodiscard]] QString agentSocket() const;   // agent.sock
    [[nodiscard]] QString logFile() const;       // log
    [[nodiscard]] bool isAlive() const;          // `alive` held by anybody

    // The folder of all runtime directories of a library. Needs no file.
    [[nodiscard]] static QString basePath(const QString& libraryHome);
    // Only the name, for callers that know device and inode.
    [[nodiscard]] static QString nameFor(quint64 device, quint64 inode);
    // Removes directories of another boot of this host whose lock is free and start-*.log files
    // older than 24 h. Returns what was removed.
    static QStringList collect(const QString& libraryHome);

private:
    QString m_path;
    QString m_machineDirectory;
    QString m_identity; // first four lines of the file `machine`
};

// A socket path of any length: paths over 100 bytes are reached through /proc/self/fd/N of the
// opened folder. Keeps the folder open for its life. The descriptor is not inherited by children:
// a program that is to use such a path gets descriptor() passed on under the same number.
class SocketAddress final {
public:
    [[nodiscard]] static Result<SocketAddress> of(const QString& path);
    [[nodiscard]] const QString& text() const { return m_text; }    // at most 100 bytes
    [[nodiscard]] int descriptor() const { return m_folder.get(); } // -1 for a short path

private:
    QString m_text;
    FileDescriptor m_folder;
};

} // namespace vitrine
