// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/display.h"

#include <memory>

namespace vitrine::qemu {

// Our RFB client (qemu.md section 2 says why not libvncclient). `socketPath` is a Unix socket.
[[nodiscard]] std::unique_ptr<Display> makeRfbDisplay(const QString& socketPath);

} // namespace vitrine::qemu
