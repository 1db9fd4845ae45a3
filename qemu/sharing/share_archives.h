// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/archive/archive_unpacker.h"
#include "core/library/library.h"
#include "core/sharing/share_spec.h"

#include <QStringList>

#include <vector>

namespace vitrine::qemu {

// The shares of one run, with archives (--dir with a URL) fetched and unpacked into folders of the
// library's tmp/, which are locked meanwhile and go with this object. What a kill left there is
// collected as everything in tmp/.
class ShareArchives final {
public:
    // Fetches one after the other; nothing to do without archives. Blocking, on any thread. As root
    // they become read-only: the files are root's, and no guest may write as root.
    [[nodiscard]] static Result<ShareArchives> unpack(const Library& library,
                                                      const QList<ShareSpec>& shares,
                                                      const UnpackLimits& limits,
                                                      const JobContext& context);
    [[nodiscard]] static bool isNeeded(const QList<ShareSpec>& shares);

    ShareArchives() = default;
    ~ShareArchives();
    ShareArchives(ShareArchives&&) = default;
    ShareArchives& operator=(ShareArchives&&) = delete;

    // Of folders only.
    [[nodiscard]] const QList<ShareSpec>& shares() const { return m_shares; }
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
};

} // namespace vitrine::qemu
