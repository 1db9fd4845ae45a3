// SPDX-License-Identifier: Apache-2.0
#include "ui/pull/pull_job.h"

#include "core/hypervisor/machine_launcher.h"
#include "core/job/child_job.h"
#include "core/registry/registry_settings.h"
#include "ui/machines/background.h"

#include <QMessageBox>
#include <QMetaType>
#include <QProcessEnvironment>
#include <QPushButton>
#include <QSettings>

#include <atomic>
#include <chrono>
#include <future>

Q_DECLARE_METATYPE(std::shared_ptr<const vitrine::ui::PullOutcome>)

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

using Outcome = std::shared_ptr<const PullOutcome>;
constexpr const char* outcomeKey = "outcome";

Result<> keepHttp(const QString& host) {
    const RegistrySettingsFile file(defaultRegistrySettingsFile());
    auto settings = file.find(host);
    if (!settings)
        return fail(settings.error());
    settings->insecure = true;
    return file.store(host, *settings);
}

// The clone's own numbers are bytes of the disk; the row goes on to show those of the pull.
Result<> makeMachine(const Library& library,
                     const QString& reference,
                     const QString& machine,
                     Progress pulled,
                     const JobContext& context) {
    pulled.step = Tr::tr("Making the machine \"%1\"").arg(machine);
    context.report(pulled);
    JobContext quiet = context;
    quiet.report = [](const Progress&) {};
    QProcessEnvironment environment = withoutSecrets(QProcessEnvironment::systemEnvironment());
    environment.insert(QStringLiteral("VITRINE_HOME"), library.home());
    return childWork(vitrinectlPath(),
                     {QStringLiteral("clone"),
                      QStringLiteral("--progress"),
                      QStringLiteral("json"),
                      QStringLiteral("--"),
                      reference,
                      machine},
                     environment)(quiet);
}

Result<> pullAndMake(const Library& library,
                     const PullRequest& request,
                     const PullJobOptions& options,
                     const JobContext& context,
                     PullOutcome& outcome) {
    auto last = std::make_shared<Progress>(); // reported by one thread, ended before it is read
    JobContext watched = context;
    watched.report = [last, report = context.report](const Progress& progress) {
        *last = progress;
        report(progress);
    };
    const auto pulled = pullImage(library, request, watched);
    if (!pulled)
        return fail(pulled.error());
    outcome.bytesFetched = pulled->bytesFetched;
    outcome.wasAlreadyHere = pulled->wasAlreadyHere;
    if (options.keepHttp) {
        if (auto kept = keepHttp(request.reference.host()); !kept)
            outcome.keepError = kept.error();
    }
    if (options.machine.isEmpty())
        return {};
    const auto made =
        makeMachine(library, request.reference.toText(), options.machine, *last, context);
    if (!made && made.error().isCancelled())
        return fail(made.error());
    if (made)
        outcome.machine = options.machine;
    else
        outcome.machineError = made.error();
    return {};
}

} // namespace

RegistryOptions registryOptions(bool insecure, QWidget* window) {
    RegistryOptions options;
    options.insecure = insecure;
    options.settingsFile = defaultRegistrySettingsFile();
    options.advice.plainHttp =
        Tr::tr("If you trust the network, pull with \"Without encryption (http)\" ticked.");
    options.advice.authority =
        Tr::tr("If you trust that authority, name the file of its certificate in a terminal: "
               "vitrinectl registry %1 --ca FILE");
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
makePullJob(const Library& library, const PullRequest& request, const PullJobOptions& options) {
    const ImageReference& reference = request.reference;
    const QString path = reference.repository();
    const QString last = path.section(QLatin1Char('/'), -1);
    const QString title =
        last + (reference.isByDigest() ? QLatin1Char('@') + reference.digest()->shortText()
                                       : QLatin1Char(':') + reference.tag());
    const QString parent = path.section(QLatin1Char('/'), 0, -2);
    const QString from =
        parent.isEmpty() ? reference.host() : reference.host() + QLatin1Char('/') + parent;
    auto outcome = std::make_shared<PullOutcome>();
    Job::Work work = [library, request, options, outcome](const JobContext& context) {
        *outcome = {}; // read only when the work is over
        return pullAndMake(library, request, options, context, *outcome);
    };
    auto job = std::make_unique<Job>(
        QStringLiteral("pull"), title, Tr::tr("Pull from %1").arg(from), std::move(work));
    job->setProperty("reference", reference.toText());
    job->setProperty("insecure", request.registry.insecure);
    job->setProperty("machine", options.machine);
    job->setProperty(outcomeKey, QVariant::fromValue(Outcome(outcome)));
    return job;
}

std::unique_ptr<Job>
makeInterruptedJob(const Library& library, const InterruptedPull& pull, QWidget* window) {
    auto job =
        makePullJob(library, PullRequest{pull.reference, registryOptions(pull.insecure, window)});
    job->setProperty("interrupted", pull.bytesHere);
    job->setProperty("of", pull.bytesTotal);
    job->cancel();
    return job;
}

void listInterruptedPulls(const Services& services, QWidget* window) {
    inBackground(
        window,
        [library = services.library->library()] { return interruptedPulls(library); },
        [services, window](const QList<InterruptedPull>& pulls) {
            const auto isListed = [&services](const InterruptedPull& pull) {
                for (int row = 0; row < services.jobs->rowCount(); ++row)
                    if (const auto info = pullJobInfo(*services.jobs->jobAt(row));
                        info && info->reference == pull.reference)
                        return true;
                return false;
            };
            for (auto pull = pulls.crbegin(); pull != pulls.crend(); ++pull) // newest at the top
                if (!isListed(*pull))
                    services.jobs->add(
                        makeInterruptedJob(services.library->library(), *pull, window));
        });
}

std::shared_ptr<const PullOutcome> pullOutcome(const Job& job) {
    return job.state() == Job::State::Succeeded ? job.property(outcomeKey).value<Outcome>()
                                                : nullptr;
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
