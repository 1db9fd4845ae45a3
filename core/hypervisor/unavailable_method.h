// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_client.h"

#include <QString>

namespace vitrine {

// Why the machine's backend cannot have this request, as its `hello` tells, translated; empty for
// one that is there, or that the machine's process does not know at all.
[[nodiscard]] inline QString whyUnavailable(const MachineClient& client, const QString& method) {
    return client.hello()
        .value(QLatin1String("unavailable"))
        .toObject()
        .value(method)
        .toString()
        .left(2000);
}

} // namespace vitrine
