// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>

namespace vitrine::qemu {

// What runs in the guest of a kernel run (init.sh, run.sh), built in.
[[nodiscard]] QByteArray kernelInitScript();
[[nodiscard]] QByteArray kernelRunScript();

} // namespace vitrine::qemu
