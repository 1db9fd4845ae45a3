// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_image.h"

#include "core/image/apple_lz4_encoder.h"

#include <cstring>
#include <random>

namespace vitrine::test {

QByteArray TestImage::defaultConfig() {
    return R"({"arch":"amd64","cpuCount":2,"cpuCountMin":1,"diskFormat":"raw","display":{"height":768,"width":1024},"macAddress":"6a:3e:f1:99:18:c1","memorySize":536870912,"memorySizeMin":268435456,"os":"linux","version":1})";
}

QByteArray ociConfigJson(const QString& formatLabel) {
    QByteArray labels;
    if (!formatLabel.isEmpty())
        labels = R"("org.cirruslabs.tart.disk.format":")" + formatLabel.toUtf8() + '"';
    return R"({"architecture":"amd64","config":{"Labels":{)" + labels + R"(}},"os":"linux"})";
}

QByteArray manifestJson(const ManifestParts& parts) {
    const auto number = [](qint64 n) { return QByteArray::number(n); };
    QByteArray layers;
    for (const TestImage::Layer& layer : parts.layers) {
        QByteArray annotations;
        if (layer.plainSize >= 0)
            annotations = R"("org.cirruslabs.tart.uncompressed-content-digest":")" +
                          layer.plainDigest.toText().toLatin1() +
                          R"(","org.cirruslabs.tart.uncompressed-size":")" +
                          number(layer.plainSize) + '"';
        if (!layers.isEmpty())
            layers += ',';
        layers += R"({"annotations":{)" + annotations + R"(},"digest":")" +
                  layer.digest.toText().toLatin1() + R"(","mediaType":")" +
                  layer.mediaType.toLatin1() + R"(","size":)" + number(layer.size) + '}';
    }
    QByteArray json =
        R"({"annotations":{"org.cirruslabs.tart.uncompressed-disk-size":")" +
        number(parts.diskSize) + R"(","org.cirruslabs.tart.upload-time":"2026-05-12T21:45:18Z"},)" +
        R"("config":{"digest":")" + Sha256::ofBytes(parts.ociConfig).toText().toLatin1() +
        R"(","mediaType":"application/vnd.oci.image.config.v1+json","size":)" +
        number(parts.ociConfig.size()) + R"(},"layers":[)" + layers +
        R"(],"mediaType":"application/vnd.oci.image.manifest.v1+json",)" + R"("schemaVersion":2})";
    return json.replace("/", "\\/");
}

TestImage TestImage::make(const Options& options) {
    TestImage image;
    image.disk = options.disk;
    image.config = options.config;
    image.nvram = options.nvram;
    image.ociConfig = ociConfigJson(options.formatLabel);
    const auto add = [&image](const char* type, const QByteArray& bytes) {
        Layer layer;
        layer.mediaType = QLatin1String("application/vnd.cirruslabs.tart.") + QLatin1String(type);
        layer.digest = Sha256::ofBytes(bytes);
        layer.size = bytes.size();
        image.blobs.insert(layer.digest, bytes);
        image.layers.append(layer);
    };
    image.blobs.insert(Sha256::ofBytes(image.ociConfig), image.ociConfig);
    add("config.v1", image.config);
    for (qint64 offset = 0; offset < image.disk.size(); offset += options.layerSize) {
        const QByteArrayView plain =
            QByteArrayView(image.disk)
                .sliced(offset, std::min(options.layerSize, image.disk.size() - offset));
        add("disk.v2", encodeAppleLz4(plain));
        image.layers.last().plainSize = plain.size();
        image.layers.last().plainDigest = Sha256::ofBytes(plain);
    }
    add("nvram.v1", image.nvram);
    image.rebuildManifest();
    return image;
}

void TestImage::rebuildManifest() {
    manifest = manifestJson({ociConfig, layers, disk.size()});
}

quint64 TestImage::diskBlobBytes() const {
    quint64 bytes = 0;
    for (const Layer& layer : diskLayers())
        bytes += static_cast<quint64>(layer.size);
    return bytes;
}

QByteArray noise(qint64 size, quint64 seed) {
    QByteArray bytes(size, Qt::Uninitialized);
    std::mt19937_64 generator(seed);
    qint64 i = 0;
    for (; i + 8 <= size; i += 8) {
        const quint64 word = generator();
        std::memcpy(bytes.data() + i, &word, 8);
    }
    for (; i < size; ++i)
        bytes[i] = static_cast<char>(generator());
    return bytes;
}

QByteArray mixedDisk(qint64 size, quint64 seed) {
    constexpr qint64 piece = 20 * 1000; // no multiple of any block
    std::mt19937_64 generator(seed);
    QByteArray disk;
    disk.reserve(size);
    while (disk.size() < size) {
        const qint64 length =
            std::min(piece + static_cast<qint64>(generator() % piece), size - disk.size());
        switch (generator() % 4) {
        case 0:
            disk.append(noise(length, generator()));
            break;
        case 1:
            disk.append(QByteArray(length, '\0'));
            break;
        default: {
            const QByteArray word = noise(11, generator()).toHex();
            disk.append(word.repeated(length / word.size() + 1).left(length));
        }
        }
    }
    return disk;
}

} // namespace vitrine::test
