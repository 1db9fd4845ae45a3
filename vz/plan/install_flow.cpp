// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/install_flow.h"

#include "vz/plan/host_reasons.h"

#include <QDir>
#include <QFileInfo>
#include <QUrl>

#include <algorithm>
#include <cmath>
#include <utility>

#include <unistd.h>

namespace vitrine::vz {
namespace {

using Kind = InstallFlow::Action::Kind;

constexpr int usualProcessors = 4;

InstallFlow::Action simple(Kind kind) {
    InstallFlow::Action action;
    action.kind = kind;
    return action;
}

Error unusable(const QString& text, const QString& reason, Error::Kind kind) {
    //: %1: path or address, %2: whole sentence
    return {kind, Tr::tr("The restore image \"%1\" cannot be used. %2").arg(text, reason), {}};
}

QString nameOf(const RestoreImage& image) {
    return Tr::tr("macOS %1 (%2)").arg(image.version.toText(), image.build);
}

} // namespace

Result<RestoreImageSource> RestoreImageSource::fromText(const QString& text, const QString& base) {
    if (text.isEmpty())
        return fail(unusable(text,
                             Tr::tr("Write \"latest\", an https address, or the path of a file."),
                             Error::Kind::InvalidInput));
    if (text == QLatin1String("latest"))
        return RestoreImageSource{Kind::Latest, {}};
    const qsizetype colon = text.indexOf(QLatin1String("://"));
    if (colon > 0) {
        const QUrl url(text, QUrl::StrictMode);
        if (!url.isValid() || url.scheme() != QLatin1String("https") || url.host().isEmpty() ||
            !url.userInfo().isEmpty())
            return fail(unusable(text,
                                 Tr::tr("It has to be an https address, without a user name."),
                                 Error::Kind::InvalidInput));
        return RestoreImageSource{Kind::Address, text};
    }
    QString path = text;
    if (path == QLatin1String("~") || path.startsWith(QLatin1String("~/")))
        path = QDir::homePath() + path.mid(1);
    path = QDir(base).absoluteFilePath(path);
    const QFileInfo info(path);
    if (!info.exists())
        return fail(unusable(text,
                             info.isSymbolicLink()
                                 ? Tr::tr("It is a link to something that does not exist.")
                                 : Tr::tr("It does not exist."),
                             Error::Kind::NotFound));
    if (!info.isFile())
        return fail(unusable(text,
                             Tr::tr("It is not a file. Choose a file whose name ends in .ipsw."),
                             Error::Kind::Unsupported));
    const QString real = info.canonicalFilePath();
    if (::access(QFile::encodeName(real).constData(), R_OK) != 0)
        return fail(unusable(text,
                             Tr::tr("It may not be read. Check the owner and mode of the file."),
                             Error::Kind::Permission));
    if (QFileInfo(real).size() == 0)
        return fail(
            unusable(text, Tr::tr("The file is empty. Fetch it again."), Error::Kind::Integrity));
    return RestoreImageSource{Kind::File, real};
}

Result<> checkRestoreImage(const RestoreImage& image, const HostCaps& host) {
    if (const QString reason = whyNoMacGuests(host); !reason.isEmpty())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("No macOS machine can be made on this computer. %1").arg(reason));
    const QString needed =
        Tr::tr("%1 cannot be installed on this Mac, which has macOS %2. Update macOS on it, or "
               "choose an older restore image.")
            .arg(nameOf(image), host.system.toText());
    if (!image.supported || !image.requirements)
        return fail(Error::Kind::Unsupported, needed);
    if (image.requirements->hardwareModel.isEmpty() || !image.requirements->modelSupported)
        return fail(Error::Kind::Unsupported, needed, QStringLiteral("hardware model"));
    if (image.requirements->minimumProcessors > host.maximumProcessors)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("%1 needs %2 processors, and this Mac gives a machine at most %3.")
                        .arg(nameOf(image))
                        .arg(image.requirements->minimumProcessors)
                        .arg(host.maximumProcessors));
    if (image.requirements->minimumMemory > host.maximumMemory)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("%1 needs %2 of memory, and this Mac gives a machine at most %3.")
                        .arg(nameOf(image),
                             image.requirements->minimumMemory.toMemoryText(),
                             host.maximumMemory.toMemoryText()));
    return {};
}

Result<MachineConfig> planMacMachine(const RestoreImage& image,
                                     const HostCaps& host,
                                     const QByteArray& machineIdentifier) {
    if (const auto checked = checkRestoreImage(image, host); !checked)
        return fail(checked.error());
    const MacRequirements& requirements = *image.requirements;
    MachineConfig config;
    config.system = GuestSystem::Darwin;
    config.architecture = Architecture::Arm64;
    config.ecid = machineIdentifier;
    config.hardwareModel = requirements.hardwareModel;
    config.cpuCountMinimum = std::max(requirements.minimumProcessors, host.minimumProcessors);
    config.cpuCount =
        std::max(config.cpuCountMinimum, std::min(usualProcessors, host.maximumProcessors));
    // Whole MiB, rounded up: below what the image asks for nothing is defined.
    const quint64 least = std::max(requirements.minimumMemory.bytes(), host.minimumMemory.bytes());
    config.memoryMinimum = ByteCount::fromMiB((least + (1 << 20) - 1) >> 20);
    config.memory = config.memoryMinimum;
    config.macAddress = MacAddress::random();
    return config;
}

InstallFlow::InstallFlow(QString machine, HostCaps host, QByteArray machineIdentifier)
    : m_machine(std::move(machine))
    , m_host(std::move(host))
    , m_machineIdentifier(std::move(machineIdentifier)) {}

InstallFlow::Actions InstallFlow::finish(std::optional<vitrine::Error> error, bool discards) {
    Actions actions;
    if (discards)
        actions << simple(Kind::Discard);
    m_step = Step::Finished;
    Action action = simple(Kind::Finish);
    action.error = std::move(error);
    actions << action;
    return actions;
}

InstallFlow::Actions InstallFlow::begin() {
    if (m_step != Step::New)
        return {};
    m_step = Step::Loading;
    return {simple(Kind::LoadImage)};
}

InstallFlow::Actions InstallFlow::imageFailed(const VzFailure& failure) {
    if (m_step != Step::Loading)
        return {};
    if (m_cancelled)
        return finish(vitrine::Error::cancelled(), false);
    return finish(toError(Operation::LoadRestoreImage, failure, {m_machine, {}}), false);
}

InstallFlow::Actions InstallFlow::imageLoaded(const RestoreImage& image) {
    if (m_step != Step::Loading)
        return {};
    if (m_cancelled)
        return finish(vitrine::Error::cancelled(), false);
    const auto config = planMacMachine(image, m_host, m_machineIdentifier);
    if (!config)
        return finish(config.error(), false);
    m_config = *config;
    m_step = Step::MakingFiles;
    Action action = simple(Kind::MakeFiles);
    action.config = m_config;
    return {action};
}

InstallFlow::Actions InstallFlow::filesMade(const std::optional<vitrine::Error>& error) {
    if (m_step != Step::MakingFiles)
        return {};
    if (error || m_cancelled)
        return finish(error ? *error : vitrine::Error::cancelled(), true);
    m_step = Step::Installing;
    Action action = simple(Kind::Install);
    action.config = m_config;
    return {action};
}

InstallFlow::Actions InstallFlow::progressed(double fraction) {
    if (m_step != Step::Installing || !std::isfinite(fraction))
        return {};
    const int permille = static_cast<int>(std::clamp(fraction, 0.0, 1.0) * 1000);
    if (permille <= m_permille)
        return {};
    m_permille = permille;
    Action action = simple(Kind::TellProgress);
    action.permille = permille;
    return {action};
}

InstallFlow::Actions InstallFlow::installed(const std::optional<VzFailure>& failure) {
    if (m_step != Step::Installing)
        return {};
    if (m_cancelled)
        return finish(vitrine::Error::cancelled(), true);
    if (failure)
        return finish(toError(Operation::Install, *failure, {m_machine, {}}), true);
    m_step = Step::Publishing;
    return {simple(Kind::Publish)};
}

InstallFlow::Actions InstallFlow::published(const std::optional<vitrine::Error>& error) {
    if (m_step != Step::Publishing)
        return {};
    return finish(error, error.has_value());
}

InstallFlow::Actions InstallFlow::cancel() {
    switch (m_step) {
    case Step::New:
        return finish(vitrine::Error::cancelled(), false);
    case Step::Installing:
        return std::exchange(m_cancelled, true) ? Actions{} : Actions{simple(Kind::CancelInstall)};
    case Step::Loading:
    case Step::MakingFiles:
        m_cancelled = true; // heeded when it answers
        return {};
    case Step::Publishing: // a rename: it is done before anybody could stop it
    case Step::Finished:
        return {};
    }
    return {};
}

} // namespace vitrine::vz
