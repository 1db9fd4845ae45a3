// SPDX-License-Identifier: Apache-2.0
#include "vz/host/share_requests.h"

#include "core/job/in_worker.h"
#include "core/machine/sidecar.h"
#include "core/sharing/share_safety.h"

#include <QFileInfo>

#include <utility>

namespace vitrine::vz {

namespace {

// Where macOS guests mount the default tag by themselves.
constexpr const char* macShareFolder = "/Volumes/My Shared Files";

ShareSpec keyOf(const QJsonObject& parameters) {
    ShareSpec key;
    key.tag = parameters.value(QLatin1String("tag")).toString(QLatin1String(defaultShareTag));
    key.name = parameters.value(QLatin1String("name")).toString();
    return key;
}

bool isSame(const ShareSpec& a, const ShareSpec& b) {
    return a.tag == b.tag && a.name == b.name;
}

// In single quotes, for a shell of the guest.
QString quoted(QString text) {
    text.replace(QLatin1Char('\''), QLatin1String("'\\''"));
    return QLatin1Char('\'') + text + QLatin1Char('\'');
}

Result<QString> checkedFolder(const QString& path, bool readOnly, const QStringList& libraries) {
    const QString folder = QFileInfo(path).canonicalFilePath();
    if (folder.isEmpty())
        return fail(Error::Kind::NotFound,
                    Tr::tr("The folder \"%1\" cannot be shared: it does not exist.").arg(path));
    const auto checked = checkSharedFolder(
        folder, readOnly ? ShareAccess::ReadOnly : ShareAccess::Writable, libraries);
    return checked ? Result<QString>(folder) : fail(checked.error());
}

} // namespace

ShareRequests::ShareRequests(ControlServer* server,
                             QString folder,
                             QStringList libraries,
                             QObject* parent)
    : QObject(parent)
    , m_server(server)
    , m_folder(std::move(folder))
    , m_libraries(std::move(libraries)) {
    on("share.list",
       [this](const QJsonObject&, const Respond& respond) { respond(list().toJson()); });
    on("share.add",
       [this](const QJsonObject& parameters, const Respond& respond) { add(parameters, respond); });
    on("share.remove", [this](const QJsonObject& parameters, const Respond& respond) {
        remove(parameters, respond);
    });
    on("share.change", [this](const QJsonObject& parameters, const Respond& respond) {
        change(parameters, respond);
    });
}

void ShareRequests::setRun(MachineRun* run,
                           bool isMac,
                           std::shared_ptr<const ShareArchives> archives) {
    m_run = run;
    m_isMac = isMac;
    m_archives = std::move(archives);
}

void ShareRequests::on(const char* method,
                       std::function<void(const QJsonObject&, const Respond&)> handler) {
    m_server->on(QLatin1String(method),
                 [this, handler = std::move(handler)](const QJsonObject& parameters,
                                                      const Respond& respond) {
                     if (m_run)
                         handler(parameters, respond);
                     else
                         respond(fail(Error::Kind::Busy,
                                      tr("The machine is just starting. Try again in a moment.")));
                 });
}

ShareStatus ShareRequests::statusOf(const PlacedShare& share) const {
    ShareStatus status;
    status.spec = share.spec;
    if (m_archives)
        status.spec = m_archives->asWished({share.spec}).constFirst();
    status.transport = QStringLiteral("virtiofs");
    const bool mountsItself = m_isMac && share.tag == QLatin1String(defaultShareTag);
    if (mountsItself) {
        status.guestPath = QLatin1String(macShareFolder);
        if (!share.name.isEmpty())
            status.guestPath += QLatin1Char('/') + share.name;
        status.state = ShareState::Mounted;
        return status;
    }
    // Nobody tells whether the guest has mounted it.
    status.state = ShareState::Waiting;
    QString place = share.spec.guestPath();
    QString line = QStringLiteral("sudo mkdir -p %1 && sudo mount -t virtiofs %2 %1");
    if (m_isMac) {
        place = QStringLiteral("/tmp/") + share.spec.displayName();
        line = QStringLiteral("mkdir -p %1 && mount_virtiofs %2 %1");
    }
    status.guestPath = place;
    status.mountLine = line.arg(quoted(place), quoted(share.tag));
    status.message = tr("Mount it in the guest.");
    return status;
}

ShareList ShareRequests::list() const {
    ShareList list;
    list.transport = QStringLiteral("virtiofs");
    if (!m_run)
        return list;
    for (const PlacedShare& share : m_run->shares().shares())
        list.shares << statusOf(share);
    return list;
}

void ShareRequests::add(const QJsonObject& parameters, const Respond& respond) {
    const bool keep = parameters.value(QLatin1String("keep")).toBool(true);
    ShareSpec share;
    share.path = parameters.value(QLatin1String("path")).toString();
    share.name = parameters.value(QLatin1String("name")).toString();
    share.readOnly = parameters.value(QLatin1String("readOnly")).toBool(true);
    share.tag = parameters.value(QLatin1String("tag")).toString();
    if (!share.tag.isEmpty() &&
        (!isShareTag(share.tag) || (!share.name.isEmpty() && !isShareName(share.name)))) {
        respond(fail(Error::Kind::InvalidInput,
                     tr("\"%1\" cannot be the name of a share. Use letters, digits, dots, hyphens "
                        "and underscores, at most 36.")
                         .arg(share.name.isEmpty() ? share.tag : share.name)));
        return;
    }
    inWorker(
        this,
        [path = share.path, readOnly = share.readOnly, libraries = m_libraries] {
            return checkedFolder(path, readOnly, libraries);
        },
        [this, share, keep, respond](const Result<QString>& folder) {
            if (!folder) {
                respond(fail(folder.error()));
                return;
            }
            ShareSpec checked = share;
            checked.path = *folder;
            addChecked(checked, keep, respond);
        });
}

void ShareRequests::addChecked(ShareSpec share, bool keep, const Respond& respond) {
    if (!m_run) {
        respond(fail(Error::Kind::NotRunning, tr("The machine does not run any more.")));
        return;
    }
    if (share.tag.isEmpty()) {
        QStringList taken;
        for (const PlacedShare& other : m_run->shares().shares())
            taken << other.spec.tag;
        share.tag = freeShareTag(share.name.isEmpty() ? share.path : share.name, taken);
        share.name.clear();
    }
    if (const auto added = m_run->addShare(share); !added) {
        respond(fail(added.error()));
        return;
    }
    tellChange();
    QJsonObject answer;
    for (const PlacedShare& placed : m_run->shares().shares())
        if (isSame(placed.spec, share))
            answer = statusOf(placed).toJson();
    if (keep)
        store([share](QList<ShareSpec>& shares) { shares << share; }, answer, respond);
    else
        respond(answer);
}

void ShareRequests::remove(const QJsonObject& parameters, const Respond& respond) {
    const ShareSpec key = keyOf(parameters);
    if (const auto removed = m_run->removeShare(key); !removed) {
        respond(fail(removed.error()));
        return;
    }
    tellChange();
    store(
        [key](QList<ShareSpec>& shares) {
            shares.removeIf([&key](const ShareSpec& share) { return isSame(share, key); });
        },
        QJsonObject{},
        respond);
}

void ShareRequests::change(const QJsonObject& parameters, const Respond& respond) {
    const ShareSpec key = keyOf(parameters);
    if (parameters.value(QLatin1String("newName")).isString()) {
        respond(fail(Error::Kind::Unsupported,
                     tr("On a Mac the name of a shared folder cannot be changed while the machine "
                        "runs. Remove it and add it under the new name.")));
        return;
    }
    const QJsonValue wish = parameters.value(QLatin1String("readOnly"));
    if (!wish.isBool()) {
        respond(QJsonObject{});
        return;
    }
    const bool readOnly = wish.toBool();
    QString path;
    for (const PlacedShare& share : m_run->shares().shares())
        if (isSame(share.spec, key))
            path = share.spec.path;
    // What was safe to be read need not be safe to be written.
    inWorker(
        this,
        [path, readOnly, libraries = m_libraries]() -> Result<QString> {
            return path.isEmpty() || readOnly ? path : checkedFolder(path, readOnly, libraries);
        },
        [this, key, readOnly, respond](const Result<QString>& folder) {
            const auto set = [&]() -> Result<> {
                if (!folder)
                    return fail(folder.error());
                if (!m_run)
                    return fail(Error::Kind::NotRunning, tr("The machine does not run any more."));
                return m_run->setShareReadOnly(key, readOnly);
            };
            const auto done = set();
            if (!done) {
                respond(fail(done.error()));
                return;
            }
            tellChange();
            store(
                [key, readOnly](QList<ShareSpec>& shares) {
                    for (ShareSpec& share : shares)
                        if (isSame(share, key))
                            share.readOnly = readOnly;
                },
                QJsonObject{},
                respond);
        });
}

void ShareRequests::store(std::function<void(QList<ShareSpec>&)> edit,
                          const QJsonValue& answer,
                          const Respond& respond) {
    inWorker(
        this,
        [folder = m_folder, edit = std::move(edit)] {
            return Sidecar::update(folder, [&edit](Sidecar& sidecar) { edit(sidecar.run.shares); });
        },
        [answer, respond](const Result<>& stored) {
            respond(stored ? Result<QJsonValue>(answer) : fail(stored.error()));
        });
}

void ShareRequests::tellChange() {
    m_server->notify(QStringLiteral("event"),
                     {{QStringLiteral("kind"), QStringLiteral("shares-changed")}});
}

} // namespace vitrine::vz
