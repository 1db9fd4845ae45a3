// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/registry/http_client.h"
#include "core/result/result.h"
#include "core/value/sha256.h"

#include <QByteArray>
#include <QString>

namespace vitrine::test {

struct TestImage;

// Puts blobs and manifests into a plain-http registry without sign-in. For tests, benchmarks and
// the demonstration.
class ImagePush final {
public:
    ImagePush(QString host, QString repository);

    Result<> blob(const QByteArray& bytes, const Sha256& digest);
    Result<> manifest(const QByteArray& bytes,
                      const QString& tag,
                      const QByteArray& type = "application/vnd.oci.image.manifest.v1+json");
    Result<> image(const TestImage& image, const QString& tag);

private:
    Result<std::unique_ptr<HttpReply>>
    send(const QByteArray& method, const QUrl& url, const QByteArray& type, const QByteArray& body);

    QString m_base;
    HttpClient m_http;
};

// Pushes a machine directory (config.json, disk.img, nvram.bin) as an image with layers of
// `layerSize` bytes. Holds one layer in memory.
Result<Sha256> pushMachine(const QString& directory,
                           const QString& host,
                           const QString& repository,
                           const QString& tag,
                           qint64 layerSize = 512LL * 1024 * 1024);

} // namespace vitrine::test
