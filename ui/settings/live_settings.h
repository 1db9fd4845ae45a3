// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/error.h"
#include "ui/services.h"
#include "ui/settings/machine_draft.h"

#include <QObject>
#include <QSize>

namespace vitrine::ui {

// What a running machine tells of its settings, and takes at once without `vitrinectl set`: the
// clipboard's switch and the size of its display. Lives on the window's thread and never waits.
class LiveSettings final : public QObject {
    Q_OBJECT
public:
    explicit LiveSettings(const Services& services, QObject* parent = nullptr);

    // Puts what differs into the running machine; nothing when it is not one of ours. The size goes
    // to the guest only while it does not follow the window. Errors come by failed().
    void
    apply(const MachineInfo& machine, const MachineSettings& saved, const MachineSettings& edited);
    // Asks which ports lead into the machine now; forwardsChanged() when they are others.
    void askForwards(const MachineInfo& machine);
    // Of the machine asked for last, without the one for SSH that every machine has.
    [[nodiscard]] const QList<PortForward>& forwards() const { return m_forwards; }

Q_SIGNALS:
    void forwardsChanged();
    void failed(const vitrine::Error& error);

private:
    void setForwards(const QList<PortForward>& forwards);
    void requestSize(const QString& displaySocket, QSize size);

    Services m_services;
    QString m_name; // whose forwards they are
    QList<PortForward> m_forwards;
};

} // namespace vitrine::ui
