// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/control_server.h"
#include "core/library/machine_info.h"
#include "core/sharing/share_spec.h"

#include <QObject>
#include <QTimer>

#include <functional>

namespace vitrine::qemu {

class ShareManager;

// The requests of vitrine.sock about shared folders:
//   share.list    ShareList (core/sharing/share_status.h)
//   share.add     {path, name, tag = one of its own, readOnly = true, keep = true}: ShareStatus
//   share.remove  {tag, name, force = false}
//   share.mount   {tag, user = the one of before}: once more in the guest; over ssh as that user
//                 where no agent answers
//   share.change  {tag, name, readOnly, newName}: what is there changes
// Subscribers get the event "shares-changed", without a text, when share.list would answer
// something else. A change is also kept in vitrine.json, so that the shares come back at the next
// start. Main thread of the machine's process.
class ShareRequests final : public QObject {
    Q_OBJECT
public:
    // Registers its handlers; before the server listens.
    ShareRequests(ControlServer* server, QString machineDirectory, QObject* parent = nullptr);

    void setManager(ShareManager* manager);
    // As whom ssh logs in where nobody is named; empty until there is a manager.
    [[nodiscard]] QString sshUser() const { return m_sshUser; }

Q_SIGNALS:
    void sshUserChanged();

private:
    using Respond = ControlServer::Respond;
    void on(const char* method,
            std::function<void(ShareManager&, const QJsonObject&, const Respond&)> handler);
    void add(ShareManager& manager, const QJsonObject& parameters, const Respond& respond);
    void change(ShareManager& manager, const QJsonObject& parameters, const Respond& respond);
    void rememberUser(const QString& user);
    // Empty text, or why it could not be kept.
    Result<> store(const std::function<void(QList<ShareSpec>&)>& edit);

    ControlServer* m_server;
    QString m_directory;
    ShareManager* m_manager = nullptr;
    QString m_sshUser;
    QTimer m_news; // several changes at once are told once
};

} // namespace vitrine::qemu
