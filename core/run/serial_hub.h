// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/hypervisor/serial_client.h"
#include "core/library/runtime_directory.h"
#include "core/result/result.h"

#include <QLocalServer>
#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>

namespace vitrine {

// The only reader of a guest's serial line (QEMU's socket, or one of this process): keeps the last
// of what the guest printed and passes it to any number of viewers, whose keys it types into the
// guest (protocol: core/hypervisor/ serial_client.h). The line is always drained, so that no
// viewer, however slow, holds up the guest; one that falls 4 MiB behind is disconnected and starts
// anew from the history. Main thread of the machine's process.
class SerialHub final : public QObject {
    Q_OBJECT
public:
    static constexpr int maximumViewers = 16;

    // `qemuSocket`: at most 107 bytes long; empty for a line of this process.
    SerialHub(QString qemuSocket, QString viewerSocket, QObject* parent = nullptr);
    ~SerialHub() override;

    Result<> listen(); // for viewers
    void open();       // tries until QEMU's socket is there, and again after a loss
    // The same for a line that is a connected stream socket already.
    Result<> open(FileDescriptor guest);
    void close();
    // For a line that leads elsewhere: viewers read this in place of the guest's words.
    void explain(const QString& text);

    [[nodiscard]] const QString& viewerSocket() const { return m_viewerPath; }
    [[nodiscard]] const QByteArray& history() const { return m_history; }
    [[nodiscard]] int viewers() const { return static_cast<int>(m_viewers.size()); }

private:
    void makeGuest();
    void connectNow();
    void lost();
    void readGuest();
    void show(const QByteArray& bytes);
    void accept();
    void readViewer(QLocalSocket* viewer);
    void readViewers();
    void drop(QLocalSocket* viewer);

    const QString m_qemuPath;
    const QString m_viewerPath;
    std::optional<SocketAddress> m_address;
    QLocalServer m_server;
    QLocalSocket* m_guest = nullptr; // child
    QTimer m_retry;
    QList<QLocalSocket*> m_viewers; // children
    QByteArray m_history;
    bool m_open = false;
};

} // namespace vitrine
