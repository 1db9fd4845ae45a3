// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/error.h"

#include <QString>
#include <QStringList>

namespace vitrine::vz {

inline constexpr const char* vzErrorDomain = "VZErrorDomain";

// Codes of VZErrorDomain that something depends on.
enum VzCode {
    VzInternal = 1,
    VzInvalidConfiguration = 2,
    VzInvalidState = 3,
    VzInvalidStateTransition = 4,
    VzInvalidDiskImage = 5,
    VzLimitExceeded = 6,
    VzNetwork = 7,
    VzOutOfDiskSpace = 8,
    VzCancelled = 9,
    VzNotSupported = 10,
    VzSave = 11,
    VzRestore = 12,
    VzRestoreImageCatalogLoad = 10001,
    VzInvalidRestoreImageCatalog = 10002,
    VzNoSupportedRestoreImages = 10003,
    VzRestoreImageLoad = 10004,
    VzInvalidRestoreImage = 10005,
    VzInstallationRequiresUpdate = 10006,
    VzInstallationFailed = 10007,
    VzNbdNegotiation = 20001,
    VzNbdDisconnected = 20002,
    VzUsbNoController = 30001,
    VzUsbAlreadyAttached = 30002,
    VzUsbInitialization = 30003,
    VzUsbNotFound = 30004
};

// An NSError, as plain values.
struct VzFailure {
    QString domain = QLatin1String(vzErrorDomain);
    int code = VzInternal;
    QString description; // localizedDescription
    QString reason;      // localizedFailureReason; may be empty
    [[nodiscard]] bool is(VzCode wanted) const;
    friend bool operator==(const VzFailure&, const VzFailure&) = default;
};

// What was being done when it failed.
enum class Operation {
    Configure, // making or validating the configuration
    Start,
    Restore, // restoreMachineStateFromURL
    Resume,
    Pause,
    Save,
    RequestStop,
    Stop,
    Run, // didStopWithError: while nothing was asked for
    LoadRestoreImage,
    Install,
    InstallRosetta,
    Connect, // vsock
    ResizeDisplay,
    Disk // network disk lost while it runs
};

struct FailureContext {
    QString machine; // its name
    // macOS machines that run just now, for the limit on those; their names, sorted.
    QStringList runningMacMachines;
    QString disk{}; // Operation::Disk: its path or address
};

// A whole sentence with a remedy where there is one; domain, code and Apple's own text are in
// `detail`, and in the sentence where nothing better is known.
[[nodiscard]] Error
toError(Operation operation, const VzFailure& failure, const FailureContext& context = {});

} // namespace vitrine::vz
