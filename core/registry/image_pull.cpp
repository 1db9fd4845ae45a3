// SPDX-License-Identifier: Apache-2.0
#include "core/registry/image_pull.h"

#include "core/disk/disk_space.h"
#include "core/disk/small_file.h"
#include "core/machine/machine_config.h"
#include "core/machine/restore_advice.h"
#include "core/registry/image_publisher.h"
#include "core/registry/interrupted_pulls.h"
#include "core/registry/layer_job.h"
#include "core/registry/registry_settings.h"

#include <QFileInfo>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace vitrine {
namespace {

constexpr quint64 longestConfig = 1 << 20;
constexpr quint64 longestNvram = 64ULL * 1024 * 1024; // held in memory; macOS uses 33 MB
constexpr quint64 spaceReserve = 128ULL * 1024 * 1024;
constexpr int keepPartialDays = 14;

QString secondsText(std::chrono::milliseconds wait) {
    return Tr::tr("%1 s").arg((wait.count() + 999) / 1000);
}

using OnWait = std::function<void(std::chrono::milliseconds, const Error&)>;

// Repeats what may pass; `onWait` is told before each wait.
template <class T>
Result<T> withRetries(const RetryPolicy& policy,
                      const std::stop_token& stop,
                      const JobContext& context,
                      const std::function<Attempt<T>()>& attempt,
                      const OnWait& onWait = {}) {
    RetryBudget budget(policy);
    while (true) {
        auto outcome = attempt();
        if (outcome)
            return *std::move(outcome);
        const Failure& failure = outcome.error();
        const auto wait = budget.next(failure);
        if (!wait)
            return fail(failure.error);
        context.log(QStringLiteral("trying again in %1 ms: %2")
                        .arg(wait->count())
                        .arg(failure.error.detail));
        if (onWait)
            onWait(*wait, failure.error);
        if (!waitFor(*wait, stop))
            return fail(Error::cancelled());
    }
}

Result<ImageManifest> readManifest(const RetryPolicy& policy,
                                   RegistryClient& client,
                                   const ImageReference& reference,
                                   const JobContext& context) {
    return withRetries<ImageManifest>(
        policy,
        context.stop,
        context,
        [&]() -> Attempt<ImageManifest> { return client.manifest(reference, context.stop); },
        [&](std::chrono::milliseconds wait, const Error& error) {
            Progress waiting;
            waiting.step = Tr::tr("Trying again in %1: %2").arg(secondsText(wait), error.message);
            context.report(waiting);
        });
}

// Somebody waits in front of a dialogue.
RetryPolicy quickPolicy(RetryPolicy policy) {
    policy.attemptsWithoutProgress = std::min(policy.attemptsWithoutProgress, 2);
    policy.longestWait =
        std::min<std::chrono::milliseconds>(policy.longestWait, std::chrono::seconds(5));
    return policy;
}

// An image asked for by its digest needs no registry when it is here.
std::optional<ImageManifest> manifestHere(const Library& library, const ImageReference& reference) {
    if (!reference.isByDigest() || !isImageHere(library, reference, *reference.digest()))
        return std::nullopt;
    const auto bytes = readSmallFile(library.imagePath(reference) + QLatin1String("/manifest.json"),
                                     16 * 1024 * 1024);
    if (!bytes)
        return std::nullopt;
    auto manifest = ImageManifest::fromBytes(*bytes);
    if (!manifest || manifest->digest() != *reference.digest())
        return std::nullopt;
    return *std::move(manifest);
}

Result<quint64> spaceFor(const Library& library) {
    QString path = library.partialPath();
    while (!QFileInfo::exists(path) && path.size() > 1)
        path = QFileInfo(path).path();
    const auto space = volumeSpace(path);
    if (!space)
        return fail(space.error());
    return space->available.bytes();
}

Result<> checkSpace(const Library& library, quint64 needed) {
    const auto available = spaceFor(library);
    if (!available)
        return fail(available.error());
    if (needed + spaceReserve <= *available)
        return {};
    return fail(
        Error::Kind::DiskFull,
        Tr::tr("The image can take up to %1, %2 more must stay free, and %3 are free where the "
               "library is. Free some space or move the library.")
            .arg(ByteCount::fromBytes(needed).toText(),
                 ByteCount::fromBytes(spaceReserve).toText(),
                 ByteCount::fromBytes(*available).toText()),
        library.partialPath());
}

// A pull under way: everything between the manifest and the publication.
class Pull final {
public:
    Pull(const Library& library,
         const PullRequest& request,
         const JobContext& context,
         RegistrySession& session,
         RegistryClient& client,
         const ImageManifest& manifest)
        : m_library(library)
        , m_request(request)
        , m_context(context)
        , m_session(session)
        , m_client(client)
        , m_manifest(manifest)
        , m_progress(manifest, context) {}

    Result<PulledImage> run();

private:
    Result<> fetch(PartialStore& store);
    // What is left of a pull that failed goes or stays; the error says which.
    Error leave(PartialStore& store, Error error) const;
    Result<> fetchSmall(PartialStore& store);
    Result<QByteArray> fetchBlob(const BlobDescriptor& blob, quint64 limit);
    Result<> checkConfig(const QByteArray& bytes);
    Result<> fetchLayers(PartialStore& store);
    Result<> flush(PartialStore& store);

    const Library& m_library;
    const PullRequest& m_request;
    const JobContext& m_context;
    RegistrySession& m_session;
    RegistryClient& m_client;
    const ImageManifest& m_manifest;
    PullProgress m_progress;
    bool m_refused = false; // what this digest names can never be pulled
};

Result<QByteArray> Pull::fetchBlob(const BlobDescriptor& blob, quint64 limit) {
    m_refused = blob.size > limit;
    auto bytes = withRetries<QByteArray>(
        m_session.options().retry, m_context.stop, m_context, [&]() -> Attempt<QByteArray> {
            return m_client.smallBlob(
                m_request.reference.repository(), blob, limit, m_context.stop);
        });
    if (bytes) {
        m_progress.addSmall(blob.size);
        m_progress.addFetched(blob.size);
    }
    return bytes;
}

Result<> Pull::checkConfig(const QByteArray& bytes) {
    const auto config = MachineConfig::fromJson(bytes);
    m_refused = !config;
    if (!config)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The image describes a machine that cannot be used here: %1 It was "
                           "pushed like this: pull another version of the image, or ask whoever "
                           "pushed it to push it again.")
                        .arg(QString(config.error().message).remove(restoreAdvice()).trimmed()),
                    config.error().detail);
    const auto& labels = m_manifest.ociConfig();
    if (!labels)
        return {};
    if (labels->size > longestConfig) {
        m_progress.addSmall(labels->size);
        return {};
    }
    const auto text = fetchBlob(*labels, longestConfig);
    if (!text) {
        // Some registries make this blob up or drop it; Tart never looks at it.
        if (text.error().kind != Error::Kind::NotFound)
            return fail(text.error());
        m_progress.addSmall(labels->size);
        m_progress.log(QStringLiteral("the image has no labels: %1").arg(text.error().detail));
        return {};
    }
    const QString format = diskFormatLabel(*text);
    const QString own =
        config->diskFormat == DiskFormat::Raw ? QStringLiteral("raw") : QStringLiteral("asif");
    m_refused = !format.isEmpty() && format != own;
    if (m_refused)
        return fail(Error::Kind::Integrity,
                    Tr::tr("The image contradicts itself: its label calls the disk \"%1\", its "
                           "configuration \"%2\". It has to be pushed again.")
                        .arg(format, own));
    return {};
}

Result<> Pull::fetchSmall(PartialStore& store) {
    m_progress.setStep(Tr::tr("Fetching the configuration"));
    m_progress.report();
    const auto config = fetchBlob(m_manifest.config(), longestConfig);
    if (!config)
        return fail(config.error());
    if (auto good = checkConfig(*config); !good)
        return good;
    const auto nvram = fetchBlob(m_manifest.nvram(), longestNvram);
    if (!nvram)
        return fail(nvram.error());
    if (auto done = replaceFile(store.imagePath() + QLatin1String("/config.json"), *config); !done)
        return done;
    return replaceFile(store.imagePath() + QLatin1String("/nvram.bin"), *nvram);
}

Result<> Pull::fetchLayers(PartialStore& store) {
    std::vector<LayerRecord> records;
    records.reserve(static_cast<size_t>(m_manifest.disk().size()));
    for (int i = 0; i < m_manifest.disk().size(); ++i)
        records.push_back(store.at(i));
    m_progress.setStep(Tr::tr("Looking for what is already here"));
    m_progress.report();
    const auto plan = planLayers(m_library, m_manifest, records);
    const PlanSums sums = sumUp(m_manifest, plan, records);
    if (auto space = checkSpace(m_library, sums.spaceNeeded); !space)
        return space;
    m_progress.log(QStringLiteral("%1 bytes to fetch, %2 here, %3 of %4 layers here")
                       .arg(sums.bytesToFetch)
                       .arg(sums.bytesHere)
                       .arg(sums.layersHere)
                       .arg(plan.size()));

    // A layer and the later ones with the same content go to one worker, in that order.
    std::vector<std::vector<int>> queue;
    std::vector<size_t> placeOf(plan.size());
    for (size_t i = 0; i < plan.size(); ++i) {
        const LayerPlan& entry = plan[i];
        const int layer = static_cast<int>(i);
        if (entry.source == LayerPlan::Source::Repeat) {
            placeOf[i] = placeOf[static_cast<size_t>(entry.original)];
            queue[placeOf[i]].push_back(layer);
        } else {
            placeOf[i] = queue.size();
            queue.push_back({layer});
        }
        const LayerRecord& record = records[i];
        if (entry.source == LayerPlan::Source::Here)
            m_progress.setLayer(layer, ProgressItem::State::AlreadyHere, Tr::tr("Already here"));
        else if (entry.source == LayerPlan::Source::Fetch && record.compressed > 0)
            m_progress.setLayer(layer, record.compressed);
    }
    m_progress.setStep(Tr::tr("Fetching the disk"));
    m_progress.report();

    std::stop_source stop;
    const std::stop_callback forward(m_context.stop, [&stop] { stop.request_stop(); });
    PullWork work{m_manifest,
                  m_request.reference.repository(),
                  store,
                  m_progress,
                  stop.get_token(),
                  m_session.options().retry,
                  1};
    std::mutex mutex;
    std::condition_variable changed;
    size_t next = 0;
    size_t active = std::min<size_t>(static_cast<size_t>(std::clamp(m_request.concurrency, 1, 64)),
                                     std::max<size_t>(queue.size(), 1));
    work.workers = static_cast<int>(active);
    std::optional<Error> error;

    const auto worker = [&] {
        {
            LayerJob job(work, m_session);
            while (!stop.stop_requested()) {
                size_t place = 0;
                {
                    const std::scoped_lock lock(mutex);
                    if (next >= queue.size())
                        break;
                    place = next++;
                }
                Result<> done;
                for (const int layer : queue[place]) {
                    done = job.run(layer, plan[static_cast<size_t>(layer)]);
                    if (!done)
                        break;
                }
                if (done)
                    continue;
                const std::scoped_lock lock(mutex);
                // The first failure is the reason; the others are stopped by it.
                if (!error || error->isCancelled())
                    error = done.error();
                stop.request_stop();
                break;
            }
        }
        const std::scoped_lock lock(mutex);
        --active;
        changed.notify_all();
    };
    {
        std::vector<std::jthread> threads;
        const size_t count = active;
        for (size_t i = 0; i < count; ++i)
            threads.emplace_back(worker);
        std::unique_lock lock(mutex);
        while (
            !changed.wait_for(lock, std::chrono::milliseconds(200), [&] { return active == 0; })) {
            lock.unlock();
            m_progress.report();
            lock.lock();
        }
    }
    m_progress.report();
    if (m_context.cancelled())
        return fail(Error::cancelled());
    if (error)
        return fail(*error);
    return {};
}

Result<> Pull::flush(PartialStore& store) {
    m_progress.setStep(Tr::tr("Writing to the disk"));
    m_progress.report();
    if (auto flushed = flushFile(
            store.disk(), store.diskPath(), m_manifest.diskSize(), m_context.stop, [](quint64) {});
        !flushed)
        return flushed;
    return syncDirectory(store.imagePath());
}

Result<> Pull::fetch(PartialStore& store) {
    for (const auto step : {&Pull::fetchSmall, &Pull::fetchLayers, &Pull::flush}) {
        if (auto done = (this->*step)(store); !done)
            return done;
        if (m_context.cancelled())
            return fail(Error::cancelled());
    }
    return {};
}

Error Pull::leave(PartialStore& store, Error error) const {
    if (error.isCancelled())
        return error;
    if (m_refused) {
        (void)store.discard();
        return error;
    }
    quint64 kept = 0;
    for (int i = 0; i < m_manifest.disk().size(); ++i) {
        if (store.at(i).state != LayerRecord::State::Missing)
            kept += store.at(i).compressed;
    }
    if (kept > 0)
        error.message +=
            QLatin1Char(' ') +
            Tr::tr("%1 of %2 are kept, and the next pull goes on from there. If they are not used, "
                   "a pull after %n day(s) removes them.",
                   nullptr,
                   keepPartialDays)
                .arg(ByteCount::fromBytes(kept).toText(),
                     ByteCount::fromBytes(m_manifest.fetchSize()).toText());
    return error;
}

Result<PulledImage> Pull::run() {
    const ImageReference& reference = m_request.reference;
    const Sha256& digest = m_manifest.digest();
    PulledImage result{reference, digest, {}, 0, false};
    const Publication publication{m_library, reference, digest, m_context.stop, [this] {
                                      m_progress.setStep(
                                          Tr::tr("Waiting for another program that changes images "
                                                 "of this registry"));
                                      m_progress.report();
                                  }};
    if (auto free = checkImagePath(m_library, reference); !free)
        return fail(free.error());

    std::optional<PartialStore> store;
    if (!isImageStored(m_library, reference, digest)) {
        auto opened = PartialStore::open(m_library, m_manifest, m_context.stop, [this] {
            m_progress.setStep(
                Tr::tr("Another pull of this image is at work; waiting for it to finish"));
            m_progress.report();
        });
        if (!opened)
            return fail(opened.error());
        store.emplace(*std::move(opened));
        if (isImageStored(m_library, reference, digest)) {
            (void)store->discard();
            store.reset();
        } else if (auto noted = notePull(*store, reference, m_request.registry.insecure); !noted) {
            return fail(noted.error());
        }
    }
    collectPartialPulls(m_library, keepPartialDays); // its own is locked and stays
    if (store) {
        if (auto done = fetch(*store); !done)
            return fail(leave(*store, done.error()));
        m_progress.setStep(Tr::tr("Storing the image"));
        m_progress.report();
    }
    auto directory = publishImage(publication, store ? &*store : nullptr);
    if (!directory)
        return fail(directory.error());
    result.wasAlreadyHere = !store.has_value();
    if (store)
        (void)store->discard();
    store.reset();
    if (auto collected = m_library.collectImages(); !collected)
        m_progress.log(QStringLiteral("collecting images: %1").arg(collected.error().message));
    (void)Library::touch(*directory);
    result.directory = *directory;
    result.bytesFetched = m_progress.fetched();
    return result;
}

Result<> checkRequest(const PullRequest& request) {
    if (request.concurrency >= 1 && request.concurrency <= 64)
        return {};
    return fail(
        Error::Kind::InvalidInput,
        Tr::tr("Between 1 and 64 parts can be fetched at once, not %1.").arg(request.concurrency));
}

} // namespace

Result<PullPlan>
planPull(const Library& library, const PullRequest& request, const JobContext& context) {
    if (auto good = checkRequest(request); !good)
        return fail(good.error());
    auto registry = withSettings(request.registry, request.reference.host());
    if (!registry)
        return fail(registry.error());
    RegistrySession session(request.reference.host(), *std::move(registry), context.log);
    auto here = manifestHere(library, request.reference);
    if (!here) {
        RegistryClient client(session);
        auto answer =
            readManifest(quickPolicy(session.options().retry), client, request.reference, context);
        if (!answer)
            return fail(answer.error());
        here = *std::move(answer);
    }
    PullPlan plan{request.reference,
                  std::make_shared<const ImageManifest>(*std::move(here)),
                  false,
                  0,
                  0,
                  0,
                  0,
                  spaceReserve,
                  0,
                  0,
                  session.credentialsSource()};
    const ImageManifest& manifest = *plan.manifest;
    plan.layers = static_cast<int>(manifest.disk().size());
    plan.spaceAvailable = spaceFor(library).value_or(0);
    plan.alreadyHere = isImageHere(library, request.reference, manifest.digest());
    if (plan.alreadyHere) {
        plan.bytesHere = manifest.fetchSize();
        plan.layersHere = plan.layers;
        return plan;
    }
    if (auto free = checkImagePath(library, request.reference); !free)
        return fail(free.error());
    const auto records = PartialStore::peek(library, manifest);
    const PlanSums sums = sumUp(manifest, planLayers(library, manifest, records), records);
    plan.bytesToFetch = sums.bytesToFetch;
    plan.bytesHere = sums.bytesHere;
    plan.spaceNeeded = sums.spaceNeeded;
    plan.layersHere = sums.layersHere;
    return plan;
}

Result<PulledImage>
pullImage(const Library& library, const PullRequest& request, const JobContext& context) {
    if (auto good = checkRequest(request); !good)
        return fail(good.error());
    const ImageReference& reference = request.reference;
    const auto present = [&](const Sha256& digest) {
        const QString directory = library.imagePath(ImageReference::withDigest(reference, digest));
        (void)Library::touch(directory);
        return PulledImage{reference, digest, directory, 0, true};
    };
    if (const auto here = manifestHere(library, reference))
        return present(here->digest());
    Progress first;
    first.step = Tr::tr("Asking the registry for the image");
    context.report(first);
    auto registry = withSettings(request.registry, reference.host());
    if (!registry)
        return fail(registry.error());
    RegistrySession session(reference.host(), *std::move(registry), context.log);
    RegistryClient client(session);
    const auto manifest = readManifest(session.options().retry, client, reference, context);
    if (!manifest || isImageHere(library, reference, manifest->digest()))
        collectPartialPulls(library, keepPartialDays);
    if (!manifest)
        return fail(manifest.error());
    if (isImageHere(library, reference, manifest->digest()))
        return present(manifest->digest());
    return Pull(library, request, context, session, client, *manifest).run();
}

Result<> validateLogin(const QString& host, const RegistryOptions& options) {
    auto registry = withSettings(options, host);
    if (!registry)
        return fail(registry.error());
    RegistrySession session(host, *std::move(registry), [](const QString&) {});
    RegistryClient client(session);
    const std::stop_token never;
    RetryBudget budget(quickPolicy(options.retry));
    while (true) {
        const auto answer = client.ping(never);
        if (answer)
            return {};
        const auto wait = budget.next(answer.error());
        if (!wait)
            return fail(answer.error().error);
        (void)waitFor(*wait, never);
    }
}

} // namespace vitrine
