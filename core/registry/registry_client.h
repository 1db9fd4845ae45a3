// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/image/image_manifest.h"
#include "core/image/image_reference.h"
#include "core/registry/registry_session.h"

#include <memory>

namespace vitrine {

// A blob on its way. The first `skip` bytes come again because the server ignored the Range.
struct BlobStream {
    std::unique_ptr<HttpReply> reply;
    quint64 skip = 0;
};

// Requests to one registry, one attempt each: the caller repeats what may pass (RetryBudget).
// Follows redirects itself: at most five, never from https to http, and Authorization goes to the
// registry's own origin only. One client per thread.
class RegistryClient final {
public:
    explicit RegistryClient(RegistrySession& session)
        : m_session(session)
        , m_http(session.httpOptions()) {}

    // Checks D1 (digest asked for), D2 (Docker-Content-Digest) and D18 (indexes).
    [[nodiscard]] Attempt<ImageManifest> manifest(const ImageReference& reference,
                                                  const std::stop_token& stop);
    // From byte `offset` on. Checks the length (D3) and the position (D12) that the server claims.
    // A Range answer at the wrong place is a passing failure with `rangeBroken` set: ask from 0.
    [[nodiscard]] Attempt<BlobStream> blob(const QString& repository,
                                           const BlobDescriptor& descriptor,
                                           quint64 offset,
                                           bool& rangeBroken,
                                           const std::stop_token& stop);
    // A whole blob of at most `limit` bytes with exact size and digest (D3 to D5).
    [[nodiscard]] Attempt<QByteArray> smallBlob(const QString& repository,
                                                const BlobDescriptor& descriptor,
                                                quint64 limit,
                                                const std::stop_token& stop);
    [[nodiscard]] Attempt<> ping(const std::stop_token& stop); // GET /v2/

private:
    // Signs in when asked to and follows redirects. Statuses other than 401 are the caller's.
    [[nodiscard]] Attempt<std::unique_ptr<HttpReply>>
    get(const QString& repository,
        const QString& path,
        const QList<QPair<QByteArray, QByteArray>>& headers,
        const std::stop_token& stop);
    [[nodiscard]] Attempt<std::unique_ptr<HttpReply>>
    follow(HttpRequest request, const QByteArray& authorization, const std::stop_token& stop);
    [[nodiscard]] Failure
    failureOf(HttpReply& reply, const QString& repository, const std::stop_token& stop) const;

    RegistrySession& m_session;
    HttpClient m_http;
};

} // namespace vitrine
