// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/hypervisor.h"
#include "core/result/result.h"

#include <QString>

namespace vitrine::cli {

// Has the machine run by the window that shows it, where a screen cannot leave its process, and
// stays until it has ended. SIGINT, SIGTERM and SIGHUP shut the guest down, a second SIGINT forces
// it off, SIGUSR1 suspends and SIGUSR2 shuts down, as with Hypervisor::runMachine(); the time limit
// is the request's and kept by the window. This process may be killed: the machine goes on.
//
// `program`: of the window, which is started; one that is open takes over. Returns the exit code:
// 0 when the guest shut down, was suspended or was forced off on request, 2 when it runs already,
// 1 when it did not start, crashed or the window has gone; told on standard error. An error when no
// window took it.
[[nodiscard]] Result<int> runInWindow(const Hypervisor::RunRequest& request,
                                      const QString& program);

} // namespace vitrine::cli
