// SPDX-License-Identifier: Apache-2.0
#include "qemu/sharing/share_device.h"

#include "core/channel/local_socket.h"
#include "qemu/launch_plan.h"
#include "qemu/qmp_client.h"
#include "qemu/root_ports.h"

#include <QFile>
#include <QJsonObject>

#include <utility>

namespace vitrine::qemu {

namespace {

constexpr int queueSize = 1024;
constexpr int deletionPatience = 15000; // ms; a running guest needs under 100

} // namespace

ShareDevice::ShareDevice(Machine* machine, ShareGroup group, QObject* parent)
    : QObject(parent)
    , m_machine(machine)
    , m_group(std::move(group)) {
    m_deletion.setSingleShot(true);
    connect(&m_deletion, &QTimer::timeout, this, [this] {
        if (const Done waiting = std::exchange(m_deleted, {})) {
            m_unplugging = false;
            waiting(fail(Error::Kind::Timeout,
                         tr("The guest does not let go of the share \"%1\". It may hang, or not "
                            "have started yet. Try again later, or restart the machine.")
                             .arg(m_group.tag)));
        }
    });
}

ShareDevice::~ShareDevice() {
    if (m_daemon != nullptr) {
        m_daemon->disconnect(this);
    }
}

void ShareDevice::plug(const ShareTransport& transport, const GuestUser& user, Done done) {
    m_kind = transport.kind;
    m_user = user;
    m_transportFailed = false;
    const Done finished = [this, done = std::move(done)](const Result<>& result) {
        m_plugged = result.has_value();
        if (!result) {
            cleanUp();
        }
        done(result);
    };
    if (m_kind == ShareTransport::Kind::None) {
        finished(fail(Error::Kind::Unsupported, transport.note));
        return;
    }
    m_deviceId = QStringLiteral("share-") + m_group.tag;
    if (m_kind == ShareTransport::Kind::Virtiofs) {
        plugVirtiofs(transport, finished);
    } else {
        plugPlan9(finished);
    }
}

void ShareDevice::plugVirtiofs(const ShareTransport& transport, Done done) {
    const Result<QStringList> arguments = helperArguments(transport, m_user, m_group);
    if (!arguments) {
        done(fail(arguments.error()));
        return;
    }
    m_daemon = new ShareDaemon(this);
    connect(m_daemon, &ShareDaemon::ended, this, [this] {
        if (m_plugged && !m_unplugging && !std::exchange(m_broken, true)) {
            Q_EMIT broke();
        }
    });
    ShareDaemon::Setup setup;
    setup.helper = transport.helper;
    setup.arguments = *arguments;
    setup.workingDirectory = m_machine->runtimePath;
    setup.logFile = m_machine->runtimePath + QLatin1String("/log");
    setup.inherited = m_machine->inherited;
    const Result<> started = m_daemon->start(setup, [this, done](const Result<>& ready) {
        if (!ready) {
            m_transportFailed = ready.error().kind == Error::Kind::Unsupported;
            done(ready);
            return;
        }
        addMembers(0, done);
    });
    if (!started) {
        done(started);
    }
}

void ShareDevice::addMembers(qsizetype index, Done done) {
    if (index == m_group.members.size()) {
        runDaemon(std::move(done));
        return;
    }
    const ShareSpec& share = m_group.members.at(index);
    m_daemon->add(
        share.name, share.readOnly, share.path, [this, index, done](const Result<>& added) {
            if (!added) {
                done(added);
                return;
            }
            addMembers(index + 1, done);
        });
}

void ShareDevice::runDaemon(Done done) {
    const QString name = QStringLiteral("share-%1.sock").arg(m_machine->nextSocket++);
    const QString path = m_machine->socketFolder + QLatin1Char('/') + name;
    const Result<int> listening = listenOnLocalSocket(path);
    if (!listening) {
        done(fail(listening.error()));
        return;
    }
    const FileDescriptor socket(*listening);
    m_daemon->run(socket.get(), [this, name, path, done](const Result<>& running) {
        if (!running) {
            QFile::remove(path);
            done(running);
            return;
        }
        addCharacterDevice(name, [path, done](const Result<>& added) {
            QFile::remove(path); // there is one client, and it is connected
            done(added);
        });
    });
}

void ShareDevice::addCharacterDevice(const QString& socketName, Done done) {
    const QString id = m_deviceId + QStringLiteral("-socket");
    const QJsonObject address{
        {QStringLiteral("type"), QStringLiteral("unix")},
        {QStringLiteral("data"), QJsonObject{{QStringLiteral("path"), socketName}}}};
    const QJsonObject backend{
        {QStringLiteral("type"), QStringLiteral("socket")},
        {QStringLiteral("data"),
         QJsonObject{{QStringLiteral("addr"), address}, {QStringLiteral("server"), false}}}};
    m_machine->qmp->execute(
        QStringLiteral("chardev-add"),
        {{QStringLiteral("id"), id}, {QStringLiteral("backend"), backend}},
        [this, id, done](const Result<QJsonValue>& added) {
            if (!added) {
                done(fail(added.error()));
                return;
            }
            m_chardevId = id;
            addDevice({{QStringLiteral("driver"), QStringLiteral("vhost-user-fs-pci")},
                       {QStringLiteral("chardev"), id},
                       {QStringLiteral("tag"), m_group.tag},
                       {QStringLiteral("queue-size"), queueSize}},
                      done);
        });
}

void ShareDevice::plugPlan9(Done done) {
    const ShareSpec& share = m_group.members.first();
    if (!m_group.isFolderItself()) {
        done(fail(Error::Kind::Unsupported,
                  tr("Without virtiofs a tag can only be one folder without a name. Share \"%1\" "
                     "as \"%2:tag=%3\".")
                      .arg(share.name, share.path, freeShareTag(share.name, {}))));
        return;
    }
    for (int number = 0; number < plan9Slots && m_slot.isEmpty(); ++number) {
        const QString name = plan9SlotName(share.readOnly, number);
        if (!m_machine->plan9InUse.contains(name)) {
            m_slot = name;
        }
    }
    if (m_slot.isEmpty()) {
        done(fail(Error::Kind::Unsupported,
                  share.readOnly ? tr("By 9P at most %n folder(s) can be shared read-only. Remove "
                                      "one first.",
                                      nullptr,
                                      plan9Slots)
                                 : tr("By 9P at most %n folder(s) can be shared for writing. "
                                      "Remove one first.",
                                      nullptr,
                                      plan9Slots)));
        return;
    }
    m_machine->plan9InUse.append(m_slot);
    const QString link = m_machine->runtimePath + QLatin1Char('/') + m_slot;
    QFile::remove(link);
    if (!QFile::link(share.path, link)) {
        done(fail(Error::Kind::Internal, tr("Cannot create \"%1\".").arg(link)));
        return;
    }
    addDevice({{QStringLiteral("driver"), QStringLiteral("virtio-9p-pci")},
               {QStringLiteral("fsdev"), m_slot},
               {QStringLiteral("mount_tag"), m_group.tag}},
              std::move(done));
}

void ShareDevice::addDevice(QJsonObject properties, Done done) {
    const Result<QString> port = m_machine->ports->take(m_deviceId);
    if (!port) {
        done(fail(port.error()));
        return;
    }
    properties.insert(QStringLiteral("id"), m_deviceId);
    properties.insert(QStringLiteral("bus"), *port);
    m_machine->qmp->execute(
        QStringLiteral("device_add"), properties, [this, done](const Result<QJsonValue>& added) {
            if (!added) {
                m_machine->ports->release(m_deviceId);
            }
            done(added ? Result<>{} : fail(added.error()));
        });
}

void ShareDevice::unplug(Done done) {
    if (!m_plugged) {
        done({});
        return;
    }
    m_unplugging = true;
    m_deleted = [this, done = std::move(done)](const Result<>& deleted) {
        m_unplugging = false;
        if (!deleted) {
            done(deleted);
            return;
        }
        m_plugged = false;
        m_machine->ports->release(m_deviceId);
        if (m_chardevId.isEmpty()) {
            cleanUp();
            done({});
            return;
        }
        m_machine->qmp->execute(QStringLiteral("chardev-remove"),
                                {{QStringLiteral("id"), std::exchange(m_chardevId, {})}},
                                [this, done](const Result<QJsonValue>& removed) {
                                    cleanUp();
                                    done(removed ? Result<>{} : fail(removed.error()));
                                });
    };
    m_deletion.start(deletionPatience);
    m_machine->qmp->execute(QStringLiteral("device_del"),
                            {{QStringLiteral("id"), m_deviceId}},
                            [this](const Result<QJsonValue>& accepted) {
                                if (accepted) {
                                    return; // the event follows, or has come
                                }
                                m_deletion.stop();
                                if (const Done waiting = std::exchange(m_deleted, {})) {
                                    waiting(fail(accepted.error()));
                                }
                            });
}

void ShareDevice::deviceDeleted(const QString& id) {
    if (id != m_deviceId || !m_deleted) {
        return;
    }
    m_deletion.stop();
    std::exchange(m_deleted, {})({});
}

void ShareDevice::addMember(const ShareSpec& share, Done done) {
    m_daemon->add(
        share.name, share.readOnly, share.path, [this, share, done](const Result<>& added) {
            if (added) {
                m_group.members.append(share);
            }
            done(added);
        });
}

void ShareDevice::removeMember(const QString& name, Done done) {
    m_daemon->remove(name, [this, name, done](const Result<>& removed) {
        if (removed) {
            m_group.members.removeIf([&](const ShareSpec& share) { return share.name == name; });
        }
        done(removed);
    });
}

void ShareDevice::protectMember(const QString& name, Done done) {
    m_daemon->protect(name, [this, name, done](const Result<>& isProtected) {
        for (ShareSpec& share : m_group.members) {
            share.readOnly = share.readOnly || (isProtected && share.name == name);
        }
        done(isProtected);
    });
}

void ShareDevice::replaceMember(const QString& name, const ShareSpec& share, Done done) {
    const auto add = [this](const ShareSpec& wanted, Done added) {
        m_daemon->add(wanted.name, wanted.readOnly, wanted.path, std::move(added));
    };
    const auto remove = [this, name](Done removed) { m_daemon->remove(name, std::move(removed)); };
    const auto store = [this, name, share] {
        for (ShareSpec& member : m_group.members) {
            if (member.name == name) {
                member = share;
            }
        }
    };
    if (share.name != name) {
        add(share, [remove, store, done](const Result<>& added) {
            if (!added) {
                done(added);
                return;
            }
            remove([store, done](const Result<>& removed) {
                store();
                done(removed);
            });
        });
        return;
    }
    ShareSpec before;
    for (const ShareSpec& member : m_group.members) {
        if (member.name == name) {
            before = member;
        }
    }
    remove([add, store, share, before, done](const Result<>& removed) {
        if (!removed) {
            done(removed);
            return;
        }
        add(share, [add, store, before, done](const Result<>& added) {
            if (added) {
                store();
                done({});
                return;
            }
            add(before, [done, added](const Result<>&) { done(added); });
        });
    });
}

void ShareDevice::cleanUp() {
    if (m_daemon != nullptr) {
        m_daemon->disconnect(this);
        m_daemon->deleteLater();
        m_daemon = nullptr;
    }
    if (!m_chardevId.isEmpty()) {
        m_machine->qmp->execute(QStringLiteral("chardev-remove"),
                                {{QStringLiteral("id"), std::exchange(m_chardevId, {})}});
    }
    if (!m_slot.isEmpty()) {
        m_machine->plan9InUse.removeAll(m_slot);
        QFile::remove(m_machine->runtimePath + QLatin1Char('/') + std::exchange(m_slot, {}));
    }
}

} // namespace vitrine::qemu
