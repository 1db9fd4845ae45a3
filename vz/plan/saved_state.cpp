// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/saved_state.h"

#include "core/disk/disk_space.h"
#include "core/disk/file_descriptor.h"
#include "core/posix/files.h"

#include <QFile>
#include <QFileInfo>
#include <QVersionNumber>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace vitrine::vz {
namespace {

constexpr const char* versionPortWord = "port";
const QString framework = QStringLiteral("vz"); // what StateFingerprint has as machine type

QString inside(const QString& directory, const char* name) {
    return directory + QLatin1Char('/') + QLatin1String(name);
}

QString line(std::initializer_list<QString> parts) {
    return QStringList(parts).join(QLatin1Char(','));
}

QString flag(const char* name, bool on) {
    return QLatin1String(name) + QLatin1Char('=') + QString::number(on ? 1 : 0);
}

QString diskLine(const Disk& disk) {
    if (const auto* image = std::get_if<ImageDisk>(&disk.source))
        return line({QStringLiteral("disk"), image->path, flag("readonly", image->readOnly)});
    if (const auto* network = std::get_if<NetworkDisk>(&disk.source))
        return line(
            {QStringLiteral("nbd"), network->url, flag("readonly", network->forcedReadOnly)});
    const auto& device = std::get<BlockDisk>(disk.source);
    return line({QStringLiteral("device"), device.path, flag("readonly", device.readOnly)});
}

QString cardLine(const NetworkCard& card) {
    const QString address = card.macAddress.toText();
    if (const auto* bridged = std::get_if<BridgedAttachment>(&card.attachment))
        return line({QStringLiteral("network"), address, bridged->interface});
    return line({QStringLiteral("network"),
                 address,
                 std::holds_alternative<NatAttachment>(card.attachment)
                     ? QStringLiteral("nat")
                     : QStringLiteral("socket")});
}

QString shareLine(const ShareDevice& device) {
    QStringList parts{QStringLiteral("share"), device.tag};
    for (const SharedFolder& folder : device.folders)
        parts << folder.name + QLatin1Char(':') + folder.path +
                     (folder.readOnly ? QStringLiteral(":ro") : QString());
    return parts.join(QLatin1Char(','));
}

Result<> moveState(const QString& directory, const char* from, const char* to) {
    const QByteArray source = QFile::encodeName(inside(directory, from));
    const QString what =
        Tr::tr("Cannot rename the saved state \"%1\".").arg(inside(directory, from));
    const FileDescriptor file(::open(source.constData(), O_RDONLY | O_CLOEXEC));
    if (!file.isValid() || !posix::flush(file.get()) ||
        std::rename(source.constData(), QFile::encodeName(inside(directory, to)).constData()) != 0)
        return fail(Error::fromErrno(what, errno));
    return syncDirectory(directory);
}

} // namespace

QStringList deviceLines(const MachinePlan& plan) {
    QStringList lines{line({QStringLiteral("processors"), QString::number(plan.processors)}),
                      line({QStringLiteral("memory"), QString::number(plan.memory.bytes())})};
    for (const Disk& disk : plan.disks)
        lines << diskLine(disk);
    for (const NetworkCard& card : plan.cards)
        lines << cardLine(card);
    for (const ShareDevice& device : plan.shares)
        lines << shareLine(device);
    lines << line({QStringLiteral("display"),
                   QStringLiteral("%1x%2").arg(plan.display.width).arg(plan.display.height),
                   plan.display.kind == DisplayPlan::Kind::Pixels ? QStringLiteral("px")
                                                                  : QStringLiteral("pt")});
    for (const KeyboardKind kind : plan.keyboards)
        lines << line({QStringLiteral("keyboard"),
                       kind == KeyboardKind::Mac ? QStringLiteral("mac") : QStringLiteral("usb")});
    for (const PointerKind kind : plan.pointers)
        lines << line(
            {QStringLiteral("pointer"),
             kind == PointerKind::MacTrackpad ? QStringLiteral("mac") : QStringLiteral("usb")});
    if (plan.sound != Sound::None)
        lines << QStringLiteral("sound");
    if (plan.clipboard)
        lines << QStringLiteral("clipboard");
    if (!plan.versionPort.isEmpty())
        lines << line({QLatin1String(versionPortWord), plan.versionPort});
    if (plan.serial)
        lines << QStringLiteral("serial");
    return lines;
}

bool leaveOutConsoles(MachinePlan& plan) {
    const bool had = plan.clipboard || !plan.versionPort.isEmpty();
    plan.clipboard = false;
    plan.versionPort.clear();
    return had;
}

bool wasSavedWithoutConsoles(const QString& machineDirectory) {
    const auto saved = StateFingerprint::read(machineDirectory);
    if (!saved || saved->machineType != framework)
        return false;
    const QString prefix = QLatin1String(versionPortWord) + QLatin1Char(',');
    return std::none_of(saved->devices.cbegin(),
                        saved->devices.cend(),
                        [&prefix](const QString& device) { return device.startsWith(prefix); });
}

QStringList filesOf(const MachinePlan& plan) {
    QStringList files;
    for (const Disk& disk : plan.disks) {
        if (const auto* image = std::get_if<ImageDisk>(&disk.source))
            files << image->path;
        else if (const auto* device = std::get_if<BlockDisk>(&disk.source))
            files << device->path;
    }
    if (const auto* mac = std::get_if<MacGuest>(&plan.guest))
        files << mac->auxiliaryStorage;
    return files;
}

Result<StateFingerprint>
fingerprintOf(const QString& machineDirectory, const MachinePlan& plan, const HostCaps& host) {
    StateFingerprint fingerprint;
    fingerprint.emulator = host.system.toText();
    fingerprint.machineType = framework;
    fingerprint.accelerator = framework;
    fingerprint.processor = host.processor;
    // Files of the machine go with it when it is renamed.
    const QString prefix = machineDirectory + QLatin1Char('/');
    fingerprint.devices = deviceLines(plan).replaceInStrings(prefix, QString());
    const auto files = fingerprintFiles(machineDirectory, filesOf(plan));
    if (!files)
        return fail(files.error());
    fingerprint.files = *files;
    return fingerprint;
}

std::optional<QString> whyUnfit(const StateFingerprint& saved, const StateFingerprint& now) {
    if (saved.machineType != framework)
        return Tr::tr("It was saved by QEMU on another computer.");
    const auto before = QVersionNumber::fromString(saved.emulator);
    const auto after = QVersionNumber::fromString(now.emulator);
    if (!before.isNull() && !after.isNull() && after < before)
        return Tr::tr("It was saved by macOS %1, and this is the older macOS %2.")
            .arg(saved.emulator, now.emulator);
    StateFingerprint compared = saved;
    compared.emulator = now.emulator;
    return misfit(compared, now);
}

FoundState
findState(const QString& machineDirectory, const MachinePlan& plan, const HostCaps& host) {
    const bool saved = QFileInfo::exists(inside(machineDirectory, vzStateName));
    if (!saved && !QFileInfo::exists(inside(machineDirectory, vzUsedStateName)))
        return {};
    const auto fingerprint = StateFingerprint::read(machineDirectory);
    if (!fingerprint && saved && fingerprint.error().kind == Error::Kind::NotFound)
        return {FoundState::Kind::Saved, {}}; // Tart's: the framework will say
    const auto now = fingerprintOf(machineDirectory, plan, host);
    std::optional<QString> reason;
    if (!fingerprint)
        reason = fingerprint.error().message;
    else if (!now)
        reason = now.error().message;
    else
        reason = whyUnfit(*fingerprint, *now);
    if (!reason)
        return {saved ? FoundState::Kind::Saved : FoundState::Kind::Used, {}};
    return {FoundState::Kind::Unfit,
            Tr::tr("The saved state does not fit the machine any more. %1 Put that back, or throw "
                   "the saved state away with \"vitrinectl run --discard-state\" and lose what was "
                   "not written to its disk.")
                .arg(*reason)};
}

Result<> publishState(const QString& machineDirectory, const StateFingerprint& fingerprint) {
    // Without a fingerprint the state would count as Tart's: it comes first.
    if (const auto written = fingerprint.write(machineDirectory); !written)
        return written;
    return moveState(machineDirectory, vzPartialStateName, vzStateName);
}

Result<> markStateUsed(const QString& machineDirectory) {
    if (!QFileInfo::exists(inside(machineDirectory, vzStateName)) &&
        QFileInfo::exists(inside(machineDirectory, vzUsedStateName)))
        return {}; // it went on from that one
    return moveState(machineDirectory, vzStateName, vzUsedStateName);
}

Result<> deleteState(const QString& machineDirectory) {
    return discardSavedState(machineDirectory);
}

void deletePartialState(const QString& machineDirectory) {
    ::unlink(QFile::encodeName(inside(machineDirectory, vzPartialStateName)).constData());
}

} // namespace vitrine::vz
