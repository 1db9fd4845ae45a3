// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/machine_config.h"
#include "core/result/result.h"
#include "core/value/byte_count.h"
#include "qemu/kernel_run/kernel_image.h"
#include "qemu/launch_plan.h"
#include "qemu/sharing/share_transport.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace vitrine::qemu {

// A folder of this computer in a kernel run.
struct KernelShare {
    QString tag;
    QString hostPath;
    QString guestPath; // empty for the root file system
    bool readOnly = true;
    friend bool operator==(const KernelShare&, const KernelShare&) = default;
};

// Everything a kernel run needs, decided beforehand; a plain value.
struct KernelRunPlan {
    QString emulator; // absolute path of qemu-system-…
    Accelerator accelerator = Accelerator::Tcg;
    KernelImage kernel;
    QString kernelArguments;
    int cpus = 1;
    ByteCount memory;
    QStringList modules;       // files, in loading order
    QString busybox;           // a static one for the guest's architecture
    QList<KernelShare> shares; // the first is the root file system
    QStringList methods; // "virtiofs", "9p": offered to the kernel, the first that it knows is used
    ShareTransport transport; // with "virtiofs"
    bool dropsRoot = false;   // QEMU gives up root's rights once it runs; with "9p" only
    bool fallsBack = false;   // to 9P if virtiofs cannot be started after all
    bool overlay = true;      // changes to the root file system stay in memory
    bool interactive = false; // a shell on a terminal instead of the command
    QString command;          // a line for /bin/sh
    QString folder;           // where it runs, in the guest
    QString home;             // $HOME there
    QString terminal;         // $TERM there
    int rows = 24;
    int columns = 80;
    int timeoutSeconds = 0; // 0: none
    QStringList notes;      // translated, to be shown before the start
};

// Descriptors that QEMU inherits; -1: not there.
struct KernelRunDescriptors {
    int initramfs = -1; // a file in memory
    int console = -1;   // the kernel's messages
    int control = -1;   // port 1
    int output = -1;    // port 2
    int errors = -1;    // port 3
    int terminal = -1;  // interactive only
    QList<int> shares;  // connected to virtiofsd, in the plan's order; empty without virtiofs
};

// QEMU's arguments without the program. Pure.
[[nodiscard]] QStringList commandLine(const KernelRunPlan& plan,
                                      const KernelRunDescriptors& descriptors);

// The kernel's first file system: busybox, the modules and two scripts. `mark` ends each stream of
// output. Reads the modules and busybox; any thread.
[[nodiscard]] Result<QByteArray> makeInitramfs(const KernelRunPlan& plan, const QByteArray& mark);

} // namespace vitrine::qemu
