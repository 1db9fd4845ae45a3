// SPDX-License-Identifier: Apache-2.0
#include "core/credentials/secret_store.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QObject>
#include <QThread>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <qt6keychain/keychain.h>

namespace vitrine {

namespace {

constexpr std::chrono::seconds timeLimit{60};

QString serviceName() {
    return QStringLiteral("Vitrine");
}

QString keyOf(const QString& host) {
    return host.toLower();
}

struct Answer {
    QKeychain::Error error = QKeychain::OtherError;
    QString text;    // of the error
    QString content; // of a read
};

// The thread on which every request runs; made at the first one, ended with the application.
class KeychainThread final {
public:
    static std::shared_ptr<KeychainThread> instance() {
        const std::scoped_lock lock(s_mutex);
        if (!s_instance && QCoreApplication::instance() && !QCoreApplication::closingDown()) {
            s_instance = std::make_shared<KeychainThread>();
            qAddPostRoutine([] {
                const std::scoped_lock inner(s_mutex);
                s_instance.reset();
            });
        }
        return s_instance;
    }

    KeychainThread() {
        m_context.moveToThread(&m_thread);
        m_thread.setObjectName(QStringLiteral("keychain"));
        m_thread.start();
    }
    ~KeychainThread() {
        m_thread.quit();
        m_thread.wait();
    }
    KeychainThread(const KeychainThread&) = delete;
    KeychainThread& operator=(const KeychainThread&) = delete;

    [[nodiscard]] std::future<Answer> run(std::function<QKeychain::Job*()> make) {
        auto promise = std::make_shared<std::promise<Answer>>();
        std::future<Answer> future = promise->get_future();
        QMetaObject::invokeMethod(
            &m_context,
            [this, promise, make = std::move(make)] {
                QKeychain::Job* const job = make(); // deletes itself
                QObject::connect(
                    job, &QKeychain::Job::finished, &m_context, [promise](QKeychain::Job* done) {
                        Answer answer{done->error(), done->errorString(), {}};
                        if (auto* read = qobject_cast<QKeychain::ReadPasswordJob*>(done))
                            answer.content = read->textData();
                        promise->set_value(std::move(answer));
                    });
                job->start();
            },
            Qt::QueuedConnection);
        return future;
    }

private:
    static inline std::mutex s_mutex;
    static inline std::shared_ptr<KeychainThread> s_instance;
    QThread m_thread;
    QObject m_context;
};

Error unavailable(const QString& detail) {
    return {Error::Kind::Unsupported,
            Tr::tr("This session has no secret service to keep a password in. Sign in with "
                   "\"docker login\", or keep the password unencrypted in a file that only you can "
                   "read with \"vitrinectl login --store=file\"."),
            detail};
}

Result<Answer> ask(std::function<QKeychain::Job*()> make) {
    const auto thread = KeychainThread::instance();
    if (!thread)
        return fail(unavailable(QStringLiteral("no application")));
    std::future<Answer> future = thread->run(std::move(make));
    if (future.wait_for(timeLimit) != std::future_status::ready)
        return fail(Error::Kind::Timeout,
                    Tr::tr("The system's secret store did not answer within a minute. Unlock it "
                           "and try again."));
    Answer answer = future.get();
    switch (answer.error) {
    case QKeychain::NoError:
    case QKeychain::EntryNotFound:
        return answer;
    case QKeychain::AccessDenied:
    case QKeychain::AccessDeniedByUser:
        return fail(Error::Kind::Permission,
                    Tr::tr("The system's secret store refused. Unlock it and try again."),
                    answer.text);
    default:
        return fail(unavailable(answer.text));
    }
}

// A session bus address that leads nowhere is common on servers; asking would start a bus.
bool hasSessionBus() {
#ifdef Q_OS_LINUX
    return !qEnvironmentVariableIsEmpty("DBUS_SESSION_BUS_ADDRESS") ||
           QFile::exists(QStringLiteral("%1/bus").arg(qEnvironmentVariable("XDG_RUNTIME_DIR")));
#else
    return true;
#endif
}

} // namespace

Result<std::optional<StoredLogin>> SecretStore::find(const QString& host) {
    if (!hasSessionBus())
        return fail(unavailable(QStringLiteral("no session bus")));
    auto answer = ask([host] {
        auto* job = new QKeychain::ReadPasswordJob(serviceName());
        job->setKey(keyOf(host));
        return job;
    });
    if (!answer)
        return fail(answer.error());
    if (answer->error == QKeychain::EntryNotFound)
        return std::nullopt;
    const QJsonArray list = QJsonDocument::fromJson(answer->content.toUtf8()).array();
    StoredLogin login{list.at(0).toString(), list.at(1).toString()};
    if (list.size() != 2 || login.user.isEmpty() || login.password.isEmpty())
        return std::nullopt; // not written by us
    return login;
}

Result<> SecretStore::store(const QString& host, const StoredLogin& login) {
    if (!hasSessionBus())
        return fail(unavailable(QStringLiteral("no session bus")));
    const QJsonArray list{login.user, login.password};
    auto answer =
        ask([host, text = QString::fromUtf8(QJsonDocument(list).toJson(QJsonDocument::Compact))] {
            auto* job = new QKeychain::WritePasswordJob(serviceName());
            job->setKey(keyOf(host));
            job->setTextData(text);
            return job;
        });
    if (!answer)
        return fail(answer.error());
    return {};
}

Result<bool> SecretStore::remove(const QString& host) {
    // Asked first: some stores report success for an entry that was never there.
    const auto known = find(host);
    if (!known)
        return fail(known.error());
    if (!*known)
        return false;
    auto answer = ask([host] {
        auto* job = new QKeychain::DeletePasswordJob(serviceName());
        job->setKey(keyOf(host));
        return job;
    });
    if (!answer)
        return fail(answer.error());
    return answer->error == QKeychain::NoError;
}

} // namespace vitrine
