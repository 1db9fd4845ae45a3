// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/control_server.h"
#include "vz/plan/hosted_screens.h"

#include <QElapsedTimer>
#include <QJsonObject>
#include <QList>
#include <QObject>
#include <QString>

namespace vitrine::vz {

// The request "screenshot" of vitrine.sock (core/hypervisor/machine_client.h) for a machine that a
// window shows: screen.png in the runtime directory, replaced as a whole. At most two a second
// whoever asks; a picture under way serves all who wait. Main thread; files on another.
class ScreenRequests final : public QObject {
    Q_OBJECT
public:
    // Registers its handler; before the server listens.
    ScreenRequests(ControlServer* server,
                   QString folder,
                   TakeScreen take,
                   QObject* parent = nullptr);

private:
    using Respond = ControlServer::Respond;
    void take(const Respond& respond);
    void keep(const ScreenPicture& picture);
    void answer(const Result<QJsonValue>& answer);

    QString m_folder;
    TakeScreen m_take;
    QList<Respond> m_waiting;
    QJsonObject m_last;
    QElapsedTimer m_sinceLast;
};

} // namespace vitrine::vz
