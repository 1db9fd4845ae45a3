// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/error.h"

#include <QMap>
#include <QStringList>

namespace vitrine::qemu {

// Why QEMU did not start, from what it wrote to stderr: known reasons become a sentence with a
// remedy, anything else is QEMU's last line. All start errors come within 0.05 s (QEMU 7.2, seen).
// `networkDisks` is what networkDisks() says (qemu/block_node.h).
[[nodiscard]] Error startFailure(const QStringList& lastLines,
                                 int endedBySignal,
                                 const QMap<QString, QString>& networkDisks = {});

} // namespace vitrine::qemu
