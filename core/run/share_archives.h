// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive/archive_unpacker.h"
#include "core/library/library.h"
#include "core/sharing/share_spec.h"

#include <QHash>
#include <QStringList>

#include <vector>

namespace vitrine {

// The shares of one run, with archives (--dir with a URL) fetched and unpacked into folders of the
// library's tmp/, which are locked meanwhile and go with this object. What a kill left there is
// collected as everything in tmp/.
class ShareArchives final {
public:
    // What becomes of an archive that cannot be had: an error, or a share that says why. A machine
    // that goes on from a saved state must not wait for a server.
    enum class Missing { Error, LeftOut };
    // Fetches one after the other; nothing to do without archives. Blocking, on any thread. As root
    // they become read-only: the files are root's, and no guest may write as root.
    [[nodiscard]] static Result<ShareArchives> unpack(const Library& library,
                                                      const QList<ShareSpec>& shares,
                                                      Missing missing,
                                                      const UnpackLimits& limits,
                                                      const JobContext& context);
    [[nodiscard]] static bool isNeeded(const QList<ShareSpec>& shares);

    ShareArchives() = default;
    ~ShareArchives();
    ShareArchives(ShareArchives&&) = default;
    ShareArchives& operator=(ShareArchives&&) = delete;

    // Of folders, and those left out as they were wished for.
    [[nodiscard]] const QList<ShareSpec>& shares() const { return m_shares; }
    // By the address of those left out: why, translated.
    [[nodiscard]] const QHash<QString, QString>& leftOut() const { return m_leftOut; }
    [[nodiscard]] QStringList folders() const; // they hold nothing else, though in the library
    // Shares of folders as they were wished for: with the address in place of the folder.
    [[nodiscard]] QList<ShareSpec> asWished(QList<ShareSpec> shares) const;

private:
    struct Unpacked {
        Library::TemporaryDirectory place;
        QString folder;
        QString address;
    };
    QList<ShareSpec> m_shares;
    std::vector<Unpacked> m_unpacked;
    QHash<QString, QString> m_leftOut;
};

} // namespace vitrine
