// SPDX-License-Identifier: Apache-2.0
#include "core/archive/archive_download.h"

#include "core/registry/http_client.h"

namespace vitrine {

namespace {

constexpr int mostRedirects = 5;
constexpr int chunkBytes = 128 * 1024;

bool isWeb(const QUrl& url) {
    return (url.scheme() == QLatin1String("https") || url.scheme() == QLatin1String("http")) &&
           !url.host().isEmpty();
}

Error about(const QUrl& url, Error error) {
    if (!error.isCancelled())
        error.message = Tr::tr("The archive \"%1\" cannot be shared. %2")
                            .arg(urlForLog(url), std::move(error.message));
    return error;
}

// A status of 200; redirects are followed.
Result<std::unique_ptr<HttpReply>> ask(HttpClient& client, QUrl url, const JobContext& context) {
    for (int hop = 0; hop <= mostRedirects; ++hop) {
        auto reply = client.send({"GET", url, {}, {}}, context.stop);
        if (!reply)
            return fail(reply.error().error);
        const int status = (*reply)->status();
        if (status == 200)
            return std::move(*reply);
        const QByteArray location = (*reply)->header("Location");
        const bool redirect =
            status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
        if (!redirect || location.isEmpty())
            return fail(Error::Kind::Network,
                        Tr::tr("\"%1\" answered with status %2. Check the address.")
                            .arg(url.host())
                            .arg(status));
        const QUrl target = QUrl::fromEncoded(location.trimmed(), QUrl::StrictMode);
        const QUrl next = target.isValid() ? url.resolved(target) : QUrl();
        if (!next.isValid() || !isWeb(next))
            return fail(
                Error::Kind::Network,
                Tr::tr("\"%1\" leads to an address that is none of the web.").arg(url.host()));
        if (url.scheme() == QLatin1String("https") && next.scheme() != QLatin1String("https"))
            return fail(Error::Kind::Network,
                        Tr::tr("\"%1\" leads to an address without encryption.").arg(url.host()));
        url = next;
    }
    return fail(Error::Kind::Network,
                Tr::tr("\"%1\" leads on to other addresses without an end.").arg(url.host()));
}

} // namespace

Result<> downloadArchive(const QUrl& url,
                         const QString& folder,
                         const UnpackLimits& limits,
                         const JobContext& context) {
    if (!url.isValid() || !isWeb(url) || !url.userInfo().isEmpty())
        return fail(about(url,
                          {Error::Kind::InvalidInput,
                           Tr::tr("Its address must be https:// or http:// with the name of a "
                                  "computer, without a user name and password."),
                           {}}));
    HttpClient client({});
    auto reply = ask(client, url, context);
    if (!reply)
        return fail(about(url, std::move(reply.error())));
    Progress progress;
    progress.step = Tr::tr("Fetching \"%1\"").arg(urlForLog(url));
    bool known = false;
    const quint64 length = (*reply)->header("Content-Length").toULongLong(&known);
    if (known)
        progress.total = length;
    const auto source = [&]() -> Result<QByteArray> {
        QByteArray chunk(chunkBytes, Qt::Uninitialized);
        const auto count = (*reply)->read(chunk.data(), chunk.size(), context.stop);
        if (!count)
            return fail(count.error().error);
        chunk.truncate(*count);
        progress.done += static_cast<quint64>(*count);
        context.report(progress);
        return chunk;
    };
    auto unpacked = unpackArchive(source, folder, limits, context);
    if (!unpacked)
        return fail(about(url, std::move(unpacked.error())));
    return {};
}

} // namespace vitrine
