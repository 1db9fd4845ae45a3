// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QJsonArray>
#include <QList>
#include <QString>

namespace vitrine {

// The tag that macOS guests mount by themselves, and Tart's default.
inline constexpr const char* defaultShareTag = "com.apple.virtio-fs.automount";
// Under which folder of the guest shares are mounted.
inline constexpr const char* guestShareFolder = "/mnt/vitrine";

// One folder of this computer inside a guest: --dir [name:]path[:options], specification 5.3. A
// value that exists has a path, a good name and a good tag.
struct ShareSpec {
    QString name; // of the subfolder below the tag; empty: the tag is the folder itself
    QString path; // of a folder, or the URL of an archive
    bool readOnly = false;
    QString tag = QLatin1String(defaultShareTag);

    // As Tart: if the last ':' piece holds "ro" or "tag=…" it is options; empty pieces are dropped.
    // What crashes Tart or means something else than it says is InvalidInput.
    [[nodiscard]] static Result<ShareSpec> fromText(const QString& text);
    // fromText() gives the same share again, unless the path of a share without a name has a ':'.
    [[nodiscard]] QString toText() const;

    // A gzip-compressed tar to be fetched instead of a folder.
    [[nodiscard]] bool isArchive() const;
    // The path with a leading "~" expanded, absolute and cleaned; not for an archive.
    [[nodiscard]] QString folder(const QString& base) const;
    // What people call it: the name, else where its tag is mounted.
    [[nodiscard]] QString displayName() const;
    // "/mnt/vitrine/…"
    [[nodiscard]] QString guestPath() const;

    // A list in vitrine.json: [{"name", "path", "readOnly", "tag"}].
    [[nodiscard]] static Result<QList<ShareSpec>> listFromJson(const QJsonValue& value);
    [[nodiscard]] static QJsonArray listToJson(const QList<ShareSpec>& shares);

    friend bool operator==(const ShareSpec&, const ShareSpec&) = default;
};

// At most 36 bytes (the device's limit) of letters, digits, '.', '_', '-'.
[[nodiscard]] bool isShareTag(const QString& text);
// One part of a path, at most 255 bytes, without control characters and ':'.
[[nodiscard]] bool isShareName(const QString& text);
// A tag for a folder that was dropped: its own name with '-' for what a tag cannot have, and a
// number behind it when `taken` has it already.
[[nodiscard]] QString freeShareTag(const QString& folder, const QStringList& taken);

// Shares of one tag are one device.
struct ShareGroup {
    QString tag;
    QList<ShareSpec> members; // one without a name, or one or more with different names

    [[nodiscard]] bool isFolderItself() const { return members.first().name.isEmpty(); }
    // Where the whole tag is mounted in the guest.
    [[nodiscard]] QString guestPath() const;
    friend bool operator==(const ShareGroup&, const ShareGroup&) = default;
};

// In the order of their first share. InvalidInput when several shares of one tag are not all named
// or two have one name (Tart lets the later one win silently).
[[nodiscard]] Result<QList<ShareGroup>> groupShares(const QList<ShareSpec>& shares);

} // namespace vitrine
