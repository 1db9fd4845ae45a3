// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/registry/http_client.h"

#include <QUrl>

#include <memory>
#include <stop_token>

namespace vitrine {

// https or http with the name of a computer.
[[nodiscard]] bool isWebAddress(const QUrl& url);

// Sends and follows at most five redirects, none from https to http and none away from the web; no
// credentials are sent. Any other status is the caller's to judge. Errors are sentences without the
// address that was asked for.
[[nodiscard]] Attempt<std::unique_ptr<HttpReply>>
askFollowing(HttpClient& client, HttpRequest request, const std::stop_token& stop);

} // namespace vitrine
