// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace vitrine {

// What `login` keeps for a registry host.
struct StoredLogin {
    QString user;
    QString password; // or token
    friend bool operator==(const StoredLogin&, const StoredLogin&) = default;
};

} // namespace vitrine
