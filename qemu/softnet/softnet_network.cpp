// SPDX-License-Identifier: Apache-2.0
#include "qemu/softnet/softnet_network.h"

#include "qemu/softnet/softnet_host.h"

#include <QHostAddress>
#include <QPointer>
#include <QTcpServer>

namespace vitrine::qemu {

namespace {

constexpr int forwardAttempts = 5; // another program may take a free port first
constexpr int refusalsToBelieve = 3;
constexpr int mostAtOnce = 16; // ports that are asked for while an answer is due

QStringList itemsOf(const QString& list) {
    return list.split(QLatin1Char(','), Qt::SkipEmptyParts);
}

SoftnetSupervisor::Setup supervisorSetup(SoftnetNetwork::Setup& setup,
                                         const SoftnetPolicy& policy) {
    SoftnetSupervisor::Setup result;
    result.program = setup.program;
    result.arguments =
        QStringList{QStringLiteral("--vm-mac-address=%1").arg(setup.macAddress.toText())} +
        (setup.plainNat ? QStringList{QStringLiteral("--profile=nat")} : QStringList()) +
        softnetUserArguments();
    result.socket = std::move(setup.socket);
    result.logFile = setup.logFile;
    result.policy = policy;
    result.pace = setup.pace;
    return result;
}

QString specOf(const PortForward& forward) {
    return QStringLiteral("127.0.0.1:%1:%2").arg(forward.hostPort).arg(forward.guestPort);
}

// Taken by nobody at this moment.
quint16 freePort() {
    QTcpServer server;
    return server.listen(QHostAddress(QHostAddress::LocalHost), 0) ? server.serverPort()
                                                                   : quint16{0};
}

Result<> check(const SoftnetPolicy& policy) {
    return checkNetworkLists(policy.allow.join(QLatin1Char(',')),
                             policy.block.join(QLatin1Char(',')));
}

QJsonObject parametersOf(const QString& spec) {
    return {{QStringLiteral("spec"), spec}};
}

} // namespace

SoftnetNetwork::SoftnetNetwork(Setup setup, QObject* parent)
    : QObject(parent)
    , m_policy(setup.plainNat
                   ? SoftnetPolicy()
                   : SoftnetPolicy{itemsOf(setup.options.allow), itemsOf(setup.options.block)})
    , m_supervisor(supervisorSetup(setup, m_policy))
    , m_accepted(m_policy) {
    if (!setup.plainNat)
        for (const QString& spec : itemsOf(setup.options.expose))
            m_exposures.append({spec, {}});
    connect(&m_supervisor, &SoftnetSupervisor::ready, this, &SoftnetNetwork::onReady);
    connect(&m_supervisor, &SoftnetSupervisor::ended, this, &SoftnetNetwork::onEnded);
    connect(&m_supervisor, &SoftnetSupervisor::gaveUp, this, [this](const Error& error) {
        m_gaveUp = true;
        m_answered = false;
        Q_EMIT happened(QStringLiteral("network-failed"), error.message);
        m_over = true;
        goOnWithForwards();
        Q_EMIT changed();
    });
    connect(&m_supervisor, &SoftnetSupervisor::stopped, this, &SoftnetNetwork::stopped);
}

Result<> SoftnetNetwork::start() {
    return m_supervisor.start();
}

void SoftnetNetwork::stop() {
    m_over = true;
    m_supervisor.stop();
    goOnWithForwards();
}

void SoftnetNetwork::goOnWithForwards() {
    const QList<std::function<void()>> waiting = std::exchange(m_waiting, {});
    for (const auto& forward : waiting)
        forward();
}

void SoftnetNetwork::onReady() {
    const bool again = m_supervisor.restarts() > 0;
    m_answered = true;
    m_accepted = m_policy;
    if (m_learning)
        ask(QStringLiteral("vitrine.learn.set"),
            {{QStringLiteral("enabled"), true}},
            [this](const Result<QJsonObject>& learns) {
                if (learns || learns.error().kind == Error::Kind::NotRunning)
                    return;
                m_learning = false;
                Q_EMIT happened(QStringLiteral("network-learning-ended"), learns.error().message);
                Q_EMIT changed();
            });
    if (again) {
        QString text = tr("The network of the machine goes on, with the rules in force. Open "
                          "connections were cut.");
        if (m_learning) {
            m_learnedSince = 0; // the new helper counts from there
            text +=
                QLatin1Char(' ') + tr("What was learned so far is lost; learning begins again.");
        }
        Q_EMIT happened(QStringLiteral("network-restarted"), text);
    }
    m_toOpen.clear();
    for (const SoftnetExposure& exposure : std::as_const(m_exposures))
        m_toOpen.append([this, spec = exposure.spec] {
            if (!isExposed(spec)) { // taken back meanwhile
                openNext();
                return;
            }
            open(spec, [this](const Result<>& opened) {
                if (!opened && opened.error().kind != Error::Kind::NotRunning)
                    Q_EMIT happened(QStringLiteral("forward-failed"), opened.error().message);
                openNext();
            });
        });
    if (again)
        for (const Forward& forward : std::as_const(m_forwards))
            m_toOpen.append([this, forward] { reopenForward(forward); });
    for (int i = 0; i < mostAtOnce; ++i)
        openNext();
    goOnWithForwards();
    Q_EMIT changed();
}

// A port each: the helper is asked only so much at once.
void SoftnetNetwork::openNext() {
    if (!m_toOpen.isEmpty() && m_supervisor.client() != nullptr)
        m_toOpen.takeFirst()();
}

void SoftnetNetwork::reopenForward(const Forward& forward) {
    open(specOf(forward.ports), [this, forward](const Result<>& opened) {
        openNext();
        if (opened || opened.error().kind == Error::Kind::NotRunning)
            return;
        if (!forward.isAutomatic || opened.error().kind != Error::Kind::AlreadyExists) {
            Q_EMIT happened(QStringLiteral("forward-failed"), opened.error().message);
            return;
        }
        m_forwards.removeIf([&](const Forward& one) { return one.ports == forward.ports; });
        tryForward({0, forward.ports.guestPort},
                   forwardAttempts,
                   [this, forward](const Result<PortForward>& moved) {
                       if (!moved) {
                           m_forwards.append(forward);
                           Q_EMIT happened(QStringLiteral("forward-failed"), moved.error().message);
                           return;
                       }
                       Q_EMIT forwardMoved(forward.ports, *moved);
                       Q_EMIT happened(
                           QStringLiteral("forward-moved"),
                           tr("Port %1 of the guest is reached at port %2 of this computer now: "
                              "another program took port %3.")
                               .arg(forward.ports.guestPort)
                               .arg(moved->hostPort)
                               .arg(forward.ports.hostPort));
                   });
    });
}

// Rules that keep the helper from coming up are taken back, so that the machine has a network. A
// helper that merely crashed gets them again: the former ones may let more pass.
void SoftnetNetwork::onEnded(const QString& how) {
    const bool refused = !std::exchange(m_answered, false) && m_supervisor.exitCode() == 1;
    m_refusals = refused ? m_refusals + 1 : 0;
    Q_EMIT happened(QStringLiteral("network-ended"), how);
    if (m_refusals >= refusalsToBelieve && m_policy != m_accepted) {
        m_refusals = 0;
        m_policy = m_accepted;
        m_supervisor.setPolicy(m_accepted);
        Q_EMIT happened(QStringLiteral("network-rules-refused"),
                        tr("The network of the machine does not start with the new rules. The "
                           "rules before them hold again. Look at them before you start the "
                           "machine the next time."));
    }
    Q_EMIT changed();
}

void SoftnetNetwork::setPolicy(const SoftnetPolicy& policy, const Done& done) {
    change({[policy](const SoftnetPolicy&) { return policy; }, done});
}

void SoftnetNetwork::editPolicy(const NetworkEdit& edit, const Done& done) {
    change({[edit](SoftnetPolicy policy) {
                edit.applyTo(policy.allow, policy.block);
                return policy;
            },
            done});
}

void SoftnetNetwork::change(Change change) {
    m_changes.append(std::move(change));
    if (m_changes.size() == 1)
        nextChange();
}

void SoftnetNetwork::nextChange() {
    const SoftnetPolicy wanted = m_changes.first().make(m_policy);
    const auto finish = [this, wanted](const Result<>& applied) {
        if (applied) {
            m_policy = wanted;
            if (m_answered)
                m_accepted = wanted;
            Q_EMIT changed();
        }
        const QPointer<SoftnetNetwork> alive(this);
        const Done done = m_changes.first().done; // it may ask for another change
        done(applied);
        if (!alive)
            return;
        m_changes.removeFirst();
        if (!m_changes.isEmpty())
            nextChange();
    };
    if (const auto checked = check(wanted); !checked)
        finish(checked);
    else
        apply(wanted, finish);
}

void SoftnetNetwork::apply(const SoftnetPolicy& wanted, const Done& done) {
    SoftnetClient* const client = m_supervisor.client();
    if (client == nullptr && m_gaveUp) {
        done(fail(notRunning()));
        return;
    }
    if (client == nullptr) {
        m_supervisor.setPolicy(wanted); // it is being started; nothing passes meanwhile
        done({});
        return;
    }
    client->setPolicy(wanted, [this, wanted, done](const Result<QJsonObject>& answer) {
        if (answer)
            m_supervisor.setPolicy(wanted);
        done(answer ? Result<>() : fail(answer.error()));
    });
}

void SoftnetNetwork::setLearning(bool learning, const Done& done) {
    if (learning == m_learning) {
        done({});
        return;
    }
    const auto set = [this, learning, done](qint64 since) {
        ask(QStringLiteral("vitrine.learn.set"),
            {{QStringLiteral("enabled"), learning}},
            [this, learning, since, done](const Result<QJsonObject>& answer) {
                if (answer) {
                    m_learning = learning;
                    m_learnedSince = since;
                    Q_EMIT changed();
                }
                done(answer ? Result<>() : fail(answer.error()));
            });
    };
    if (!learning) {
        if (m_supervisor.client() != nullptr) {
            set(m_learnedSince);
            return;
        }
        m_learning = false; // the next helper knows of none
        Q_EMIT changed();
        done({});
        return;
    }
    // What was seen before does not count as learned.
    ask(QStringLiteral("vitrine.destinations.get"),
        {},
        [set, done](const Result<QJsonObject>& seen) {
            if (!seen) {
                done(fail(seen.error()));
                return;
            }
            // The list may be cut; "newest" is where it would end.
            set(seen->value(QLatin1String(seen->contains(QLatin1String("newest")) ? "newest"
                                                                                  : "sequence"))
                    .toInteger());
        });
}

void SoftnetNetwork::open(const QString& spec, const Done& done) {
    ask(QStringLiteral("vitrine.expose.add"),
        parametersOf(spec),
        [this, spec, done](const Result<QJsonObject>& answer) {
            if (answer) {
                setProblem(spec, {});
                done({});
                return;
            }
            Error error = answer.error();
            const QStringList parts = spec.split(QLatin1Char(':'));
            const QString port = parts.value(parts.size() - 2);
            if (error.kind == Error::Kind::AlreadyExists)
                error.message = tr("Port %1 of this computer cannot lead to the guest: another "
                                   "program uses it. Choose another port.")
                                    .arg(port);
            else if (error.kind == Error::Kind::Permission)
                error.message = tr("Port %1 of this computer cannot lead to the guest: ports below "
                                   "1024 are reserved here. Choose a higher one.")
                                    .arg(port);
            setProblem(spec, error.message);
            done(fail(error));
        });
}

void SoftnetNetwork::setProblem(const QString& spec, const QString& problem) {
    for (SoftnetExposure& exposure : m_exposures)
        if (exposure.spec == spec && exposure.problem != problem) {
            exposure.problem = problem;
            Q_EMIT changed();
        }
}

bool SoftnetNetwork::isExposed(const QString& spec) const {
    return std::any_of(m_exposures.cbegin(),
                       m_exposures.cend(),
                       [&spec](const SoftnetExposure& other) { return other.spec == spec; });
}

void SoftnetNetwork::expose(const QString& spec, const Done& done) {
    if (const auto checked = checkExposeList(spec); !checked || spec.contains(QLatin1Char(','))) {
        done(checked ? fail(Error::Kind::InvalidInput, tr("Expose one port at a time.")) : checked);
        return;
    }
    for (const SoftnetExposure& exposure : std::as_const(m_exposures))
        if (exposure.spec == spec && exposure.problem.isEmpty()) {
            done({});
            return;
        }
    open(spec, [this, spec, done](const Result<>& opened) {
        if (opened && !isExposed(spec)) {
            m_exposures.append({spec, {}});
            Q_EMIT changed();
        }
        done(opened);
    });
}

void SoftnetNetwork::conceal(const QString& spec, const Done& done) {
    const auto found =
        std::find_if(m_exposures.cbegin(),
                     m_exposures.cend(),
                     [&spec](const SoftnetExposure& other) { return other.spec == spec; });
    if (found == m_exposures.cend()) {
        done(fail(Error::Kind::NotFound, tr("\"%1\" is not exposed.").arg(spec)));
        return;
    }
    const bool isOpen = found->problem.isEmpty();
    const auto forget = [this, spec] {
        m_exposures.removeIf([&spec](const SoftnetExposure& other) { return other.spec == spec; });
        Q_EMIT changed();
    };
    if (!isOpen || m_supervisor.client() == nullptr) {
        forget();
        done({});
        return;
    }
    ask(QStringLiteral("vitrine.expose.remove"),
        parametersOf(spec),
        [forget, done](const Result<QJsonObject>& answer) {
            if (answer)
                forget();
            done(answer ? Result<>() : fail(answer.error()));
        });
}

void SoftnetNetwork::forward(const PortForward& forward,
                             std::function<void(Result<PortForward>)> reply) {
    tryForward(forward, forward.hostPort == 0 ? forwardAttempts : 1, std::move(reply));
}

void SoftnetNetwork::tryForward(PortForward forward,
                                int attempts,
                                const std::function<void(Result<PortForward>)>& reply) {
    const auto later = [this, forward, attempts, reply] {
        m_waiting.append(
            [this, forward, attempts, reply] { tryForward(forward, attempts, reply); });
    };
    if (m_supervisor.client() == nullptr && !m_over) {
        later(); // it is being started
        return;
    }
    PortForward tried = forward;
    if (tried.hostPort == 0)
        tried.hostPort = freePort();
    // The helper takes the same once more for a success.
    if (isExposed(specOf(tried)) ||
        std::any_of(m_forwards.cbegin(), m_forwards.cend(), [&tried](const Forward& other) {
            return other.ports == tried;
        })) {
        reply(fail(Error::Kind::AlreadyExists,
                   tr("Port %1 of this computer leads to port %2 of the guest already.")
                       .arg(tried.hostPort)
                       .arg(tried.guestPort)));
        return;
    }
    open(specOf(tried), [this, forward, tried, attempts, later, reply](const Result<>& opened) {
        if (opened) {
            m_forwards.append({tried, forward.hostPort == 0});
            reply(tried);
        } else if (opened.error().kind == Error::Kind::NotRunning && !m_over) {
            later();
        } else if (attempts > 1 && opened.error().kind == Error::Kind::AlreadyExists) {
            tryForward(forward, attempts - 1, reply);
        } else {
            reply(fail(opened.error()));
        }
    });
}

void SoftnetNetwork::unforward(const PortForward& forward, const Done& done) {
    const QString spec = specOf(forward);
    m_forwards.removeIf([&forward](const Forward& one) { return one.ports == forward; });
    if (m_supervisor.client() == nullptr) {
        done({});
        return;
    }
    ask(QStringLiteral("vitrine.expose.remove"),
        parametersOf(spec),
        [done](const Result<QJsonObject>& answer) {
            // One that could not be opened again is not there to be removed.
            const bool gone = answer || answer.error().kind == Error::Kind::NotFound;
            done(gone ? Result<>() : fail(answer.error()));
        });
}

void SoftnetNetwork::ask(const QString& method, const QJsonObject& parameters, const Reply& reply) {
    if (SoftnetClient* const client = m_supervisor.client()) {
        client->call(method, parameters, reply);
        return;
    }
    reply(fail(notRunning()));
}

Error SoftnetNetwork::notRunning() const {
    QString why = m_gaveUp ? tr("It is not started again; restart the machine.")
                           : tr("It is being started again.");
    if (!m_supervisor.lastLine().isEmpty())
        why += QLatin1Char(' ') + tr("It said last: %1").arg(m_supervisor.lastLine());
    return {
        Error::Kind::NotRunning, tr("The network of the machine is not running. %1").arg(why), {}};
}

} // namespace vitrine::qemu
