// SPDX-License-Identifier: Apache-2.0
#include "core/library/saved_state.h"

#include "core/disk/disk_space.h"
#include "core/disk/small_file.h"
#include "core/library/block_device_mark.h"
#include "core/posix/files.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QVersionNumber>

#include <algorithm>

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

namespace {

QString inside(const QString& machineDirectory, const char* name) {
    return machineDirectory + QLatin1Char('/') + QLatin1String(name);
}

QString absolute(const QString& machineDirectory, const QString& path) {
    return QDir(machineDirectory).absoluteFilePath(path);
}

// Times need more digits than a number of JSON has everywhere.
qint64 numberOf(const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toString().toLongLong();
}

QJsonObject toJson(const StateFingerprint& fingerprint) {
    QJsonArray files;
    for (const StateFingerprint::File& file : fingerprint.files) {
        QJsonObject object{{QStringLiteral("path"), file.path},
                           {QStringLiteral("size"), QString::number(file.size)},
                           {QStringLiteral("modified"), QString::number(file.modified)}};
        if (!file.identity.isEmpty())
            object.insert(QStringLiteral("identity"), file.identity);
        if (!file.writes.isEmpty())
            object.insert(QStringLiteral("writes"), file.writes);
        files.append(object);
    }
    return {{QStringLiteral("emulator"), fingerprint.emulator},
            {QStringLiteral("machineType"), fingerprint.machineType},
            {QStringLiteral("accelerator"), fingerprint.accelerator},
            {QStringLiteral("processor"), fingerprint.processor},
            {QStringLiteral("devices"), QJsonArray::fromStringList(fingerprint.devices)},
            {QStringLiteral("nat"), fingerprint.nat},
            {QStringLiteral("files"), files},
            {QStringLiteral("run"), fingerprint.run.toJson()},
            {QStringLiteral("stored"), fingerprint.stored.toJson()}};
}

// What a list is after the changes that another one had from `before` to `after`.
template <typename T>
QList<T> changedAlike(const QList<T>& list, const QList<T>& before, const QList<T>& after) {
    QList<T> result;
    for (const T& item : list)
        if (!before.contains(item) || after.contains(item))
            result.append(item);
    for (const T& item : after)
        if (!before.contains(item) && !result.contains(item))
            result.append(item);
    return result;
}

QString describe(const QString& path) {
    return path.isEmpty() ? Tr::tr("a disk") : QStringLiteral("\"%1\"").arg(path);
}

std::optional<QString> deviceMisfit(const QStringList& saved, const QStringList& now) {
    for (const QString& device : saved)
        if (!now.contains(device))
            return Tr::tr("The machine was suspended with the device \"%1\", which it does not "
                          "have now.")
                .arg(device.section(QLatin1Char(','), 0, 1));
    for (const QString& device : now)
        if (!saved.contains(device))
            return Tr::tr("The machine has the device \"%1\" now, which it did not have when it "
                          "was suspended.")
                .arg(device.section(QLatin1Char(','), 0, 1));
    if (saved != now)
        return Tr::tr("Its devices are in another order now.");
    return std::nullopt;
}

std::optional<QString> fileMisfit(const QList<StateFingerprint::File>& saved,
                                  const QList<StateFingerprint::File>& now) {
    for (const StateFingerprint::File& file : saved) {
        const auto same =
            std::find_if(now.begin(), now.end(), [&file](const StateFingerprint::File& other) {
                return other.path == file.path;
            });
        if (same == now.end())
            return Tr::tr("The machine was suspended with %1, which it does not use now.")
                .arg(describe(file.path));
        if (file.identity != same->identity)
            return Tr::tr("The device %1 is another one than when it was suspended.")
                .arg(describe(file.path));
        if (same->size != file.size)
            return Tr::tr("The size of %1 has changed since it was suspended.")
                .arg(describe(file.path));
        if (same->modified != file.modified || wasWrittenBetween(file.writes, same->writes))
            return Tr::tr("%1 was written to since it was suspended.").arg(describe(file.path));
    }
    if (now.size() != saved.size())
        return Tr::tr("The machine uses a disk now that it did not have when it was suspended.");
    return std::nullopt;
}

} // namespace

Result<StateFingerprint> StateFingerprint::read(const QString& machineDirectory) {
    const QString path = inside(machineDirectory, stateFingerprintName);
    const auto bytes = readSmallFile(path);
    if (!bytes)
        return fail(bytes.error());
    const QJsonDocument document = QJsonDocument::fromJson(*bytes);
    const QJsonObject object = document.object();
    StateFingerprint fingerprint;
    const auto text = [&object](const char* key) {
        return object.value(QLatin1String(key)).toString();
    };
    fingerprint.emulator = text("emulator");
    fingerprint.machineType = text("machineType");
    fingerprint.accelerator = text("accelerator");
    fingerprint.processor = text("processor");
    for (const QJsonValue& device : object.value(QLatin1String("devices")).toArray())
        fingerprint.devices.append(device.toString());
    for (const QJsonValue& item : object.value(QLatin1String("files")).toArray()) {
        const QJsonObject file = item.toObject();
        fingerprint.files.append({file.value(QLatin1String("path")).toString(),
                                  static_cast<quint64>(numberOf(file, "size")),
                                  numberOf(file, "modified"),
                                  file.value(QLatin1String("identity")).toString(),
                                  file.value(QLatin1String("writes")).toString()});
    }
    const auto run = RunOptions::fromJson(object.value(QLatin1String("run")).toObject());
    const auto stored = RunOptions::fromJson(object.value(QLatin1String("stored")).toObject());
    if (fingerprint.machineType.isEmpty() || fingerprint.files.isEmpty() || !run || !stored)
        return fail(Error::Kind::Integrity,
                    Tr::tr("\"%1\", which says what the saved state fits, is damaged.").arg(path));
    fingerprint.run = *run;
    fingerprint.nat = text("nat");
    if (fingerprint.nat.isEmpty() && run->network.mode == NetworkMode::Nat)
        fingerprint.nat = QLatin1String(natOfQemu); // of a version before vitrine-softnet did it
    fingerprint.stored = *stored;
    return fingerprint;
}

Result<> StateFingerprint::write(const QString& machineDirectory) const {
    return replaceFile(inside(machineDirectory, stateFingerprintName),
                       QJsonDocument(toJson(*this)).toJson(QJsonDocument::Indented));
}

RunOptions optionsToGoOnWith(const StateFingerprint& saved, const RunOptions& stored) {
    RunOptions options = saved.run;
    options.shares = changedAlike(saved.run.shares, saved.stored.shares, stored.shares);
    if (!groupShares(options.shares)) // they are of two origins
        options.shares = stored.shares;
    options.forwards = changedAlike(saved.run.forwards, saved.stored.forwards, stored.forwards);
    if (saved.stored.clipboard != stored.clipboard)
        options.clipboard = stored.clipboard;
    if (options.network.mode == stored.network.mode)
        for (QString NetworkOptions::*const list :
             {&NetworkOptions::allow, &NetworkOptions::block, &NetworkOptions::expose})
            if (saved.stored.network.*list != stored.network.*list)
                options.network.*list = stored.network.*list;
    return options;
}

Result<QList<StateFingerprint::File>> fingerprintFiles(const QString& machineDirectory,
                                                       const QStringList& paths) {
    QList<StateFingerprint::File> files;
    const QString prefix = machineDirectory + QLatin1Char('/');
    for (const QString& path : paths) {
        const QString full = absolute(machineDirectory, path);
        struct stat info {};
        if (::stat(QFile::encodeName(full).constData(), &info) != 0)
            return fail(Error::fromErrno(Tr::tr("Cannot look at \"%1\".").arg(full), errno));
        if (S_ISBLK(info.st_mode)) {
            const auto mark = BlockDeviceMark::of(full);
            if (!mark)
                return fail(mark.error());
            files.append({path, mark->size, 0, mark->identity, mark->writes});
            continue;
        }
        const timespec changed = posix::modificationTime(info);
        files.append({full.startsWith(prefix) ? full.mid(prefix.size()) : full,
                      static_cast<quint64>(info.st_size),
                      static_cast<qint64>(changed.tv_sec) * 1000000000 + changed.tv_nsec});
    }
    return files;
}

std::optional<QString> misfit(const StateFingerprint& saved, const StateFingerprint& now) {
    const auto differs = [](const QString& what, const QString& before, const QString& after) {
        return Tr::tr("It was suspended with %1 \"%2\" and would go on with \"%3\".")
            .arg(what, before, after);
    };
    if (saved.machineType != now.machineType)
        return differs(Tr::tr("the machine type"), saved.machineType, now.machineType);
    if (saved.accelerator != now.accelerator)
        return differs(Tr::tr("the accelerator"), saved.accelerator, now.accelerator);
    if (saved.processor != now.processor)
        return differs(Tr::tr("the processor"), saved.processor, now.processor);
    const auto before = QVersionNumber::fromString(saved.emulator);
    const auto after = QVersionNumber::fromString(now.emulator);
    if (!before.isNull() && !after.isNull() && after < before)
        return Tr::tr("It was suspended by QEMU %1 and the older QEMU %2 cannot read that.")
            .arg(saved.emulator, now.emulator);
    if (const auto device = deviceMisfit(saved.devices, now.devices))
        return device;
    return fileMisfit(saved.files, now.files);
}

Result<> renewFingerprint(const QString& from, const QString& to) {
    auto fingerprint = StateFingerprint::read(from);
    if (!fingerprint)
        return {}; // none, or one that fits nowhere
    for (StateFingerprint::File& file : fingerprint->files) {
        if (QDir::isAbsolutePath(file.path))
            continue;
        const auto source = fingerprintFiles(from, {file.path});
        // A file that does not fit here does not fit there either.
        if (!source || source->constFirst() != file)
            continue;
        const auto copy = fingerprintFiles(to, {file.path});
        if (!copy)
            return fail(copy.error());
        file = copy->constFirst();
    }
    return fingerprint->write(to);
}

Result<> discardSavedState(const QString& machineDirectory) {
    // What makes it a suspended machine goes first: killed half-way it is stopped.
    for (const char* name : {savedStateName,
                             "state.vzvmsave",
                             usedStateName,
                             "state.vzvmsave.used",
                             partialStateName,
                             stateFingerprintName}) {
        const QString path = inside(machineDirectory, name);
        if (::unlink(QFile::encodeName(path).constData()) != 0 && errno != ENOENT)
            return fail(Error::fromErrno(Tr::tr("Cannot delete \"%1\".").arg(path), errno));
    }
    return syncDirectory(machineDirectory);
}

bool hasOnlyUsedState(const QString& machineDirectory) {
    return !QFileInfo::exists(inside(machineDirectory, savedStateName)) &&
           QFileInfo::exists(inside(machineDirectory, usedStateName));
}

} // namespace vitrine
