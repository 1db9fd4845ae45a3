// SPDX-License-Identifier: Apache-2.0
#include "core/hypervisor/machine_host.h"

#include <QCoreApplication>

namespace vitrine {

std::unique_ptr<MachineHost> Hypervisor::makeMachineHost() const {
    return nullptr;
}

void Hypervisor::install(Feature /*feature*/, std::function<void(const Result<>&)> done) const {
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [done = std::move(done)] {
            done(fail(Error::Kind::Unsupported,
                      Tr::tr("There is nothing that could be installed for it here.")));
        },
        Qt::QueuedConnection);
}

} // namespace vitrine
