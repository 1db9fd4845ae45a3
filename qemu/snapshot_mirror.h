// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "qemu/qmp_client.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace vitrine::qemu {

// Lets QEMU copy the root disk of a running guest into a file: first everything, then what is
// written meanwhile, until it is told to stop. Lives on the thread of its QMP client; used once.
class SnapshotMirror final : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(Result<>)>;

    explicit SnapshotMirror(QmpClient* qmp, QObject* parent = nullptr);

    // `path`: an empty file as large as the disk. The answer comes when the copy keeps up.
    void begin(const QString& path, Done ready);
    // The copy is that of now; the answer comes when the last writes are in it and QEMU has closed
    // it. The guest should stand still or be frozen.
    void complete(Done done);
    // Gives the copy up in any state; the file is closed then.
    void abandon(std::function<void()> then);

    // Between begin() and its answer, which then never comes when it is abandoned.
    [[nodiscard]] bool isCopying() const { return static_cast<bool>(m_ready); }

    [[nodiscard]] quint64 copied() const { return m_copied; } // bytes
    [[nodiscard]] quint64 total() const { return m_total; }

private:
    void start();
    void poll();
    void ended();
    [[nodiscard]] bool wasAbandoned(); // while it was starting; done now

    QmpClient* m_qmp;
    QTimer m_poll;
    Done m_ready;
    Done m_done;
    std::function<void()> m_abandoned; // what follows, once QEMU has answered
    bool m_starting = false;
    bool m_nodeAdded = false;
    bool m_running = false;
    bool m_completing = false;
    QString m_problem; // QEMU's words
    quint64 m_copied = 0;
    quint64 m_total = 0;
};

} // namespace vitrine::qemu
