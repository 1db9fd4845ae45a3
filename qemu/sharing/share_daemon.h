// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/result/result.h"
#include "qemu/child_process.h"

#include <QObject>
#include <QSocketNotifier>

#include <deque>
#include <functional>
#include <memory>
#include <optional>

namespace vitrine::qemu {

// The helper vitrine-shares of one tag, with its virtiofsd (share_protocol.h). Both end when this
// is destroyed and when this process dies. Main thread; nothing blocks; every reply comes exactly
// once unless this object is destroyed first.
class ShareDaemon final : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(Result<>)>;

    struct Setup {
        QString helper;
        QStringList arguments; // share_transport.h, helperArguments()
        QString workingDirectory;
        QString logFile;
        QList<int> inherited; // the lock `alive`
    };

    explicit ShareDaemon(QObject* parent = nullptr);

    // Once. `ready` is told when its namespaces are there, or Unsupported with why this computer
    // does not allow them.
    Result<> start(const Setup& setup, Done ready);
    // A folder below the tag, or the tag itself with an empty name. NotFound, Permission, …
    void add(const QString& name, bool readOnly, const QString& path, Done done);
    void remove(const QString& name, Done done);
    // A writable folder becomes read-only, whatever the guest has open in it. Busy, and nothing
    // changed, while a file of it is open for writing. virtiofsd runs.
    void protect(const QString& name, Done done);
    // Gives what users of the guest left in a folder to the owner that the helper works for; the
    // reply has how many files and folders. Needs no running virtiofsd.
    void takeOwnership(const QString& path, std::function<void(Result<quint64>)> reply);
    // Starts virtiofsd on a listening socket, which stays the caller's.
    void run(int socket, Done done);
    [[nodiscard]] qint64 processId() const { return m_child.processId(); }

Q_SIGNALS:
    void ended(); // virtiofsd or the helper is gone, and nobody asked for it; once

private:
    struct Waiting {
        Done done;
        QString path;
    };
    quint64 m_number = 0; // of the answer that is just told
    void send(const QList<QByteArray>& fields, int descriptor, const QString& path, Done done);
    void receive();
    void handle(const QList<QByteArray>& fields);
    void finish();

    ChildProcess m_child;
    FileDescriptor m_socket;
    std::unique_ptr<QSocketNotifier> m_notifier;
    std::deque<Waiting> m_waiting;
    bool m_running = false; // virtiofsd was started
    bool m_over = false;
};

} // namespace vitrine::qemu
