// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/sharing/share_options.h"
#include "core/sharing/share_spec.h"
#include "qemu/host_info.h"

#include <QString>
#include <QStringList>

namespace vitrine::qemu {

// The user who logs in to the guest: on shares, files of this user belong to the user of this
// computer, both ways.
struct GuestUser {
    quint32 uid = 1000;
    quint32 gid = 1000;
    QString name; // empty while the guest has not said it
    friend bool operator==(const GuestUser&, const GuestUser&) = default;
};

// A range of subordinate ids, from /etc/subuid or /etc/subgid.
struct SubordinateIds {
    quint32 first = 0;
    quint32 count = 0;
};
// The largest range of a user, who is named by name or number in `file`. Count 0: none.
[[nodiscard]] SubordinateIds
subordinateIds(const QString& file, const QString& userName, quint32 userId);

// How folders get into a guest on this computer.
struct ShareTransport {
    enum class Kind { Virtiofs, Plan9, None };
    Kind kind = Kind::None;
    QString note; // translated; why it is not virtiofs, and what that means
    QString virtiofsd;
    QString helper; // vitrine-shares
    QString cache;  // of virtiofsd; empty: what the helper chooses
    SubordinateIds users;
    SubordinateIds groups;

    [[nodiscard]] QString word() const; // "virtiofs", "9p" or empty
};

// "9p": folders are shared that way also where virtiofs could be had. For tests, and for computers
// whose virtiofsd gives trouble.
inline constexpr const char* shareTransportVariable = "VITRINE_SHARE_TRANSPORT";

// Touches the disk and asks virtiofsd for its version (some milliseconds).
[[nodiscard]] ShareTransport findShareTransport(const ProgramPaths& paths = {},
                                                const ShareOptions& wanted = {});
// What to use instead when virtiofs turned out not to work here; `reason` is a sentence.
[[nodiscard]] ShareTransport withoutVirtiofs(const QString& reason);

// Arguments of vitrine-shares behind the socket: virtiofsd and who is who. Root works for the owner
// of the folders, who must be one; folders of root's own are shared read-only only.
[[nodiscard]] Result<QStringList>
helperArguments(const ShareTransport& transport, const GuestUser& user, const ShareGroup& group);

} // namespace vitrine::qemu
