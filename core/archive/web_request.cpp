// SPDX-License-Identifier: Apache-2.0
#include "core/archive/web_request.h"

namespace vitrine {

namespace {

constexpr int mostRedirects = 5;

tl::unexpected<Failure> wrongWay(const QString& message) {
    return failed(Failure::permanent({Error::Kind::Network, message, {}}));
}

bool isRedirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

} // namespace

bool isWebAddress(const QUrl& url) {
    return (url.scheme() == QLatin1String("https") || url.scheme() == QLatin1String("http")) &&
           !url.host().isEmpty();
}

Attempt<std::unique_ptr<HttpReply>>
askFollowing(HttpClient& client, HttpRequest request, const std::stop_token& stop) {
    for (int hop = 0; hop <= mostRedirects; ++hop) {
        const QUrl url = request.url;
        auto reply = client.send(request, stop);
        if (!reply)
            return failed(reply.error());
        const QByteArray location = (*reply)->header("Location");
        if (!isRedirect((*reply)->status()) || location.isEmpty())
            return reply;
        const QUrl target = QUrl::fromEncoded(location.trimmed(), QUrl::StrictMode);
        const QUrl next = target.isValid() ? url.resolved(target) : QUrl();
        if (!next.isValid() || !isWebAddress(next))
            return wrongWay(
                Tr::tr("\"%1\" leads to an address that is none of the web.").arg(url.host()));
        if (url.scheme() == QLatin1String("https") && next.scheme() != QLatin1String("https"))
            return wrongWay(
                Tr::tr("\"%1\" leads to an address without encryption.").arg(url.host()));
        request.url = next;
    }
    return wrongWay(
        Tr::tr("\"%1\" leads on to other addresses without an end.").arg(request.url.host()));
}

} // namespace vitrine
