// SPDX-License-Identifier: Apache-2.0
#include "core/machine/stored_shares.h"

#include "core/machine/sidecar.h"
#include "core/sharing/share_safety.h"

#include <algorithm>
#include <functional>

namespace vitrine {

namespace {

Result<> update(const QString& directory,
                const std::function<Result<>(QList<ShareSpec>& shares)>& edit) {
    Result<> edited;
    const Result<> updated = Sidecar::update(directory, [&](Sidecar& sidecar) {
        QList<ShareSpec> shares = sidecar.run.shares;
        edited = edit(shares);
        if (edited)
            if (const auto groups = groupShares(shares); !groups)
                edited = fail(groups.error());
        if (edited)
            sidecar.run.shares = shares;
    });
    return edited ? updated : edited;
}

Result<QString> check(const ShareSpec& share, const QStringList& libraries) {
    if (share.isArchive())
        return QString();
    return checkSharedFolder(
        share.path, share.readOnly ? ShareAccess::ReadOnly : ShareAccess::Writable, libraries);
}

Result<QList<ShareSpec>::iterator>
find(QList<ShareSpec>& shares, const QString& tag, const QString& name) {
    const auto found = std::find_if(shares.begin(), shares.end(), [&](const ShareSpec& share) {
        return share.tag == tag && share.name == name;
    });
    if (found == shares.end())
        return fail(Error::Kind::NotFound,
                    Tr::tr("There is no share \"%1\" with the tag \"%2\".").arg(name, tag));
    return found;
}

} // namespace

Result<StoredShare>
addStoredShare(const QString& machineDirectory, ShareSpec share, const QStringList& libraries) {
    const auto warning = check(share, libraries);
    if (!warning)
        return fail(warning.error());
    const auto updated = update(machineDirectory, [&](QList<ShareSpec>& shares) {
        if (share.tag == QLatin1String(defaultShareTag)) {
            QStringList taken;
            for (const ShareSpec& other : shares)
                taken.append(other.tag);
            share.tag = freeShareTag(share.name.isEmpty() ? share.path : share.name, taken);
            share.name.clear();
        }
        shares.append(share);
        return Result<>();
    });
    if (!updated)
        return fail(updated.error());
    return StoredShare{share, *warning};
}

Result<>
removeStoredShare(const QString& machineDirectory, const QString& tag, const QString& name) {
    return update(machineDirectory, [&](QList<ShareSpec>& shares) -> Result<> {
        const auto found = find(shares, tag, name);
        if (!found)
            return fail(found.error());
        shares.erase(*found);
        return {};
    });
}

Result<> changeStoredShare(const QString& machineDirectory,
                           const QString& tag,
                           const QString& name,
                           const ShareChange& change,
                           const QStringList& libraries) {
    return update(machineDirectory, [&](QList<ShareSpec>& shares) -> Result<> {
        const auto found = find(shares, tag, name);
        if (!found)
            return fail(found.error());
        ShareSpec& share = **found;
        share.readOnly = change.readOnly.value_or(share.readOnly);
        QString& called = share.name.isEmpty() ? share.tag : share.name;
        called = change.name.value_or(called);
        if (!isShareTag(share.tag) || (!share.name.isEmpty() && !isShareName(share.name)))
            return fail(Error::Kind::InvalidInput,
                        Tr::tr("\"%1\" cannot be the name of a share. Use letters, digits, dots, "
                               "hyphens and underscores, at most 36.")
                            .arg(called));
        if (const auto checked = check(share, libraries); !checked)
            return fail(checked.error());
        return {};
    });
}

} // namespace vitrine
