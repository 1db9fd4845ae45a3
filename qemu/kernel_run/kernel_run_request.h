// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/machine_config.h"
#include "core/machine/run_options.h"
#include "core/result/result.h"

#include <QList>
#include <QString>

#include <optional>

namespace vitrine::qemu {

// A folder of this computer at a place in the guest: HOST:GUEST[:ro].
struct KernelMount {
    QString hostPath;  // absolute
    QString guestPath; // absolute
    bool readOnly = false;

    // A relative HOST starts in `base`, "~" is the home folder. InvalidInput says how it is
    // written.
    [[nodiscard]] static Result<KernelMount> fromText(const QString& text, const QString& base);
    friend bool operator==(const KernelMount&, const KernelMount&) = default;
};

// What somebody wants of a kernel run. A plain value.
struct KernelRunRequest {
    enum class Share { Automatic, Virtiofs, Plan9 };
    QString name;   // of a target in a list
    QString kernel; // path
    QString root = QStringLiteral("/");
    std::optional<Architecture> architecture; // as the kernel says
    QString modules;   // a folder; empty: lib/modules of the root, then of this computer
    QString busybox;   // a file; empty: looked for
    QString arguments; // of the kernel, behind our own
    QList<KernelMount> mounts;
    int memory = 1024; // MiB
    int cpus = 1;
    bool writable = false;  // the root file system itself is changed
    int timeoutSeconds = 0; // 0: none
    Share share = Share::Automatic;
    AcceleratorChoice accelerator = AcceleratorChoice::Automatic;
    QString command; // a line for /bin/sh; "-" is a shell on the terminal
    friend bool operator==(const KernelRunRequest&, const KernelRunRequest&) = default;
};

// "auto", "virtiofs", "9p"; nullopt otherwise.
[[nodiscard]] std::optional<KernelRunRequest::Share> kernelShareFromText(const QString& text);

} // namespace vitrine::qemu
