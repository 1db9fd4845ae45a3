// SPDX-License-Identifier: Apache-2.0
#include "core/run/share_archives.h"

#include "core/archive/archive_download.h"
#include "core/disk/directory_tree.h"

#include <QFile>

#include <algorithm>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {

bool ShareArchives::isNeeded(const QList<ShareSpec>& shares) {
    return std::any_of(
        shares.begin(), shares.end(), [](const ShareSpec& share) { return share.isArchive(); });
}

Result<ShareArchives> ShareArchives::unpack(const Library& library,
                                            const QList<ShareSpec>& shares,
                                            Missing missing,
                                            const UnpackLimits& limits,
                                            const JobContext& context) {
    ShareArchives archives;
    archives.m_shares = shares;
    for (ShareSpec& share : archives.m_shares) {
        if (!share.isArchive())
            continue;
        auto place = library.makeTemporary();
        if (!place)
            return fail(place.error());
        // Not the place itself: the guest may change the mode of what it is given.
        const QString folder = place->path + QStringLiteral("/files");
        archives.m_unpacked.push_back({*std::move(place), folder, share.path});
        if (const auto made = makeDirectories(folder, 0700); !made)
            return fail(made.error());
        // Whatever the umask: as root it is another user who reads for the guest. Nobody else
        // comes here, the place is 0700.
        ::chmod(QFile::encodeName(folder).constData(), 0755);
        const auto unpacked = downloadArchive(QUrl(share.path), folder, limits, context);
        if (!unpacked) {
            if (missing == Missing::Error || unpacked.error().kind == Error::Kind::Cancelled)
                return fail(unpacked.error());
            archives.m_leftOut.insert(share.path, unpacked.error().message);
            (void)removeTree(archives.m_unpacked.back().place.path);
            archives.m_unpacked.pop_back();
            continue;
        }
        share.path = folder;
        share.readOnly = share.readOnly || ::geteuid() == 0;
    }
    return archives;
}

ShareArchives::~ShareArchives() {
    for (const Unpacked& unpacked : m_unpacked)
        (void)removeTree(unpacked.place.path);
}

QStringList ShareArchives::folders() const {
    QStringList folders;
    for (const Unpacked& unpacked : m_unpacked)
        folders.append(unpacked.folder);
    return folders;
}

QList<ShareSpec> ShareArchives::asWished(QList<ShareSpec> shares) const {
    for (ShareSpec& share : shares)
        for (const Unpacked& unpacked : m_unpacked)
            if (share.path == unpacked.folder)
                share.path = unpacked.address;
    return shares;
}

} // namespace vitrine
