// SPDX-License-Identifier: Apache-2.0
// The steps that the operations of ShareManager are made of; each runs within one operation.
#include "qemu/root_ports.h"
#include "qemu/sharing/share_manager.h"

#include <algorithm>
#include <utility>

namespace vitrine::qemu {

namespace {

// Why the machine's state cannot be saved.
Error inTheWay(const QString& share, const Error& error) {
    return {error.kind,
            ShareManager::tr("The share \"%1\" is in the way. %2").arg(share, error.message),
            error.detail};
}

} // namespace

void ShareManager::plug(const QString& tag, const Done& done) {
    Item* const item = find(tag);
    setState(*item, ShareState::Adding);
    item->mounted = false;
    item->device->plug(transport(), m_user, [this, tag, done](const Result<>& plugged) {
        Item* const now = find(tag);
        if (now == nullptr) {
            done(plugged);
            return;
        }
        if (!plugged && now->device->transportFailed() &&
            m_transport->kind == ShareTransport::Kind::Virtiofs &&
            m_setup.options.transport.isEmpty()) {
            m_transport = withoutVirtiofs(plugged.error().message);
            Q_EMIT happened(QStringLiteral("share-warning"), m_transport->note);
            plug(tag, done);
            return;
        }
        resetMembers(*now);
        Q_EMIT slotsChanged();
        if (plugged) {
            setState(*now, ShareState::Waiting);
        } else {
            setState(*now, ShareState::Failed, plugged.error().message);
        }
        done(plugged);
    });
}

void ShareManager::plugAndMount(const QString& tag, const Done& done) {
    plug(tag, [this, tag, done](const Result<>& plugged) {
        if (!plugged) {
            done(plugged);
            return;
        }
        mount(tag, done);
    });
}

void ShareManager::mount(const QString& tag, const Done& done) {
    Item* const item = find(tag);
    if (item == nullptr) {
        done({});
        return;
    }
    if (!m_guest.isReachable()) {
        setState(*item, ShareState::Waiting);
        done({});
        return;
    }
    m_guest.mount(tag,
                  item->device->group().guestPath(),
                  item->device->kind(),
                  [this, tag, done](const Result<>& mounted) {
                      Item* const now = find(tag);
                      if (now == nullptr || now->device->isBroken()) {
                          done({});
                          return;
                      }
                      if (!mounted) {
                          setState(*now, ShareState::NotMounted, mounted.error().message);
                          done({});
                          return;
                      }
                      now->mounted = true;
                      probe(tag, 0, done);
                  });
}

// The guest has no agent that answers. Its user may have another id than the device was made for.
void ShareManager::mountOverSsh(const QString& tag, const Done& done) {
    m_guest.setOverSsh(true);
    const Done finished = [this, done](const Result<>& mounted) {
        m_guest.setOverSsh(false);
        done(mounted);
    };
    m_guest.findUser([this, tag, finished](const Result<GuestUser>& user) {
        const Item* const item = find(tag);
        if (!user || item == nullptr) {
            finished(user ? Result<>() : fail(user.error()));
            return;
        }
        if (!m_setup.options.rootOwns)
            m_user = *user;
        m_userKnown = true;
        const GuestUser& used = item->device->user();
        if ((used.uid == m_user.uid && used.gid == m_user.gid) ||
            item->device->kind() != ShareTransport::Kind::Virtiofs) {
            mount(tag, finished);
        } else {
            replace(tag, ShareGroup(item->device->group()), finished);
        }
    });
}

void ShareManager::probe(const QString& tag, qsizetype index, const Done& done) {
    const Item* const item = find(tag);
    if (item == nullptr || index >= item->members.size()) {
        done({});
        return;
    }
    const ShareSpec share = item->members.at(index).spec;
    m_guest.probe(share.path,
                  share.guestPath(),
                  m_userKnown ? m_user : GuestUser{0, 0, QStringLiteral("root")},
                  [this, tag, index, share, done](const Result<>& proved) {
                      Item* const now = find(tag);
                      if (now != nullptr && index < now->members.size() &&
                          !now->device->isBroken()) {
                          ShareStatus& status = now->members[index];
                          status.state = proved ? ShareState::Mounted : ShareState::NotMounted;
                          status.message = proved ? QString() : proved.error().message;
                          Q_EMIT changed();
                      }
                      probe(tag, index + 1, done);
                  });
}

void ShareManager::unmountAndUnplug(const QString& tag, Force force, const Done& done) {
    Item* const item = find(tag);
    const auto unplug = [this, tag, done] {
        find(tag)->device->unplug([this, tag, done](const Result<>& unplugged) {
            if (Item* const now = find(tag); now != nullptr && !unplugged) {
                setState(*now, ShareState::NotMounted, unplugged.error().message);
            }
            done(unplugged);
        });
    };
    const bool plan9 = item->device->kind() == ShareTransport::Kind::Plan9;
    if (!m_agent->guestOpened()) {
        if (plan9) {
            done(fail(Error::Kind::Unsupported,
                      tr("A folder shared by 9P can only be taken away when the guest has "
                         "unmounted it, and the guest agent does not answer. Try again when the "
                         "guest is not busy, or shut the machine down first.")));
            return;
        }
        unplug();
        return;
    }
    m_guest.unmount(item->device->group().guestPath(),
                    [this, tag, force, plan9, unplug, done](const Result<>& unmounted) {
                        Item* const now = find(tag);
                        if (now == nullptr) {
                            done({});
                            return;
                        }
                        if (!unmounted && (plan9 || force == Force::No)) {
                            done(unmounted);
                            return;
                        }
                        now->mounted = false;
                        unplug();
                    });
}

// The tag's device is made anew, possibly with another tag; after an error the old one comes back.
void ShareManager::replace(const QString& tag, const ShareGroup& group, const Done& done) {
    const ShareGroup before = find(tag)->device->group();
    unmountAndUnplug(tag, Force::No, [this, tag, group, before, done](const Result<>& gone) {
        if (!gone) {
            done(gone);
            return;
        }
        const auto place = std::find_if(m_items.begin(), m_items.end(), [&](const auto& item) {
            return item->device->group().tag == tag;
        });
        const auto index = place - m_items.begin();
        erase(tag);
        // In the old place of the list.
        const auto put = [this, index](const ShareGroup& wanted) {
            append(wanted);
            std::rotate(m_items.begin() + index, m_items.end() - 1, m_items.end());
        };
        put(group);
        plugAndMount(group.tag, [this, group, before, put, done](const Result<>& plugged) {
            if (plugged) {
                done({});
                return;
            }
            erase(group.tag);
            put(before);
            plugAndMount(before.tag, [done, plugged](const Result<>&) { done(plugged); });
        });
    });
}

void ShareManager::addMember(const ShareSpec& share, const Done& done) {
    Item* const item = find(share.tag);
    if (!item->device->isPlugged() || item->device->kind() != ShareTransport::Kind::Virtiofs) {
        done(fail(Error::Kind::Unsupported,
                  tr("No folder can be added to the tag \"%1\" now. Give it a tag of its own.")
                      .arg(share.tag)));
        return;
    }
    item->device->addMember(share, [this, share, done](const Result<>& added) {
        Item* const now = find(share.tag);
        if (!added || now == nullptr) {
            done(added);
            return;
        }
        resetMembers(*now);
        ShareStatus& status = now->members.last();
        status.state = ShareState::Waiting;
        if (!now->mounted) {
            done({});
            return;
        }
        probe(share.tag, now->members.size() - 1, done);
    });
}

void ShareManager::removeMember(const QString& tag, const QString& name, const Done& done) {
    find(tag)->device->removeMember(name, [this, tag, done](const Result<>& removed) {
        if (Item* const now = find(tag); now != nullptr && removed) {
            resetMembers(*now);
        }
        done(removed);
    });
}

// A named share: the others of its tag notice nothing.
void ShareManager::changeMember(const QString& tag,
                                const QString& name,
                                const ShareSpec& wanted,
                                const Done& done) {
    ShareDevice* const device = find(tag)->device.get();
    ShareSpec before;
    for (const ShareSpec& member : device->group().members) {
        if (member.name == wanted.name && wanted.name != name) {
            done(fail(Error::Kind::AlreadyExists, tr("There is a share with this name already.")));
            return;
        }
        if (member.name == name) {
            before = member;
        }
    }
    if (before == wanted) {
        done({});
        return;
    }
    if (!device->isPlugged() || device->kind() != ShareTransport::Kind::Virtiofs) {
        done(fail(
            Error::Kind::Unsupported,
            tr("The share \"%1\" cannot be changed now. Remove it and add it again.").arg(name)));
        return;
    }
    if (before.readOnly || !wanted.readOnly) {
        replaceMember(tag, name, wanted, done);
        return;
    }
    device->protectMember(name, [this, tag, name, wanted, before, done](const Result<>& changed) {
        Item* const now = find(tag);
        if (now != nullptr && changed) {
            resetMembers(*now);
            if (wanted.name != name) {
                replaceMember(tag, name, wanted, done);
                return;
            }
        }
        if (now == nullptr || changed || changed.error().kind != Error::Kind::Busy ||
            !m_agent->guestOpened()) {
            done(changed);
            return;
        }
        // Who it is.
        m_guest.checkUnused(before.guestPath(), [name, changed, done](const Result<>& unused) {
            if (unused || unused.error().kind != Error::Kind::Busy) {
                done(changed);
                return;
            }
            done(fail(Error::Kind::Busy,
                      tr("The share \"%1\" cannot become read-only while a file of it is open for "
                         "writing. %2")
                          .arg(name, unused.error().message)));
        });
    });
}

void ShareManager::replaceMember(const QString& tag,
                                 const QString& name,
                                 const ShareSpec& wanted,
                                 const Done& done) {
    find(tag)->device->replaceMember(
        name, wanted, [this, tag, wanted, done](const Result<>& replaced) {
            Item* const now = find(tag);
            if (now == nullptr) {
                done(replaced);
                return;
            }
            resetMembers(*now);
            for (qsizetype i = 0; i < now->members.size(); ++i) {
                if (!replaced || now->members.at(i).spec.name != wanted.name) {
                    continue;
                }
                if (now->mounted) {
                    probe(tag, i, done);
                    return;
                }
                now->members[i].state = ShareState::Waiting;
            }
            done(replaced);
        });
}

void ShareManager::checkNext(QStringList tags, const Done& done) {
    if (tags.isEmpty()) {
        done({});
        return;
    }
    const Item* const item = find(tags.takeFirst());
    const QString name = item->members.first().spec.displayName();
    m_guest.checkUnused(item->device->group().guestPath(),
                        [this, tags, name, done](const Result<>& unused) {
                            if (unused) {
                                checkNext(tags, done);
                                return;
                            }
                            done(fail(inTheWay(name, unused.error())));
                        });
}

void ShareManager::detachNext(const Done& done) {
    const auto found = std::find_if(m_items.begin(), m_items.end(), [](const auto& item) {
        return !item->detached && item->device->isPlugged();
    });
    if (found == m_items.end()) {
        done({});
        return;
    }
    const QString tag = (*found)->device->group().tag;
    unmountAndUnplug(tag, Force::No, [this, tag, done](const Result<>& gone) {
        Item* const item = find(tag);
        if (item == nullptr) {
            done(gone);
            return;
        }
        if (gone) {
            item->detached = true;
            setState(*item, ShareState::Waiting);
            detachNext(done);
            return;
        }
        // What is off already comes back; its own errors are the states of those shares.
        const Error reason = inTheWay(item->members.first().spec.displayName(), gone.error());
        reattachAll([](const Result<>&) {});
        done(fail(reason));
    });
}

} // namespace vitrine::qemu
