// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/spice_agent.h"

#include <QLocalSocket>
#include <QObject>
#include <QString>
#include <QTimer>

namespace vitrine::qemu {

// Text on the clipboard, between the guest's agent (its port "com.redhat.spice.0", a plain socket
// here: QEMU's own vdagent chardev would forbid suspending) and whoever asks. Nothing is sent or
// kept while it is switched off. Main thread of the machine's process.
class ClipboardPort final : public QObject {
    Q_OBJECT
public:
    enum class State { Off, NoAgent, Ready };

    explicit ClipboardPort(QString socketPath, QObject* parent = nullptr);
    ~ClipboardPort() override;

    void open(); // QEMU's socket is there from now on
    void close();
    void setEnabled(bool enabled);
    [[nodiscard]] bool isEnabled() const { return m_enabled; }
    void setGuestOpened(bool opened); // told by VSERPORT_CHANGE
    [[nodiscard]] State state() const;

    // Text of the host, offered to the guest until one of both sides copies something else.
    void offer(const QString& text);
    // What the guest copied last, UTF-8, and a number that grows with each.
    [[nodiscard]] const QByteArray& guestText() const { return m_guestText; }
    [[nodiscard]] qint64 guestSerial() const { return m_guestSerial; }

Q_SIGNALS:
    void stateChanged();
    void guestCopied();
    void guestTextTooLong();

private:
    void connectNow();
    void disconnectNow();
    void send(const QByteArray& bytes);
    void read();
    void begin();

    const QString m_path;
    SpiceAgent m_agent;
    QLocalSocket* m_socket = nullptr; // child
    QTimer m_retry;
    bool m_open = false;
    bool m_enabled = true;
    bool m_guestOpened = false;
    bool m_broken = false; // the agent spoke nonsense; until it opens its port again
    QByteArray m_guestText;
    qint64 m_guestSerial = 0;
};

} // namespace vitrine::qemu
