// SPDX-License-Identifier: Apache-2.0
#include "qemu/softnet/softnet_requests.h"

#include "core/machine/sidecar.h"
#include "qemu/softnet/softnet_network.h"

#include <QJsonArray>

namespace vitrine::qemu {

namespace {

QString specOf(const QJsonObject& parameters) {
    return parameters.value(QLatin1String("spec")).toString();
}

QStringList itemsOf(const QString& list) {
    return list.split(QLatin1Char(','), Qt::SkipEmptyParts);
}

} // namespace

SoftnetRequests::SoftnetRequests(ControlServer* server, QString machineDirectory, QObject* parent)
    : QObject(parent)
    , m_server(server)
    , m_directory(std::move(machineDirectory)) {
    m_news.setSingleShot(true);
    connect(&m_news, &QTimer::timeout, this, [this] {
        m_server->notify(QStringLiteral("event"),
                         {{QStringLiteral("kind"), QStringLiteral("network-changed")}});
    });
    on("net.status", [](SoftnetNetwork& network, const QJsonObject&, const Respond& respond) {
        respond(statusOf(network));
    });
    on("net.policy.set",
       [this](SoftnetNetwork& network, const QJsonObject& parameters, const Respond& respond) {
           const SoftnetPolicy policy = SoftnetPolicy::fromJson(parameters);
           network.setPolicy(policy, [this, policy, parameters, respond](const Result<>& set) {
               Result<> result = set;
               if (result)
                   result = store(parameters, [&policy](NetworkOptions& options) {
                       options.allow = policy.allow.join(QLatin1Char(','));
                       options.block = policy.block.join(QLatin1Char(','));
                   });
               respond(result && m_network ? Result<QJsonValue>(statusOf(*m_network))
                                           : fail(result ? Error::cancelled() : result.error()));
           });
       });
    on("net.policy.edit",
       [this](SoftnetNetwork& network, const QJsonObject& parameters, const Respond& respond) {
           edit(network, parameters, respond);
       });
    on("net.expose.add",
       [this](SoftnetNetwork& network, const QJsonObject& parameters, const Respond& respond) {
           const QString spec = specOf(parameters);
           network.expose(spec, [this, spec, parameters, respond](const Result<>& exposed) {
               Result<> result = exposed;
               if (result)
                   result = store(parameters, [&spec](NetworkOptions& options) {
                       QStringList list =
                           options.expose.split(QLatin1Char(','), Qt::SkipEmptyParts);
                       if (!list.contains(spec))
                           list.append(spec);
                       options.expose = list.join(QLatin1Char(','));
                   });
               respond(result ? Result<QJsonValue>(QJsonObject{}) : fail(result.error()));
           });
       });
    on("net.expose.remove",
       [this](SoftnetNetwork& network, const QJsonObject& parameters, const Respond& respond) {
           const QString spec = specOf(parameters);
           network.conceal(spec, [this, spec, parameters, respond](const Result<>& concealed) {
               Result<> result = concealed;
               if (result)
                   result = store(parameters, [&spec](NetworkOptions& options) {
                       QStringList list =
                           options.expose.split(QLatin1Char(','), Qt::SkipEmptyParts);
                       list.removeAll(spec);
                       options.expose = list.join(QLatin1Char(','));
                   });
               respond(result ? Result<QJsonValue>(QJsonObject{}) : fail(result.error()));
           });
       });
    on("net.learn",
       [this](SoftnetNetwork& network, const QJsonObject& parameters, const Respond& respond) {
           network.setLearning(parameters.value(QLatin1String("enabled")).toBool(),
                               [this, respond](const Result<>& done) {
                                   respond(done && m_network
                                               ? Result<QJsonValue>(statusOf(*m_network))
                                               : fail(done ? Error::cancelled() : done.error()));
                               });
       });
    passOn("net.destinations", "vitrine.destinations.get");
    passOn("net.test", "vitrine.test");
    passOn("net.stats", "vitrine.stats.get");
}

void SoftnetRequests::edit(SoftnetNetwork& network,
                           const QJsonObject& parameters,
                           const Respond& respond) {
    const NetworkEdit edit = NetworkEdit::fromJson(parameters);
    QStringList missing = edit.missing(network.policy().allow, network.policy().block);
    if (!missing.isEmpty() && parameters.value(QLatin1String("keep")).toBool(true))
        if (const auto stored = Sidecar::read(m_directory);
            stored && stored->run.network.mode == NetworkMode::Softnet) {
            const QStringList there = edit.missing(itemsOf(stored->run.network.allow),
                                                   itemsOf(stored->run.network.block));
            missing.removeIf([&there](const QString& rule) { return !there.contains(rule); });
        }
    if (const auto checked = edit.check(); !checked || !missing.isEmpty()) {
        respond(fail(checked
                         ? Error{Error::Kind::NotFound,
                                 tr("There is no rule \"%1\" in that list.").arg(missing.first()),
                                 {}}
                         : checked.error()));
        return;
    }
    network.editPolicy(edit, [this, edit, parameters, respond](const Result<>& made) {
        Result<> result = made;
        if (result)
            result = store(parameters, [&edit](NetworkOptions& options) {
                QStringList allow = itemsOf(options.allow);
                QStringList block = itemsOf(options.block);
                edit.applyTo(allow, block);
                options.allow = allow.join(QLatin1Char(','));
                options.block = block.join(QLatin1Char(','));
            });
        respond(result && m_network ? Result<QJsonValue>(statusOf(*m_network))
                                    : fail(result ? Error::cancelled() : result.error()));
    });
}

void SoftnetRequests::setNetwork(SoftnetNetwork* network) {
    m_started = true;
    m_network = network;
    if (network != nullptr)
        connect(network, &SoftnetNetwork::changed, this, [this] {
            if (!m_news.isActive())
                m_news.start(0);
        });
}

void SoftnetRequests::on(
    const char* method,
    std::function<void(SoftnetNetwork&, const QJsonObject&, const Respond&)> handler) {
    m_server->on(QLatin1String(method),
                 [this, handler = std::move(handler)](const QJsonObject& parameters,
                                                      const Respond& respond) {
                     if (!m_started) {
                         respond(fail(Error::Kind::Busy,
                                      tr("The machine is just starting. Try again in a moment.")));
                     } else if (!m_network) {
                         respond(
                             fail(Error::Kind::Unsupported,
                                  tr("The machine has no firewall in this run. Choose Softnet in "
                                     "Settings, or give --net-softnet, and start it again.")));
                     } else {
                         handler(*m_network, parameters, respond);
                     }
                 });
}

void SoftnetRequests::passOn(const char* method, const char* to) {
    on(method,
       [to](SoftnetNetwork& network, const QJsonObject& parameters, const Respond& respond) {
           network.ask(QLatin1String(to), parameters, [respond](const Result<QJsonObject>& answer) {
               respond(answer ? Result<QJsonValue>(*answer) : fail(answer.error()));
           });
       });
}

QJsonObject SoftnetRequests::statusOf(const SoftnetNetwork& network) {
    QJsonObject status = network.policy().toJson();
    QJsonArray exposures;
    for (const SoftnetExposure& exposure : network.exposures())
        exposures.append(QJsonObject{{QStringLiteral("spec"), exposure.spec},
                                     {QStringLiteral("problem"), exposure.problem}});
    status.insert(QStringLiteral("expose"), exposures);
    status.insert(QStringLiteral("ready"), network.supervisor().isReady());
    status.insert(QStringLiteral("restarts"), network.supervisor().restarts());
    status.insert(QStringLiteral("lastLine"), network.supervisor().lastLine());
    status.insert(QStringLiteral("learning"), network.isLearning());
    status.insert(QStringLiteral("learnedSince"), network.learnedSince());
    return status;
}

// A run with typed options may differ from what is stored; then there is nothing to keep.
Result<> SoftnetRequests::store(const QJsonObject& parameters,
                                const std::function<void(NetworkOptions&)>& edit) {
    if (!parameters.value(QLatin1String("keep")).toBool(true))
        return {};
    return Sidecar::update(m_directory, [&edit](Sidecar& sidecar) {
        if (sidecar.run.network.mode == NetworkMode::Softnet)
            edit(sidecar.run.network);
    });
}

} // namespace vitrine::qemu
