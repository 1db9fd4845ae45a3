// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/result/result.h"
#include "core/value/sha256.h"

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

namespace vitrine {

// Media types of manifests that fromBytes() accepts, for the Accept header of a request.
inline constexpr const char* ociManifestMediaType = "application/vnd.oci.image.manifest.v1+json";
inline constexpr const char* dockerManifestMediaType =
    "application/vnd.docker.distribution.manifest.v2+json";

// One blob of an image: OCI descriptor.
struct BlobDescriptor {
    Sha256 digest;
    quint64 size = 0; // bytes as stored in the registry
    QString mediaType;
};

// One disk layer: an Apple LZ4 frame.
struct DiskLayer {
    BlobDescriptor blob;
    quint64 plainSize = 0;   // bytes, annotation uncompressed-size
    quint64 plainOffset = 0; // bytes, sum of the sizes before it
    Sha256 plainDigest;      // annotation uncompressed-content-digest
};

// A Tart image manifest, specification 3.2 and 8.1. The received bytes are kept: the digest is
// theirs.
class ImageManifest final {
public:
    // Refuses indexes, disk.v1, overlays, wrong order, missing annotations, sizes that overflow or
    // pass the limits of D17 (at most 16,384 layers, 64 TiB), and a sum that differs from the
    // annotation (D10). Kind Unsupported when the image is of another sort, Integrity when the
    // manifest contradicts itself. A missing mediaType is accepted.
    [[nodiscard]] static Result<ImageManifest> fromBytes(QByteArray bytes);

    [[nodiscard]] const QByteArray& bytes() const { return m_bytes; }
    [[nodiscard]] const Sha256& digest() const { return m_digest; }
    [[nodiscard]] const BlobDescriptor& config() const { return m_config; } // config.json
    [[nodiscard]] const BlobDescriptor& nvram() const { return m_nvram; }   // nvram.bin
    [[nodiscard]] const std::optional<BlobDescriptor>& ociConfig() const {
        return m_ociConfig;
    } // labels (D11)
    [[nodiscard]] const QList<DiskLayer>& disk() const { return m_disk; }
    [[nodiscard]] quint64 diskSize() const { return m_diskSize; } // bytes, plain
    // Bytes of all distinct blobs, the OCI config included.
    [[nodiscard]] quint64 fetchSize() const;
    // Guest-visible blocks: disk size by the annotation disk.block-size, when it divides (8.1).
    [[nodiscard]] std::optional<quint64> blockCount() const { return m_blockCount; }
    [[nodiscard]] const QString& uploadTime() const { return m_uploadTime; } // ISO 8601 or empty

private:
    ImageManifest() = default;
    QByteArray m_bytes;
    Sha256 m_digest;
    BlobDescriptor m_config;
    BlobDescriptor m_nvram;
    std::optional<BlobDescriptor> m_ociConfig;
    QList<DiskLayer> m_disk;
    quint64 m_diskSize = 0;
    QString m_uploadTime;
    std::optional<quint64> m_blockCount;
};

// The label org.cirruslabs.tart.disk.format of an OCI config blob (3.3), for check D11. Empty when
// there is none or the blob is no JSON object.
[[nodiscard]] QString diskFormatLabel(const QByteArray& ociConfig);

} // namespace vitrine
