// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/hypervisor/control_server.h"
#include "core/softnet/softnet_values.h"

#include <QJsonArray>

#include <functional>
#include <optional>

namespace vitrine::test {

inline SoftnetDestination destinationOf(
    const char* address, int port, bool allowed, const char* name = "", const char* rule = "") {
    SoftnetDestination one;
    one.address = QLatin1String(address);
    one.port = port;
    one.protocol = QStringLiteral("tcp");
    one.name = QLatin1String(name);
    one.rule = QLatin1String(rule);
    one.allowed = allowed;
    one.reason = !one.rule.isEmpty()
                     ? (allowed ? QStringLiteral("rule-allow") : QStringLiteral("rule-block"))
                 : allowed ? QStringLiteral("global")
                           : QStringLiteral("not-global");
    one.packets = 14;
    one.bytesOut = allowed ? 2'000'000 : 0;
    one.bytesIn = allowed ? 210'000'000 : 0;
    return one;
}

// The firewall of a fake machine: the requests of qemu/softnet/softnet_requests.h. One thread.
class FakeFirewall final {
public:
    struct Asked {
        QString method;
        QJsonObject parameters;
    };

    SoftnetPolicy policy;
    QStringList exposed;
    QString problem; // of every exposed port
    bool ready = true;
    bool learning = false;
    int restarts = 0;
    QString lastLine;
    std::optional<Error> refusal; // of what changes something
    std::optional<Error> silence; // of net.destinations
    SoftnetAnswer verdict{false, {}, QStringLiteral("not-global")};
    QList<Asked> asked; // but net.status, net.destinations, net.stats
    int looks = 0;      // net.destinations
    qint64 mostInOneAnswer = 0;

    void answer(ControlServer& server) {
        on(server, "net.status", [this](const QJsonObject&) { return status(); });
        on(server, "net.stats", [](const QJsonObject&) {
            return QJsonObject{{QStringLiteral("uptimeMs"), 60000}};
        });
        server.on(QStringLiteral("net.destinations"),
                  [this](const QJsonObject& parameters, const ControlServer::Respond& respond) {
                      respond(silence ? Result<QJsonValue>(fail(*silence))
                                      : Result<QJsonValue>(destinations(parameters)));
                  });
        change(server, "net.policy.set", [this](const QJsonObject& parameters) {
            policy = SoftnetPolicy::fromJson(parameters);
            return status();
        });
        change(server, "net.learn", [this](const QJsonObject& parameters) {
            learning = parameters.value(QLatin1String("enabled")).toBool();
            learnedSince = sequence;
            return status();
        });
        change(server, "net.expose.add", [this](const QJsonObject& parameters) {
            const QString spec = parameters.value(QLatin1String("spec")).toString();
            if (!exposed.contains(spec))
                exposed.append(spec);
            return QJsonObject();
        });
        change(server, "net.expose.remove", [this](const QJsonObject& parameters) {
            exposed.removeAll(parameters.value(QLatin1String("spec")).toString());
            return QJsonObject();
        });
        server.on(QStringLiteral("net.test"),
                  [this](const QJsonObject& parameters, const ControlServer::Respond& respond) {
                      asked.append({QStringLiteral("net.test"), parameters});
                      respond(QJsonObject{
                          {QStringLiteral("verdict"),
                           verdict.passes ? QStringLiteral("allow") : QStringLiteral("block")},
                          {QStringLiteral("rule"), verdict.rule},
                          {QStringLiteral("reason"), verdict.reason}});
                  });
    }
    // New, or known and changed; `lastMs` rises by itself.
    void see(SoftnetDestination one) {
        m_seen.removeIf([&one](const Seen& other) {
            return other.value.address == one.address && other.value.port == one.port &&
                   other.value.incoming == one.incoming;
        });
        one.lastMs = 40000 + ++sequence * 10;
        m_seen.append({one, sequence});
    }
    // As after a restart of the helper.
    void forget() {
        m_seen.clear();
        sequence = 0;
        ++restarts;
    }
    [[nodiscard]] QList<Asked> askedFor(const char* method) const {
        QList<Asked> list;
        for (const Asked& one : asked)
            if (one.method == QLatin1String(method))
                list.append(one);
        return list;
    }
    qint64 sequence = 0;
    qint64 learnedSince = 0;

private:
    struct Seen {
        SoftnetDestination value;
        qint64 sequence = 0;
    };
    using Answer = std::function<QJsonObject(const QJsonObject&)>;
    static void on(ControlServer& server, const char* method, Answer make) {
        server.on(QLatin1String(method),
                  [make = std::move(make)](const QJsonObject& parameters,
                                           const ControlServer::Respond& respond) {
                      respond(make(parameters));
                  });
    }
    void change(ControlServer& server, const char* method, Answer make) {
        server.on(QLatin1String(method),
                  [this, method, make = std::move(make)](const QJsonObject& parameters,
                                                         const ControlServer::Respond& respond) {
                      asked.append({QLatin1String(method), parameters});
                      respond(refusal ? Result<QJsonValue>(fail(*refusal))
                                      : Result<QJsonValue>(make(parameters)));
                  });
    }
    [[nodiscard]] QJsonObject status() const {
        QJsonObject object = policy.toJson();
        QJsonArray ports;
        for (const QString& spec : exposed)
            ports.append(
                QJsonObject{{QStringLiteral("spec"), spec}, {QStringLiteral("problem"), problem}});
        object.insert(QStringLiteral("expose"), ports);
        object.insert(QStringLiteral("ready"), ready);
        object.insert(QStringLiteral("restarts"), restarts);
        object.insert(QStringLiteral("lastLine"), lastLine);
        object.insert(QStringLiteral("learning"), learning);
        object.insert(QStringLiteral("learnedSince"), learnedSince);
        return object;
    }
    [[nodiscard]] QJsonObject destinations(const QJsonObject& parameters) {
        ++looks;
        const qint64 since = parameters.value(QLatin1String("since")).toInteger();
        const qint64 most = parameters.value(QLatin1String("most")).toInteger(1 << 20);
        QJsonArray list;
        qint64 last = since;
        bool more = false;
        for (const Seen& one : std::as_const(m_seen)) {
            if (one.sequence <= since)
                continue;
            more = list.size() >= most;
            if (more)
                break;
            list.append(one.value.toJson());
            last = one.sequence;
        }
        mostInOneAnswer = std::max<qint64>(mostInOneAnswer, list.size());
        return {{QStringLiteral("sequence"), more ? last : sequence},
                {QStringLiteral("destinations"), list},
                {QStringLiteral("more"), more}};
    }
    QList<Seen> m_seen; // lowest sequence first
};

} // namespace vitrine::test
