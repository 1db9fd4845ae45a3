// SPDX-License-Identifier: Apache-2.0
#include "qemu/root_ports.h"

#include "qemu/launch_plan.h"

namespace vitrine::qemu {

RootPorts::RootPorts(const QJsonObject& remembered) {
    for (auto entry = remembered.begin(); entry != remembered.end(); ++entry) {
        const int port = entry->toInt(-1);
        if (port >= 0 && port < spareRootPorts && m_memory.key(port).isEmpty()) {
            m_memory.insert(entry.key(), port);
        }
    }
}

Result<QString> RootPorts::take(const QString& device) {
    int chosen = m_memory.value(device, -1);
    if (chosen < 0 || m_taken.contains(chosen)) {
        chosen = -1;
        for (int port = 0; port < spareRootPorts; ++port) {
            if (m_taken.contains(port)) {
                continue;
            }
            const bool unknown = m_memory.key(port).isEmpty();
            if (chosen < 0 || unknown) {
                chosen = port;
            }
            if (unknown) {
                break;
            }
        }
    }
    if (chosen < 0) {
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The machine has all %1 places for devices that can be added while it "
                           "runs in use. Remove a share or another device first.")
                        .arg(spareRootPorts));
    }
    m_memory.remove(m_memory.key(chosen));
    m_memory.insert(device, chosen);
    m_taken.insert(chosen, device);
    return QStringLiteral("rp%1").arg(chosen);
}

void RootPorts::release(const QString& device) {
    m_taken.remove(m_taken.key(device, -1));
}

QJsonObject RootPorts::remembered() const {
    QJsonObject object;
    for (auto entry = m_memory.begin(); entry != m_memory.end(); ++entry) {
        object.insert(entry.key(), entry.value());
    }
    return object;
}

} // namespace vitrine::qemu
