// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/result/result.h"
#include "qemu/qmp_client.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace vitrine::qemu {

// Writes the state of a running or paused guest (memory, processors, devices) to a file, over a
// descriptor that QEMU is sent: its sandbox lets it start no program for that. Lives on the thread
// of its QMP client. One save at a time.
class SuspendSaver final : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(Result<>)>;

    explicit SuspendSaver(QmpClient* qmp, QObject* parent = nullptr);
    ~SuspendSaver() override;

    // Whether QEMU would save the guest now: Unsupported with the reason when a device forbids it.
    void check(const Done& done);
    // check(), then stops the guest, writes and syncs `path` (made anew, 0600). After success the
    // guest is stopped and its disks are at rest; QEMU's "cont" would let it go on. After an error
    // the file is gone and the guest goes on if it ran before.
    void save(const QString& path, Done done);
    // The error is then Cancelled.
    void cancel();

    [[nodiscard]] bool isUnderWay() const { return m_done != nullptr; }
    [[nodiscard]] quint64 written() const { return m_written; } // bytes
    [[nodiscard]] quint64 total() const { return m_total; }     // of memory, bytes; 0: unknown

Q_SIGNALS:
    void progressed();

private:
    // Runs a command; goes on with `then` or ends the save with the error.
    void ask(const char* command,
             const QJsonObject& arguments,
             std::function<void(const QJsonValue&)> then,
             int timeout = 10000);
    void stopGuest();
    void sendDescriptor();
    void poll();
    void synchronize();
    void finish(Result<> result);

    QmpClient* m_qmp;
    Done m_done;
    QString m_path;
    FileDescriptor m_file;
    QTimer m_poll;
    bool m_wasRunning = false;
    bool m_stopped = false;
    bool m_cancelled = false;
    quint64 m_written = 0;
    quint64 m_total = 0;
};

// What forbids saving, said for people; `reasons` are QEMU's words.
[[nodiscard]] Error cannotBeSaved(const QStringList& reasons);

} // namespace vitrine::qemu
