// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/credentials/credential_store.h"
#include "core/result/result.h"

#include <QProcessEnvironment>
#include <QString>

#include <optional>

namespace vitrine {

// Runs `docker-credential-NAME get` from the PATH of `environment` with the server on its standard
// input. Names are letters, digits, '.', '_' and '-' only. Its standard output is the answer, at
// most 1 MiB; its standard error goes to the error's detail. The helper gets `environment` without
// secrets. Blocks for at most `timeoutMilliseconds`, then the helper is killed (Timeout). nullopt
// when the helper knows nothing of the server. May be called from any thread.
[[nodiscard]] Result<std::optional<Credentials>>
askCredentialHelper(const QString& name,
                    const QString& serverAddress,
                    const QProcessEnvironment& environment,
                    int timeoutMilliseconds = 30000);

} // namespace vitrine
