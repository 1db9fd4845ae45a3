// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/machine_client.h"

#include <QObject>
#include <QPointer>
#include <QString>

namespace vitrine::ui {

// Joins the desktop's clipboard with a machine's while its screen has the keyboard: text copied
// here is offered to the guest when the keyboard goes there, text copied there comes here. Text
// only, at most 1 MiB; what a password manager marks as secret stays here. Window thread; nothing
// waits for the machine.
class ClipboardBridge final : public QObject {
    Q_OBJECT
public:
    explicit ClipboardBridge(QObject* parent = nullptr);

    void setClient(MachineClient* client); // may be null; observed
    void setActive(bool active);
    [[nodiscard]] bool isActive() const { return m_active; }

    // The machine's switch, and whether it can be used.
    [[nodiscard]] bool isEnabled() const;
    [[nodiscard]] bool isShared() const; // switched on, and an agent in the guest takes part
    // Why it cannot be switched, translated; empty when it can.
    [[nodiscard]] QString unavailableReason() const;
    [[nodiscard]] QString stateText() const; // "Clipboard shared, text only"
    void setEnabled(bool enabled);           // kept with the machine; failed() when that cannot be

Q_SIGNALS:
    void changed();
    void failed(const vitrine::Error& error);

private:
    void offerHostText();
    void sendPart(const QByteArray& text, qsizetype offset, quint64 round);
    void fetch(qint64 serial, const QByteArray& before, quint64 round);

    QPointer<MachineClient> m_client;
    bool m_active = false;
    QString m_last;      // text that both sides have
    quint64 m_round = 0; // of exchanges: an answer to an older one is void
};

} // namespace vitrine::ui
