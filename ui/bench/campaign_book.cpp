// SPDX-License-Identifier: Apache-2.0
#include "ui/bench/campaign_book.h"

#include "core/bench/campaign_store.h"
#include "core/bench/published.h"
#include "ui/machines/background.h"

#include <QDir>
#include <QFileInfo>

#include <algorithm>

namespace vitrine::ui {

namespace {

constexpr int pause = 200;       // ms, after a change: a campaign is written many times
constexpr int claimPause = 2000; // ms: a program that is killed leaves no trace of its end

} // namespace

CampaignBook::CampaignBook(const QString& libraryHome, QObject* parent)
    : QObject(parent)
    , m_home(libraryHome) {
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, [this] {
        if (m_isActive)
            read();
    });
    connect(
        &m_watcher, &QFileSystemWatcher::directoryChanged, this, [this] { m_soon.start(pause); });
}

void CampaignBook::read() {
    if (m_isReading) {
        m_again = true;
        return;
    }
    m_isReading = true;
    watch();
    inBackground(
        this,
        [home = m_home, files = m_files, first = m_published.isEmpty()] {
            return readAll(home, files, first);
        },
        [this](const Found& found) { take(found); });
}

void CampaignBook::setActive(bool active) {
    m_isActive = active;
}

CampaignBook::Found CampaignBook::readAll(const QString& home, Files known, bool withPublished) {
    Found found;
    if (withPublished)
        for (const bench::Campaign& set : bench::publishedSets())
            found.published.append(std::make_shared<const bench::ChartSource>(set));
    const bench::CampaignStore store(home);
    found.claimed = store.claimed();
    const auto entries =
        QDir(store.folder()).entryInfoList({QStringLiteral("*.json")}, QDir::Files | QDir::Hidden);
    for (const QFileInfo& entry : entries) {
        const QString id = entry.completeBaseName();
        if (!bench::isCampaignId(id))
            continue;
        File file = known.value(id);
        if (file.modified != entry.lastModified() || file.size != entry.size()) {
            file = {entry.lastModified(), entry.size(), nullptr, {}};
            if (auto campaign = store.read(id))
                file.source = std::make_shared<const bench::ChartSource>(std::move(*campaign));
            else
                file.problem = campaign.error().message;
        }
        found.files.insert(id, file);
    }
    return found;
}

void CampaignBook::take(const Found& found) {
    m_isReading = false;
    m_isRead = true;
    m_files = found.files;
    m_claimed = found.claimed;
    if (!found.published.isEmpty())
        m_published = found.published;
    m_own.clear();
    m_problems.clear();
    for (const File& file : std::as_const(m_files)) {
        if (file.source)
            m_own.append(file.source);
        else
            m_problems.append(file.problem);
    }
    // Identifiers begin with the time.
    std::sort(m_own.begin(), m_own.end(), [](const auto& a, const auto& b) {
        return a->campaign().id > b->campaign().id;
    });
    m_problems.sort();
    watch();
    Q_EMIT changed();
    if (std::exchange(m_again, false))
        m_soon.start(pause);
    else if (m_claimed && !m_soon.isActive())
        m_soon.start(claimPause);
}

// The folder, or, until there is one, the one it will be in.
void CampaignBook::watch() {
    const bench::CampaignStore store(m_home);
    QStringList wanted{QFileInfo::exists(store.folder()) ? store.folder() : m_home};
    if (QFileInfo::exists(store.claimFolder()))
        wanted.append(store.claimFolder());
    QStringList watched = m_watcher.directories();
    watched.sort();
    if (watched == wanted)
        return;
    if (!watched.isEmpty())
        m_watcher.removePaths(watched);
    m_watcher.addPaths(wanted);
}

bench::ChartSourcePointer CampaignBook::find(const QString& id) const {
    if (const auto file = m_files.constFind(id); file != m_files.constEnd())
        return file->source;
    for (const auto& set : m_published)
        if (set->campaign().id == id)
            return set;
    return nullptr;
}

} // namespace vitrine::ui
