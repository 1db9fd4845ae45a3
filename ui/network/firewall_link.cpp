// SPDX-License-Identifier: Apache-2.0
#include "ui/network/firewall_link.h"

#include "core/hypervisor/unavailable_method.h"
#include "core/machine/sidecar.h"
#include "ui/machines/background.h"
#include "ui/machines/machine_clients.h"

#include <QJsonArray>
#include <QPointer>

namespace vitrine::ui {

namespace {

constexpr int piece = 256;        // destinations of one answer
constexpr int mostPieces = 64;    // of one question about what was learned
constexpr int slowAnswer = 15000; // ms

} // namespace

FirewallStatus FirewallStatus::fromJson(const QJsonObject& object) {
    FirewallStatus status;
    status.policy = SoftnetPolicy::fromJson(object);
    for (const QJsonValue& port : object.value(QLatin1String("expose")).toArray())
        status.exposed.append(
            {port[QLatin1String("spec")].toString(), port[QLatin1String("problem")].toString()});
    status.ready = object.value(QLatin1String("ready")).toBool();
    status.restarts = object.value(QLatin1String("restarts")).toInt();
    status.lastLine = object.value(QLatin1String("lastLine")).toString().left(500);
    status.learning = object.value(QLatin1String("learning")).toBool();
    status.learnedSince = object.value(QLatin1String("learnedSince")).toInteger();
    return status;
}

FirewallLink::FirewallLink(const Services& services, QObject* parent)
    : QObject(parent)
    , m_services(services) {
    m_next.setSingleShot(true);
    connect(&m_next, &QTimer::timeout, this, &FirewallLink::look);
    connect(m_services.clients, &MachineClients::clientChanged, this, [this](const QString& name) {
        if (name == m_info.name)
            reconsider();
    });
    connect(m_services.clients, &MachineClients::statusChanged, this, [this](const QString& name) {
        if (name == m_info.name)
            reconsider();
    });
    connect(m_services.clients,
            &MachineClients::eventHappened,
            this,
            [this](const QString& name, const QString& kind, const QString& text) {
                if (name != m_info.name || !kind.startsWith(QLatin1String("network-")))
                    return;
                if (kind == QLatin1String("network-restarted"))
                    forget();
                if (isAnswering() && m_watched)
                    askStatus();
                if (kind != QLatin1String("network-changed"))
                    Q_EMIT happened(kind, text);
            });
}

bool FirewallLink::isAnswering() const {
    const MachineClient* client = m_services.clients->client(m_info.name);
    return client != nullptr && client->isConnected() &&
           client->supports(QStringLiteral("net.status"));
}

quint16 FirewallLink::sshPort() const {
    const MachineStatus* status = m_services.clients->status(m_info.name);
    return status != nullptr ? status->sshPort : quint16{0};
}

void FirewallLink::setMachine(const MachineInfo& info) {
    const bool other = info.directory != m_info.directory;
    const bool changed = other || info.state != m_info.state;
    m_info = info;
    if (other) {
        m_attachment.reset();
        m_forwards.clear();
        m_status = {};
        m_state = State::Off;
        m_problem.clear();
        forget();
    }
    if (changed)
        reconsider();
    if (other)
        Q_EMIT stateChanged();
}

void FirewallLink::setWatched(bool watched) {
    if (watched == m_watched)
        return;
    m_watched = watched;
    m_next.stop();
    if (watched)
        reconsider();
}

// What was seen is of another helper, or of another machine.
void FirewallLink::forget() {
    ++m_epoch;
    m_sequence = 0;
    m_looking = false;
    m_inPieces = true;
    m_clockBegan = {};
    Q_EMIT restarted();
    if (m_watched && m_state == State::Live)
        m_next.start(0);
}

void FirewallLink::reconsider() {
    const MachineClient* client = m_services.clients->client(m_info.name);
    if (client == nullptr || !client->isConnected()) {
        const bool runs = client != nullptr || m_services.clients->isStarting(m_info.name);
        if (m_state == State::Live || m_state == State::Silent || m_state == State::Restarting)
            forget();
        m_next.stop();
        if (!runs)
            readAttachment();
        setState(m_info.state == MachineState::RunningElsewhere ? State::Elsewhere
                 : runs                                         ? State::Connecting
                                                                : State::Off);
        return;
    }
    if (const auto mode = networkModeFromWord(client->status().network))
        m_attachment = mode;
    if (m_attachment && *m_attachment != NetworkMode::Softnet &&
        !client->status().network.isEmpty()) {
        setState(State::None);
        return;
    }
    if (!client->supports(QStringLiteral("net.status"))) {
        m_refusal = whyUnavailable(*client, QStringLiteral("net.status"));
        setState(m_refusal.isEmpty() ? State::TooOld : State::Refused);
        return;
    }
    if (client->status().state == MachineState::Starting) {
        setState(State::Connecting);
        return;
    }
    if (m_state == State::Off || m_state == State::Elsewhere)
        setState(State::Connecting);
    if (m_watched && !m_next.isActive() && !m_looking) {
        askStatus();
        look();
    }
}

void FirewallLink::readAttachment() {
    if (m_info.directory.isEmpty())
        return;
    inBackground(
        this,
        [directory = m_info.directory] { return Sidecar::read(directory); },
        [this, directory = m_info.directory](const Result<Sidecar>& sidecar) {
            if (directory != m_info.directory || !sidecar || isAnswering())
                return;
            m_attachment = sidecar->run.network.mode;
            Q_EMIT stateChanged();
        });
}

void FirewallLink::setState(State state, const QString& problem) {
    if (state == m_state && problem == m_problem)
        return;
    m_state = state;
    m_problem = problem;
    Q_EMIT stateChanged();
}

void FirewallLink::call(const char* method, const QJsonObject& parameters, Reply reply) {
    MachineClient* client = m_services.clients->client(m_info.name);
    if (client == nullptr) {
        QMetaObject::invokeMethod(
            this,
            [this, reply = std::move(reply)] {
                reply(fail(Error::Kind::NotRunning,
                           tr("\"%1\" does not run any more.").arg(m_info.name)));
            },
            Qt::QueuedConnection);
        return;
    }
    client->call(
        QLatin1String(method),
        parameters,
        [self = QPointer<FirewallLink>(this),
         directory = m_info.directory,
         reply = std::move(reply)](const Result<QJsonValue>& answer) {
            if (!self || self->m_info.directory != directory)
                return;
            reply(answer ? Result<QJsonObject>(answer->toObject()) : fail(answer.error()));
        },
        slowAnswer);
}

void FirewallLink::failed(const Error& error) {
    if (error.kind == Error::Kind::Unsupported) {
        setState(State::None);
        return;
    }
    const MachineClient* client = m_services.clients->client(m_info.name);
    if (client == nullptr || !client->isConnected())
        return; // told by reconsider()
    if (error.kind == Error::Kind::Busy)
        setState(State::Connecting);
    else if (error.kind == Error::Kind::NotRunning)
        setState(State::Restarting, error.message);
    else
        setState(State::Silent, error.message);
}

void FirewallLink::askStatus() {
    call("net.status", {}, [this](const Result<QJsonObject>& answer) {
        if (!answer) {
            failed(answer.error());
            return;
        }
        const FirewallStatus status = FirewallStatus::fromJson(*answer);
        const bool again = status.restarts != m_status.restarts;
        if (status != m_status) {
            m_status = status;
            if (again)
                forget();
            Q_EMIT statusChanged();
        }
        if (!status.ready)
            setState(State::Restarting, status.lastLine);
    });
    askForwards();
}

void FirewallLink::askForwards() {
    call("forward.list", {}, [this](const Result<QJsonObject>& answer) {
        if (!answer)
            return;
        QList<PortForward> forwards;
        for (const QJsonValue& item : answer->value(QLatin1String("forwards")).toArray())
            forwards.append({static_cast<quint16>(item[QLatin1String("hostPort")].toInt()),
                             static_cast<quint16>(item[QLatin1String("guestPort")].toInt())});
        if (forwards == m_forwards)
            return;
        m_forwards = forwards;
        Q_EMIT statusChanged();
    });
}

void FirewallLink::askClock() {
    const int epoch = m_epoch;
    call("net.stats", {}, [this, epoch](const Result<QJsonObject>& answer) {
        if (epoch != m_epoch || !answer)
            return;
        m_clockBegan = QDateTime::currentDateTime().addMSecs(
            -answer->value(QLatin1String("uptimeMs")).toInteger());
        Q_EMIT statusChanged();
    });
}

void FirewallLink::look() {
    if (!m_watched || m_looking || !isAnswering())
        return;
    if (!m_clockBegan.isValid())
        askClock();
    m_looking = true;
    QJsonObject parameters{{QStringLiteral("since"), m_sequence}};
    if (m_inPieces)
        parameters.insert(QStringLiteral("most"), piece);
    const int epoch = m_epoch;
    call("net.destinations", parameters, [this, epoch](const Result<QJsonObject>& answer) {
        if (epoch != m_epoch) {
            if (m_watched && !m_looking && !m_next.isActive())
                m_next.start(m_interval);
            return;
        }
        m_looking = false;
        if (!answer && answer.error().kind == Error::Kind::InvalidInput && m_inPieces) {
            m_inPieces = false;
            m_next.start(0);
            return;
        }
        if (answer)
            took(*answer);
        else
            failed(answer.error());
        const bool more = answer && answer->value(QLatin1String("more")).toBool();
        if (m_watched && isAnswering() && m_state != State::None)
            m_next.start(more ? 0 : m_interval);
    });
}

void FirewallLink::took(const QJsonObject& answer) {
    const qint64 sequence = answer.value(QLatin1String("sequence")).toInteger();
    if (sequence < m_sequence) { // another helper, which counts anew
        forget();
        askStatus();
        return;
    }
    m_sequence = sequence;
    const bool recovered = m_state != State::Live;
    setState(State::Live);
    if (recovered)
        askStatus();
    if (const QList<SoftnetDestination> list = softnetDestinationsFromJson(answer); !list.isEmpty())
        Q_EMIT seen(list);
}

void FirewallLink::change(const Edit& inForce, const Edit& stored, const Changed& done) {
    // Somebody else may have changed them a moment ago.
    call("net.status", {}, [this, inForce, stored, done](const Result<QJsonObject>& status) {
        if (!status) {
            done(fail(status.error()));
            return;
        }
        Before before{SoftnetPolicy::fromJson(*status), {}};
        SoftnetPolicy policy = before.inForce;
        inForce(policy);
        QJsonObject parameters = policy.toJson();
        parameters.insert(QStringLiteral("keep"), false);
        call("net.policy.set",
             parameters,
             [this, stored, before, done](const Result<QJsonObject>& answer) {
                 if (!answer) {
                     done(fail(answer.error()));
                     return;
                 }
                 m_status = FirewallStatus::fromJson(*answer);
                 Q_EMIT statusChanged();
                 if (m_watched && !m_looking)
                     m_next.start(0); // the list is judged anew
                 if (stored)
                     store(stored, before, done);
                 else
                     done(before);
             });
    });
}

void FirewallLink::store(const Edit& edit, const Before& before, const Changed& done) {
    inBackground(
        this,
        [directory = m_info.directory, edit, before]() -> Result<Before> {
            Before held = before;
            const auto updated = Sidecar::update(directory, [&edit, &held](Sidecar& sidecar) {
                NetworkOptions& network = sidecar.run.network;
                if (network.mode != NetworkMode::Softnet)
                    return; // this run was told otherwise on its command line
                held.stored = {network.allow.split(QLatin1Char(','), Qt::SkipEmptyParts),
                               network.block.split(QLatin1Char(','), Qt::SkipEmptyParts)};
                SoftnetPolicy rules = held.stored;
                edit(rules);
                network.allow = rules.allow.join(QLatin1Char(','));
                network.block = rules.block.join(QLatin1Char(','));
            });
            return updated ? Result<Before>(held) : fail(updated.error());
        },
        [done](const Result<Before>& stored) {
            done(stored ? stored
                        : fail(stored.error().kind,
                               tr("The rules hold now, but not after the next start. %1")
                                   .arg(stored.error().message)));
        });
}

void FirewallLink::expose(const QString& spec, bool keep, Done done) {
    call("net.expose.add",
         {{QStringLiteral("spec"), spec}, {QStringLiteral("keep"), keep}},
         [this, done = std::move(done)](const Result<QJsonObject>& answer) {
             askStatus();
             done(answer ? Result<>() : fail(answer.error()));
         });
}

void FirewallLink::conceal(const QString& spec, bool keep, Done done) {
    call("net.expose.remove",
         {{QStringLiteral("spec"), spec}, {QStringLiteral("keep"), keep}},
         [this, done = std::move(done)](const Result<QJsonObject>& answer) {
             askStatus();
             done(answer ? Result<>() : fail(answer.error()));
         });
}

void FirewallLink::addForward(const PortForward& forward, Done done) {
    call("forward.add",
         {{QStringLiteral("hostPort"), forward.hostPort},
          {QStringLiteral("guestPort"), forward.guestPort}},
         [this, done = std::move(done)](const Result<QJsonObject>& answer) {
             askForwards();
             done(answer ? Result<>() : fail(answer.error()));
         });
}

void FirewallLink::removeForward(const PortForward& forward, Done done) {
    call("forward.remove",
         {{QStringLiteral("hostPort"), forward.hostPort}},
         [this, done = std::move(done)](const Result<QJsonObject>& answer) {
             askForwards();
             done(answer ? Result<>() : fail(answer.error()));
         });
}

void FirewallLink::setLearning(bool learning, Done done) {
    call("net.learn",
         {{QStringLiteral("enabled"), learning}},
         [this, done = std::move(done)](const Result<QJsonObject>& answer) {
             if (answer) {
                 m_status = FirewallStatus::fromJson(*answer);
                 Q_EMIT statusChanged();
             }
             done(answer ? Result<>() : fail(answer.error()));
         });
}

void FirewallLink::seenSince(qint64 sequence, Seen reply) {
    collect(sequence, {}, reply);
}

void FirewallLink::collect(qint64 since, QList<SoftnetDestination> so, const Seen& reply) {
    QJsonObject parameters{{QStringLiteral("since"), since}};
    if (m_inPieces)
        parameters.insert(QStringLiteral("most"), piece);
    call("net.destinations",
         parameters,
         [this, since, so = std::move(so), reply](const Result<QJsonObject>& answer) mutable {
             if (!answer) {
                 reply(fail(answer.error()));
                 return;
             }
             so += softnetDestinationsFromJson(*answer);
             const qint64 next = answer->value(QLatin1String("sequence")).toInteger();
             if (answer->value(QLatin1String("more")).toBool() && next > since &&
                 so.size() < qsizetype{piece} * mostPieces)
                 collect(next, std::move(so), reply);
             else
                 reply(so);
         });
}

void FirewallLink::test(const QJsonObject& question,
                        std::function<void(Result<SoftnetAnswer>)> reply) {
    call("net.test", question, [reply = std::move(reply)](const Result<QJsonObject>& answer) {
        reply(answer ? Result<SoftnetAnswer>(SoftnetAnswer::fromJson(*answer))
                     : fail(answer.error()));
    });
}

} // namespace vitrine::ui
