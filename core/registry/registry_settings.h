// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/registry/registry_options.h"
#include "core/result/result.h"

#include <QJsonObject>
#include <QList>
#include <QPair>
#include <QString>

#include <functional>

namespace vitrine {

// What the user set for one registry (weakness S15 of the specification, 7.5).
struct RegistrySettings {
    bool insecure = false; // plain http, as if --insecure were given each time
    QString caFile;        // absolute path of a PEM file that is trusted besides the system's
    QString proxy;         // "http://host:port", "socks5://host:port", "none"; empty: the system's

    friend bool operator==(const RegistrySettings&, const RegistrySettings&) = default;
};

// Settings of registries, in a file of this user that may be edited by hand. Written beside and
// renamed, under flock on "<file>.lock". Content:
// {"version": 1, "hosts": {"registry.lan:5000": {"insecure": false, "ca": "/etc/ssl/lan.pem",
// "proxy": "none"}}}; unknown keys are kept. Hosts are compared without case. Any thread, any
// process.
class RegistrySettingsFile final {
public:
    explicit RegistrySettingsFile(QString path)
        : m_path(std::move(path)) {}

    // Nothing was set: the default value. A damaged file or a value that cannot be used is an error
    // that names file, host and key.
    [[nodiscard]] Result<RegistrySettings> find(const QString& host) const;
    [[nodiscard]] Result<QList<QPair<QString, RegistrySettings>>> all() const; // sorted by host
    // InvalidInput for a certificate file or a proxy that cannot be used.
    Result<> store(const QString& host, const RegistrySettings& settings) const;
    Result<bool> remove(const QString& host) const; // false when there were none

private:
    [[nodiscard]] Result<QJsonObject> read() const;
    Result<> edit(const std::function<void(QJsonObject& hosts)>& change) const;

    QString m_path;
};

// <config dir>/vitrine/registries.json of this user.
[[nodiscard]] QString defaultRegistrySettingsFile();

// The certificates that Docker and Podman keep for a registry, where nothing was set here: the
// first of <config dir>/containers/certs.d/HOST/*.crt, /etc/containers/certs.d and
// /etc/docker/certs.d that is there; empty when there is none.
[[nodiscard]] QString containerCertificate(const QString& host);

// Fills what the caller left open from `options.settingsFile`; without such a file nothing is
// looked at.
[[nodiscard]] Result<RegistryOptions> withSettings(RegistryOptions options, const QString& host);

// Nothing when `proxy` is a text that RegistrySettings::proxy may hold.
Result<> checkProxy(const QString& proxy);

} // namespace vitrine
