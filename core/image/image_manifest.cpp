// SPDX-License-Identifier: Apache-2.0
#include "core/image/image_manifest.h"

#include <QDateTime>
#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace vitrine {

namespace {

constexpr qsizetype maximumManifestSize = 16 * 1024 * 1024;
constexpr qsizetype maximumLayers = 16384;
constexpr quint64 maximumDiskSize = quint64{64} << 40;     // 64 TiB
constexpr quint64 maximumConfigSize = quint64{1} << 20;    // what ConfigFile reads
constexpr quint64 maximumOciConfigSize = quint64{4} << 20; // what registries accept
constexpr quint64 maximumNvramSize = quint64{256} << 20;

constexpr QLatin1String configType("application/vnd.cirruslabs.tart.config.v1");
constexpr QLatin1String diskType("application/vnd.cirruslabs.tart.disk.v2");
constexpr QLatin1String nvramType("application/vnd.cirruslabs.tart.nvram.v1");
constexpr QLatin1String oldDiskType("application/vnd.cirruslabs.tart.disk.v1");
constexpr QLatin1String overlayType("application/vnd.cirruslabs.tart.disk.asif.overlay.v1");
constexpr QLatin1String tartPrefix("application/vnd.cirruslabs.tart.");

constexpr QLatin1String plainSizeKey("org.cirruslabs.tart.uncompressed-size");
constexpr QLatin1String plainDigestKey("org.cirruslabs.tart.uncompressed-content-digest");
constexpr QLatin1String fileDigestKey("org.cirruslabs.tart.disk-file-content-digest");
constexpr QLatin1String chunkCountKey("org.cirruslabs.tart.disk-file-chunk-count");
constexpr QLatin1String diskSizeKey("org.cirruslabs.tart.uncompressed-disk-size");
constexpr QLatin1String blockSizeKey("org.cirruslabs.tart.disk.block-size");
constexpr QLatin1String uploadTimeKey("org.cirruslabs.tart.upload-time");
constexpr QLatin1String diskFormatKey("org.cirruslabs.tart.disk.format");

tl::unexpected<Error> damaged(const QString& reason) {
    //: %1 is a whole sentence
    return fail(Error::Kind::Integrity,
                Tr::tr("The image's manifest cannot be used. %1").arg(reason));
}

std::optional<quint64> decimal(const QJsonValue& value) {
    const QString text = value.toString();
    if (text.isEmpty() || text.size() > 18)
        return std::nullopt;
    quint64 number = 0;
    for (const QChar c : text) {
        if (c < u'0' || c > u'9')
            return std::nullopt;
        number = number * 10 + static_cast<quint64>(c.unicode() - u'0');
    }
    return number;
}

Result<BlobDescriptor> descriptor(const QJsonValue& value, quint64 maximumSize) {
    const QJsonObject object = value.toObject();
    BlobDescriptor blob;
    blob.mediaType = object.value(QLatin1String("mediaType")).toString();
    const QString digestText = object.value(QLatin1String("digest")).toString();
    const auto digest = Sha256::fromText(digestText);
    if (!digest)
        return damaged(Tr::tr("\"%1\" is not a SHA-256 digest.").arg(digestText.left(100)));
    blob.digest = *digest;
    const qint64 size = object.value(QLatin1String("size")).toInteger(-1);
    if (size < 0)
        return damaged(Tr::tr("The size of %1 is missing or not a number.").arg(digestText));
    if (static_cast<quint64>(size) > maximumSize)
        return damaged(Tr::tr("%1 claims %2 bytes, and at most %3 are accepted.")
                           .arg(digestText)
                           .arg(size)
                           .arg(maximumSize));
    blob.size = static_cast<quint64>(size);
    return blob;
}

Result<> checkSort(const QJsonObject& root) {
    const QString mediaType = root.value(QLatin1String("mediaType")).toString();
    if (mediaType == QLatin1String("application/vnd.oci.image.index.v1+json") ||
        mediaType == QLatin1String("application/vnd.docker.distribution.manifest.list.v2+json") ||
        (mediaType.isEmpty() && root.contains(QLatin1String("manifests"))))
        return fail(
            Error::Kind::Unsupported,
            Tr::tr("This is an index of several images, not a machine. Ask its owner for the "
                   "reference or digest of the machine's own image."),
            mediaType);
    if (mediaType.startsWith(QLatin1String("application/vnd.docker.distribution.manifest.v1")) ||
        root.value(QLatin1String("schemaVersion")).toInteger() == 1)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("This is a container image of Docker's first format, not a machine."),
                    mediaType);
    if (!mediaType.isEmpty() && mediaType != QLatin1String(ociManifestMediaType) &&
        mediaType != QLatin1String(dockerManifestMediaType))
        return fail(Error::Kind::Unsupported,
                    Tr::tr("The registry answered with \"%1\", which is not an image manifest.")
                        .arg(mediaType.left(200)));
    if (root.value(QLatin1String("schemaVersion")).toInteger() != 2)
        return damaged(Tr::tr("Its schema version is not 2."));
    return {};
}

// What newer and older Tart and other programs publish and this release cannot run.
Result<> checkLayerTypes(const QJsonArray& layers) {
    bool anyOfTart = false;
    for (const QJsonValue& layer : layers) {
        const QString type = layer[QLatin1String("mediaType")].toString();
        if (type == oldDiskType)
            return fail(Error::Kind::Unsupported,
                        Tr::tr("This image has the old disk format of Tart before version 2. Ask "
                               "its owner to push it again with a current Tart."),
                        type);
        if (type == overlayType)
            return fail(Error::Kind::Unsupported,
                        Tr::tr("This image is a stack of disk overlays, which needs macOS 27. Ask "
                               "its owner to push it as a standalone image."),
                        type);
        anyOfTart = anyOfTart || type.startsWith(tartPrefix);
    }
    if (!anyOfTart)
        return fail(Error::Kind::Unsupported,
                    Tr::tr("This is a container image or something else, not a machine: none of "
                           "its layers is a machine's disk."));
    return {};
}

Result<DiskLayer> diskLayer(const QJsonValue& value, bool first) {
    DiskLayer layer;
    auto blob = descriptor(value, maximumDiskSize);
    if (!blob)
        return fail(blob.error());
    layer.blob = *std::move(blob);
    const QString name = layer.blob.digest.toText();
    const QJsonObject annotations = value[QLatin1String("annotations")].toObject();
    const auto plainSize = decimal(annotations.value(plainSizeKey));
    const auto plainDigest = Sha256::fromText(annotations.value(plainDigestKey).toString());
    if (!plainSize || !plainDigest)
        return damaged(
            Tr::tr("Disk layer %1 lacks its uncompressed size or digest. Ask the image's "
                   "owner to push it again with a current Tart.")
                .arg(name));
    if (*plainSize > maximumDiskSize)
        return damaged(Tr::tr("Disk layer %1 claims more than 64 TiB.").arg(name));
    // A frame is never much larger than what it holds.
    if (layer.blob.size > 2 * *plainSize + 65536)
        return damaged(
            Tr::tr("Disk layer %1 is much larger than the data it claims to hold.").arg(name));
    const QJsonValue fileDigest = annotations.value(fileDigestKey);
    if (annotations.contains(chunkCountKey) || (!first && !fileDigest.isUndefined()) ||
        (!fileDigest.isUndefined() && !Sha256::fromText(fileDigest.toString())))
        return damaged(
            Tr::tr("Disk layer %1 carries annotations that belong elsewhere.").arg(name));
    layer.plainSize = *plainSize;
    layer.plainDigest = *plainDigest;
    return layer;
}

// One digest stands for one content.
class DigestBook {
public:
    bool agrees(const BlobDescriptor& blob) {
        const auto known = m_sizes.constFind(blob.digest);
        if (known == m_sizes.cend()) {
            m_sizes.insert(blob.digest, blob.size);
            return true;
        }
        return *known == blob.size;
    }
    bool agrees(const DiskLayer& layer) {
        const auto known = m_layers.constFind(layer.blob.digest);
        if (known != m_layers.cend())
            return known->plainSize == layer.plainSize && known->plainDigest == layer.plainDigest &&
                   known->blob.size == layer.blob.size;
        m_layers.insert(layer.blob.digest, layer);
        return agrees(layer.blob);
    }

private:
    QHash<Sha256, quint64> m_sizes;
    QHash<Sha256, DiskLayer> m_layers;
};

} // namespace

Result<ImageManifest> ImageManifest::fromBytes(QByteArray bytes) {
    if (bytes.size() > maximumManifestSize)
        return damaged(Tr::tr("It is larger than 16 MiB."));
    QJsonParseError parseError;
    const QJsonDocument document = QJsonDocument::fromJson(bytes, &parseError);
    if (!document.isObject())
        return fail(Error::Kind::Integrity,
                    Tr::tr("The registry's answer is not an image manifest. Check the address: it "
                           "may belong to a web page instead of a registry."),
                    parseError.errorString());
    const QJsonObject root = document.object();
    if (auto sort = checkSort(root); !sort)
        return fail(sort.error());
    const QJsonArray layers = root.value(QLatin1String("layers")).toArray();
    if (layers.size() > maximumLayers)
        return damaged(Tr::tr("It has %1 layers, and at most %2 are accepted.")
                           .arg(layers.size())
                           .arg(maximumLayers));
    if (auto types = checkLayerTypes(layers); !types)
        return fail(types.error());

    ImageManifest manifest;
    DigestBook book;
    const auto contradiction = [](const BlobDescriptor& blob) {
        return damaged(Tr::tr("%1 is listed twice with different sizes or contents.")
                           .arg(blob.digest.toText()));
    };
    if (const QJsonValue config = root.value(QLatin1String("config")); config.isObject()) {
        auto blob = descriptor(config, maximumOciConfigSize);
        if (!blob)
            return fail(blob.error());
        book.agrees(*blob);
        manifest.m_ociConfig = *std::move(blob);
    }
    const auto typeAt = [&layers](qsizetype i) {
        return layers.at(i)[QLatin1String("mediaType")].toString();
    };
    const qsizetype last = layers.size() - 1;
    if (layers.size() < 3 || typeAt(0) != configType || typeAt(last) != nvramType)
        return damaged(Tr::tr("It must list one configuration, the disk and one set of firmware "
                              "variables, in this order."));
    auto config = descriptor(layers.at(0), maximumConfigSize);
    auto nvram = descriptor(layers.at(last), maximumNvramSize);
    if (!config)
        return fail(config.error());
    if (!nvram)
        return fail(nvram.error());
    if (!book.agrees(*config))
        return contradiction(*config);
    if (!book.agrees(*nvram))
        return contradiction(*nvram);
    manifest.m_config = *std::move(config);
    manifest.m_nvram = *std::move(nvram);

    quint64 compressed = 0;
    manifest.m_disk.reserve(last - 1);
    for (qsizetype i = 1; i < last; ++i) {
        if (typeAt(i) != diskType)
            return damaged(Tr::tr("Between the configuration and the firmware variables only disk "
                                  "layers are expected, not \"%1\".")
                               .arg(typeAt(i).left(200)));
        auto layer = diskLayer(layers.at(i), i == 1);
        if (!layer)
            return fail(layer.error());
        if (!book.agrees(*layer))
            return contradiction(layer->blob);
        // Each term is at most 64 TiB and the sum so far too: no overflow.
        layer->plainOffset = manifest.m_diskSize;
        manifest.m_diskSize += layer->plainSize;
        compressed += layer->blob.size;
        if (manifest.m_diskSize > maximumDiskSize || compressed > 2 * maximumDiskSize)
            return damaged(Tr::tr("Its disk is larger than 64 TiB."));
        manifest.m_disk.append(*std::move(layer));
    }
    if (manifest.m_diskSize == 0)
        return damaged(Tr::tr("Its disk is empty."));

    const QJsonObject annotations = root.value(QLatin1String("annotations")).toObject();
    if (const QJsonValue declared = annotations.value(diskSizeKey); !declared.isUndefined()) {
        if (decimal(declared) != manifest.m_diskSize)
            return damaged(Tr::tr("It declares a disk of %1 bytes, and its layers hold %2.")
                               .arg(declared.toString().left(30))
                               .arg(manifest.m_diskSize));
    }
    const auto blockSize = decimal(annotations.value(blockSizeKey));
    if (blockSize && *blockSize > 0 && manifest.m_diskSize % *blockSize == 0)
        manifest.m_blockCount = manifest.m_diskSize / *blockSize;
    const QString uploadTime = annotations.value(uploadTimeKey).toString();
    if (uploadTime.size() <= 64 && QDateTime::fromString(uploadTime, Qt::ISODate).isValid())
        manifest.m_uploadTime = uploadTime;
    manifest.m_digest = Sha256::ofBytes(bytes);
    manifest.m_bytes = std::move(bytes);
    return manifest;
}

quint64 ImageManifest::fetchSize() const {
    QHash<Sha256, quint64> blobs;
    blobs.insert(m_config.digest, m_config.size);
    blobs.insert(m_nvram.digest, m_nvram.size);
    if (m_ociConfig)
        blobs.insert(m_ociConfig->digest, m_ociConfig->size);
    for (const DiskLayer& layer : m_disk)
        blobs.insert(layer.blob.digest, layer.blob.size);
    quint64 sum = 0;
    for (const quint64 size : std::as_const(blobs))
        sum += size;
    return sum;
}

QString diskFormatLabel(const QByteArray& ociConfig) {
    return QJsonDocument::fromJson(ociConfig)
        .object()
        .value(QLatin1String("config"))
        .toObject()
        .value(QLatin1String("Labels"))
        .toObject()
        .value(diskFormatKey)
        .toString();
}

} // namespace vitrine
