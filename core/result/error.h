// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QString>

namespace vitrine {

// What went wrong, as a value. Branch on `kind`; show `message`; log `detail`.
struct Error {
    enum class Kind {
        Cancelled,      // the user asked for it; never shown as a failure
        NotFound,       // machine, image, file or host does not exist
        AlreadyExists,  // a name is taken; nothing is ever overwritten
        InvalidInput,   // text or option that does not parse or is out of range
        NotRunning,     // the operation needs a running machine
        AlreadyRunning, // the operation needs a stopped machine
        Busy,           // a lock is held by somebody else
        Network,        // transport or HTTP failure
        Unauthorized,   // the registry wants other credentials
        Integrity,      // a digest, size or format does not agree
        DiskFull,       // no space or quota
        Permission,     // the system refused
        Unsupported,    // this host or program cannot do it
        Timeout,        // no answer in time
        Internal        // everything else
    };

    Kind kind = Kind::Internal;
    QString message; // translated whole sentences: what failed, why, what to do
    QString detail;  // untranslated, for logs

    [[nodiscard]] bool isCancelled() const { return kind == Kind::Cancelled; }

    // From errno after a failed system call. `what` is a translated sentence such as
    // "Cannot write \"/x\"."; the reason and a remedy are appended.
    [[nodiscard]] static Error fromErrno(const QString& what, int errorNumber);
    [[nodiscard]] static Error cancelled();
};

// Exit code of the command line for an error: specification 1.11 (2 for "does not exist", "not
// running", "already running"; 64 for invalid arguments; 1 otherwise; 130 after cancelling).
[[nodiscard]] int exitCode(const Error& error);

// Translation context of code outside QObject classes: Tr::tr("…").
struct Tr {
    Q_DECLARE_TR_FUNCTIONS(vitrine::Tr)
};

} // namespace vitrine
