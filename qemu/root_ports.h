// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QHash>
#include <QJsonObject>
#include <QString>

namespace vitrine::qemu {

// Which of the spare PCIe root ports (launch_plan.h) has which device of a running machine. A
// device that comes back gets its old port: guests name devices after their place.
class RootPorts final {
public:
    // `remembered`: device -> number of its port, as kept in vitrine.json ("deviceSlots").
    explicit RootPorts(const QJsonObject& remembered = {});

    // The name of a bus for device_add, "rp0" … "rp15". Its old port if that is free, else one that
    // no other device had. Unsupported when all are taken.
    [[nodiscard]] Result<QString> take(const QString& device);
    void release(const QString& device); // remembers the port
    [[nodiscard]] QJsonObject remembered() const;

private:
    QHash<QString, int> m_memory; // at most one device a port
    QHash<int, QString> m_taken;
};

} // namespace vitrine::qemu
