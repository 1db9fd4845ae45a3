// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/guest/guest_agent.h"
#include "core/sharing/share_status.h"
#include "qemu/sharing/guest_mounts.h"
#include "qemu/sharing/guest_ssh.h"
#include "qemu/sharing/share_device.h"

#include <QHash>
#include <QObject>

#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace vitrine::qemu {

// The shared folders of a running machine: what is plugged in, what is mounted in the guest, and
// how that changes. Operations run one after the other. Main thread; nothing blocks but a look at
// the folders; every reply comes exactly once unless this object is destroyed first.
//
// A share without a name is a device of its own and mounted at its tag; named shares of one tag are
// one device (contract 4). A guest whose agent does not answer gets the device and is mounted when
// the agent comes.
class ShareManager final : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(Result<>)>;
    enum class Force { No, Yes };

    struct Setup {
        QString runtimePath;  // QEMU's working directory
        QString socketFolder; // the same by a path short enough for a socket
        QList<int> inherited; // the lock `alive`
        QList<ShareSpec> shares;
        QStringList libraries;           // folders a guest must not write to
        QStringList ownFolders;          // but to these, though in a library: made for this run
        QHash<QString, QString> leftOut; // of `shares`: path and why it is not there, translated
        std::function<SshTarget()> sshAddress = [] { return SshTarget(); }; // port 0: none
        QString hostKeys; // folder of the machine's known_hosts
        ShareOptions options = {};
    };
    struct Change {
        std::optional<bool> readOnly;
        std::optional<QString> name; // of a share without a name: its tag
    };

    // QMP, agent and ports outlive this.
    ShareManager(Setup setup, QmpClient* qmp, GuestAgent* agent, RootPorts* ports);
    ~ShareManager() override;

    void begin(); // QMP is ready: plugs in the shares of this run
    void end();   // QEMU is gone: nothing is plugged in any more
    void guestRestarted();
    void onEvent(const QString& name, const QJsonObject& data); // of QMP

    [[nodiscard]] ShareList list();
    [[nodiscard]] QList<ShareSpec> shares() const; // wished for, whatever became of them

    // One without a tag gets one after its name or folder that is free when its turn comes, and is
    // mounted there; its own name goes. Refused before
    // anything is done when the folder may not be shared or there is no room; an error of the guest
    // is none here, it is the share's state. The reply has the share as it became.
    void add(ShareSpec share, std::function<void(Result<ShareSpec>)> reply);
    // Busy names the processes of the guest that use it; by force they get errors (virtiofs only).
    void remove(const QString& tag, const QString& name, Force force, Done done);
    // Other shares are not touched, not even those of the same tag. A share without a name is
    // unmounted and mounted again, so Busy when in use; a named one becomes read-only unless a file
    // of it is open for writing (Busy). After an error it is as before.
    void change(const QString& tag, const QString& name, Change change, Done done);
    // Where no agent answers: over ssh as `sshUser`, and an error when nobody gets in.
    void mountAgain(const QString& tag, const QString& sshUser, Done done);

    // For suspend, which no shared folder survives: unmounts and unplugs all. Busy names the share
    // and the processes; then all are back. Failed and broken ones are refused too. The list of
    // shares() stays.
    void detachAll(Done done);
    // Whether detachAll() would be refused now, without taking anything off.
    void checkDetachable(Done done);
    [[nodiscard]] bool isAnyPlugged() const;
    // Plugs in and mounts what detachAll() took off; errors are the states of the shares.
    void reattachAll(Done done);

Q_SIGNALS:
    void changed();      // list() may be different
    void slotsChanged(); // the root ports have other memories
    void happened(const QString& kind, const QString& text);

private:
    struct Item {
        std::unique_ptr<ShareDevice> device;
        QList<ShareStatus> members; // as device->group().members
        bool mounted = false;       // in the guest, by us
        bool detached = false;      // by detachAll()
    };
    using Operation = std::function<void(Done)>;

    void enqueue(Operation operation, Done done);
    void next();
    Item* find(const QString& tag);
    Item* findDevice(const ShareDevice* device);
    Item& append(const ShareGroup& group);
    void resetMembers(Item& item);
    void erase(const QString& tag);
    void setState(Item& item, ShareState state, const QString& message = {});

    void plug(const QString& tag, const Done& done);  // device only
    void mount(const QString& tag, const Done& done); // in the guest, with proof; never fails
    void probe(const QString& tag, qsizetype index, const Done& done);
    void plugAndMount(const QString& tag, const Done& done);
    void unmountAndUnplug(const QString& tag, Force force, const Done& done);
    void replace(const QString& tag, const ShareGroup& group, const Done& done);
    void addMember(const ShareSpec& share, const Done& done);
    void removeMember(const QString& tag, const QString& name, const Done& done);
    void changeMember(const QString& tag,
                      const QString& name,
                      const ShareSpec& wanted,
                      const Done& done);
    void replaceMember(const QString& tag,
                       const QString& name,
                       const ShareSpec& wanted,
                       const Done& done);
    void detachNext(const Done& done);
    void checkNext(QStringList tags, const Done& done);
    void mountOverSsh(const QString& tag, const Done& done);
    void onAgentOpened();
    void onBroke(ShareDevice* device);
    void tellBroken(const ShareDevice* device);
    [[nodiscard]] const ShareTransport& transport();
    [[nodiscard]] Result<> checkFolder(const ShareSpec& share);
    [[nodiscard]] Result<> refusal(const QString& tag);

    Setup m_setup;
    GuestAgent* m_agent;
    GuestSsh m_ssh;
    GuestMounts m_guest;
    ShareDevice::Machine m_machine;
    std::optional<ShareTransport> m_transport; // found when first needed
    std::vector<std::unique_ptr<Item>> m_items;
    std::deque<std::pair<Operation, Done>> m_queue;
    bool m_busy = false;
    bool m_begun = false;
    GuestUser m_user;
    bool m_userKnown = false;
    QString m_brokenReason; // why nothing can be plugged in any more; empty
};

} // namespace vitrine::qemu
