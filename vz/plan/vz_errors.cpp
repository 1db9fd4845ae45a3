// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/vz_errors.h"

namespace vitrine::vz {

namespace {

using Kind = Error::Kind;

// A whole sentence that names what failed.
QString whatFailed(Operation operation, const FailureContext& context) {
    const QString& machine = context.machine;
    switch (operation) {
    case Operation::Configure:
        return Tr::tr("\"%1\" cannot be started as it is set up.").arg(machine);
    case Operation::Start:
        return Tr::tr("\"%1\" cannot be started.").arg(machine);
    case Operation::Restore:
        return Tr::tr("\"%1\" cannot go on from its saved state.").arg(machine);
    case Operation::Resume:
        return Tr::tr("\"%1\" cannot go on.").arg(machine);
    case Operation::Pause:
        return Tr::tr("\"%1\" cannot be paused.").arg(machine);
    case Operation::Save:
        return Tr::tr("\"%1\" cannot be suspended.").arg(machine);
    case Operation::RequestStop:
        return Tr::tr("\"%1\" cannot be asked to shut down.").arg(machine);
    case Operation::Stop:
        return Tr::tr("\"%1\" cannot be forced off.").arg(machine);
    case Operation::Run:
        return Tr::tr("\"%1\" stopped with an error.").arg(machine);
    case Operation::LoadRestoreImage:
        return Tr::tr("The restore image cannot be used.");
    case Operation::Install:
        return Tr::tr("macOS cannot be installed in \"%1\".").arg(machine);
    case Operation::InstallRosetta:
        return Tr::tr("Rosetta cannot be installed.");
    case Operation::Connect:
        return Tr::tr("The guest of \"%1\" cannot be reached.").arg(machine);
    case Operation::ResizeDisplay:
        return Tr::tr("The display of \"%1\" cannot be resized.").arg(machine);
    case Operation::Disk:
        return context.disk.isEmpty()
                   ? Tr::tr("\"%1\" lost a disk.").arg(machine)
                   //: %1: machine, %2: path or address
                   : Tr::tr("\"%1\" lost the disk \"%2\".").arg(machine, context.disk);
    }
    return {};
}

// Apple's own words, ended as a sentence.
QString ownWords(const VzFailure& failure) {
    QString text = failure.description.simplified();
    const QString reason = failure.reason.simplified();
    if (text.isEmpty())
        text = reason;
    else if (!reason.isEmpty() && !text.contains(reason))
        text += QLatin1Char(' ') + reason;
    if (text.isEmpty())
        return Tr::tr("The system gives no reason (%1 %2).").arg(failure.domain).arg(failure.code);
    if (!text.endsWith(QLatin1Char('.')) && !text.endsWith(QLatin1Char('!')))
        text += QLatin1Char('.');
    return text;
}

QString quotedList(const QStringList& names) {
    QStringList quoted;
    for (const QString& name : names)
        quoted << QStringLiteral("\"%1\"").arg(name);
    return quoted.join(QLatin1String(", "));
}

// Why, and what to do.
struct Reason {
    Kind kind = Kind::Internal;
    QString text;
};

Reason limitReason(const QStringList& running) {
    const QString limit = Tr::tr("macOS lets only a certain number of macOS machines run at a "
                                 "time, commonly two.");
    if (running.isEmpty())
        return {Kind::Busy,
                limit + QLatin1Char(' ') +
                    Tr::tr("None of this library runs: shut one down that another program runs.")};
    return {Kind::Busy,
            limit + QLatin1Char(' ') +
                Tr::tr("Running now: %1. Shut one of them down or suspend it first.")
                    .arg(quotedList(running))};
}

Reason configurationReason(const VzFailure& failure) {
    if (ownWords(failure).contains(QLatin1String("com.apple.security.virtualization")))
        return {Kind::Permission,
                Tr::tr("This copy of the program is not signed for virtualization. Sign it with "
                       "its entitlements, or install it again.")};
    return {Kind::InvalidInput,
            ownWords(failure) + QLatin1Char(' ') + Tr::tr("Change its settings and try again.")};
}

Reason installReason(const VzFailure& failure) {
    switch (failure.code) {
    case VzRestoreImageCatalogLoad:
        return {Kind::Network,
                Tr::tr("Apple's list of restore images cannot be fetched. Check the connection, "
                       "or choose a restore image that you have as a file.")};
    case VzInvalidRestoreImageCatalog:
        return {Kind::Integrity,
                Tr::tr("Apple's list of restore images cannot be read. Try again later, or choose "
                       "a restore image that you have as a file.")};
    case VzNoSupportedRestoreImages:
        return {Kind::Unsupported,
                Tr::tr("Apple offers no restore image for this Mac. Update macOS on it.")};
    case VzRestoreImageLoad:
        return {Kind::NotFound,
                Tr::tr("It cannot be loaded. Check that the file is there, whole and readable.")};
    case VzInvalidRestoreImage:
        return {Kind::Integrity,
                Tr::tr("It is not a restore image, or it is damaged. Fetch it again.")};
    case VzInstallationRequiresUpdate:
        return {Kind::Unsupported,
                Tr::tr("This Mac lacks device support for that version of macOS. Update macOS on "
                       "this Mac, or open Xcode once so that it installs what is missing.")};
    default:
        return {Kind::Internal,
                ownWords(failure) + QLatin1Char(' ') +
                    Tr::tr("Try again; if it fails again, fetch the restore image anew.")};
    }
}

Reason reasonOf(Operation operation, const VzFailure& failure, const FailureContext& context) {
    if (failure.domain == QLatin1String("NSPOSIXErrorDomain")) {
        const Error posix = Error::fromErrno(QString(), failure.code);
        return {posix.kind, posix.message.trimmed()};
    }
    if (failure.domain != QLatin1String(vzErrorDomain))
        return {Kind::Internal, ownWords(failure)};
    switch (failure.code) {
    case VzInvalidConfiguration:
        return configurationReason(failure);
    case VzInvalidState:
    case VzInvalidStateTransition:
        return {Kind::Busy, Tr::tr("It is doing something else just now. Try again in a moment.")};
    case VzInvalidDiskImage:
        return {Kind::Integrity,
                Tr::tr("A disk image cannot be used: only raw images whose size is a multiple of "
                       "512 bytes can. %1")
                    .arg(ownWords(failure))};
    case VzLimitExceeded:
        return limitReason(context.runningMacMachines);
    case VzNetwork:
        return {Kind::Network, ownWords(failure)};
    case VzOutOfDiskSpace:
        return {Kind::DiskFull,
                Tr::tr("There is no space left on the volume of its files. Make room and try "
                       "again.")};
    case VzCancelled:
        return {Kind::Cancelled, Tr::tr("It was cancelled.")};
    case VzNotSupported:
        return {
            Kind::Unsupported,
            Tr::tr("This Mac or its version of macOS cannot do that. %1").arg(ownWords(failure))};
    case VzSave:
        return {
            Kind::Internal,
            Tr::tr("Its state cannot be saved. It goes on as before. %1").arg(ownWords(failure))};
    case VzRestore:
        return {Kind::Integrity,
                Tr::tr("A saved state fits only the Mac, the version of macOS and the settings it "
                       "was saved with. Put those back, or throw the saved state away with "
                       "\"vitrinectl run --discard-state\" and lose what was not written to its "
                       "disk.")};
    case VzNbdNegotiation:
        return {Kind::Network,
                Tr::tr("The server of a network disk does not agree on what is wanted. Check its "
                       "address and its export's name. %1")
                    .arg(ownWords(failure))};
    case VzNbdDisconnected:
        return {Kind::Network,
                Tr::tr("The server of a network disk is gone for good. Shut the machine down, see "
                       "to the server and start again.")};
    case VzUsbInitialization:
    case VzUsbNoController:
    case VzUsbAlreadyAttached:
    case VzUsbNotFound:
        return {Kind::Unsupported, ownWords(failure)};
    default:
        break;
    }
    if (failure.code >= VzRestoreImageCatalogLoad && failure.code <= VzInstallationFailed)
        return installReason(failure);
    if (operation == Operation::Install)
        return installReason(failure);
    return {Kind::Internal, ownWords(failure)};
}

} // namespace

bool VzFailure::is(VzCode wanted) const {
    return domain == QLatin1String(vzErrorDomain) && code == wanted;
}

Error toError(Operation operation, const VzFailure& failure, const FailureContext& context) {
    const Reason reason = reasonOf(operation, failure, context);
    QString detail = QStringLiteral("%1 %2: %3")
                         .arg(failure.domain)
                         .arg(failure.code)
                         .arg(failure.description.simplified());
    if (!failure.reason.isEmpty())
        detail += QStringLiteral(" (%1)").arg(failure.reason.simplified());
    return {reason.kind, whatFailed(operation, context) + QLatin1Char(' ') + reason.text, detail};
}

} // namespace vitrine::vz
