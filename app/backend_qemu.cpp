// SPDX-License-Identifier: Apache-2.0
#include "app/backend.h"
#include "qemu/qemu_hypervisor.h"

namespace vitrine::app {

Backend makeBackend() {
    return {qemu::makeHypervisor(), nullptr, {}};
}

} // namespace vitrine::app
