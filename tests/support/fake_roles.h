// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/control_server.h"
#include "core/hypervisor/machine_client.h"
#include "core/library/library.h"
#include "core/machine/run_options.h"
#include "core/sharing/share_status.h"
#include "tests/support/held_machine.h"

#include <QLocalServer>
#include <QObject>
#include <QTcpServer>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace vitrine::test {

// The optional roles of FakeMachine for one run: forwards, disks, shares, snapshots, clipboard, the
// serial line and what viewers are told. They keep the promises of the contract suite with real
// ports, files and sockets, and without a hypervisor.
class FakeRoles final : public QObject {
public:
    struct Machine {
        Library library;
        QString name;
        QString directory;
        HeldMachine* held; // outlives this
        std::function<MachineStatus()> status;
        std::function<void(const MachineStatus&)> setStatus;
    };
    FakeRoles(Machine machine, ControlServer* server);
    ~FakeRoles() override;

    // The guest's agent answers from now on.
    void agentOpened();
    // The folder of this computer behind a path of the guest, and whether it may be written.
    struct Place {
        QString path;
        bool readOnly = false;
    };
    [[nodiscard]] std::optional<Place> behind(const QString& guestPath) const;

private:
    using Respond = ControlServer::Respond;
    using Handler = Result<QJsonValue> (FakeRoles::*)(const QJsonObject&);
    void on(const char* method, Handler handler);

    Result<QJsonValue> listForwards(const QJsonObject& parameters);
    Result<QJsonValue> addForward(const QJsonObject& parameters);
    Result<QJsonValue> removeForward(const QJsonObject& parameters);
    Result<QJsonValue> listDisks(const QJsonObject& parameters);
    Result<QJsonValue> growDisk(const QJsonObject& parameters);
    Result<QJsonValue> listShares(const QJsonObject& parameters);
    Result<QJsonValue> addShare(const QJsonObject& parameters);
    Result<QJsonValue> removeShare(const QJsonObject& parameters);
    Result<QJsonValue> changeShare(const QJsonObject& parameters);
    Result<QJsonValue> mountShare(const QJsonObject& parameters);
    Result<QJsonValue> offerText(const QJsonObject& parameters);
    Result<QJsonValue> getText(const QJsonObject& parameters);
    Result<QJsonValue> enableClipboard(const QJsonObject& parameters);
    void createSnapshot(const QJsonObject& parameters, const Respond& respond);
    Result<QJsonValue> takeSnapshot(const QString& name, bool memory, bool automatic);
    void answerViewers();
    void listenOnConsole();
    void print(const QByteArray& bytes);

    ShareStatus* findShare(const QJsonObject& parameters);
    [[nodiscard]] ShareStatus describe(const ShareSpec& share) const;
    Result<> storeShares(const std::function<void(QList<ShareSpec>&)>& edit);
    void tellShares();

    Machine m_machine;
    ControlServer* m_server;
    struct Forward {
        PortForward ports;
        std::unique_ptr<QTcpServer> listener; // none for the one of ssh
    };
    std::vector<Forward> m_forwards;
    QList<ShareStatus> m_shares;
    bool m_agent = false;
    bool m_takesSnapshot = false;
    QByteArray m_offered;
    QLocalServer m_console;
    std::optional<SocketAddress> m_consoleAddress;
    QList<QLocalSocket*> m_viewers; // children of m_console
    QByteArray m_printed;
};

} // namespace vitrine::test
