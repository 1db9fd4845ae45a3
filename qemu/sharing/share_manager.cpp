// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/share_manager.h"

#include "core/disk/real_path.h"
#include "core/sharing/share_safety.h"
#include "qemu/qmp_client.h"
#include "qemu/root_ports.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonObject>
#include <QPointer>

#include <algorithm>
#include <memory>
#include <utility>

namespace vitrine::qemu {

ShareManager::ShareManager(Setup setup, QmpClient* qmp, GuestAgent* agent, RootPorts* ports)
    : m_setup(std::move(setup))
    , m_agent(agent)
    , m_ssh(m_setup.sshAddress, m_setup.hostKeys)
    , m_guest(agent, &m_ssh)
    , m_machine{m_setup.runtimePath, m_setup.socketFolder, m_setup.inherited, qmp, ports, {}, 0} {
    if (m_setup.options.rootOwns)
        m_user = {0, 0, QStringLiteral("root")};
    connect(agent, &GuestAgent::guestOpenedChanged, this, [this] {
        if (m_agent->guestOpened()) {
            onAgentOpened();
        }
    });
}

ShareManager::~ShareManager() = default;

const ShareTransport& ShareManager::transport() {
    if (!m_transport) {
        m_transport = findShareTransport({}, m_setup.options);
    }
    return *m_transport;
}

void ShareManager::enqueue(Operation operation, Done done) {
    m_queue.emplace_back(std::move(operation), std::move(done));
    next();
}

void ShareManager::next() {
    if (m_busy || m_queue.empty()) {
        return;
    }
    m_busy = true;
    const auto [operation, done] = std::move(m_queue.front());
    m_queue.pop_front();
    const QPointer<ShareManager> alive(this);
    operation([this, alive, done = done](const Result<>& result) {
        if (!alive) {
            return;
        }
        m_busy = false;
        Q_EMIT changed();
        done(result);
        if (alive) {
            next();
        }
    });
}

ShareManager::Item* ShareManager::find(const QString& tag) {
    for (const auto& item : m_items) {
        if (item->device->group().tag == tag) {
            return item.get();
        }
    }
    return nullptr;
}

ShareManager::Item* ShareManager::findDevice(const ShareDevice* device) {
    for (const auto& item : m_items) {
        if (item->device.get() == device) {
            return item.get();
        }
    }
    return nullptr;
}

ShareManager::Item& ShareManager::append(const ShareGroup& group) {
    auto item = std::make_unique<Item>();
    item->device = std::make_unique<ShareDevice>(&m_machine, group);
    ShareDevice* const device = item->device.get();
    connect(device, &ShareDevice::broke, this, [this, device] { onBroke(device); });
    m_items.push_back(std::move(item));
    resetMembers(*m_items.back());
    return *m_items.back();
}

void ShareManager::resetMembers(Item& item) {
    const QList<ShareStatus> before = std::exchange(item.members, {});
    for (const ShareSpec& share : item.device->group().members) {
        ShareStatus status;
        for (const ShareStatus& old : before) {
            if (old.spec.name == share.name) {
                status = old;
            }
        }
        status.spec = share;
        status.guestPath = share.guestPath();
        status.mountLine = GuestMounts::mountLine(
            share.tag, item.device->group().guestPath(), item.device->kind());
        status.transport = item.device->kind() == ShareTransport::Kind::Plan9
                               ? QStringLiteral("9p")
                               : QStringLiteral("virtiofs");
        item.members.append(status);
    }
}

void ShareManager::erase(const QString& tag) {
    const auto found = std::find_if(m_items.begin(), m_items.end(), [&](const auto& item) {
        return item->device->group().tag == tag;
    });
    if (found != m_items.end()) {
        (*found)->device.release()->deleteLater(); // it may be what called
        m_items.erase(found);
    }
}

void ShareManager::setState(Item& item, ShareState state, const QString& message) {
    for (ShareStatus& status : item.members) {
        status.state = state;
        status.message = withRealPaths(message);
    }
    Q_EMIT changed();
}

void ShareManager::begin() {
    m_begun = true;
    const Result<QList<ShareGroup>> groups = groupShares(m_setup.shares);
    if (!groups) {
        Q_EMIT happened(QStringLiteral("share-failed"), groups.error().message);
        return;
    }
    for (const ShareGroup& group : *groups) {
        Item& item = append(group);
        Result<> good;
        for (const ShareSpec& share : group.members) {
            if (good) {
                good = checkFolder(share);
            }
        }
        if (!good) {
            setState(item, ShareState::Failed, good.error().message);
            Q_EMIT happened(QStringLiteral("share-failed"), good.error().message);
            continue;
        }
        enqueue([this, tag = group.tag](const Done& done) { plugAndMount(tag, done); },
                [this](const Result<>& plugged) {
                    if (!plugged) {
                        Q_EMIT happened(QStringLiteral("share-failed"), plugged.error().message);
                    }
                });
    }
}

void ShareManager::end() {
    m_begun = false;
    m_items.clear();
}

void ShareManager::guestRestarted() {
    for (const auto& item : m_items) {
        item->mounted = false;
        if (item->device->isPlugged() && !item->device->isBroken()) {
            setState(*item, ShareState::Waiting);
        }
    }
}

void ShareManager::onEvent(const QString& name, const QJsonObject& data) {
    if (name != QLatin1String("DEVICE_DELETED")) {
        return;
    }
    const QString id = data.value(QLatin1String("device")).toString();
    // A reply may change the list.
    std::vector<ShareDevice*> devices;
    for (const auto& item : m_items) {
        devices.push_back(item->device.get());
    }
    for (ShareDevice* device : devices) {
        if (findDevice(device) != nullptr) {
            device->deviceDeleted(id);
        }
    }
}

// A daemon also ends when QEMU does, and then a moment before QEMU is seen to be gone: who answers
// is alive.
void ShareManager::onBroke(ShareDevice* device) {
    m_machine.qmp->execute(
        QStringLiteral("query-status"), {}, [this, device](const Result<QJsonValue>& alive) {
            if (alive || alive.error().kind == Error::Kind::Timeout) {
                tellBroken(device);
            }
        });
}

void ShareManager::tellBroken(const ShareDevice* device) {
    Item* const item = findDevice(device);
    if (item == nullptr) {
        return;
    }
    const QString name = item->members.first().spec.displayName();
    m_brokenReason = tr("The program behind the share \"%1\" ended unexpectedly. No share can be "
                        "added or taken away before the machine was shut down and started again.")
                         .arg(name);
    setState(*item,
             ShareState::Broken,
             tr("The program behind this share ended unexpectedly, and programs in the guest that "
                "use it hang. Shut the machine down and start it again."));
    Q_EMIT happened(QStringLiteral("share-broken"), m_brokenReason);
}

void ShareManager::onAgentOpened() {
    if (!m_begun) {
        return;
    }
    enqueue(
        [this](const Done& done) {
            m_guest.findUser([this, done](const Result<GuestUser>& user) {
                if (user && !m_setup.options.rootOwns) {
                    m_user = *user;
                    m_userKnown = true;
                }
                done({});
            });
        },
        [](const Result<>&) {});
    for (const auto& item : m_items) {
        const QString tag = item->device->group().tag;
        enqueue(
            [this, tag](const Done& done) {
                Item* const waiting = find(tag);
                if (waiting == nullptr || waiting->mounted || !waiting->device->isPlugged() ||
                    waiting->device->isBroken()) {
                    done({});
                    return;
                }
                const GuestUser& used = waiting->device->user();
                const bool sameIds = used.uid == m_user.uid && used.gid == m_user.gid;
                if (sameIds || waiting->device->kind() != ShareTransport::Kind::Virtiofs) {
                    mount(tag, done);
                    return;
                }
                // The guest's user has another id than most: the map has to be another one.
                replace(tag, ShareGroup(waiting->device->group()), done);
            },
            [](const Result<>&) {});
    }
}

Result<> ShareManager::checkFolder(const ShareSpec& share) {
    if (const auto reason = m_setup.leftOut.constFind(share.path);
        reason != m_setup.leftOut.cend()) {
        return fail(Error::Kind::Network, *reason);
    }
    const Result<QString> checked = checkSharedFolder(
        share.path,
        share.readOnly ? ShareAccess::ReadOnly : ShareAccess::Writable,
        m_setup.ownFolders.contains(share.path) ? QStringList() : m_setup.libraries);
    if (!checked) {
        return fail(checked.error());
    }
    if (!checked->isEmpty()) {
        Q_EMIT happened(QStringLiteral("share-warning"), *checked);
    }
    return {};
}

Result<> ShareManager::refusal(const QString& tag) {
    if (!m_begun) {
        return fail(Error::Kind::NotRunning, tr("The machine does not run yet."));
    }
    if (!m_brokenReason.isEmpty()) {
        return fail(Error::Kind::Unsupported, m_brokenReason);
    }
    for (const auto& item : m_items) {
        if (item->detached) {
            return fail(Error::Kind::Busy,
                        tr("The state of the machine is being saved. Change its shares "
                           "afterwards."));
        }
    }
    if (!tag.isEmpty() && find(tag) == nullptr) {
        return fail(Error::Kind::NotFound,
                    tr("The machine has no share with the tag \"%1\".").arg(tag));
    }
    return {};
}

ShareList ShareManager::list() {
    ShareList list;
    for (const auto& item : m_items) {
        list.shares.append(item->members);
    }
    const ShareTransport& used = transport();
    list.transport = used.word();
    list.transportNote = used.note;
    if (!m_brokenReason.isEmpty()) {
        list.refusal = m_brokenReason;
    } else if (used.kind == ShareTransport::Kind::None) {
        list.refusal = used.note;
    }
    return list;
}

QList<ShareSpec> ShareManager::shares() const {
    QList<ShareSpec> list;
    for (const auto& item : m_items) {
        for (const ShareStatus& status : item->members) {
            list.append(status.spec);
        }
    }
    return list;
}

void ShareManager::add(ShareSpec share, std::function<void(Result<ShareSpec>)> reply) {
    const auto made = std::make_shared<ShareSpec>(std::move(share));
    enqueue(
        [this, made](const Done& done) {
            if (const Result<> refused = refusal({}); !refused) {
                done(refused);
                return;
            }
            if (const Result<> good = checkFolder(*made); !good) {
                done(good);
                return;
            }
            QList<ShareSpec> all = shares();
            if (made->tag.isEmpty()) { // not before its turn: others of that name may be waiting
                QStringList taken;
                for (const ShareSpec& other : all) {
                    taken.append(other.tag);
                }
                made->tag = freeShareTag(made->name.isEmpty() ? made->path : made->name, taken);
                made->name.clear();
            }
            const ShareSpec& wanted = *made;
            all.append(wanted);
            const Result<QList<ShareGroup>> groups = groupShares(all);
            if (!groups) {
                done(fail(groups.error()));
                return;
            }
            if (find(wanted.tag) != nullptr) {
                addMember(wanted, done);
                return;
            }
            append({wanted.tag, {wanted}});
            plugAndMount(wanted.tag, [this, made, done](const Result<>& plugged) {
                if (!plugged) {
                    erase(made->tag);
                }
                done(plugged);
            });
        },
        [made, reply = std::move(reply)](const Result<>& added) {
            reply(added ? Result<ShareSpec>(*made) : fail(added.error()));
        });
}

void ShareManager::remove(const QString& tag, const QString& name, Force force, Done done) {
    enqueue(
        [this, tag, name, force](const Done& finished) {
            Item* const item = find(tag);
            const bool failed = item != nullptr && !item->device->isPlugged() && !item->detached;
            if (failed) { // nothing to take off
                erase(tag);
                finished({});
                return;
            }
            if (const Result<> refused = refusal(tag); !refused) {
                finished(refused);
                return;
            }
            if (item->members.size() > 1) {
                removeMember(tag, name, finished);
                return;
            }
            if (item->members.first().spec.name != name) {
                finished(fail(Error::Kind::NotFound,
                              tr("There is no share \"%1\" with the tag \"%2\".").arg(name, tag)));
                return;
            }
            unmountAndUnplug(tag, force, [this, tag, finished](const Result<>& gone) {
                if (gone) {
                    erase(tag);
                }
                finished(gone);
            });
        },
        std::move(done));
}

void ShareManager::change(const QString& tag, const QString& name, Change change, Done done) {
    enqueue(
        [this, tag, name, change](const Done& finished) {
            if (const Result<> refused = refusal(tag); !refused) {
                finished(refused);
                return;
            }
            ShareGroup group = find(tag)->device->group();
            const auto member =
                std::find_if(group.members.begin(),
                             group.members.end(),
                             [&](const ShareSpec& share) { return share.name == name; });
            if (member == group.members.end()) {
                finished(fail(Error::Kind::NotFound,
                              tr("There is no share \"%1\" with the tag \"%2\".").arg(name, tag)));
                return;
            }
            member->readOnly = change.readOnly.value_or(member->readOnly);
            if (const Result<> good = checkFolder(*member); !good) {
                finished(good);
                return;
            }
            const QString to = change.name.value_or(name.isEmpty() ? tag : name);
            if (name.isEmpty() ? !isShareTag(to) : !isShareName(to)) {
                finished(fail(Error::Kind::InvalidInput,
                              tr("\"%1\" cannot be the name of a share. Use letters, digits, dots, "
                                 "hyphens and underscores, at most 36.")
                                  .arg(to)));
                return;
            }
            if (!name.isEmpty()) {
                member->name = to;
                changeMember(tag, name, *member, finished);
                return;
            }
            group.tag = member->tag = to;
            QList<ShareSpec> all;
            for (const ShareSpec& share : shares()) {
                if (share.tag != tag) {
                    all.append(share);
                }
            }
            if (const auto groups = groupShares(all + group.members); !groups) {
                finished(fail(groups.error()));
                return;
            }
            if (to != tag && find(to) != nullptr) {
                finished(fail(Error::Kind::AlreadyExists,
                              tr("There is a share with this name already.")));
                return;
            }
            replace(tag, group, finished);
        },
        std::move(done));
}

void ShareManager::mountAgain(const QString& tag, const QString& sshUser, Done done) {
    enqueue(
        [this, tag, sshUser](const Done& finished) {
            if (const Result<> refused = refusal(tag); !refused) {
                finished(refused);
                return;
            }
            const Done plugged = [this, tag, sshUser, finished](const Result<>& result) {
                if (!result || m_agent->guestOpened()) {
                    finished(result);
                    return;
                }
                m_ssh.setUser(sshUser);
                mountOverSsh(tag, finished);
            };
            Item* const item = find(tag);
            if (item->device->isPlugged()) {
                if (m_agent->guestOpened()) {
                    mount(tag, finished);
                } else {
                    plugged({});
                }
                return;
            }
            for (const ShareStatus& member : std::as_const(item->members)) {
                if (const Result<> good = checkFolder(member.spec); !good) {
                    finished(good);
                    return;
                }
            }
            plugAndMount(tag, plugged);
        },
        std::move(done));
}

void ShareManager::detachAll(Done done) {
    enqueue(
        [this](const Done& finished) {
            if (!m_brokenReason.isEmpty()) {
                finished(fail(Error::Kind::Unsupported, m_brokenReason));
                return;
            }
            detachNext(finished);
        },
        std::move(done));
}

void ShareManager::checkDetachable(Done done) {
    enqueue(
        [this](const Done& finished) {
            if (!m_brokenReason.isEmpty()) {
                finished(fail(Error::Kind::Unsupported, m_brokenReason));
                return;
            }
            QStringList tags;
            for (const auto& item : m_items) {
                if (item->device->isPlugged() && m_agent->guestOpened()) {
                    tags.append(item->device->group().tag);
                }
            }
            checkNext(tags, finished);
        },
        std::move(done));
}

bool ShareManager::isAnyPlugged() const {
    return std::any_of(
        m_items.begin(), m_items.end(), [](const auto& item) { return item->device->isPlugged(); });
}

void ShareManager::reattachAll(Done done) {
    QStringList tags;
    for (const auto& item : m_items) {
        tags.append(item->device->group().tag);
    }
    for (const QString& tag : tags) {
        enqueue(
            [this, tag](const Done& finished) {
                Item* const item = find(tag);
                if (item == nullptr || !std::exchange(item->detached, false)) {
                    finished({});
                    return;
                }
                plugAndMount(tag, finished);
            },
            [](const Result<>&) {});
    }
    enqueue([](const Done& finished) { finished({}); }, std::move(done));
}

} // namespace vitrine::qemu
