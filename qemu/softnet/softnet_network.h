// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/network_edit.h"
#include "core/machine/run_options.h"
#include "core/softnet/softnet_supervisor.h"
#include "core/value/mac_address.h"

#include <QObject>

#include <functional>

namespace vitrine::qemu {

// A port of this computer that leads to one of the guest: "EXT:INT" on all addresses or
// "ADDRESS:EXT:INT".
struct SoftnetExposure {
    QString spec;
    QString problem; // translated; why it is not open now
    friend bool operator==(const SoftnetExposure&, const SoftnetExposure&) = default;
};

// The network of one running machine behind Softnet or plain NAT: its helper, kept running, the
// rules in force and the exposed ports, which survive the helper's end. Main thread of the
// machine's process.
class SoftnetNetwork final : public QObject {
    Q_OBJECT
public:
    using Done = std::function<void(Result<>)>;
    using Reply = SoftnetClient::Reply;

    struct Setup {
        QString program;
        MacAddress macAddress;
        NetworkOptions options;
        QString logFile;
        FileDescriptor socket; // the helper's end
        bool plainNat = false; // without a firewall: no rules, no exposed ports, only forwards
        SoftnetSupervisor::Pace pace = {};
    };

    explicit SoftnetNetwork(Setup setup, QObject* parent = nullptr);

    Result<> start();
    void stop(); // stopped() follows

    // The rules that are meant to hold. While learning, they hold for this computer only: whatever
    // else they forbid passes too.
    [[nodiscard]] const SoftnetPolicy& policy() const { return m_policy; }
    [[nodiscard]] bool isLearning() const { return m_learning; }
    // Of the helper's list of destinations when learning began.
    [[nodiscard]] qint64 learnedSince() const { return m_learnedSince; }
    [[nodiscard]] const QList<SoftnetExposure>& exposures() const { return m_exposures; }
    [[nodiscard]] const SoftnetSupervisor& supervisor() const { return m_supervisor; }

    // All rules at once or none; learning goes on. Texts that cannot be read and rules that Softnet
    // does not take are InvalidInput. Changes are made one after the other.
    void setPolicy(const SoftnetPolicy& policy, const Done& done);
    // The same to the rules that hold when its turn comes.
    void editPolicy(const NetworkEdit& edit, const Done& done);
    void setLearning(bool learning, const Done& done);
    void expose(const QString& spec, const Done& done);
    void conceal(const QString& spec, const Done& done);
    // A forward from 127.0.0.1, as PortForwards wants it; host port 0: any free one. Waits for a
    // helper that is being started.
    void forward(const PortForward& forward, std::function<void(Result<PortForward>)> reply);
    void unforward(const PortForward& forward, const Done& done);
    // A question for the helper, passed on as it is.
    void ask(const QString& method, const QJsonObject& parameters, const Reply& reply);

Q_SIGNALS:
    void happened(const QString& kind, const QString& text);
    void changed(); // rules, ports or the helper's state
    // An automatic forward leads from another port, because another program took the former one
    // while the helper was away.
    void forwardMoved(const vitrine::PortForward& from, const vitrine::PortForward& to);
    void stopped();

private:
    struct Forward {
        PortForward ports;
        bool isAutomatic = false;
    };
    struct Change {
        std::function<SoftnetPolicy(const SoftnetPolicy&)> make;
        Done done;
    };

    void onReady();
    void onEnded(const QString& how);
    void openNext();
    [[nodiscard]] bool isExposed(const QString& spec) const;
    void reopenForward(const Forward& forward);
    void change(Change change);
    void nextChange();
    [[nodiscard]] Error notRunning() const;
    void apply(const SoftnetPolicy& wanted, const Done& done);
    void open(const QString& spec, const Done& done);
    void tryForward(PortForward forward,
                    int attempts,
                    const std::function<void(Result<PortForward>)>& reply);
    void goOnWithForwards();
    void setProblem(const QString& spec, const QString& problem);

    SoftnetPolicy m_policy;
    QList<SoftnetExposure> m_exposures;
    QList<Forward> m_forwards;
    QList<std::function<void()>> m_waiting; // forwards wished for while the helper is started
    QList<std::function<void()>> m_toOpen;  // when the helper answered what was asked before
    SoftnetSupervisor m_supervisor;
    QList<Change> m_changes;  // the first one is being made
    SoftnetPolicy m_accepted; // by a helper that came up with it or was given it
    bool m_answered = false;  // the helper of this moment did
    int m_refusals = 0;       // of helpers to start, in a row
    bool m_gaveUp = false;
    bool m_over = false; // the helper does not come back
    bool m_learning = false;
    qint64 m_learnedSince = 0;
};

} // namespace vitrine::qemu
