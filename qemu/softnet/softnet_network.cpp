// SPDX-License-Identifier: Apache-2.0
#include "qemu/softnet/softnet_network.h"

#include "qemu/softnet/softnet_host.h"

#include <QHostAddress>
#include <QTcpServer>

namespace vitrine::qemu {

namespace {

constexpr int forwardAttempts = 5; // another program may take a free port first

QStringList itemsOf(const QString& list) {
    return list.split(QLatin1Char(','), Qt::SkipEmptyParts);
}

SoftnetSupervisor::Setup supervisorSetup(SoftnetNetwork::Setup& setup,
                                         const SoftnetPolicy& policy) {
    SoftnetSupervisor::Setup result;
    result.program = setup.program;
    result.arguments =
        QStringList{QStringLiteral("--vm-mac-address=%1").arg(setup.macAddress.toText())} +
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
    for (const QStringList* list : {&policy.allow, &policy.block})
        if (!list->isEmpty())
            if (const auto checked = checkNetworkList(list->join(QLatin1Char(','))); !checked)
                return checked;
    return {};
}

QJsonObject parametersOf(const QString& spec) {
    return {{QStringLiteral("spec"), spec}};
}

} // namespace

SoftnetNetwork::SoftnetNetwork(Setup setup, QObject* parent)
    : QObject(parent)
    , m_policy{itemsOf(setup.options.allow), itemsOf(setup.options.block)}
    , m_supervisor(supervisorSetup(setup, m_policy)) {
    for (const QString& spec : itemsOf(setup.options.expose))
        m_exposures.append({spec, {}});
    connect(&m_supervisor, &SoftnetSupervisor::ready, this, &SoftnetNetwork::onReady);
    connect(&m_supervisor, &SoftnetSupervisor::ended, this, [this](const QString& how) {
        Q_EMIT happened(QStringLiteral("network-ended"), how);
        Q_EMIT changed();
    });
    connect(&m_supervisor, &SoftnetSupervisor::gaveUp, this, [this](const Error& error) {
        Q_EMIT happened(QStringLiteral("network-failed"), error.message);
        Q_EMIT changed();
    });
    connect(&m_supervisor, &SoftnetSupervisor::stopped, this, &SoftnetNetwork::stopped);
}

Result<> SoftnetNetwork::start() {
    return m_supervisor.start();
}

void SoftnetNetwork::stop() {
    m_supervisor.stop();
}

void SoftnetNetwork::onReady() {
    if (m_supervisor.restarts() > 0)
        Q_EMIT happened(QStringLiteral("network-restarted"),
                        tr("The network of the machine goes on, with the rules in force. Open "
                           "connections were cut."));
    const bool again = m_supervisor.restarts() > 0;
    for (const SoftnetExposure& exposure : std::as_const(m_exposures))
        open(exposure.spec, [this, again](const Result<>& opened) {
            if (!opened && !again)
                Q_EMIT happened(QStringLiteral("forward-failed"), opened.error().message);
        });
    if (again)
        for (const QString& spec : std::as_const(m_forwards))
            open(spec, [](const Result<>&) {});
    Q_EMIT changed();
}

void SoftnetNetwork::setPolicy(const SoftnetPolicy& policy, const Done& done) {
    if (const auto checked = check(policy); !checked) {
        done(checked);
        return;
    }
    apply(policy, [this, policy, done](const Result<>& applied) {
        if (applied) {
            m_policy = policy;
            m_learning = false;
            Q_EMIT changed();
        }
        done(applied);
    });
}

void SoftnetNetwork::apply(const SoftnetPolicy& wanted, const Done& done) {
    SoftnetClient* const client = m_supervisor.client();
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
    if (!learning) {
        setPolicy(m_policy, done);
        return;
    }
    // What was seen before does not count as learned.
    ask(QStringLiteral("vitrine.destinations.get"),
        {},
        [this, done](const Result<QJsonObject>& seen) {
            if (!seen) {
                done(fail(seen.error()));
                return;
            }
            const qint64 since = seen->value(QLatin1String("sequence")).toInteger();
            apply({{QStringLiteral("0.0.0.0/0")}, {}}, [this, since, done](const Result<>& open) {
                if (open) {
                    m_learning = true;
                    m_learnedSince = since;
                    Q_EMIT changed();
                }
                done(open);
            });
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
            if (error.kind == Error::Kind::AlreadyExists) {
                const QStringList parts = spec.split(QLatin1Char(':'));
                error = {Error::Kind::AlreadyExists,
                         tr("Port %1 of this computer cannot lead to the guest: another program "
                            "uses it, or you may not open it. Choose another port.")
                             .arg(parts.value(parts.size() - 2)),
                         error.detail};
            }
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
        const auto isIt = [&spec](const SoftnetExposure& other) { return other.spec == spec; };
        if (opened && std::none_of(m_exposures.cbegin(), m_exposures.cend(), isIt)) {
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
                                std::function<void(Result<PortForward>)> reply) {
    PortForward tried = forward;
    if (tried.hostPort == 0)
        tried.hostPort = freePort();
    const QString spec = specOf(tried);
    open(spec,
         [this, forward, tried, spec, attempts, reply = std::move(reply)](const Result<>& opened) {
             if (opened) {
                 m_forwards.append(spec);
                 reply(tried);
             } else if (attempts > 1 && opened.error().kind == Error::Kind::AlreadyExists) {
                 tryForward(forward, attempts - 1, reply);
             } else {
                 reply(fail(opened.error()));
             }
         });
}

void SoftnetNetwork::unforward(const PortForward& forward, const Done& done) {
    const QString spec = specOf(forward);
    m_forwards.removeAll(spec);
    if (m_supervisor.client() == nullptr) {
        done({});
        return;
    }
    ask(QStringLiteral("vitrine.expose.remove"),
        parametersOf(spec),
        [done](const Result<QJsonObject>& answer) {
            done(answer ? Result<>() : fail(answer.error()));
        });
}

void SoftnetNetwork::ask(const QString& method, const QJsonObject& parameters, const Reply& reply) {
    if (SoftnetClient* const client = m_supervisor.client()) {
        client->call(method, parameters, reply);
        return;
    }
    reply(fail(Error::Kind::NotRunning,
               tr("The network of the machine is not running. %1")
                   .arg(m_supervisor.lastLine().isEmpty()
                            ? tr("It is being started again.")
                            : tr("It said last: %1").arg(m_supervisor.lastLine()))));
}

} // namespace vitrine::qemu
