// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/credentials/credential_store.h"
#include "core/registry/failure_text.h"
#include "core/registry/retry_policy.h"
#include "core/result/result.h"

#include <QString>

#include <functional>
#include <optional>

namespace vitrine {

// How to talk to a registry.
struct RegistryOptions {
    bool insecure = false; // plain http
    QString caFile;        // extra trusted certificates (PEM); empty: the system's
    QString proxy;         // as in registry_settings.h; empty: the system's
    QString settingsFile;  // what it says of the host fills what is left open; empty: none
    std::function<Result<std::optional<Credentials>>(const QString& host)>
        credentials; // may be empty: anonymous
    // Asked once when a challenge's realm is on another host; false refuses. Called on a worker
    // thread. Empty: such a realm is asked without credentials only.
    std::function<bool(const QString& registryHost, const QString& realmHost)> consentToRealm;
    int idleMilliseconds = 60000; // a connection without a byte for so long is given up
    RetryPolicy retry;
    TlsAdvice advice = {};         // how this program names the ways out
    int stallMilliseconds = 60000; // as in http_client.h
};

} // namespace vitrine
