// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"

#include <QString>

namespace vitrine {

// Where a network disk is: the URI of the network block device protocol (its doc/uri.md), as
// --disk takes it. A plain value.
struct NbdAddress {
    bool encrypted = false; // nbds, nbds+unix
    QString host;           // of nbd and nbds
    quint16 port = 10809;   // of nbd and nbds
    QString socket;         // of nbd+unix and nbds+unix: absolute path
    QString exportName;     // may be empty: the server's default
    QString certificates;   // folder with ca-cert.pem; empty: the authorities this computer trusts

    // "nbd://HOST[:PORT]/EXPORT", "nbd+unix:///EXPORT?socket=PATH", both with "nbds" too and then
    // with "tls-certificates=DIR". The error names the part that is wrong.
    [[nodiscard]] static Result<NbdAddress> fromText(const QString& text);
    friend bool operator==(const NbdAddress&, const NbdAddress&) = default;
};

} // namespace vitrine
