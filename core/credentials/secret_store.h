// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/credentials/stored_login.h"
#include "core/result/result.h"

#include <QString>

#include <optional>

namespace vitrine {

// The system's secret store through QtKeychain (Secret Service or KWallet on Linux, the keychain on
// macOS): service "Vitrine", key = host, value = a JSON list of user name and password.
//
// All functions block (the user may be asked to unlock the store), at most a minute, and may be
// called from any thread while a QCoreApplication lives: the requests run one after another on a
// thread of their own, because QtKeychain keeps its queue in one thread. Kind Unsupported when
// there is no such service, with both ways out in the sentence; Permission when the user or the
// store refuses; Timeout when it does not answer.
class SecretStore final {
public:
    SecretStore() = delete;
    [[nodiscard]] static Result<std::optional<StoredLogin>> find(const QString& host);
    static Result<> store(const QString& host, const StoredLogin& login);
    static Result<bool> remove(const QString& host); // false when there was none
};

} // namespace vitrine
