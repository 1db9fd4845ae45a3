// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/sharing/share_spec.h"
#include "qemu/sharing/share_daemon.h"
#include "qemu/sharing/share_transport.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace vitrine::qemu {

class QmpClient;
class RootPorts;

// The shares of one tag as a device of a running machine: virtiofs with a daemon of its own, or a
// 9P slot. Knows nothing of the guest. One operation at a time; main thread.
class ShareDevice final : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(Result<>)>;

    // What all devices of a machine have in common; not owned, outlives them.
    struct Machine {
        QString runtimePath;  // QEMU's working directory
        QString socketFolder; // the same by a path short enough for a socket
        QList<int> inherited; // the lock `alive`
        QmpClient* qmp = nullptr;
        RootPorts* ports = nullptr;
        QStringList plan9InUse; // names of slots
        int nextSocket = 0;
    };

    ShareDevice(Machine* machine, ShareGroup group, QObject* parent = nullptr);
    ~ShareDevice() override; // ends its daemon; the device stays in QEMU if it was not unplugged

    // Makes the daemon and the device. After an error nothing is left behind. Unsupported with
    // `transportFailed()` when virtiofs cannot be had on this computer at all.
    void plug(const ShareTransport& transport, const GuestUser& user, Done done);
    // Takes the device out; the guest must have unmounted it if it is 9P. Timeout when the guest
    // does not let go of it.
    void unplug(Done done);
    // Named folders of a virtiofs tag, without touching the others.
    void addMember(const ShareSpec& share, Done done); // the last one
    void removeMember(const QString& name, Done done);
    // Also for what the guest has open in it; Busy while that is a file open for writing.
    void protectMember(const QString& name, Done done);
    // Another name or writable. What the guest has open there stays as it was until it is closed.
    void replaceMember(const QString& name, const ShareSpec& share, Done done);
    // Told of QEMU's event DEVICE_DELETED.
    void deviceDeleted(const QString& id);

    [[nodiscard]] const ShareGroup& group() const { return m_group; }
    [[nodiscard]] ShareTransport::Kind kind() const { return m_kind; }
    [[nodiscard]] const GuestUser& user() const { return m_user; }
    [[nodiscard]] bool isPlugged() const { return m_plugged; }
    [[nodiscard]] bool isBroken() const { return m_broken; }
    [[nodiscard]] bool transportFailed() const { return m_transportFailed; }

Q_SIGNALS:
    void broke(); // its daemon is gone; once

private:
    void plugVirtiofs(const ShareTransport& transport, Done done);
    void addMembers(qsizetype index, Done done);
    void runDaemon(Done done);
    void addCharacterDevice(const QString& socketName, Done done);
    void plugPlan9(Done done);
    void addDevice(QJsonObject properties, Done done);
    void cleanUp();

    Machine* m_machine;
    ShareGroup m_group;
    ShareTransport::Kind m_kind = ShareTransport::Kind::None;
    GuestUser m_user;
    ShareDaemon* m_daemon = nullptr;
    QString m_deviceId;
    QString m_chardevId; // empty: none
    QString m_slot;      // of 9P
    Done m_deleted;      // waits for DEVICE_DELETED
    QTimer m_deletion;
    bool m_plugged = false;
    bool m_unplugging = false;
    bool m_broken = false;
    bool m_transportFailed = false;
};

} // namespace vitrine::qemu
