// SPDX-License-Identifier: Apache-2.0
#include "ui/pull/pull_job.h"

#include "core/hypervisor/machine_launcher.h"
#include "core/job/child_job.h"
#include "core/registry/registry_settings.h"

#include <QMessageBox>
#include <QPushButton>
#include <QSettings>

#include <atomic>
#include <chrono>
#include <future>

namespace vitrine::ui {

namespace {

constexpr const char* consentKey = "registry/signInServers";

QString consentEntry(const QString& registryHost, const QString& realmHost) {
    return registryHost + QLatin1Char(' ') + realmHost;
}

// Asks on the window's thread; a window that goes away answers no.
bool askForConsent(const QPointer<QWidget>& window,
                   const std::shared_ptr<std::atomic_bool>& gone,
                   const QString& registryHost,
                   const QString& realmHost) {
    auto answer = std::make_shared<std::promise<bool>>();
    std::future<bool> future = answer->get_future();
    const bool posted = QMetaObject::invokeMethod(
        qApp,
        [window, registryHost, realmHost, answer] {
            const QString entry = consentEntry(registryHost, realmHost);
            QSettings settings;
            QStringList known = settings.value(QLatin1String(consentKey)).toStringList();
            if (known.contains(entry)) {
                answer->set_value(true);
                return;
            }
            if (!window) {
                answer->set_value(false);
                return;
            }
            auto* box = new QMessageBox(window);
            box->setAttribute(Qt::WA_DeleteOnClose);
            box->setTextFormat(Qt::PlainText);
            box->setIcon(QMessageBox::Question);
            box->setWindowTitle(Tr::tr("Sign-in Server"));
            box->setText(Tr::tr("\"%1\" signs in through another host, \"%2\".")
                             .arg(registryHost, realmHost));
            box->setInformativeText(Tr::tr("Your user name and password for \"%1\" would be sent "
                                           "to \"%2\". Continue only if you know that "
                                           "both belong together.")
                                        .arg(registryHost, realmHost));
            QPushButton* go = box->addButton(Tr::tr("Send to This Host"), QMessageBox::AcceptRole);
            box->setDefaultButton(box->addButton(QMessageBox::Cancel));
            QObject::connect(box, &QMessageBox::finished, box, [box, go, answer, entry] {
                const bool yes = box->clickedButton() == go;
                if (yes) {
                    QSettings store;
                    QStringList entries = store.value(QLatin1String(consentKey)).toStringList();
                    entries.append(entry);
                    store.setValue(QLatin1String(consentKey), entries);
                }
                answer->set_value(yes);
            });
            box->open();
        },
        Qt::QueuedConnection);
    if (!posted)
        return false;
    // The promise is dropped with the dialogue; a window that went before the question was asked
    // sets `gone`.
    try {
        while (future.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready)
            if (gone->load())
                return false;
        return future.get();
    } catch (const std::future_error&) {
        return false;
    }
}

} // namespace

RegistryOptions registryOptions(bool insecure, QWidget* window) {
    RegistryOptions options;
    options.insecure = insecure;
    options.settingsFile = defaultRegistrySettingsFile();
    options.credentials = [](const QString& host) {
        return CredentialFinder(CredentialFinder::Options{}).find(host);
    };
    auto gone = std::make_shared<std::atomic_bool>(window == nullptr);
    if (window)
        QObject::connect(window, &QObject::destroyed, window, [gone] { gone->store(true); });
    options.consentToRealm = [window = QPointer<QWidget>(window), gone](const QString& registry,
                                                                        const QString& realm) {
        return askForConsent(window, gone, registry, realm);
    };
    return options;
}

std::unique_ptr<Job>
makePullJob(const Library& library, const PullRequest& request, const QString& makeMachine) {
    const ImageReference& reference = request.reference;
    const QString path = reference.repository();
    const QString last = path.section(QLatin1Char('/'), -1);
    const QString title =
        last + (reference.isByDigest() ? QLatin1Char('@') + reference.digest()->shortText()
                                       : QLatin1Char(':') + reference.tag());
    const QString parent = path.section(QLatin1Char('/'), 0, -2);
    const QString from =
        parent.isEmpty() ? reference.host() : reference.host() + QLatin1Char('/') + parent;
    Job::Work work = [library, request, makeMachine](const JobContext& context) -> Result<> {
        const auto pulled = pullImage(library, request, context);
        if (!pulled)
            return fail(pulled.error());
        if (makeMachine.isEmpty())
            return {};
        return childWork(vitrinectlPath(),
                         {QStringLiteral("clone"),
                          QStringLiteral("--progress"),
                          QStringLiteral("json"),
                          request.reference.toText(),
                          makeMachine})(context);
    };
    auto job = std::make_unique<Job>(
        QStringLiteral("pull"), title, Tr::tr("Pull from %1").arg(from), std::move(work));
    job->setProperty("reference", reference.toText());
    job->setProperty("insecure", request.registry.insecure);
    return job;
}

std::optional<PullJobInfo> pullJobInfo(const Job& job) {
    if (job.kind() != QLatin1String("pull"))
        return std::nullopt;
    auto reference = ImageReference::fromText(job.property("reference").toString());
    if (!reference)
        return std::nullopt;
    return PullJobInfo{*std::move(reference), job.property("insecure").toBool()};
}

} // namespace vitrine::ui
