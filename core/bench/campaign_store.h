// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/bench/campaign.h"
#include "core/disk/file_lock.h"

#include <functional>
#include <optional>

namespace vitrine::bench {

// The campaigns of a library: <home>/benchmarks/ID.json, one file each. A reader sees the file
// before or after a change, also after a crash; a damaged file is told and never written to. Any
// thread, any process: writers wait for each other by flock on the folder.
class CampaignStore final {
public:
    explicit CampaignStore(const QString& libraryHome);
    [[nodiscard]] const QString& folder() const { return m_folder; }
    [[nodiscard]] QString pathOf(const QString& id) const;

    struct Entry {
        QString id; // the file's name without ".json"
        Result<Campaign> campaign;
    };
    // Newest first; damaged ones with their error. No folder is no campaign.
    [[nodiscard]] Result<QList<Entry>> list() const;
    // NotFound; Integrity and Unsupported name the file.
    [[nodiscard]] Result<Campaign> read(const QString& id) const;
    // A campaign of this library by its identifier or the beginning of one; NotFound, or
    // InvalidInput when several begin so.
    [[nodiscard]] Result<Campaign> find(const QString& text) const;

    // Gives it an identifier of its own and writes it; the folder is made.
    [[nodiscard]] Result<Campaign> add(Campaign campaign, const QDateTime& now) const;
    // Reads, edits, writes. The identifier stays.
    Result<> update(const QString& id, const std::function<void(Campaign&)>& edit) const;
    // One benchmark at a time in a library: two disturb each other. Busy while another program
    // measures; ends with the value, also when the program is killed.
    [[nodiscard]] Result<DirectoryLock> claim(const QString& id) const;
    // The campaign that some program claims just now; empty: it is not known which.
    [[nodiscard]] std::optional<QString> claimed() const;
    // Changes in it tell of claims; made with the first one.
    [[nodiscard]] QString claimFolder() const { return m_folder + QStringLiteral("/running"); }
    // For one that never measured anything; a missing one is a success.
    Result<> remove(const QString& id) const;
    // For the user's wish: of one by its whole identifier, also a damaged one. NotFound; Busy while
    // it is measured.
    Result<> discard(const QString& id) const;
    // Whole identifiers of what a user names, each by itself or its beginning. As find(), but
    // damaged ones are found too.
    [[nodiscard]] Result<QString> identifierOf(const QString& text) const;

private:
    Result<> write(const Campaign& campaign) const; // with the folder locked

    QString m_folder;
};

// Largest campaign that is read or written, bytes.
inline constexpr qint64 maximumCampaign = 256 << 20;

// "20261130-175005-3f2a".
[[nodiscard]] bool isCampaignId(const QString& text);

} // namespace vitrine::bench
