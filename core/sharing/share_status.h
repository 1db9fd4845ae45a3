// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/sharing/share_spec.h"

#include <QJsonObject>
#include <QJsonValue>
#include <QList>
#include <QString>

namespace vitrine {

// How far a share of a running machine has come.
enum class ShareState {
    Adding,     // its daemon or device is just being made, or replaced
    Waiting,    // in the machine; the guest has not said yet that it can mount it
    Mounted,    // mounted in the guest and proved by a probe file
    NotMounted, // in the machine, but not usable in the guest: see message
    Broken,     // its daemon ended; only a restart of the guest brings it back
    Failed      // not in the machine: see message
};

// What the machine's process tells of one share.
struct ShareStatus {
    ShareSpec spec; // the path is absolute
    QString guestPath;
    ShareState state = ShareState::Adding;
    QString message;   // translated; why it is not usable, or a note
    QString mountLine; // for a shell of the guest, to do it by hand
    QString transport; // "virtiofs" or "9p"

    [[nodiscard]] QJsonObject toJson() const;
    // Unknown states are NotMounted.
    [[nodiscard]] static ShareStatus fromJson(const QJsonObject& object);
    friend bool operator==(const ShareStatus&, const ShareStatus&) = default;
};

// Answer of "share.list".
struct ShareList {
    QList<ShareStatus> shares;
    QString transport;     // that the next share gets; empty when there is none
    QString transportNote; // translated; why it is not virtiofs, and what it cannot do
    QString refusal;       // translated; why no share can be added now; empty when one can
    QString sshUser;       // whom "share.mount" logs in as where no agent answers

    [[nodiscard]] QJsonObject toJson() const;
    [[nodiscard]] static ShareList fromJson(const QJsonValue& value);
    friend bool operator==(const ShareList&, const ShareList&) = default;
};

} // namespace vitrine
