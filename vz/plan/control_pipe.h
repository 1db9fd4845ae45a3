// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/disk/file_descriptor.h"
#include "core/result/result.h"

#include <QObject>
#include <QString>

#include <functional>
#include <memory>
#include <sys/types.h>

class QSocketNotifier;

namespace vitrine::vz {

// `control.sock` in a machine's directory as Tart has it (specification 6.2): each connection is
// joined as raw bytes with a connection of its own to the guest. The file is of mode 0600, and
// nothing else decides who may connect. For the holder of the machine's lock, once the machine
// runs; on one thread; nothing blocks. The file goes with this object, and so do its connections.
class ControlPipe final : public QObject {
    Q_OBJECT
public:
    static constexpr int maximumConnections = 64; // more wait until one ends

    // Opens a connection to the guest, as Machine::connectVsock() does with TartAgent::port. The
    // answer may come at any time, or never; its descriptor is the receiver's own.
    using Opened = std::function<void(Result<int>)>;
    using Open = std::function<void(Opened)>;

    // A file that an earlier run left is removed first. The path may have any length, and the
    // directory may be renamed meanwhile.
    [[nodiscard]] static Result<std::unique_ptr<ControlPipe>>
    listen(const QString& machineDirectory, Open open);
    ~ControlPipe() override;

    [[nodiscard]] int connections() const { return m_connections; }

Q_SIGNALS:
    void refused(const vitrine::Error& error); // a connection that the guest did not take

private:
    ControlPipe(FileDescriptor directory, FileDescriptor listener, Open open);
    void acceptAll();
    void join(FileDescriptor client, FileDescriptor guest);
    void endOne();

    FileDescriptor m_directory;
    FileDescriptor m_listener;
    Open m_open;
    dev_t m_device = 0; // of the file, which somebody else may replace
    ino_t m_inode = 0;
    std::unique_ptr<QSocketNotifier> m_incoming;
    int m_connections = 0; // those that are being opened too
};

} // namespace vitrine::vz
