// SPDX-License-Identifier: Apache-2.0
#include "core/archive/archive_download.h"

#include "core/archive/web_request.h"
#include "core/registry/http_client.h"

namespace vitrine {

namespace {

constexpr int chunkBytes = 128 * 1024;

Error about(const QUrl& url, Error error) {
    if (!error.isCancelled())
        error.message = Tr::tr("The archive \"%1\" cannot be shared. %2")
                            .arg(urlForLog(url), std::move(error.message));
    return error;
}

// A status of 200; redirects are followed.
Result<std::unique_ptr<HttpReply>>
ask(HttpClient& client, const QUrl& url, const JobContext& context) {
    auto reply = askFollowing(client, {"GET", url, {}, {}}, context.stop);
    if (!reply)
        return fail(reply.error().error);
    if ((*reply)->status() != 200)
        return fail(Error::Kind::Network,
                    Tr::tr("\"%1\" answered with status %2. Check the address.")
                        .arg((*reply)->url().host())
                        .arg((*reply)->status()));
    return std::move(*reply);
}

} // namespace

Result<> downloadArchive(const QUrl& url,
                         const QString& folder,
                         const UnpackLimits& limits,
                         const JobContext& context) {
    if (!url.isValid() || !isWebAddress(url) || !url.userInfo().isEmpty())
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
