// SPDX-License-Identifier: Apache-2.0
#include "qemu/suspend_files.h"

#include "core/disk/disk_space.h"
#include "core/machine/sidecar.h"
#include "qemu/suspend_steps.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <functional>
#include <unistd.h>

namespace vitrine::qemu {

namespace {

std::function<void(const char*)>& observer() {
    static std::function<void(const char*)> function;
    return function;
}

QString inside(const QString& directory, const char* name) {
    return directory + QLatin1Char('/') + QLatin1String(name);
}

Result<> renameState(const QString& from, const QString& to) {
    if (::rename(QFile::encodeName(from).constData(), QFile::encodeName(to).constData()) != 0)
        return fail(Error::fromErrno(Tr::tr("Cannot rename \"%1\".").arg(from), errno));
    return {};
}

QString machineName(const QString& directory) {
    return QFileInfo(directory).fileName();
}

Error cannotGoOn(const QString& directory, const QString& reason) {
    return Error{Error::Kind::Unsupported,
                 Tr::tr("The saved state of \"%1\" cannot be resumed. %2 Undo that, or throw the "
                        "saved state away with \"vitrinectl run --discard-state\"; what the guest "
                        "had not written to its disk is then lost.")
                     .arg(machineName(directory), reason),
                 {}};
}

} // namespace

void setStepObserver(std::function<void(const char*)> function) {
    observer() = std::move(function);
}

void stepReached(const char* step) {
    if (observer())
        observer()(step);
}

StateFingerprint fingerprintOf(const LaunchPlan& plan,
                               const RunOptions& options,
                               const QString& version,
                               const QString& processor) {
    StateFingerprint fingerprint;
    fingerprint.emulator = version;
    fingerprint.machineType = plan.machineType;
    fingerprint.accelerator =
        plan.accelerator == Accelerator::Kvm ? QStringLiteral("kvm") : QStringLiteral("tcg");
    // "host" is as many models as there are hosts.
    fingerprint.processor = plan.cpuModel;
    if (plan.cpuModel.startsWith(QLatin1String("host")))
        fingerprint.processor += QStringLiteral(" (%1)").arg(processor);
    // What the guest sees; sockets, files and ports of this computer may differ from run to run.
    const QStringList arguments = commandLine(plan);
    for (qsizetype i = 0; i + 1 < arguments.size(); ++i)
        for (const char* option : {"-device", "-machine", "-smp", "-m"})
            if (arguments.at(i) == QLatin1String(option))
                fingerprint.devices.append(arguments.at(i + 1));
    if (plan.network == NetworkMode::Nat)
        fingerprint.nat = QLatin1String(plan.usesSoftnet() ? natOfSoftnet : natOfQemu);
    fingerprint.run = options;
    return fingerprint;
}

SuspendFiles::SuspendFiles(QString machineDirectory, LaunchPlan plan, RunOptions options)
    : m_directory(std::move(machineDirectory))
    , m_plan(std::move(plan))
    , m_options(std::move(options)) {}

QString SuspendFiles::file(const char* name) const {
    return inside(m_directory, name);
}

QString SuspendFiles::partialPath() const {
    return file(partialStateName);
}

QStringList SuspendFiles::paths() const {
    QStringList paths{m_plan.diskPath};
    for (const PlannedDisk& disk : m_plan.disks)
        if (disk.kind != ExtraDisk::Kind::NetworkDisk) // that has neither size nor time
            paths << disk.path;
    if (!m_plan.firmwareVariables.isEmpty())
        paths << m_plan.firmwareVariables;
    return paths;
}

StateFingerprint SuspendFiles::describedBy(const QString& version,
                                           const RunOptions& options) const {
    StateFingerprint fingerprint = fingerprintOf(m_plan, options, version);
    if (const auto sidecar = Sidecar::read(m_directory))
        fingerprint.stored = sidecar->run;
    return fingerprint;
}

Result<> SuspendFiles::commit(const QString& version, const RunOptions& options) const {
    StateFingerprint fingerprint = describedBy(version, options);
    auto files = fingerprintFiles(m_directory, paths());
    if (!files)
        return fail(files.error());
    fingerprint.files = *std::move(files);
    if (Result<> written = fingerprint.write(m_directory); !written)
        return written;
    stepReached("fingerprint written");
    if (Result<> renamed = renameState(partialPath(), file(savedStateName)); !renamed)
        return renamed;
    if (Result<> synced = syncDirectory(m_directory); !synced)
        return synced;
    stepReached("state in place");
    return {};
}

Result<> SuspendFiles::describe(const QString& folder,
                                const QString& version,
                                const RunOptions& options) const {
    StateFingerprint fingerprint = describedBy(version, options);
    auto files = fingerprintFiles(m_directory, paths());
    if (!files)
        return fail(files.error());
    for (StateFingerprint::File& file : *files) {
        if (!QDir::isRelativePath(file.path))
            continue; // no copy of it is made
        const auto copy = fingerprintFiles(folder, {file.path});
        if (!copy)
            return fail(copy.error());
        file = copy->constFirst();
    }
    fingerprint.files = *std::move(files);
    return fingerprint.write(folder);
}

Result<> SuspendFiles::renew() const {
    auto fingerprint = StateFingerprint::read(m_directory);
    if (!fingerprint)
        return fail(fingerprint.error());
    auto files = fingerprintFiles(m_directory, paths());
    if (!files)
        return fail(files.error());
    if (*files == fingerprint->files)
        return {};
    fingerprint->files = *std::move(files);
    return fingerprint->write(m_directory);
}

void SuspendFiles::removePartial() const {
    ::unlink(QFile::encodeName(partialPath()).constData());
}

Result<std::optional<SuspendFiles::Saved>> SuspendFiles::find(const QString& machineDirectory) {
    ::unlink(QFile::encodeName(inside(machineDirectory, partialStateName)).constData());
    Saved saved;
    if (QFileInfo::exists(inside(machineDirectory, savedStateName)))
        saved.path = inside(machineDirectory, savedStateName);
    else if (hasOnlyUsedState(machineDirectory))
        saved.path = inside(machineDirectory, usedStateName);
    else
        return std::optional<Saved>{};
    auto fingerprint = StateFingerprint::read(machineDirectory);
    if (!fingerprint)
        return fail(
            cannotGoOn(machineDirectory,
                       fingerprint.error().kind == Error::Kind::NotFound
                           ? Tr::tr("Nothing says which machine it belongs to (\"%1\" is missing).")
                                 .arg(QLatin1String(stateFingerprintName))
                           : fingerprint.error().message));
    saved.fingerprint = *std::move(fingerprint);
    stepReached("found");
    return std::optional<Saved>{std::move(saved)};
}

RunOptions SuspendFiles::optionsFor(const Saved& saved, const RunOptions& given) {
    RunOptions options = saved.fingerprint.run;
    options.forwards = given.forwards;
    options.shares = given.shares;
    options.clipboard = given.clipboard;
    if (options.network.mode == given.network.mode) {
        options.network.allow = given.network.allow;
        options.network.block = given.network.block;
        options.network.expose = given.network.expose;
    }
    return options;
}

Result<FileDescriptor> SuspendFiles::openSaved(const Saved& saved, const QString& version) const {
    StateFingerprint now = fingerprintOf(m_plan, m_options, version);
    auto files = fingerprintFiles(m_directory, paths());
    if (!files)
        return fail(files.error());
    now.files = *std::move(files);
    if (const auto reason = misfit(saved.fingerprint, now)) {
        const bool used = saved.path.endsWith(QLatin1String(usedStateName));
        return fail(cannotGoOn(
            m_directory,
            used ? Tr::tr("The guest went on from it before and was cut off. %1").arg(*reason)
                 : *reason));
    }
    FileDescriptor state(::open(QFile::encodeName(saved.path).constData(),
                                O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!state.isValid())
        return fail(
            Error::fromErrno(Tr::tr("Cannot open the saved state \"%1\".").arg(saved.path), errno));
    stepReached("opened");
    return state;
}

Result<> SuspendFiles::markUsed() const {
    if (QFileInfo::exists(file(savedStateName)))
        if (Result<> renamed = renameState(file(savedStateName), file(usedStateName)); !renamed)
            return renamed;
    stepReached("used");
    if (Result<> synced = syncDirectory(m_directory); !synced)
        return synced;
    stepReached("used synced");
    return {};
}

void SuspendFiles::deleteUsed() const {
    ::unlink(QFile::encodeName(file(usedStateName)).constData());
    stepReached("state deleted");
    ::unlink(QFile::encodeName(file(stateFingerprintName)).constData());
    (void)syncDirectory(m_directory);
    stepReached("fingerprint deleted");
}

} // namespace vitrine::qemu
