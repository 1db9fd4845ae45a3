// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/share_set.h"

#include <algorithm>

namespace vitrine::vz {

namespace {

constexpr qsizetype longestName = 255; // bytes

Error invalid(const QString& message) {
    return {Error::Kind::InvalidInput, message, {}};
}

// What VZVirtioFileSystemDeviceConfiguration and VZMultipleDirectoryShare refuse, the second with
// an exception.
Result<> checkNames(const ShareSpec& share) {
    if (share.tag.isEmpty() || share.tag.toUtf8().size() > largestTag)
        return fail(invalid(Tr::tr("The tag \"%1\" of the folder \"%2\" must have between 1 and "
                                   "%3 bytes. Choose another one.")
                                .arg(share.tag, share.path)
                                .arg(largestTag)));
    if (!share.name.isEmpty() && !isShareName(share.name))
        return fail(invalid(Tr::tr("The name \"%1\" of the folder \"%2\" must be one part of a "
                                   "path, without \"/\" and \":\". Choose another one.")
                                .arg(share.name, share.path)));
    return {};
}

bool isSame(const ShareSpec& a, const ShareSpec& b) {
    return a.tag == b.tag && a.name == b.name;
}

} // namespace

QString spareShareTag(int number) {
    return QStringLiteral("vitrine-%1").arg(number);
}

QString freeFolderName(const QString& wish, const QStringList& taken) {
    QString base;
    for (const QChar c : wish)
        base +=
            c == u'/' || c == u':' || c.unicode() < 0x20 || c.unicode() == 0x7f ? QChar(u'-') : c;
    while (base.toUtf8().size() > longestName - 8) // room for the number
        base.chop(1);
    if (base.isEmpty() || base == QLatin1String(".") || base == QLatin1String(".."))
        base = QStringLiteral("folder");
    // The file systems of Macs mostly do not tell upper from lower case.
    QString name = base;
    for (int number = 2; taken.contains(name, Qt::CaseInsensitive); ++number)
        name = QStringLiteral("%1-%2").arg(base).arg(number);
    return name;
}

Result<ShareSet> ShareSet::make(const QList<ShareSpec>& shares, int spare) {
    for (const ShareSpec& share : shares)
        if (const auto checked = checkNames(share); !checked)
            return fail(checked.error());
    const auto groups = groupShares(shares);
    if (!groups)
        return fail(groups.error());
    ShareSet set;
    for (const ShareGroup& group : *groups) {
        const bool root = group.isFolderItself();
        set.m_devices.append(
            {group.tag, root ? ShareDevice::Kind::Single : ShareDevice::Kind::Multiple, {}});
        for (const ShareSpec& member : group.members)
            set.m_shares.append({member, group.tag, member.name});
        (void)set.refresh(group.tag);
    }
    for (int number = 0; set.m_spareTags.size() < spare; ++number) {
        const QString tag = spareShareTag(number);
        const bool taken = std::any_of(set.m_devices.cbegin(),
                                       set.m_devices.cend(),
                                       [&tag](const ShareDevice& d) { return d.tag == tag; });
        if (taken)
            continue;
        set.m_devices.append({tag, ShareDevice::Kind::Empty, {}});
        set.m_spareTags << tag;
    }
    return set;
}

// The device of the tag as it has to be now.
ShareChange ShareSet::refresh(const QString& tag) {
    for (ShareDevice& device : m_devices) {
        if (device.tag != tag)
            continue;
        device.folders.clear();
        for (const PlacedShare& share : std::as_const(m_shares))
            if (share.tag == tag)
                device.folders.append({share.name, share.spec.path, share.spec.readOnly});
        // A device never goes from one folder to several: the guest would see another root.
        if (device.kind != ShareDevice::Kind::Multiple)
            device.kind =
                device.folders.isEmpty() ? ShareDevice::Kind::Empty : ShareDevice::Kind::Single;
        return {device};
    }
    return {};
}

Result<qsizetype> ShareSet::find(const ShareSpec& share) const {
    for (qsizetype i = 0; i < m_shares.size(); ++i)
        if (isSame(m_shares.at(i).spec, share))
            return i;
    return fail(Error::Kind::NotFound,
                Tr::tr("The machine has no shared folder \"%1\".").arg(share.displayName()));
}

Result<ShareChange> ShareSet::add(const ShareSpec& share) {
    if (const auto checked = checkNames(share); !checked)
        return fail(checked.error());
    QStringList used;
    for (const PlacedShare& other : std::as_const(m_shares)) {
        if (isSame(other.spec, share) || other.spec.displayName() == share.displayName())
            return fail(Error::Kind::AlreadyExists,
                        Tr::tr("The machine has a shared folder \"%1\" already. Give this one "
                               "another name.")
                            .arg(share.displayName()));
        if (other.spec.path == share.path)
            return fail(Error::Kind::AlreadyExists,
                        Tr::tr("\"%1\" is shared already, as \"%2\".")
                            .arg(share.path, other.spec.displayName()));
        used << other.tag;
    }
    for (const QString& tag : std::as_const(m_spareTags)) {
        if (used.contains(tag))
            continue;
        m_shares.append({share, tag, QString()});
        return refresh(tag);
    }
    // A place that a folder of the start left behind is one as good.
    for (const ShareDevice& device : std::as_const(m_devices)) {
        if (device.kind != ShareDevice::Kind::Empty || used.contains(device.tag))
            continue;
        m_shares.append({share, device.tag, QString()});
        return refresh(device.tag);
    }
    if (m_spareTags.isEmpty())
        return fail(Error::Kind::Unsupported,
                    Tr::tr("No folder can be added while the machine runs, as it was started so "
                           "that it can be suspended. Add it and start the machine again."));
    return fail(Error::Kind::Unsupported,
                Tr::tr("At most %1 folders can be added while the machine runs. Remove one, or "
                       "restart the machine.")
                    .arg(m_spareTags.size()));
}

Result<ShareChange> ShareSet::remove(const ShareSpec& share) {
    const auto found = find(share);
    if (!found)
        return fail(found.error());
    const QString tag = m_shares.takeAt(*found).tag;
    return refresh(tag);
}

Result<ShareChange> ShareSet::setReadOnly(const ShareSpec& share, bool readOnly) {
    const auto found = find(share);
    if (!found)
        return fail(found.error());
    m_shares[*found].spec.readOnly = readOnly;
    return refresh(m_shares.at(*found).tag);
}

ShareSet::Difference ShareSet::changeTo(const QList<ShareSpec>& wanted) {
    Difference difference;
    const auto note = [&difference](Result<ShareChange> change) {
        if (change)
            difference.changes.append(*change);
        else if (!difference.error)
            difference.error = change.error();
    };
    const QList<PlacedShare> before = m_shares;
    for (const PlacedShare& old : before) {
        const auto same = std::find_if(wanted.cbegin(), wanted.cend(), [&old](const ShareSpec& s) {
            return isSame(s, old.spec) && s.path == old.spec.path;
        });
        if (same == wanted.cend())
            note(remove(old.spec));
        else if (same->readOnly != old.spec.readOnly)
            note(setReadOnly(old.spec, same->readOnly));
    }
    for (const ShareSpec& share : wanted)
        if (!find(share))
            note(add(share));
    return difference;
}

} // namespace vitrine::vz
