// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/value/sha256.h"

#include <QByteArray>
#include <QHash>
#include <QList>
#include <QString>

namespace vitrine::test {

// A Tart-format image in memory, written as specification 3.2 to 3.5 says.
struct TestImage {
    struct Options {
        QByteArray disk; // plain
        qint64 layerSize = 1 << 20;
        QByteArray config = defaultConfig();
        QByteArray nvram = "NVRAM";
        QString formatLabel = QStringLiteral("raw"); // of the OCI config; empty: no label
    };
    static QByteArray defaultConfig();
    [[nodiscard]] static TestImage make(const Options& options);

    // Manifest bytes again after a test has changed `layers`.
    void rebuildManifest();

    struct Layer {
        QString mediaType;
        Sha256 digest;
        qint64 size = 0;
        qint64 plainSize = -1; // -1: no annotations
        Sha256 plainDigest;
    };
    QByteArray disk;
    QByteArray config;
    QByteArray nvram;
    QByteArray ociConfig;
    QList<Layer> layers; // config, disk…, nvram
    QHash<Sha256, QByteArray> blobs;
    QByteArray manifest;

    [[nodiscard]] Sha256 digest() const { return Sha256::ofBytes(manifest); }
    [[nodiscard]] QList<Layer> diskLayers() const { return layers.mid(1, layers.size() - 2); }
    [[nodiscard]] quint64 diskBlobBytes() const; // compressed, repeats counted
};

// Deterministic bytes: noise that does not compress, text-like bytes that do, and zeros.
[[nodiscard]] QByteArray noise(qint64 size, quint64 seed);
[[nodiscard]] QByteArray mixedDisk(qint64 size, quint64 seed);

struct ManifestParts {
    QByteArray ociConfig;
    QList<TestImage::Layer> layers;
    qint64 diskSize = 0;
};
// Canonical JSON with escaped slashes, 3.4.
[[nodiscard]] QByteArray manifestJson(const ManifestParts& parts);
[[nodiscard]] QByteArray ociConfigJson(const QString& formatLabel);

} // namespace vitrine::test
