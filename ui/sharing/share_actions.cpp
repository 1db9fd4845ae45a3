// SPDX-License-Identifier: Apache-2.0
#include "ui/sharing/share_actions.h"

#include "core/credentials/credential_store.h"
#include "core/hypervisor/machine_launcher.h"
#include "core/job/child_job.h"
#include "core/machine/sidecar.h"
#include "core/machine/stored_shares.h"
#include "ui/machines/background.h"
#include "ui/machines/host_report.h"
#include "ui/machines/machine_clients.h"

namespace vitrine::ui {

namespace {

constexpr int slowAnswer = 120000; // ms; a slow guest mounts and looks through its processes

QJsonObject keyOf(const ShareSpec& share) {
    return {{QStringLiteral("tag"), share.tag}, {QStringLiteral("name"), share.name}};
}

Result<ShareList> storedList(const QString& directory) {
    const auto sidecar = Sidecar::read(directory);
    if (!sidecar)
        return fail(sidecar.error());
    ShareList list;
    for (const ShareSpec& share : sidecar->run.shares) {
        ShareStatus status;
        status.spec = share;
        status.guestPath = share.guestPath();
        status.state = ShareState::Waiting;
        list.shares.append(status);
    }
    return list;
}

} // namespace

ShareActions::ShareActions(const Services& services, QObject* parent)
    : QObject(parent)
    , m_services(services) {}

bool ShareActions::isRunning(const MachineInfo& machine) const {
    const MachineClient* client = m_services.clients->client(machine.name);
    return client != nullptr && client->isConnected();
}

QString ShareActions::refusal(const MachineInfo& machine) const {
    if (machine.isImage || machine.name.isEmpty())
        return tr("Images have no shared folders. Make a machine of it first.");
    if (const HypervisorInfo* host = m_services.host->info();
        host != nullptr && host->features.contains(Feature::LiveShares) &&
        !host->has(Feature::LiveShares))
        return host->status(Feature::LiveShares).reason;
    if (isRunning(machine)) {
        const MachineClient* client = m_services.clients->client(machine.name);
        return client->supports(QStringLiteral("share.add"))
                   ? QString()
                   : tr("The machine was started by an older version. Restart it to share "
                        "folders.");
    }
    if (machine.state == MachineState::RunningElsewhere)
        return tr("The machine is run by another program, which cannot be asked.");
    if (machine.state == MachineState::Broken)
        return machine.brokenReason;
    return {};
}

void ShareActions::list(const MachineInfo& machine, std::function<void(Result<ShareList>)> reply) {
    if (isRunning(machine)) {
        m_services.clients->call(machine.name,
                                 QStringLiteral("share.list"),
                                 {},
                                 [reply = std::move(reply)](const Result<QJsonValue>& answer) {
                                     if (answer)
                                         reply(ShareList::fromJson(*answer));
                                     else
                                         reply(fail(answer.error()));
                                 });
        return;
    }
    inBackground(
        this, [directory = machine.directory] { return storedList(directory); }, std::move(reply));
}

void ShareActions::call(const MachineInfo& machine,
                        const char* method,
                        QJsonObject parameters,
                        Done done) {
    MachineClient* client = m_services.clients->client(machine.name);
    if (client == nullptr) {
        done(fail(Error::Kind::NotRunning, tr("The machine is not running any more.")));
        return;
    }
    client->call(
        QLatin1String(method),
        parameters,
        [done = std::move(done)](const Result<QJsonValue>& answer) {
            done(answer ? Result<>() : fail(answer.error()));
        },
        slowAnswer);
}

void ShareActions::add(const MachineInfo& machine,
                       const QString& folder,
                       bool writable,
                       std::function<void(Result<ShareStatus>)> reply) {
    if (const QString refused = refusal(machine); !refused.isEmpty()) {
        reply(fail(Error::Kind::Unsupported, refused));
        return;
    }
    if (isRunning(machine)) {
        m_services.clients->client(machine.name)
            ->call(
                QStringLiteral("share.add"),
                {{QStringLiteral("path"), folder}, {QStringLiteral("readOnly"), !writable}},
                [reply = std::move(reply)](const Result<QJsonValue>& answer) {
                    if (answer)
                        reply(ShareStatus::fromJson(answer->toObject()));
                    else
                        reply(fail(answer.error()));
                },
                slowAnswer);
        return;
    }
    ShareSpec share;
    share.path = folder;
    share.readOnly = !writable;
    inBackground(
        this,
        [directory = machine.directory, share, home = m_services.library->library().home()] {
            return addStoredShare(directory, share, {home});
        },
        [reply = std::move(reply)](const Result<StoredShare>& stored) {
            if (!stored) {
                reply(fail(stored.error()));
                return;
            }
            ShareStatus status;
            status.spec = stored->share;
            status.guestPath = stored->share.guestPath();
            status.state = ShareState::Waiting;
            status.message = stored->warning;
            reply(status);
        });
}

void ShareActions::remove(const MachineInfo& machine,
                          const ShareSpec& share,
                          bool force,
                          Done done) {
    if (isRunning(machine)) {
        QJsonObject parameters = keyOf(share);
        parameters.insert(QStringLiteral("force"), force);
        call(machine, "share.remove", parameters, std::move(done));
        return;
    }
    inBackground(
        this,
        [directory = machine.directory, share] {
            return removeStoredShare(directory, share.tag, share.name);
        },
        std::move(done));
}

void ShareActions::change(const MachineInfo& machine,
                          const ShareSpec& share,
                          std::optional<bool> readOnly,
                          std::optional<QString> name,
                          Done done) {
    if (isRunning(machine)) {
        QJsonObject parameters = keyOf(share);
        if (readOnly)
            parameters.insert(QStringLiteral("readOnly"), *readOnly);
        if (name)
            parameters.insert(QStringLiteral("newName"), *name);
        call(machine, "share.change", parameters, std::move(done));
        return;
    }
    inBackground(
        this,
        [directory = machine.directory,
         share,
         change = ShareChange{readOnly, name},
         home = m_services.library->library().home()] {
            return changeStoredShare(directory, share.tag, share.name, change, {home});
        },
        std::move(done));
}

void ShareActions::setReadOnly(const MachineInfo& machine,
                               const ShareSpec& share,
                               bool readOnly,
                               Done done) {
    change(machine, share, readOnly, std::nullopt, std::move(done));
}

void ShareActions::rename(const MachineInfo& machine,
                          const ShareSpec& share,
                          const QString& to,
                          Done done) {
    change(machine, share, std::nullopt, to, std::move(done));
}

void ShareActions::takeOwnership(const MachineInfo& machine, const ShareSpec& share, Done done) {
    const QString key =
        share.name.isEmpty() ? share.displayName() : share.tag + QLatin1Char('/') + share.name;
    inBackground(
        this,
        [name = machine.name, key, home = m_services.library->library().home()] {
            QProcessEnvironment environment =
                withoutSecrets(QProcessEnvironment::systemEnvironment());
            environment.insert(QStringLiteral("VITRINE_HOME"), home);
            return childWork(vitrinectlPath(),
                             {QStringLiteral("share"),
                              QStringLiteral("--progress"),
                              QStringLiteral("json"),
                              QStringLiteral("--"),
                              name,
                              QStringLiteral("own"),
                              key},
                             environment)(JobContext());
        },
        std::move(done));
}

void ShareActions::mountAgain(const MachineInfo& machine,
                              const ShareSpec& share,
                              const QString& sshUser,
                              Done done) {
    QJsonObject parameters = keyOf(share);
    if (!sshUser.isEmpty())
        parameters.insert(QStringLiteral("user"), sshUser);
    call(machine, "share.mount", parameters, std::move(done));
}

} // namespace vitrine::ui
