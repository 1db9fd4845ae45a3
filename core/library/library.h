// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_lock.h"
#include "core/image/image_reference.h"
#include "core/library/machine_info.h"
#include "core/machine/machine_name.h"
#include "core/result/result.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <functional>
#include <optional>

namespace vitrine {

// A library on disk: Tart's layout and locks (specification section 1, contract 1 and 2). A cheap
// value; every function reads the disk and may be called from any thread.
class Library final {
public:
    // VITRINE_HOME, else TART_HOME, else ~/.tart on macOS and $XDG_DATA_HOME/vitrine on Linux. Not
    // created.
    [[nodiscard]] static QString defaultHome();
    // Makes the root, cache/ and tmp/ one level at a time; the error names the first level that
    // failed. A root that is there but may not be written is opened for reading: who writes fails.
    [[nodiscard]] static Result<Library> open(const QString& home = defaultHome());

    [[nodiscard]] const QString& home() const { return m_home; }
    [[nodiscard]] QString machinesPath() const;  // <home>/vms
    [[nodiscard]] QString imagesPath() const;    // <home>/cache/OCIs
    [[nodiscard]] QString temporaryPath() const; // <home>/tmp
    // Where pulls collect data: <home>/cache/vitrine-partial, or imagesPath()/.vitrine-partial when
    // nothing can be renamed from there to the images.
    [[nodiscard]] QString partialPath() const;
    [[nodiscard]] QStringList partialPaths() const;            // both, whichever is in use
    [[nodiscard]] QString hostPath(const QString& host) const; // cache/OCIs/<host>
    [[nodiscard]] QString machinePath(const MachineName& name) const;
    [[nodiscard]] QString
    imagePath(const ImageReference& reference) const; // ':' of the host percent-encoded

    // Every directory of vms/, sorted by name, broken ones with their reason; directories that are
    // not initialized count as broken (missing files named), never hidden. Folders of a reserved
    // name (MachineName::isReserved()) are machines only if they hold a file of a machine: what the
    // library and systems keep there is never shown, renamed or deleted. Those whose name is not
    // UTF-8 are left to unnamedFolders().
    [[nodiscard]] Result<QList<MachineInfo>> machines() const;
    // Every cached image once per tag and once by digest, sorted by name.
    [[nodiscard]] Result<QList<MachineInfo>> images() const;
    // Folders whose changes can change machines() or images(), for a watch: vms/ and the hosts' and
    // namespaces' folders of the cache.
    [[nodiscard]] QStringList foldersToWatch() const;
    // False for a missing one and for what machines() leaves out.
    [[nodiscard]] bool isMachine(const MachineName& name) const;
    // NotFound when there is no such directory, or it is no machine's.
    [[nodiscard]] Result<MachineInfo> machine(const MachineName& name) const;
    [[nodiscard]] Result<MachineInfo> image(const ImageReference& reference) const;
    // A machine name or an image reference, by Tart's rule.
    [[nodiscard]] Result<MachineInfo> find(const QString& nameOrReference) const;
    // Reads only the lock and the saved states: cheap, for rows in view.
    [[nodiscard]] MachineState stateOf(const QString& machineDirectory,
                                       qint64* holderPid = nullptr) const;

    // Specification 1.5 with fix M6: it is used now (last_used.h).
    static Result<> touch(const QString& directory);
    // Entries of tmp/: collected only when unlocked and older than 24 h; what makeThrowAway() made
    // as soon as it is unlocked. In the folders that stand
    // in for it on other volumes only what makeTemporary() made. Also removes run/ folders of
    // another boot whose lock is free. Goes on after an error; returns what was removed.
    QStringList collectTemporary() const;
    // 1.7 under the host locks (W20): dangling tags, then untagged digest directories without
    // .explicitly-pulled, except those in use. Hosts whose lock is held are skipped: their holder
    // collects. Goes on after an error and returns the first. Never touches cache/content.
    Result<> collectImages() const;
    // The same for one host directory, by the holder of its lock.
    Result<> collectImagesLocked(const DirectoryLock& hostLock, const QString& host) const;
    // flock on cache/OCIs/<host>, made if missing; `host` as in ImageReference::host(). Busy when
    // the time is over.
    [[nodiscard]] Result<DirectoryLock> hostLock(const QString& host,
                                                 int timeoutMilliseconds = 10000,
                                                 const std::function<bool()>& cancelled = {}) const;
    // The digest directory behind a tag's link: absolute and relative targets, and the neighbour
    // of that name when the library was moved. nullopt when it leads nowhere.
    [[nodiscard]] static std::optional<QString> tagTarget(const QString& linkPath);

    // A fresh directory tmp/<UUID>, flocked before anybody else can see it unlocked (W16). On the
    // mount of `near` (vms/ when empty), so that it can be renamed there: if tmp/ is on another
    // one, a hidden folder in `near` is used, and collected likewise.
    struct TemporaryDirectory {
        QString path;
        DirectoryLock lock;
    };
    [[nodiscard]] Result<TemporaryDirectory> makeTemporary(const QString& near = {}) const;
    // The same for what is of no use once its maker has ended, however that came.
    [[nodiscard]] Result<TemporaryDirectory> makeThrowAway() const;
    // Moves a file or directory of this library out of sight (W22): into a temporary directory that
    // the caller then removes.
    [[nodiscard]] Result<TemporaryDirectory> moveAside(const QString& path) const;
    // Global flock on the root directory.
    [[nodiscard]] Result<DirectoryLock> globalLock(int timeoutMilliseconds = 10000) const;

private:
    explicit Library(QString home)
        : m_home(std::move(home)) {}
    QString m_home;
};

} // namespace vitrine
