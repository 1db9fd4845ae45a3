// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/control_server.h"
#include "core/run/share_archives.h"
#include "core/sharing/share_status.h"
#include "vz/plan/machine_run.h"

#include <QObject>
#include <QPointer>
#include <QStringList>

#include <functional>
#include <memory>

namespace vitrine::vz {

// The requests of vitrine.sock about shared folders (core/hypervisor/machine_client.h) for a run of
// this process: share.list, share.add, share.remove, share.change. Subscribers get the event
// "shares-changed". A change is also kept in vitrine.json. Folders are looked at on another thread;
// main thread otherwise.
class ShareRequests final : public QObject {
    Q_OBJECT
public:
    // Registers its handlers; before the server listens. `folder`: of the machine. `libraries`: no
    // writable share may contain or lie in them.
    ShareRequests(ControlServer* server,
                  QString folder,
                  QStringList libraries,
                  QObject* parent = nullptr);

    // `archives` may be null. Null `run`: there is none yet, or no longer.
    void setRun(MachineRun* run, bool isMac, std::shared_ptr<const ShareArchives> archives);
    [[nodiscard]] ShareList list() const;

private:
    using Respond = ControlServer::Respond;
    void on(const char* method, std::function<void(const QJsonObject&, const Respond&)> handler);
    void add(const QJsonObject& parameters, const Respond& respond);
    void addChecked(ShareSpec share, bool keep, const Respond& respond);
    void remove(const QJsonObject& parameters, const Respond& respond);
    void change(const QJsonObject& parameters, const Respond& respond);
    [[nodiscard]] ShareStatus statusOf(const PlacedShare& share) const;
    // Then answers with `answer`.
    void store(std::function<void(QList<ShareSpec>&)> edit,
               const QJsonValue& answer,
               const Respond& respond);
    void tellChange();

    ControlServer* m_server;
    QString m_folder;
    QStringList m_libraries;
    QPointer<MachineRun> m_run;
    bool m_isMac = false;
    std::shared_ptr<const ShareArchives> m_archives;
};

} // namespace vitrine::vz
