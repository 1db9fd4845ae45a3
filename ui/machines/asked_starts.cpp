// SPDX-License-Identifier: Apache-2.0
#include "ui/machines/asked_starts.h"

#include "core/channel/json_channel.h"
#include "core/hypervisor/control_message.h"
#include "core/hypervisor/machine_host.h"
#include "core/run/run_request_file.h"
#include "ui/machines/background.h"
#include "ui/machines/machine_clients.h"

#include <QLocalSocket>
#include <QPointer>

#include <memory>
#include <optional>
#include <utility>

namespace vitrine::ui {

namespace {

QJsonObject lineOf(const char* event) {
    return {{QStringLiteral("event"), QLatin1String(event)}};
}

QJsonObject lineOf(const char* event, const Error& error) {
    QJsonObject line = lineOf(event);
    line[QLatin1String("kind")] = control::toWord(error.kind);
    line[QLatin1String("message")] = error.message;
    line[QLatin1String("detail")] = error.detail;
    return line;
}

// One of them, until its machine has ended or nobody listens any more. Deletes itself.
class AskedStart final : public QObject {
public:
    AskedStart(FileDescriptor answer,
               LibraryModel* library,
               MachineClients* clients,
               MachineHost* host,
               AskedStarts* parent)
        : QObject(parent)
        , m_starts(parent)
        , m_library(library)
        , m_clients(clients)
        , m_host(host) {
        auto socket = std::make_unique<QLocalSocket>();
        if (!socket->setSocketDescriptor(answer.get())) {
            deleteLater();
            return;
        }
        (void)answer.release();
        m_channel = new JsonChannel(std::move(socket), {}, this);
        connect(m_channel, &JsonChannel::closed, this, &QObject::deleteLater);
    }

    void refuse(const Error& error) { sayLast(lineOf("refused", error)); }
    void tellMissing() { sayLast(lineOf("missing")); }
    void offer(Hypervisor::RunRequest request) {
        if (m_channel == nullptr)
            return;
        m_request = std::move(request);
        connect(m_channel, &JsonChannel::received, this, &AskedStart::hear);
        say(lineOf("taken"));
    }

private:
    enum class Step { Offered, Awaited, Asked, Running, Over };

    void hear(const QJsonObject& line) {
        const QString word = line.value(QLatin1String("do")).toString();
        if (word == QLatin1String("start")) {
            if (m_step == Step::Offered)
                await();
            return;
        }
        say(lineOf("heard"));
        if (word == QLatin1String("suspend"))
            wish(MachineHost::Wish::Suspend);
        else if (word == QLatin1String("shut-down"))
            wish(MachineHost::Wish::ShutDown);
        else if (word == QLatin1String("interrupt"))
            wish(MachineHost::Wish::Interrupt);
    }
    // The window may just have opened, and the machine may be new.
    void await() {
        m_step = Step::Awaited;
        if (isKnown()) {
            start();
            return;
        }
        const bool isRead = m_library->isLoaded();
        connect(m_library, &LibraryModel::loaded, this, [this, isRead] {
            if (m_step != Step::Awaited)
                return;
            if (isKnown())
                start();
            else if (isRead || std::exchange(m_readAgain, true))
                refuse(notFound());
            else
                m_library->refresh();
        });
        if (isRead)
            m_library->refresh();
    }
    [[nodiscard]] bool isKnown() const { return m_library->rowOf(m_request->name) >= 0; }
    [[nodiscard]] Error notFound() const {
        return {Error::Kind::NotFound,
                AskedStarts::tr(
                    "The window does not know the machine \"%1\". Look with \"vitrinectl list\" "
                    "whether it is still there.")
                    .arg(m_request->name),
                {}};
    }
    void start() {
        m_step = Step::Asked;
        const QString name = m_request->name;
        connect(m_host,
                &MachineHost::told,
                this,
                [this, name](const QString& who, const QString& kind, const QString& text) {
                    if (who == name)
                        say({{QStringLiteral("event"), QStringLiteral("told")},
                             {QStringLiteral("kind"), kind},
                             {QStringLiteral("text"), text}});
                });
        connect(m_host,
                &MachineHost::viewerOpened,
                this,
                [this, name](const QString& who, const QString& path) {
                    if (who == name)
                        say({{QStringLiteral("event"), QStringLiteral("viewer")},
                             {QStringLiteral("path"), path}});
                });
        connect(m_host,
                &MachineHost::declined,
                this,
                [this, name](const QString& who, const Error& error) {
                    if (who == name)
                        say(lineOf("declined", error));
                });
        connect(m_host,
                &MachineHost::ended,
                this,
                [this, name](const QString& who, const std::optional<Error>& error) {
                    if (who == name && m_step == Step::Running)
                        sayLast(error ? lineOf("ended", *error) : lineOf("ended"));
                });
        Q_EMIT m_starts->starting(name);
        m_clients->start(*m_request, [self = QPointer<AskedStart>(this)](const Result<>& started) {
            if (self)
                self->started(started);
        });
    }
    void started(const Result<>& result) {
        if (m_step != Step::Asked)
            return;
        if (!result) {
            refuse(result.error());
            return;
        }
        m_step = Step::Running;
        say(lineOf("started"));
    }
    void wish(MachineHost::Wish wish) {
        if (m_step == Step::Asked || m_step == Step::Running)
            m_host->wish(m_request->name, wish);
        else if (wish != MachineHost::Wish::Suspend)
            refuse(Error::cancelled());
    }
    void say(const QJsonObject& line) {
        if (m_channel != nullptr && m_step != Step::Over)
            m_channel->send(line);
    }
    void sayLast(const QJsonObject& line) {
        say(line);
        m_step = Step::Over;
        if (m_channel != nullptr)
            m_channel->close(); // this goes with it
    }

    AskedStarts* m_starts;
    LibraryModel* m_library;
    MachineClients* m_clients;
    MachineHost* m_host;
    JsonChannel* m_channel = nullptr; // child
    std::optional<Hypervisor::RunRequest> m_request;
    Step m_step = Step::Offered;
    bool m_readAgain = false;
};

} // namespace

AskedStarts::AskedStarts(LibraryModel* library,
                         MachineClients* clients,
                         MachineHost* host,
                         QObject* parent)
    : QObject(parent)
    , m_library(library)
    , m_clients(clients)
    , m_host(host) {}

void AskedStarts::take(const QString& name, const QString& id) {
    inBackground(
        this,
        [library = m_library->library(), name, id] {
            return RunRequestFile::take(library, id, name);
        },
        [this](std::optional<RunRequestFile::Taken> taken) {
            if (!taken)
                return;
            auto* const start =
                new AskedStart(std::move(taken->answer), m_library, m_clients, m_host, this);
            if (!taken->request)
                start->tellMissing();
            else if (!*taken->request)
                start->refuse(taken->request->error());
            else if (m_host == nullptr)
                start->refuse({Error::Kind::Unsupported,
                               tr("This window starts machines in processes of their own. Run the "
                                  "machine with --no-graphics."),
                               {}});
            else
                start->offer(**std::move(taken->request));
        });
}

} // namespace vitrine::ui
