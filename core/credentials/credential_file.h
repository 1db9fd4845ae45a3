// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/credentials/stored_login.h"
#include "core/result/result.h"

#include <QJsonObject>
#include <QString>

#include <functional>
#include <optional>

namespace vitrine {

// Logins in a file of this user, for hosts without a secret service: `login --store=file`. The
// passwords are not encrypted; the file is 0600 and refused when others may read it. Written beside
// and renamed, under flock on "<file>.lock". Content:
// {"version": 1, "hosts": {"ghcr.io": {"user": …, "password": …}}}; unknown keys are kept. Any
// thread, any process.
class CredentialFile final {
public:
    explicit CredentialFile(QString path)
        : m_path(std::move(path)) {}
    [[nodiscard]] const QString& path() const { return m_path; }

    // A missing file holds nothing.
    [[nodiscard]] Result<std::optional<StoredLogin>> find(const QString& host) const;
    Result<> store(const QString& host, const StoredLogin& login) const;
    Result<bool> remove(const QString& host) const; // false when there was none

private:
    [[nodiscard]] Result<QJsonObject> read() const;
    Result<> write(const QJsonObject& root) const;
    Result<> edit(const std::function<void(QJsonObject& hosts)>& change) const;

    QString m_path;
};

} // namespace vitrine
