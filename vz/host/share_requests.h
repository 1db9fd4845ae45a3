// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/control_server.h"
#include "core/run/share_archives.h"
#include "core/sharing/share_status.h"
#include "vz/host/agent_requests.h"
#include "vz/plan/machine_run.h"

#include <QHash>
#include <QObject>
#include <QPointer>
#include <QStringList>

#include <functional>
#include <memory>
#include <optional>

namespace vitrine::vz {

// The requests of vitrine.sock about shared folders (core/hypervisor/machine_client.h) for a run of
// this process: share.list, share.add, share.remove, share.change, share.mount. Subscribers get the
// event "shares-changed". A change is also kept in vitrine.json. What a guest does not mount by
// itself is mounted through its agent where one answers. Folders are looked at on another thread;
// main thread otherwise.
class ShareRequests final : public QObject {
    Q_OBJECT
public:
    // Registers its handlers; before the server listens. `folder`: of the machine. `libraries`: no
    // writable share may contain or lie in them. `agent` outlives this.
    ShareRequests(ControlServer* server,
                  AgentRequests* agent,
                  QString folder,
                  QStringList libraries,
                  QObject* parent = nullptr);

    // `archives` may be null. Null `run`: there is none yet, or no longer.
    void setRun(MachineRun* run, bool isMac, std::shared_ptr<const ShareArchives> archives);
    [[nodiscard]] ShareList list() const;
    void agentAnswers(); // again, or for the first time

private:
    struct Mount { // of a device in the guest, as far as is known
        ShareState state = ShareState::Waiting;
        QString message;
    };
    using Done = std::function<void(const Result<>&)>;
    using Respond = ControlServer::Respond;
    void on(const char* method, std::function<void(const QJsonObject&, const Respond&)> handler);
    void add(const QJsonObject& parameters, const Respond& respond);
    void addChecked(ShareSpec share, bool keep, const Respond& respond);
    void remove(const QJsonObject& parameters, const Respond& respond);
    void change(const QJsonObject& parameters, const Respond& respond);
    void removeChecked(const ShareSpec& key, const Respond& respond);
    void mountAgain(const QJsonObject& parameters, const Respond& respond);
    void mountInGuest(const PlacedShare& share, Done done);
    [[nodiscard]] ShareStatus statusOf(const PlacedShare& share) const;
    [[nodiscard]] std::optional<PlacedShare> find(const ShareSpec& key) const;
    [[nodiscard]] bool mountsItself(const PlacedShare& share) const;
    [[nodiscard]] QString placeOf(const PlacedShare& share) const; // of its device
    void store(std::function<void(QList<ShareSpec>&)> edit, Done done);
    void tellChange();

    ControlServer* m_server;
    AgentRequests* m_agent;
    QString m_folder;
    QStringList m_libraries;
    QPointer<MachineRun> m_run;
    bool m_isMac = false;
    QHash<QString, Mount> m_mounts; // by the device's tag
    std::shared_ptr<const ShareArchives> m_archives;
};

} // namespace vitrine::vz
