// SPDX-License-Identifier: Apache-2.0
#include "core/bench/campaign_store.h"

#include "core/bench/json_reader.h"
#include "core/disk/disk_space.h"
#include "core/disk/small_file.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QRandomGenerator>
#include <QRegularExpression>

#include <cerrno>

namespace vitrine::bench {

namespace {

constexpr int lockTimeout = 10000; // ms
constexpr qint64 longestClaim = 200;
const QString claimName = QStringLiteral("/campaign");
constexpr int attempts = 20; // at a free identifier

QString newId(const QDateTime& now) {
    return now.toUTC().toString(QStringLiteral("yyyyMMdd-HHmmss-")) +
           QStringLiteral("%1").arg(
               QRandomGenerator::system()->bounded(0x10000), 4, 16, QLatin1Char('0'));
}

Error noSuchCampaign(const QString& text) {
    return {Error::Kind::NotFound,
            Tr::tr("There is no benchmark campaign \"%1\". See: vitrinectl bench list").arg(text),
            {}};
}

// The same failure, with the file that it is about.
Error about(const QString& path, const Error& error) {
    return {error.kind,
            Tr::tr("The campaign \"%1\" cannot be used and stays as it is. %2")
                .arg(path, error.message),
            error.detail};
}

} // namespace

bool isCampaignId(const QString& text) {
    static const QRegularExpression pattern(
        QStringLiteral("\\A[A-Za-z0-9][A-Za-z0-9._-]{0,99}\\z"));
    return pattern.match(text).hasMatch();
}

CampaignStore::CampaignStore(const QString& libraryHome)
    : m_folder(libraryHome + QStringLiteral("/benchmarks")) {}

QString CampaignStore::pathOf(const QString& id) const {
    return m_folder + QLatin1Char('/') + id + QStringLiteral(".json");
}

Result<Campaign> CampaignStore::read(const QString& id) const {
    const QString path = pathOf(id);
    if (!isCampaignId(id) || !QFile::exists(path))
        return fail(noSuchCampaign(id));
    const auto bytes = readSmallFile(path, maximumCampaign);
    if (!bytes)
        return fail(bytes.error());
    const auto json = jsonObjectFrom(*bytes, Tr::tr("The file"));
    if (!json)
        return fail(about(path, json.error()));
    auto campaign = Campaign::fromJson(*json);
    if (!campaign)
        return fail(about(path, campaign.error()));
    campaign->id = id; // a copied file is another campaign
    return campaign;
}

Result<QList<CampaignStore::Entry>> CampaignStore::list() const {
    const QDir folder(m_folder);
    if (folder.exists() && !folder.isReadable())
        return fail(
            Error::fromErrno(Tr::tr("Cannot read the folder \"%1\".").arg(m_folder), EACCES));
    QStringList names = folder.entryList(
        {QStringLiteral("*.json")}, QDir::Files | QDir::Hidden | QDir::System, QDir::Name);
    std::reverse(names.begin(), names.end());
    QList<Entry> entries;
    for (const QString& name : std::as_const(names)) {
        const QString id = name.chopped(5);
        if (isCampaignId(id))
            entries.append({id, read(id)});
    }
    return entries;
}

Result<QString> CampaignStore::identifierOf(const QString& text) const {
    if (isCampaignId(text) && QFile::exists(pathOf(text)))
        return text;
    QStringList fitting;
    const QStringList names =
        QDir(m_folder).entryList({QStringLiteral("*.json")}, QDir::Files, QDir::Name);
    for (const QString& name : names)
        if (!text.isEmpty() && name.startsWith(text) && isCampaignId(name.chopped(5)))
            fitting.append(name.chopped(5));
    if (fitting.isEmpty())
        return fail(noSuchCampaign(text));
    if (fitting.size() > 1)
        return fail(Error::Kind::InvalidInput,
                    Tr::tr("\"%1\" is the beginning of several campaigns: %2. Write more of it.")
                        .arg(text, fitting.join(QStringLiteral(", "))));
    return fitting.first();
}

Result<Campaign> CampaignStore::find(const QString& text) const {
    const auto id = identifierOf(text);
    return id ? read(*id) : fail(id.error());
}

Result<> CampaignStore::write(const Campaign& campaign) const {
    const QByteArray bytes = QJsonDocument(campaign.toJson()).toJson();
    if (bytes.size() > maximumCampaign)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The campaign \"%1\" would be larger than 256 MiB. What it has stays; "
                           "measure the rest in another campaign.")
                        .arg(campaign.id));
    return replaceFile(pathOf(campaign.id), bytes);
}

Result<Campaign> CampaignStore::add(Campaign campaign, const QDateTime& now) const {
    if (!QDir().mkpath(m_folder))
        return fail(
            Error::fromErrno(Tr::tr("Cannot create the folder \"%1\".").arg(m_folder), errno));
    const auto lock = DirectoryLock::lock(m_folder, lockTimeout);
    if (!lock)
        return fail(lock.error());
    for (int i = 0; i < attempts; ++i) {
        campaign.id = newId(now);
        if (QFile::exists(pathOf(campaign.id)))
            continue;
        if (const auto written = write(campaign); !written)
            return fail(written.error());
        return campaign;
    }
    return fail(
        Error::Kind::AlreadyExists,
        Tr::tr("No free name was found for a campaign in \"%1\". Try again.").arg(m_folder));
}

Result<> CampaignStore::update(const QString& id,
                               const std::function<void(Campaign&)>& edit) const {
    if (!isCampaignId(id) || !QFile::exists(pathOf(id)))
        return fail(noSuchCampaign(id));
    const auto lock = DirectoryLock::lock(m_folder, lockTimeout);
    if (!lock)
        return fail(lock.error());
    auto campaign = read(id);
    if (!campaign)
        return fail(campaign.error());
    edit(*campaign);
    campaign->id = id;
    return write(*campaign);
}

Result<DirectoryLock> CampaignStore::claim(const QString& id) const {
    const QString mark = claimFolder();
    if (!QDir().mkpath(mark))
        return fail(Error::fromErrno(Tr::tr("Cannot create the folder \"%1\".").arg(mark), errno));
    auto lock = DirectoryLock::tryLock(mark);
    if (!lock && lock.error().kind == Error::Kind::Busy)
        return fail(Error::Kind::Busy,
                    Tr::tr("Another benchmark is measured in this library just now, and two would "
                           "disturb each other. Wait for its end, or stop it."),
                    lock.error().message);
    if (lock)
        if (auto named = replaceFile(mark + claimName, id.toUtf8()); !named)
            return fail(named.error());
    return lock;
}

std::optional<QString> CampaignStore::claimed() const {
    if (!DirectoryLock::isHeld(claimFolder()))
        return std::nullopt;
    const auto bytes = readSmallFile(claimFolder() + claimName, longestClaim);
    const QString id = bytes ? QString::fromUtf8(*bytes) : QString();
    return isCampaignId(id) ? id : QString();
}

Result<> CampaignStore::discard(const QString& id) const {
    if (!isCampaignId(id) || !QFile::exists(pathOf(id)))
        return fail(noSuchCampaign(id));
    if (claimed() == id)
        return fail(
            Error::Kind::Busy,
            Tr::tr("\"%1\" is being measured just now. Stop it first, then delete it.").arg(id));
    return remove(id);
}

Result<> CampaignStore::remove(const QString& id) const {
    if (!isCampaignId(id) || !QFile::exists(pathOf(id)))
        return {};
    const auto lock = DirectoryLock::lock(m_folder, lockTimeout);
    if (!lock)
        return fail(lock.error());
    QFile file(pathOf(id));
    if (!file.remove() && file.exists())
        return fail(Error::Kind::Permission,
                    Tr::tr("Cannot remove \"%1\": %2.").arg(file.fileName(), file.errorString()));
    return syncDirectory(m_folder);
}

} // namespace vitrine::bench
