// SPDX-License-Identifier: Apache-2.0
#include "core/library/interrupted_restore.h"

#include "core/disk/directory_tree.h"
#include "core/disk/disk_space.h"
#include "core/disk/small_file.h"
#include "core/library/saved_state.h"
#include "core/machine/sidecar.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <unistd.h>

namespace vitrine {

namespace {

std::function<void(const char*)>& observer() {
    static std::function<void(const char*)> function;
    return function;
}

// The state comes last: until it is there the machine is stopped, not half suspended.
int rankOf(const QString& name) {
    if (name == QLatin1String(savedStateName) || name == QLatin1String(usedStateName) ||
        name == QLatin1String("state.vzvmsave"))
        return 2;
    return name == QLatin1String(stateFingerprintName) ? 1 : 0;
}

Result<> putInPlace(const QString& folder, const QString& machineDirectory, const QString& name) {
    const QString from = folder + QLatin1Char('/') + name;
    const QString to = machineDirectory + QLatin1Char('/') + name;
    if (::rename(QFile::encodeName(from).constData(), QFile::encodeName(to).constData()) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot put \"%1\" in its place.").arg(to), errno));
    return {};
}

// Which snapshot it is, and that the folder is ours.
Result<QString> snapshotOf(const QString& folder) {
    const auto text = readSmallFile(folder + QStringLiteral("/snapshot.json"));
    if (!text)
        return fail(text.error());
    return QJsonDocument::fromJson(*text).object().value(QLatin1String("id")).toString();
}

} // namespace

QString restoreStagePath(const QString& machineDirectory) {
    return machineDirectory + QStringLiteral("/snapshots/restore.part");
}

QString restoreReadyPath(const QString& machineDirectory) {
    return machineDirectory + QStringLiteral("/snapshots/restore.ready");
}

QStringList stateFileNames(const QString& machineDirectory) {
    QStringList names =
        QDir(machineDirectory)
            .entryList(
                {QStringLiteral("disk.img"),
                 QStringLiteral("nvram.bin"),
                 QStringLiteral("efivars-*.fd"),
                 QStringLiteral("state.vzvmsave"),
                 QLatin1String(hasOnlyUsedState(machineDirectory) ? usedStateName : savedStateName),
                 QLatin1String(stateFingerprintName)},
                // Pipes and folders too: whoever copies them must say that they are none.
                QDir::Files | QDir::Dirs | QDir::System | QDir::Hidden);
    std::stable_sort(names.begin(), names.end(), [](const QString& a, const QString& b) {
        return rankOf(a) < rankOf(b);
    });
    return names;
}

Result<bool> finishRestore(ConfigFile& config, const QString& machineDirectory) {
    const QString ready = restoreReadyPath(machineDirectory);
    if (!QFileInfo::exists(ready))
        return false;
    const auto snapshot = snapshotOf(ready);
    if (!snapshot)
        return fail(snapshot.error());
    // Nothing of the state before fits the files that come now. A state that this restore has put
    // in place already, before it was killed, must stay.
    const QStringList names = stateFileNames(ready);
    const bool begun = !QFileInfo::exists(ready + QStringLiteral("/disk.img"));
    if (!begun) {
        if (auto discarded = discardSavedState(machineDirectory); !discarded)
            return fail(discarded.error());
        restoreStepReached("state removed");
        const QStringList here = stateFileNames(machineDirectory);
        for (const QString& name : here)
            if (name.startsWith(QLatin1String("efivars-")) && !names.contains(name))
                QFile::remove(machineDirectory + QLatin1Char('/') + name);
    }
    const QString newConfig = ready + QStringLiteral("/config.json");
    if (QFileInfo::exists(newConfig)) {
        const auto text = readSmallFile(newConfig);
        if (!text)
            return fail(text.error());
        if (auto written = config.write(*text); !written)
            return fail(written.error());
        restoreStepReached("config written");
        QFile::remove(newConfig);
    }
    for (const QString& name : names) {
        if (auto placed = putInPlace(ready, machineDirectory, name); !placed)
            return fail(placed.error());
        restoreStepReached("file placed");
    }
    if (auto synced = syncDirectory(machineDirectory); !synced)
        return fail(synced.error());
    restoreStepReached("files synced");
    const auto updated = Sidecar::update(machineDirectory, [&snapshot](Sidecar& sidecar) {
        sidecar.snapshots.insert(QStringLiteral("current"), *snapshot);
    });
    if (!updated)
        return fail(updated.error());
    restoreStepReached("current set");
    if (auto removed = removeTree(ready); !removed)
        return fail(removed.error());
    restoreStepReached("cleaned");
    return true;
}

void setRestoreObserver(std::function<void(const char*)> function) {
    observer() = std::move(function);
}

void restoreStepReached(const char* step) {
    if (observer())
        observer()(step);
}

} // namespace vitrine
