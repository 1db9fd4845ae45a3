// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/control_server.h"
#include "core/machine/network_options.h"

#include <QObject>
#include <QPointer>
#include <QTimer>

#include <functional>

namespace vitrine::qemu {

class SoftnetNetwork;

// The requests of vitrine.sock about the firewall, of a machine behind Softnet:
//   net.status       {allow, block, expose: [{spec, problem}], ready, restarts, lastLine, learning,
//                    learnedSince}
//   net.policy.set   {allow, block, keep = true} -> net.status: all rules at once or none
//   net.policy.edit  {add: {allow, block}, remove: {allow, block}, keep = true} -> net.status: the
//                    rules that it does not name stay as they are, here and in vitrine.json, which
//                    may differ. NotFound for one to remove that is in neither
//   net.expose.add, net.expose.remove   {spec: "EXT:INT" or "ADDRESS:EXT:INT", keep = true} -> {}
//   net.learn        {enabled}: everything passes while it learns -> net.status
//   net.destinations {since, most} -> {sequence, destinations: core/softnet/softnet_values.h, more,
//                    newest}: while `more` is true the rest is to be asked for since `sequence`
//   net.test         {direction, address, port, protocol} -> {verdict, rule, reason}
//   net.stats        {uptimeMs, toHost, toGuest, flows, guestPackets, residentKiB}
// Events: network-ended, network-restarted, network-failed, network-rules-refused, forward-failed,
// forward-moved; network-changed has no text.
// What is kept goes into vitrine.json if the machine is stored with Softnet. Main thread.
class SoftnetRequests final : public QObject {
    Q_OBJECT
public:
    // `machineDirectory` leads to it even when it is moved (MachineHold).
    SoftnetRequests(ControlServer* server, QString machineDirectory, QObject* parent = nullptr);
    // Null for a machine without Softnet, which every request is refused for then.
    void setNetwork(SoftnetNetwork* network);

private:
    using Respond = ControlServer::Respond;
    void on(const char* method,
            std::function<void(SoftnetNetwork&, const QJsonObject&, const Respond&)> handler);
    void passOn(const char* method, const char* to);
    [[nodiscard]] static QJsonObject statusOf(const SoftnetNetwork& network);
    void edit(SoftnetNetwork& network, const QJsonObject& parameters, const Respond& respond);
    [[nodiscard]] Result<> store(const QJsonObject& parameters,
                                 const std::function<void(NetworkOptions&)>& edit);

    ControlServer* m_server;
    QString m_directory;
    QPointer<SoftnetNetwork> m_network;
    bool m_started = false;
    QTimer m_news; // several changes at once are told once
};

} // namespace vitrine::qemu
