// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>
#include <QStringList>

namespace vitrine {

// Where `vitrinectl ssh` goes: the forward of a machine's port 22 (contract 3), or a bridged
// guest's own address.
struct SshTarget {
    QString host = QStringLiteral("127.0.0.1"); // an address
    quint16 port = 0;
    QString user;
    QString identityFile; // absolute, or empty
    QStringList command;
    bool terminal = false;    // asks for one in the guest in any case
    bool input = true;        // false: the command reads nothing
    bool asks = true;         // false: fails instead of asking for a password, and soon
    bool hasPassword = false; // without asks: a program ($SSH_ASKPASS) tells it, once
};

// Arguments of OpenSSH's client, which must be started in the machine's directory: host keys are
// kept there in known_hosts, so that a machine that got the port of another one is no alarm.
// InvalidInput for a user name that ssh would take for something else.
[[nodiscard]] Result<QStringList> sshArguments(const SshTarget& target);

} // namespace vitrine
