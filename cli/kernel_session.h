// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "qemu/kernel_run/kernel_run_request.h"

#include <QByteArray>
#include <QJsonObject>
#include <QString>

namespace vitrine::cli {

// How a kernel run ended.
struct KernelOutcome {
    enum class State { Passed, Failed, NotRun }; // exit code 0; another; the command never ended
    State state = State::NotRun;
    int exitCode = -1;  // of the command; -1: there is none
    QString method;     // "virtiofs" or "9p"; empty when nothing was mounted
    double seconds = 0; // from the start of the run to its end
    QByteArray output;  // the last part, when it was kept
    QByteArray errors;
    Result<int> result = fail(Error{}); // the exit code, or why there is none

    // {"Name", "State": "passed"|"failed"|"error", "ExitCode", "Seconds", "Share", "Output",
    // "Errors", "Reason"}; what is not known is left out.
    [[nodiscard]] QJsonObject toJson(const QString& name) const;
};

struct KernelSessionOptions {
    bool passOn = true;   // output goes to ours as it comes; otherwise it is kept
    bool console = false; // the kernel's messages go to standard error
    bool notes = true;    // what the plan says goes to standard error
};

// Plans and runs; returns when QEMU is gone. Ctrl-C, SIGTERM and SIGHUP end it: Cancelled. Main
// thread, without another event loop.
[[nodiscard]] KernelOutcome runKernel(const qemu::KernelRunRequest& request,
                                      const KernelSessionOptions& options);

} // namespace vitrine::cli
