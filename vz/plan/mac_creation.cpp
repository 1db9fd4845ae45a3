// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/mac_creation.h"

#include "core/archive/restore_image_fetch.h"
#include "core/disk/disk_space.h"
#include "core/disk/small_file.h"
#include "core/job/in_worker.h"
#include "core/library/machine_reader.h"
#include "vz/plan/host_reasons.h"
#include "vz/plan/plan_builder.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QPointer>

#include <stop_token>
#include <utility>

namespace vitrine::vz {

namespace {

constexpr qint64 chunkBytes = qint64{1} << 20;

// On a thread that may wait.
Result<Sha256> digestOf(const QString& path, const JobContext& context) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(Error::Kind::Permission,
                    Tr::tr("The restore image \"%1\" cannot be read. Check the owner and mode of "
                           "the file.")
                        .arg(path),
                    file.errorString());
    Sha256Hasher hasher;
    QByteArray chunk(chunkBytes, Qt::Uninitialized);
    Progress progress;
    progress.step = Tr::tr("Checking the restore image");
    progress.total = static_cast<quint64>(file.size());
    for (;;) {
        if (context.cancelled())
            return fail(Error::cancelled());
        const qint64 count = file.read(chunk.data(), chunk.size());
        if (count < 0)
            return fail(Error::Kind::Internal,
                        Tr::tr("The restore image \"%1\" cannot be read to its end.").arg(path),
                        file.errorString());
        if (count == 0)
            return hasher.finish();
        hasher.add(chunk.constData(), static_cast<size_t>(count));
        progress.done += static_cast<quint64>(count);
        context.report(progress);
    }
}

QString cachedImage(const Library& library, const Sha256& digest) {
    return library.home() + QStringLiteral("/cache/IPSWs/") + digest.toText() +
           QStringLiteral(".ipsw");
}

} // namespace

MacCreation::MacCreation(CreationServices services,
                         Library library,
                         MachineName name,
                         NewMacMachine wanted,
                         const JobContext& context)
    : m_services(std::move(services))
    , m_library(std::move(library))
    , m_name(std::move(name))
    , m_wanted(std::move(wanted))
    , m_context(context) {
    if (!m_services.fetch)
        m_services.fetch = [library = m_library,
                            caFile = m_wanted.caFile](const QUrl& url, const JobContext& fetching) {
            RestoreImageFetchOptions options;
            options.caFile = caFile;
            return fetchRestoreImage(library, url, fetching, options);
        };
}

MacCreation::~MacCreation() = default;

template <class Value, class Start>
std::optional<Value> MacCreation::await(Start start) {
    auto value = std::make_shared<std::optional<Value>>(); // an answer may come after the cancel
    QEventLoop loop;
    const std::stop_callback cancelled(m_context.stop, [&loop] {
        QMetaObject::invokeMethod(&loop, &QEventLoop::quit, Qt::QueuedConnection);
    });
    start([value, waiting = QPointer<QEventLoop>(&loop)](Value found) {
        *value = std::move(found);
        if (waiting)
            QMetaObject::invokeMethod(waiting, &QEventLoop::quit, Qt::QueuedConnection);
    });
    loop.exec();
    return m_context.cancelled() ? std::nullopt : std::move(*value);
}

template <class Value, class Work>
Result<Value> MacCreation::inThread(Work work) {
    std::optional<Result<Value>> done;
    QEventLoop loop;
    inWorker(&loop, std::move(work), [&done, &loop](Result<Value> value) {
        done = std::move(value);
        loop.quit();
    });
    loop.exec();
    return *std::move(done);
}

Result<> MacCreation::run() {
    if (const auto possible = check(); !possible)
        return possible;
    const auto image = findImage();
    if (!image)
        return fail(image.error());
    if (const auto same = compareDigest(*image); !same)
        return same;
    return install(*image);
}

// Everything that can be refused before an hour of fetching.
Result<> MacCreation::check() const {
    if (const QString reason = whyNoMacGuests(m_services.host); !reason.isEmpty())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("No macOS machine can be made on this computer. %1").arg(reason));
    if (m_wanted.diskSize < ByteCount::fromGB(smallestMacDiskGB))
        return fail(
            Error::Kind::InvalidInput,
            Tr::tr("A disk of %1 is too small for macOS. Choose at least %2.")
                .arg(m_wanted.diskSize.toText(), ByteCount::fromGB(smallestMacDiskGB).toText()));
    const auto possible = NewMachine::begin(m_library, m_name);
    return possible ? Result<>() : fail(possible.error());
}

Result<QString> MacCreation::findImage() {
    const auto source = RestoreImageSource::fromText(m_wanted.restoreImage, QDir::currentPath());
    if (!source)
        return fail(source.error());
    if (source->kind == RestoreImageSource::Kind::File)
        return source->location;
    if (m_wanted.digest) {
        const QString cached = cachedImage(m_library, *m_wanted.digest);
        if (QFileInfo(cached).isFile()) {
            (void)Library::touch(cached);
            return QFileInfo(cached).canonicalFilePath();
        }
    }
    QUrl url(source->location);
    if (source->kind == RestoreImageSource::Kind::Latest) {
        const auto latest = latestAddress();
        if (!latest)
            return fail(latest.error());
        url = *latest;
    }
    m_fetches = true;
    const auto path = fetch(url);
    if (!path)
        return fail(path.error());
    return QFileInfo(*path).canonicalFilePath(); // the library may be behind a link
}

Result<QUrl> MacCreation::latestAddress() {
    Progress progress;
    progress.step = Tr::tr("Asking Apple for the latest restore image");
    m_context.report(progress);
    using Found = tl::expected<RestoreImage, VzFailure>;
    const auto found = await<Found>([this](auto answer) { m_services.images->latest(answer); });
    if (!found)
        return fail(Error::cancelled());
    if (!*found)
        return fail(toError(Operation::LoadRestoreImage, found->error(), {m_name.text(), {}}));
    if (const auto fits = checkRestoreImage(**found, m_services.host); !fits)
        return fail(fits.error());
    const auto source = RestoreImageSource::fromText((*found)->location, QDir::currentPath());
    if (!source || source->kind != RestoreImageSource::Kind::Address)
        return fail(Error::Kind::Integrity,
                    Tr::tr("Apple's list names no https address for the latest restore image. "
                           "Choose a restore image that you have as a file."),
                    (*found)->location);
    return QUrl(source->location);
}

Result<QString> MacCreation::fetch(const QUrl& url) {
    JobContext context = m_context;
    context.report = [this](Progress progress) {
        ProgressItem own;
        own.label = Tr::tr("Restore image");
        own.note = progress.step;
        own.done = progress.done;
        own.total = progress.total.value_or(0);
        own.state = ProgressItem::State::Running;
        ProgressItem later;
        later.label = Tr::tr("Installation");
        later.total = own.total;
        progress.items = {own, later};
        if (progress.total)
            progress.total = *progress.total * 2;
        m_context.report(std::move(progress));
    };
    return inThread<QString>([this, url, context] { return m_services.fetch(url, context); });
}

Result<> MacCreation::compareDigest(const QString& path) {
    if (m_context.cancelled())
        return fail(Error::cancelled());
    if (!m_wanted.digest)
        return {};
    // A file of the cache is named by what it is.
    std::optional<Sha256> own = Sha256::fromText(QFileInfo(path).completeBaseName());
    if (!m_fetches || !own) {
        const auto hashed =
            inThread<Sha256>([path, context = m_context] { return digestOf(path, context); });
        if (!hashed)
            return fail(hashed.error());
        own = *hashed;
    }
    if (*own == *m_wanted.digest)
        return {};
    return fail(Error::Kind::Integrity,
                Tr::tr("The restore image \"%1\" is not the one that was asked for. Its digest is "
                       "%2, and %3 was wanted. Correct the digest, or choose another image.")
                    .arg(path, own->toHex(), m_wanted.digest->toHex()));
}

Result<> MacCreation::install(const QString& path) {
    m_image = path;
    m_imageBytes = static_cast<quint64>(QFileInfo(path).size());
    report(Tr::tr("Reading the restore image"), 0, Installing);
    m_flow.emplace(m_name.text(), m_services.host, m_services.files->newMachineIdentifier());
    const std::stop_callback cancelled(m_context.stop, [this] {
        QMetaObject::invokeMethod(
            this,
            [this] {
                if (!m_end)
                    perform(m_flow->cancel());
            },
            Qt::QueuedConnection);
    });
    perform(m_flow->begin());
    if (!m_end)
        m_loop.exec();
    m_installer.reset();
    m_machine.reset(); // removes the folder unless it was published
    return *std::move(m_end);
}

void MacCreation::perform(const InstallFlow::Actions& actions) {
    using Kind = InstallFlow::Action::Kind;
    const auto errorOf = [](const Result<>& result) {
        return result ? std::optional<vitrine::Error>() : result.error();
    };
    for (const InstallFlow::Action& action : actions) {
        switch (action.kind) {
        case Kind::LoadImage:
            m_services.images->load(
                m_image,
                [self = QPointer<MacCreation>(this)](
                    const tl::expected<RestoreImage, VzFailure>& image) {
                    if (!self)
                        return;
                    if (!image) {
                        self->perform(self->m_flow->imageFailed(image.error()));
                        return;
                    }
                    self->m_system =
                        Tr::tr("macOS %1 (%2)").arg(image->version.toText(), image->build);
                    self->perform(self->m_flow->imageLoaded(*image));
                });
            break;
        case Kind::MakeFiles:
            perform(m_flow->filesMade(errorOf(makeFiles(action.config))));
            break;
        case Kind::Install:
            startInstaller();
            break;
        case Kind::CancelInstall:
            report(Tr::tr("Ending the installation"), 0, Installing);
            m_installer->cancel();
            break;
        case Kind::TellProgress:
            report(Tr::tr("Installing %1").arg(m_system),
                   m_imageBytes / 1000 * static_cast<quint64>(action.permille),
                   Installing);
            break;
        case Kind::Publish:
            perform(m_flow->published(errorOf(publish())));
            break;
        case Kind::Discard:
            m_installer.reset(); // it has the files open
            m_machine.reset();
            break;
        case Kind::Finish:
            m_end = action.error ? Result<>(fail(*action.error)) : Result<>();
            m_loop.quit();
            break;
        }
    }
}

Result<MachineConfig> MacCreation::adjusted(MachineConfig config) const {
    const HostCaps& host = m_services.host;
    if (m_wanted.cpuCount) {
        if (*m_wanted.cpuCount < config.cpuCountMinimum ||
            *m_wanted.cpuCount > host.maximumProcessors)
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("%1 cannot have %2 processors here. Choose %3 to %4.")
                            .arg(m_system)
                            .arg(*m_wanted.cpuCount)
                            .arg(config.cpuCountMinimum)
                            .arg(host.maximumProcessors));
        config.cpuCount = *m_wanted.cpuCount;
    }
    if (m_wanted.memory) {
        if (*m_wanted.memory < config.memoryMinimum || *m_wanted.memory > host.maximumMemory)
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("%1 cannot have %2 of memory here. Choose %3 to %4.")
                            .arg(m_system,
                                 m_wanted.memory->toMemoryText(),
                                 config.memoryMinimum.toMemoryText(),
                                 host.maximumMemory.toMemoryText()));
        config.memory = *m_wanted.memory;
    }
    return config;
}

Result<> MacCreation::makeFiles(const MachineConfig& planned) {
    report(Tr::tr("Making the machine"), 0, Installing);
    const auto config = adjusted(planned);
    if (!config)
        return fail(config.error());
    auto machine = NewMachine::begin(m_library, m_name);
    if (!machine)
        return fail(machine.error());
    m_machine.emplace(*std::move(machine));
    // What is installed takes more than the image does; less is certain to fail, an hour later.
    const auto space = volumeSpace(m_machine->folder());
    if (space && space->available.bytes() < m_imageBytes)
        return fail(Error::Kind::DiskFull,
                    Tr::tr("%1 needs more than %2 on the library's volume and only %3 are free. "
                           "Free some space and try again.")
                        .arg(m_system,
                             ByteCount::fromBytes(m_imageBytes).toText(),
                             space->available.toText()));
    if (const auto disk = m_machine->makeEmptyDisk(m_wanted.diskSize); !disk)
        return disk;
    const auto storage =
        m_services.files->createAuxiliaryStorage(m_machine->variablesPath(), config->hardwareModel);
    if (!storage)
        return storage;
    if (const auto written = m_machine->writeConfig(*config); !written)
        return written;
    Sidecar sidecar;
    sidecar.addEvent(QStringLiteral("made"),
                     Tr::tr("Made by installing %1.").arg(m_system),
                     QDateTime::currentDateTime());
    if (const auto written = m_machine->writeSidecar(sidecar); !written)
        return written;

    const MachineInfo info =
        MachineReader(m_library.home()).read(m_machine->folder(), m_name.text());
    if (!info.config)
        return fail(Error::Kind::Integrity, info.brokenReason);
    RunOptions options;
    options.audio = false; // nobody hears it
    options.clipboard = false;
    RunIntent intent;
    intent.hasWindow = false;
    const auto plan = PlanBuilder(info, options, m_services.host).setIntent(intent).buildOrFail();
    if (!plan)
        return fail(plan.error());
    m_plan = plan->plan;
    return {};
}

// Its end is handled once it has returned: it goes then.
void MacCreation::startInstaller() {
    report(Tr::tr("Installing %1").arg(m_system), 0, Installing);
    m_installer = m_services.makeInstaller();
    const QPointer<MacCreation> self(this);
    m_installer->start(
        *m_plan,
        m_image,
        [self](double fraction) {
            if (self)
                self->perform(self->m_flow->progressed(fraction));
        },
        [self](const std::optional<VzFailure>& failure) {
            if (self)
                QMetaObject::invokeMethod(
                    self,
                    [self, failure] { self->perform(self->m_flow->installed(failure)); },
                    Qt::QueuedConnection);
        });
}

Result<> MacCreation::publish() {
    m_installer.reset(); // it has the files open
    report(Tr::tr("Finishing"), m_imageBytes, Installing);
    return m_machine->publish();
}

void MacCreation::report(const QString& step, quint64 done, Part part) const {
    using State = ProgressItem::State;
    const quint64 fetched = m_fetches ? m_imageBytes : 0;
    Progress progress;
    progress.step = step;
    progress.done = fetched + (part == Installing ? done : 0);
    progress.total = fetched + m_imageBytes;
    if (m_fetches)
        progress.items.append(
            {Tr::tr("Restore image"), m_imageBytes, m_imageBytes, State::Done, {}, 0});
    progress.items.append({Tr::tr("Installation"),
                           done,
                           m_imageBytes,
                           done == m_imageBytes ? State::Done : State::Running,
                           step,
                           0});
    m_context.report(std::move(progress));
}

} // namespace vitrine::vz
