// SPDX-License-Identifier: Apache-2.0
#include "tests/support/image_push.h"

#include "core/image/apple_lz4_encoder.h"
#include "tests/support/test_image.h"

#include <QFile>

namespace vitrine::test {
namespace {

Error describe(const HttpReply& reply, const QString& what) {
    return Error{
        Error::Kind::Network, QStringLiteral("%1: status %2").arg(what).arg(reply.status()), {}};
}

Result<QByteArray> readFile(const QString& path) {
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(Error::Kind::NotFound, path + QLatin1String(": ") + file.errorString());
    return file.readAll();
}

} // namespace

ImagePush::ImagePush(QString host, QString repository)
    : m_base(QLatin1String("http://") + host + QLatin1String("/v2/") + repository)
    , m_http(HttpOptions{{}, {}, 600000, [](const QString&) {}}) {
} // stores of a busy machine are slow

Result<std::unique_ptr<HttpReply>> ImagePush::send(const QByteArray& method,
                                                   const QUrl& url,
                                                   const QByteArray& type,
                                                   const QByteArray& body) {
    HttpRequest request;
    request.method = method;
    request.url = url;
    request.headers = {{"Content-Type", type}};
    request.body = body;
    auto reply = m_http.send(request, std::stop_token());
    if (!reply)
        return fail(reply.error().error);
    return *std::move(reply);
}

Result<> ImagePush::blob(const QByteArray& bytes, const Sha256& digest) {
    const auto there =
        send("HEAD", QUrl(m_base + QLatin1String("/blobs/") + digest.toText()), "*/*", {});
    if (there && (*there)->status() == 200)
        return {};
    const QUrl start(m_base + QLatin1String("/blobs/uploads/"));
    const auto begun = send("POST", start, "application/octet-stream", {});
    if (!begun)
        return fail(begun.error());
    if ((*begun)->status() != 202)
        return fail(describe(**begun, start.toString()));
    QByteArray location =
        start.resolved(QUrl::fromEncoded((*begun)->header("Location"))).toEncoded();
    location += location.contains('?') ? '&' : '?';
    location += "digest=" + digest.toText().toLatin1();
    const auto done = send("PUT", QUrl::fromEncoded(location), "application/octet-stream", bytes);
    if (!done)
        return fail(done.error());
    if ((*done)->status() != 201)
        return fail(describe(**done, digest.toText()));
    return {};
}

Result<> ImagePush::manifest(const QByteArray& bytes, const QString& tag, const QByteArray& type) {
    const QUrl url(m_base + QLatin1String("/manifests/") + tag);
    const auto done = send("PUT", url, type, bytes);
    if (!done)
        return fail(done.error());
    if ((*done)->status() != 201)
        return fail(describe(**done, url.toString()));
    return {};
}

Result<> ImagePush::image(const TestImage& image, const QString& tag) {
    for (auto it = image.blobs.cbegin(); it != image.blobs.cend(); ++it) {
        if (auto pushed = blob(it.value(), it.key()); !pushed)
            return pushed;
    }
    return manifest(image.manifest, tag);
}

Result<Sha256> pushMachine(const QString& directory,
                           const QString& host,
                           const QString& repository,
                           const QString& tag,
                           qint64 layerSize) {
    ImagePush push(host, repository);
    ManifestParts parts;
    const auto add = [&](const char* type, const QByteArray& bytes) -> Result<> {
        TestImage::Layer layer;
        layer.mediaType = QLatin1String("application/vnd.cirruslabs.tart.") + QLatin1String(type);
        layer.digest = Sha256::ofBytes(bytes);
        layer.size = bytes.size();
        parts.layers.append(layer);
        return push.blob(bytes, layer.digest);
    };
    const auto config = readFile(directory + QLatin1String("/config.json"));
    const auto nvram = readFile(directory + QLatin1String("/nvram.bin"));
    if (!config || !nvram)
        return fail(config ? nvram.error() : config.error());
    if (auto pushed = add("config.v1", *config); !pushed)
        return fail(pushed.error());

    QFile disk(directory + QLatin1String("/disk.img"));
    if (!disk.open(QIODevice::ReadOnly))
        return fail(Error::Kind::NotFound,
                    disk.fileName() + QLatin1String(": ") + disk.errorString());
    parts.diskSize = disk.size();
    for (qint64 offset = 0; offset < parts.diskSize; offset += layerSize) {
        const qint64 size = std::min(layerSize, parts.diskSize - offset);
        uchar* const mapped = disk.map(offset, size);
        if (mapped == nullptr)
            return fail(Error::Kind::Internal, disk.errorString());
        const QByteArrayView plain(mapped, size);
        auto pushed = add("disk.v2", encodeAppleLz4(plain));
        parts.layers.last().plainSize = size;
        parts.layers.last().plainDigest = Sha256::ofBytes(plain);
        disk.unmap(mapped);
        if (!pushed)
            return fail(pushed.error());
    }
    if (auto pushed = add("nvram.v1", *nvram); !pushed)
        return fail(pushed.error());
    parts.ociConfig = ociConfigJson(QStringLiteral("raw"));
    if (auto pushed = push.blob(parts.ociConfig, Sha256::ofBytes(parts.ociConfig)); !pushed)
        return fail(pushed.error());
    const QByteArray manifest = manifestJson(parts);
    if (auto pushed = push.manifest(manifest, tag); !pushed)
        return fail(pushed.error());
    return Sha256::ofBytes(manifest);
}

} // namespace vitrine::test
