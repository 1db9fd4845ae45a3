// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/machine/run_options.h"
#include "core/softnet/softnet_values.h"
#include "ui/services.h"

#include <QDateTime>
#include <QObject>
#include <QTimer>

#include <functional>

namespace vitrine::ui {

// What a machine's process tells of its firewall ("net.status").
struct FirewallStatus {
    struct Port {
        QString spec;
        QString problem; // translated; empty while it is open
        friend bool operator==(const Port&, const Port&) = default;
    };
    SoftnetPolicy policy;
    QList<Port> exposed;
    bool ready = false;
    int restarts = 0;
    QString lastLine; // of vitrine-softnet
    bool learning = false;
    qint64 learnedSince = 0;

    [[nodiscard]] static FirewallStatus fromJson(const QJsonObject& object);
    friend bool operator==(const FirewallStatus&, const FirewallStatus&) = default;
};

// The window's end of one machine's firewall, on its socket. Asks what was seen since the last time
// about once a second while it is watched, in pieces that the window's thread reads in a few
// milliseconds. Lives on the window's thread and never waits; replies come from the event loop, and
// none after another machine was chosen or this was destroyed.
class FirewallLink final : public QObject {
    Q_OBJECT
public:
    enum class State {
        Off,        // the machine does not run
        Elsewhere,  // another program runs it
        Connecting, // it starts, or has not answered yet
        TooOld,     // its process knows no firewall
        Refused,    // its backend cannot ask it: refusal()
        None,       // it is attached otherwise
        Restarting, // vitrine-softnet is being started again
        Silent,     // an answer did not come; see problem()
        Live
    };
    using Done = std::function<void(Result<>)>;
    using Seen = std::function<void(Result<QList<SoftnetDestination>>)>;

    explicit FirewallLink(const Services& services, QObject* parent = nullptr);

    // For another machine and whenever something about this one changed.
    void setMachine(const MachineInfo& info);
    void setWatched(bool watched);
    void setInterval(int milliseconds) { m_interval = milliseconds; } // between two looks, 1000

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] const QString& problem() const { return m_problem; } // translated
    [[nodiscard]] const QString& refusal() const { return m_refusal; } // translated
    [[nodiscard]] const FirewallStatus& status() const { return m_status; }
    [[nodiscard]] const MachineInfo& machine() const { return m_info; }
    // How the machine is attached: of the running one what it says, else what is stored for it.
    [[nodiscard]] std::optional<NetworkMode> attachment() const { return m_attachment; }
    // When the helper's clock was 0; invalid until that is known.
    [[nodiscard]] const QDateTime& clockBegan() const { return m_clockBegan; }
    [[nodiscard]] const QList<PortForward>& forwards() const { return m_forwards; }
    [[nodiscard]] quint16 sshPort() const; // of the forward that every machine has; 0: unknown

    using Edit = std::function<void(SoftnetPolicy&)>;
    struct Before {
        SoftnetPolicy inForce;
        SoftnetPolicy stored; // only when it was changed
    };
    using Changed = std::function<void(Result<Before>)>;

    // Edits the rules in force, all at once, and those that are stored for the next starts, unless
    // that edit is null: what holds until the machine stops does not get there with others.
    void change(const Edit& inForce, const Edit& stored, const Changed& done);
    // `keep`: from now on, else until the machine stops.
    void expose(const QString& spec, bool keep, Done done);
    void conceal(const QString& spec, bool keep, Done done);
    void addForward(const PortForward& forward, Done done);
    void removeForward(const PortForward& forward, Done done);
    void setLearning(bool learning, Done done);
    // Everything that was seen after this sequence.
    void seenSince(qint64 sequence, Seen reply);
    void test(const QJsonObject& question, std::function<void(Result<SoftnetAnswer>)> reply);

Q_SIGNALS:
    void stateChanged();
    void statusChanged(); // rules, ports, learning, forwards, the clock
    void restarted();     // what was seen before is gone
    void seen(const QList<vitrine::SoftnetDestination>& destinations);
    void happened(const QString& kind, const QString& text); // network-ended, -restarted, -failed

private:
    using Reply = std::function<void(const Result<QJsonObject>&)>;
    void reconsider();
    void readAttachment();
    void call(const char* method, const QJsonObject& parameters, Reply reply);
    void askStatus();
    void askClock();
    void askForwards();
    void look();
    void took(const QJsonObject& answer);
    void forget();
    void setState(State state, const QString& problem = {});
    void failed(const Error& error);
    void store(const Edit& edit, const Before& before, const Changed& done);
    void collect(qint64 since, QList<SoftnetDestination> so, const Seen& reply);
    [[nodiscard]] bool isAnswering() const;

    Services m_services;
    MachineInfo m_info;
    State m_state = State::Off;
    QString m_refusal;
    QString m_problem;
    FirewallStatus m_status;
    std::optional<NetworkMode> m_attachment;
    QDateTime m_clockBegan;
    QList<PortForward> m_forwards;
    QTimer m_next;
    int m_interval = 1000;
    bool m_watched = false;
    bool m_looking = false;
    bool m_inPieces = true; // false for a helper that does not know "most"
    qint64 m_sequence = 0;
    int m_epoch = 0; // answers of an earlier machine, process or helper do not count
};

} // namespace vitrine::ui
