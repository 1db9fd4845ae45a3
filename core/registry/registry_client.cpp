// SPDX-License-Identifier: Apache-2.0
#include "core/registry/registry_client.h"

namespace vitrine {
namespace {

constexpr int mostRedirects = 5;
constexpr qint64 longestManifest = 16 * 1024 * 1024; // 16,384 layers of less than 1 KiB
constexpr qint64 longestErrorBody = 4096;

constexpr const char* ociIndexMediaType = "application/vnd.oci.image.index.v1+json";
constexpr const char* dockerListMediaType =
    "application/vnd.docker.distribution.manifest.list.v2+json";

bool isRedirect(int status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Failure integrity(QString message, QString detail = {}) {
    return Failure::permanent(Error{Error::Kind::Integrity, std::move(message), std::move(detail)});
}

// "bytes first-last/total" with total a number or '*'.
struct ContentRange {
    quint64 first = 0;
    std::optional<quint64> total;
};
std::optional<ContentRange> parseContentRange(const QByteArray& value) {
    const QByteArray text = value.trimmed();
    if (!text.toLower().startsWith("bytes "))
        return std::nullopt;
    const qsizetype dash = text.indexOf('-');
    const qsizetype slash = text.indexOf('/');
    if (dash < 0 || slash < dash)
        return std::nullopt;
    ContentRange range;
    bool ok = false;
    range.first = text.mid(6, dash - 6).trimmed().toULongLong(&ok);
    if (!ok)
        return std::nullopt;
    const QByteArray total = text.mid(slash + 1).trimmed();
    if (total != "*") {
        range.total = total.toULongLong(&ok);
        if (!ok)
            return std::nullopt;
    }
    return range;
}

} // namespace

Attempt<std::unique_ptr<HttpReply>> RegistryClient::follow(HttpRequest request,
                                                           const QByteArray& authorization,
                                                           const std::stop_token& stop) {
    const auto headers = request.headers;
    for (int hop = 0; hop <= mostRedirects; ++hop) {
        request.headers = headers;
        if (!authorization.isEmpty() && m_session.isOwnOrigin(request.url))
            request.headers.append({"Authorization", authorization});
        auto reply = m_http.send(request, stop);
        if (!reply || !isRedirect((*reply)->status()))
            return reply;
        // Resolving an invalid address would give the one that was asked.
        const QUrl location =
            QUrl::fromEncoded((*reply)->header("Location").trimmed(), QUrl::StrictMode);
        const QUrl target =
            location.isValid() && !location.isEmpty() ? request.url.resolved(location) : QUrl();
        const bool https = target.scheme() == QLatin1String("https");
        if (!target.isValid() || target.host().isEmpty() ||
            (!https && target.scheme() != QLatin1String("http")))
            return failed(Failure::permanent(
                Error{Error::Kind::Network,
                      Tr::tr("The redirect of the registry \"%1\" is invalid: it leads to no "
                             "address. Tell whoever runs the registry, or the proxy before it.")
                          .arg(request.url.host()),
                      QStringLiteral("%1 -> %2: %3")
                          .arg(urlForLog(request.url))
                          .arg((*reply)->status())
                          .arg(location.isValid() ? urlForLog(location)
                                                  : QStringLiteral("invalid Location"))}));
        if (!https && request.url.scheme() == QLatin1String("https"))
            return failed(Failure::permanent(
                Error{Error::Kind::Network,
                      Tr::tr("\"%1\" leads from a secure connection to an insecure one at \"%2\". "
                             "That is refused.")
                          .arg(request.url.host(), target.host()),
                      urlForLog(target)}));
        request.url = target;
        request.url.setUserInfo(QString());
        request.url.setFragment(QString());
    }
    return failed(Failure::permanent(
        Error{Error::Kind::Network,
              Tr::tr("The registry \"%1\" leads from address to address without end.")
                  .arg(m_session.host()),
              urlForLog(request.url)}));
}

Attempt<std::unique_ptr<HttpReply>>
RegistryClient::get(const QString& repository,
                    const QString& path,
                    const QList<QPair<QByteArray, QByteArray>>& headers,
                    const std::stop_token& stop) {
    for (int attempt = 0;; ++attempt) {
        const auto authorization = m_session.authorization(m_http, repository, stop);
        if (!authorization)
            return failed(authorization.error());
        HttpRequest request;
        request.url = m_session.url(path);
        request.headers = headers;
        auto reply = follow(std::move(request), *authorization, stop);
        if (!reply || (*reply)->status() != 401 || !m_session.isOwnOrigin((*reply)->url()))
            return reply;
        if (attempt > 0)
            return failed(failureOf(**reply, repository, stop));
        const QByteArray challenge = (*reply)->header("WWW-Authenticate");
        // The body has to be taken off the connection before it serves the next request.
        const auto body = (*reply)->readAll(longestErrorBody, stop);
        if (!body && body.error().error.isCancelled())
            return failed(body.error());
        if (const auto answered = m_session.answerChallenge(repository, challenge, *authorization);
            !answered)
            return failed(answered.error());
    }
}

Failure RegistryClient::failureOf(HttpReply& reply,
                                  const QString& repository,
                                  const std::stop_token& stop) const {
    const auto body = reply.readAll(longestErrorBody, stop);
    if (!body && body.error().error.isCancelled())
        return body.error();
    const QByteArray text = body.value_or(QByteArray());
    const int status = reply.status();
    if (status != 401 && status != 403)
        return statusFailure(reply, text);
    if (m_session.isOwnOrigin(reply.url()))
        return Failure::permanent(m_session.refused(status, repository, text));
    // A storage host: its signed address may have run out. The registry gives a new one.
    Failure failure = statusFailure(reply, text);
    failure.transient = true;
    return failure;
}

Attempt<> RegistryClient::ping(const std::stop_token& stop) {
    auto reply = get(QString(), QString(), {}, stop);
    if (!reply)
        return failed(reply.error());
    if ((*reply)->status() == 404)
        return failed(Failure::permanent(
            Error{Error::Kind::NotFound,
                  Tr::tr("\"%1\" is no image registry. Check the address.").arg(m_session.host()),
                  {}}));
    if ((*reply)->status() != 200)
        return failed(failureOf(**reply, QString(), stop));
    return {};
}

Attempt<ImageManifest> RegistryClient::manifest(const ImageReference& reference,
                                                const std::stop_token& stop) {
    const QByteArray accept = QByteArray(ociManifestMediaType) + ", " + dockerManifestMediaType +
                              ", " + ociIndexMediaType + ";q=0.1, " + dockerListMediaType +
                              ";q=0.1";
    auto reply = get(reference.repository(),
                     reference.repository() + QLatin1String("/manifests/") + reference.reference(),
                     {{"Accept", accept}},
                     stop);
    if (!reply)
        return failed(reply.error());
    if ((*reply)->status() == 404)
        return failed(Failure::permanent(Error{
            Error::Kind::NotFound,
            Tr::tr("There is no image \"%1\". Check the name and the tag.").arg(reference.toText()),
            urlForLog((*reply)->url())}));
    if ((*reply)->status() != 200)
        return failed(failureOf(**reply, reference.repository(), stop));

    const QByteArray type = (*reply)->header("Content-Type").split(';').first().trimmed().toLower();
    if (type == ociIndexMediaType || type == dockerListMediaType)
        return failed(Failure::permanent(
            Error{Error::Kind::Unsupported,
                  Tr::tr("\"%1\" is a list of images for several platforms, not the image of a "
                         "virtual machine. Name one image by its digest.")
                      .arg(reference.toText()),
                  QString::fromLatin1(type)}));
    if (type.startsWith("text/html"))
        return failed(Failure::permanent(
            Error{Error::Kind::Unsupported,
                  Tr::tr("\"%1\" answers with a web page: it is no image registry. Check the "
                         "address.")
                      .arg(reference.host()),
                  {}}));
    const QByteArray claimed = (*reply)->header("Docker-Content-Digest").trimmed();
    const auto body = (*reply)->readAll(longestManifest, stop);
    if (!body)
        return failed(body.error());
    const Sha256 digest = Sha256::ofBytes(*body);
    if (reference.digest() && *reference.digest() != digest)
        return failed(
            integrity(Tr::tr("The registry sent another manifest than the one asked for. Nothing "
                             "was stored."),
                      QStringLiteral("asked for %1, got %2")
                          .arg(reference.digest()->toText(), digest.toText())));
    // Other algorithms than SHA-256 are allowed there.
    const auto claimedDigest = Sha256::fromText(QString::fromLatin1(claimed));
    if (claimedDigest && *claimedDigest != digest)
        return failed(integrity(
            Tr::tr("The manifest was damaged on its way. Try again."),
            QStringLiteral("claimed %1, got %2").arg(claimedDigest->toText(), digest.toText())));
    auto manifest = ImageManifest::fromBytes(*body);
    if (!manifest)
        return failed(Failure::permanent(manifest.error()));
    return *std::move(manifest);
}

Attempt<BlobStream> RegistryClient::blob(const QString& repository,
                                         const BlobDescriptor& descriptor,
                                         quint64 offset,
                                         bool& rangeBroken,
                                         const std::stop_token& stop) {
    QList<QPair<QByteArray, QByteArray>> headers;
    if (offset > 0)
        headers.append({"Range", "bytes=" + QByteArray::number(offset) + '-'});
    auto reply = get(repository,
                     repository + QLatin1String("/blobs/") + descriptor.digest.toText(),
                     headers,
                     stop);
    if (!reply)
        return failed(reply.error());
    HttpReply& answer = **reply;
    if (answer.status() == 404)
        return failed(Failure::permanent(
            Error{Error::Kind::NotFound,
                  Tr::tr("The registry lists the part %1 of the image but does not have it.")
                      .arg(descriptor.digest.shortText()),
                  urlForLog(answer.url())}));
    const bool partial = answer.status() == 206;
    if (offset > 0 && answer.status() == 416)
        rangeBroken = true;
    if (answer.status() != 200 && !(partial && offset > 0)) {
        Failure failure = failureOf(answer, repository, stop);
        failure.transient = failure.transient || answer.status() == 416;
        return failed(std::move(failure));
    }
    if (partial) {
        const auto range = parseContentRange(answer.header("Content-Range"));
        if (!range || range->first != offset ||
            range->total.value_or(descriptor.size) != descriptor.size) {
            rangeBroken = true;
            Failure failure = integrity(
                Tr::tr("The registry sent another piece of the image than the one asked for."),
                QString::fromLatin1(answer.header("Content-Range").left(200)));
            failure.transient = true;
            return failed(std::move(failure));
        }
    }
    const quint64 expected = partial ? descriptor.size - offset : descriptor.size;
    const QByteArray length = answer.header("Content-Length");
    if (!length.isEmpty() && length.toULongLong() != expected)
        return failed(
            integrity(Tr::tr("The part %1 of the image has another size than the manifest says.")
                          .arg(descriptor.digest.shortText()),
                      QStringLiteral("expected %1 bytes, the server has %2")
                          .arg(expected)
                          .arg(QString::fromLatin1(length.left(40)))));
    BlobStream stream;
    stream.skip = partial ? 0 : offset;
    stream.reply = std::move(*reply);
    return stream;
}

Attempt<QByteArray> RegistryClient::smallBlob(const QString& repository,
                                              const BlobDescriptor& descriptor,
                                              quint64 limit,
                                              const std::stop_token& stop) {
    if (descriptor.size > limit)
        return failed(integrity(
            Tr::tr("A part of the image that should be small has %1 bytes.").arg(descriptor.size),
            descriptor.digest.toText()));
    bool rangeBroken = false;
    auto stream = blob(repository, descriptor, 0, rangeBroken, stop);
    if (!stream)
        return failed(stream.error());
    auto body = stream->reply->readAll(static_cast<qint64>(descriptor.size), stop);
    if (!body)
        return body;
    if (static_cast<quint64>(body->size()) != descriptor.size ||
        Sha256::ofBytes(*body) != descriptor.digest)
        return failed(
            integrity(Tr::tr("The part %1 of the image was damaged on its way. Try again.")
                          .arg(descriptor.digest.shortText()),
                      descriptor.digest.toText()));
    return body;
}

} // namespace vitrine
