// SPDX-License-Identifier: Apache-2.0
#include "vz/host/share_requests.h"

#include "core/job/in_worker.h"
#include "core/machine/sidecar.h"
#include "core/sharing/share_safety.h"
#include "vz/host/guest_mounts.h"

#include <QFileInfo>

#include <algorithm>
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
                             AgentRequests* agent,
                             QString folder,
                             QStringList libraries,
                             QObject* parent)
    : QObject(parent)
    , m_server(server)
    , m_agent(agent)
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
    on("share.mount", [this](const QJsonObject& parameters, const Respond& respond) {
        mountAgain(parameters, respond);
    });
}

void ShareRequests::setRun(MachineRun* run,
                           bool isMac,
                           std::shared_ptr<const ShareArchives> archives) {
    m_run = run;
    m_isMac = isMac;
    m_mounts.clear();
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

bool ShareRequests::mountsItself(const PlacedShare& share) const {
    return m_isMac && share.tag == QLatin1String(defaultShareTag);
}

QString ShareRequests::placeOf(const PlacedShare& share) const {
    if (mountsItself(share))
        return QLatin1String(macShareFolder);
    ShareSpec device = share.spec;
    if (!share.name.isEmpty()) // one of several folders in it
        device.name.clear();
    return m_isMac ? QStringLiteral("/tmp/") + device.displayName() : device.guestPath();
}

ShareStatus ShareRequests::statusOf(const PlacedShare& share) const {
    ShareStatus status;
    status.spec = share.spec;
    if (m_archives)
        status.spec = m_archives->asWished({share.spec}).constFirst();
    status.transport = QStringLiteral("virtiofs");
    const QString place = placeOf(share);
    status.guestPath = share.name.isEmpty() ? place : place + QLatin1Char('/') + share.name;
    if (mountsItself(share)) {
        status.state = ShareState::Mounted;
        return status;
    }
    const QString line = m_isMac
                             ? QStringLiteral("mkdir -p %1 && mount_virtiofs %2 %1")
                             : QStringLiteral("sudo mkdir -p %1 && sudo mount -t virtiofs %2 %1");
    status.mountLine = line.arg(quoted(place), quoted(share.tag));
    const Mount mount = m_mounts.value(share.tag);
    status.state = mount.state;
    status.message = mount.message;
    if (mount.state == ShareState::Waiting)
        status.message = tr("Mount it in the guest.");
    return status;
}

std::optional<PlacedShare> ShareRequests::find(const ShareSpec& key) const {
    if (m_run)
        for (const PlacedShare& share : m_run->shares().shares())
            if (isSame(share.spec, key))
                return share;
    return std::nullopt;
}

void ShareRequests::agentAnswers() {
    if (!m_run)
        return;
    QStringList devices;
    for (const PlacedShare& share : m_run->shares().shares()) {
        if (mountsItself(share) || devices.contains(share.tag) ||
            m_mounts.value(share.tag).state == ShareState::Mounted)
            continue;
        devices << share.tag;
        mountInGuest(share, [](const Result<>&) {});
    }
}

// Its device, as a whole.
void ShareRequests::mountInGuest(const PlacedShare& share, Done done) {
    GuestMounts(m_agent->commands(), m_isMac)
        .mount(share.tag,
               placeOf(share),
               [self = QPointer(this), tag = share.tag, done = std::move(done)](
                   const Result<>& mounted) {
                   if (self && self->m_run) {
                       self->m_mounts[tag] =
                           mounted ? Mount{ShareState::Mounted, {}}
                                   : Mount{ShareState::NotMounted, mounted.error().message};
                       self->tellChange();
                   }
                   done(mounted);
               });
}

void ShareRequests::mountAgain(const QJsonObject& parameters, const Respond& respond) {
    const QString tag = keyOf(parameters).tag;
    const QList<PlacedShare> shares = m_run->shares().shares();
    const auto share = std::find_if(
        shares.cbegin(), shares.cend(), [&tag](const PlacedShare& s) { return s.spec.tag == tag; });
    if (share == shares.cend()) {
        respond(
            fail(Error::Kind::NotFound, tr("The machine has no shared folder \"%1\".").arg(tag)));
    } else if (mountsItself(*share)) {
        respond(QJsonObject{});
    } else if (!m_agent->answers()) {
        respond(fail(Error::Kind::Unsupported,
                     tr("No guest agent answers, so nothing can be mounted from here. Mount it in "
                        "the guest: %1")
                         .arg(statusOf(*share).mountLine)));
    } else {
        mountInGuest(*share, [respond](const Result<>& mounted) {
            respond(mounted ? Result<QJsonValue>(QJsonObject{}) : fail(mounted.error()));
        });
    }
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
    QList<ShareSpec> all{share};
    for (const PlacedShare& other : m_run->shares().shares())
        all << other.spec;
    if (const auto grouped = groupShares(all); !grouped) {
        respond(fail(grouped.error()));
        return;
    }
    if (const auto added = m_run->addShare(share); !added) {
        respond(fail(added.error()));
        return;
    }
    const auto placed = find(share);
    m_mounts.remove(placed->tag);
    tellChange();
    const auto answer = [this, share, respond](const Result<>& stored) {
        const auto there = find(share);
        if (!stored || !there) {
            respond(stored ? QJsonValue(QJsonObject{}) : Result<QJsonValue>(fail(stored.error())));
            return;
        }
        if (mountsItself(*there) || !m_agent->answers()) {
            respond(statusOf(*there).toJson());
            return;
        }
        // That it could not be mounted is told by its state.
        mountInGuest(*there, [self = QPointer(this), share, respond](const Result<>&) {
            const auto now = self ? self->find(share) : std::nullopt;
            respond(now ? self->statusOf(*now).toJson() : QJsonObject());
        });
    };
    if (keep)
        store([share](QList<ShareSpec>& shares) { shares << share; }, answer);
    else
        answer({});
}

void ShareRequests::remove(const QJsonObject& parameters, const Respond& respond) {
    const ShareSpec key = keyOf(parameters);
    const auto share = find(key);
    const QList<PlacedShare> shares = m_run->shares().shares();
    const bool isAlone =
        share && std::count_if(shares.cbegin(), shares.cend(), [&share](const PlacedShare& other) {
                     return other.tag == share->tag;
                 }) == 1;
    if (!isAlone || !m_agent->answers() ||
        m_mounts.value(share->tag).state != ShareState::Mounted) {
        removeChecked(key, respond);
        return;
    }
    const bool force = parameters.value(QLatin1String("force")).toBool();
    GuestMounts(m_agent->commands(), m_isMac)
        .unmount(placeOf(*share),
                 [self = QPointer(this), key, force, respond](const Result<>& unmounted) {
                     // An agent that has gone away since keeps nothing here.
                     const bool isBusy =
                         !unmounted && unmounted.error().kind == Error::Kind::Busy && !force;
                     if (isBusy)
                         respond(fail(unmounted.error()));
                     else if (self)
                         self->removeChecked(key, respond);
                 });
}

void ShareRequests::removeChecked(const ShareSpec& key, const Respond& respond) {
    const auto share = find(key);
    const Result<> removed =
        m_run ? m_run->removeShare(key)
              : fail(Error::Kind::NotRunning, tr("The machine does not run any more."));
    if (!removed) {
        respond(fail(removed.error()));
        return;
    }
    if (share && share->name.isEmpty())
        m_mounts.remove(share->tag);
    tellChange();
    store(
        [key](QList<ShareSpec>& shares) {
            shares.removeIf([&key](const ShareSpec& stored) { return isSame(stored, key); });
        },
        [respond](const Result<>& stored) {
            respond(stored ? Result<QJsonValue>(QJsonObject{}) : fail(stored.error()));
        });
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
                [respond](const Result<>& stored) {
                    respond(stored ? Result<QJsonValue>(QJsonObject{}) : fail(stored.error()));
                });
        });
}

void ShareRequests::store(std::function<void(QList<ShareSpec>&)> edit, Done done) {
    inWorker(
        this,
        [folder = m_folder, edit = std::move(edit)] {
            return Sidecar::update(folder, [&edit](Sidecar& sidecar) { edit(sidecar.run.shares); });
        },
        std::move(done));
}

void ShareRequests::tellChange() {
    m_server->notify(QStringLiteral("event"),
                     {{QStringLiteral("kind"), QStringLiteral("shares-changed")}});
}

} // namespace vitrine::vz
