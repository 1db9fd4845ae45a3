// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/share_requests.h"

#include "core/hypervisor/ssh_process.h"
#include "core/machine/sidecar.h"
#include "qemu/sharing/share_manager.h"

#include <QFileInfo>

namespace vitrine::qemu {

namespace {

struct Key {
    QString tag;
    QString name;
};

Key keyOf(const QJsonObject& parameters) {
    return {parameters.value(QLatin1String("tag")).toString(QLatin1String(defaultShareTag)),
            parameters.value(QLatin1String("name")).toString()};
}

ShareManager::Done answerDone(const ControlServer::Respond& respond) {
    return [respond](const Result<>& done) {
        respond(done ? Result<QJsonValue>(QJsonObject{}) : fail(done.error()));
    };
}

bool isKey(const ShareSpec& share, const Key& key) {
    return share.tag == key.tag && share.name == key.name;
}

} // namespace

ShareRequests::ShareRequests(ControlServer* server, QString machineDirectory, QObject* parent)
    : QObject(parent)
    , m_server(server)
    , m_directory(std::move(machineDirectory)) {
    m_news.setSingleShot(true);
    connect(&m_news, &QTimer::timeout, this, [this] {
        if (m_manager != nullptr) {
            m_server->notify(QStringLiteral("event"),
                             {{QStringLiteral("kind"), QStringLiteral("shares-changed")}});
        }
    });
    on("share.list", [this](ShareManager& manager, const QJsonObject&, const Respond& respond) {
        ShareList list = manager.list();
        list.sshUser = m_sshUser;
        respond(list.toJson());
    });
    on("share.add",
       [this](ShareManager& manager, const QJsonObject& parameters, const Respond& respond) {
           add(manager, parameters, respond);
       });
    on("share.remove",
       [this](ShareManager& manager, const QJsonObject& parameters, const Respond& respond) {
           const Key key = keyOf(parameters);
           const bool force = parameters.value(QLatin1String("force")).toBool();
           manager.remove(key.tag,
                          key.name,
                          force ? ShareManager::Force::Yes : ShareManager::Force::No,
                          [this, key, respond](const Result<>& removed) {
                              Result<> result = removed;
                              if (result) {
                                  result = store([&](QList<ShareSpec>& shares) {
                                      shares.removeIf([&](const ShareSpec& share) {
                                          return isKey(share, key);
                                      });
                                  });
                              }
                              answerDone(respond)(result);
                          });
       });
    on("share.change",
       [this](ShareManager& manager, const QJsonObject& parameters, const Respond& respond) {
           change(manager, parameters, respond);
       });
    on("share.mount",
       [this](ShareManager& manager, const QJsonObject& parameters, const Respond& respond) {
           const QString user = parameters.value(QLatin1String("user")).toString(m_sshUser);
           manager.mountAgain(
               keyOf(parameters).tag, user, [this, user, respond](const Result<>& mounted) {
                   if (mounted)
                       rememberUser(user);
                   answerDone(respond)(mounted);
               });
       });
}

void ShareRequests::setManager(ShareManager* manager) {
    m_manager = manager;
    m_sshUser = rememberedGuestUser(m_directory);
    connect(manager, &ShareManager::changed, this, [this] {
        if (!m_news.isActive()) {
            m_news.start(0);
        }
    });
}

void ShareRequests::on(
    const char* method,
    std::function<void(ShareManager&, const QJsonObject&, const Respond&)> handler) {
    m_server->on(QLatin1String(method),
                 [this, handler = std::move(handler)](const QJsonObject& parameters,
                                                      const Respond& respond) {
                     if (m_manager == nullptr) {
                         respond(fail(Error::Kind::Busy,
                                      tr("The machine is just starting. Try again in a moment.")));
                         return;
                     }
                     handler(*m_manager, parameters, respond);
                 });
}

void ShareRequests::add(ShareManager& manager,
                        const QJsonObject& parameters,
                        const Respond& respond) {
    const bool keep = parameters.value(QLatin1String("keep")).toBool(true);
    ShareSpec share;
    share.path = QFileInfo(parameters.value(QLatin1String("path")).toString()).canonicalFilePath();
    if (share.path.isEmpty()) {
        respond(fail(Error::Kind::NotFound,
                     tr("The folder \"%1\" cannot be shared: it does not exist.")
                         .arg(parameters.value(QLatin1String("path")).toString())));
        return;
    }
    share.name = parameters.value(QLatin1String("name")).toString();
    share.readOnly = parameters.value(QLatin1String("readOnly")).toBool(true);
    share.tag = parameters.value(QLatin1String("tag")).toString();
    const bool anyTag = share.tag.isEmpty();
    if (!anyTag &&
        (!isShareTag(share.tag) || (!share.name.isEmpty() && !isShareName(share.name)))) {
        respond(fail(Error::Kind::InvalidInput,
                     tr("\"%1\" cannot be the name of a share. Use letters, digits, dots, "
                        "hyphens and underscores, at most 36.")
                         .arg(share.name.isEmpty() ? share.tag : share.name)));
        return;
    }
    manager.add(share, [this, keep, respond](const Result<ShareSpec>& added) {
        if (!added) {
            respond(fail(added.error()));
            return;
        }
        if (keep) {
            const Result<> kept = store([&](QList<ShareSpec>& shares) { shares.append(*added); });
            if (!kept) {
                respond(fail(kept.error()));
                return;
            }
        }
        for (const ShareStatus& status : m_manager->list().shares) {
            if (isKey(status.spec, {added->tag, added->name})) {
                respond(status.toJson());
                return;
            }
        }
        respond(QJsonObject{});
    });
}

void ShareRequests::change(ShareManager& manager,
                           const QJsonObject& parameters,
                           const Respond& respond) {
    const Key key = keyOf(parameters);
    ShareManager::Change change;
    const QJsonValue readOnly = parameters.value(QLatin1String("readOnly"));
    if (readOnly.isBool()) {
        change.readOnly = readOnly.toBool();
    }
    const QJsonValue newName = parameters.value(QLatin1String("newName"));
    if (newName.isString()) {
        change.name = newName.toString();
    }
    manager.change(key.tag, key.name, change, [this, key, change, respond](const Result<>& done) {
        Result<> result = done;
        if (result) {
            result = store([&](QList<ShareSpec>& shares) {
                for (ShareSpec& share : shares) {
                    if (!isKey(share, key)) {
                        continue;
                    }
                    share.readOnly = change.readOnly.value_or(share.readOnly);
                    QString& name = share.name.isEmpty() ? share.tag : share.name;
                    name = change.name.value_or(name);
                }
            });
        }
        answerDone(respond)(result);
    });
}

// Whoever got in is taken the next time; not being able to keep that is no failure of the mounting.
void ShareRequests::rememberUser(const QString& user) {
    if (user == m_sshUser)
        return;
    m_sshUser = user;
    (void)rememberGuestUser(m_directory, user);
    Q_EMIT sshUserChanged();
}

Result<> ShareRequests::store(const std::function<void(QList<ShareSpec>&)>& edit) {
    return Sidecar::update(m_directory, [&edit](Sidecar& sidecar) { edit(sidecar.run.shares); });
}

} // namespace vitrine::qemu
