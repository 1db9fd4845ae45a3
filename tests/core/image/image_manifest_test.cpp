// SPDX-License-Identifier: Apache-2.0
#include "core/image/image_manifest.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <functional>
#include <gtest/gtest.h>

namespace vitrine {

namespace {

// Specification 3.4, golden vector.
const QByteArray goldenManifest = QByteArrayLiteral(
    R"({"annotations":{"org.cirruslabs.tart.uncompressed-disk-size":"13","org.cirruslabs.tart.upload-time":"2026-05-12T21:45:18Z"},"config":{"digest":"sha256:7ebb76025a1831b9abea3486d58c4c976928110195586a6c7575ef3b557062be","mediaType":"application\/vnd.oci.image.config.v1+json","size":99},"layers":[{"annotations":{},"digest":"sha256:951696bd56c29f79b3e3e490957cc82a6d9d1efbde390d53696569f0cf662324","mediaType":"application\/vnd.cirruslabs.tart.config.v1","size":211},{"annotations":{"org.cirruslabs.tart.uncompressed-content-digest":"sha256:8380c4c6720e0d5ce4789bf72df03a6e1b3ed80891f3adbe8833c760399b8e91","org.cirruslabs.tart.uncompressed-size":"13"},"digest":"sha256:ecc49084fd210a4df9301b4717222f3c968ab58c79dd3d3b02473a693c1238ca","mediaType":"application\/vnd.cirruslabs.tart.disk.v2","size":25},{"annotations":{},"digest":"sha256:6bd8cf5e356fe15e5537b90c3981ff8b87fd0c0683a2c92fd2dba3a581364434","mediaType":"application\/vnd.cirruslabs.tart.nvram.v1","size":5}],"mediaType":"application\/vnd.oci.image.manifest.v1+json","schemaVersion":2})");

QString digestOf(int number) {
    return Sha256::ofBytes(QByteArray::number(number)).toText();
}

QJsonObject blob(const QString& type, int number, qint64 size) {
    return {{QStringLiteral("mediaType"), type},
            {QStringLiteral("digest"), digestOf(number)},
            {QStringLiteral("size"), size},
            {QStringLiteral("annotations"), QJsonObject()}};
}

QJsonObject config() {
    return blob(QStringLiteral("application/vnd.cirruslabs.tart.config.v1"), 1, 211);
}

QJsonObject nvram() {
    return blob(QStringLiteral("application/vnd.cirruslabs.tart.nvram.v1"), 2, 5);
}

QJsonObject chunk(const QString& type, int number, const QString& plainSize) {
    QJsonObject layer = blob(type, number, 100);
    layer[QLatin1String("annotations")] =
        QJsonObject{{QStringLiteral("org.cirruslabs.tart.uncompressed-size"), plainSize},
                    {QStringLiteral("org.cirruslabs.tart.uncompressed-content-digest"),
                     digestOf(number + 1000)}};
    return layer;
}

QJsonObject disk(int number, const QString& plainSize = QStringLiteral("512")) {
    return chunk(QStringLiteral("application/vnd.cirruslabs.tart.disk.v2"), number, plainSize);
}

QJsonObject overlay(int number) {
    return chunk(QStringLiteral("application/vnd.cirruslabs.tart.disk.asif.overlay.v1"),
                 number,
                 QStringLiteral("512"));
}

QJsonObject annotated(QJsonObject layer, const char* key, const QString& value) {
    QJsonObject annotations = layer[QLatin1String("annotations")].toObject();
    annotations[QLatin1String(key)] = value;
    layer[QLatin1String("annotations")] = annotations;
    return layer;
}

QJsonObject manifest(const QJsonArray& layers) {
    return {
        {QStringLiteral("schemaVersion"), 2},
        {QStringLiteral("mediaType"), QStringLiteral("application/vnd.oci.image.manifest.v1+json")},
        {QStringLiteral("config"),
         blob(QStringLiteral("application/vnd.oci.image.config.v1+json"), 3, 99)},
        {QStringLiteral("layers"), layers}};
}

Result<ImageManifest> parse(const QJsonObject& object) {
    return ImageManifest::fromBytes(QJsonDocument(object).toJson(QJsonDocument::Compact));
}

Error::Kind kindOf(const QJsonObject& object) {
    const auto result = parse(object);
    EXPECT_FALSE(result) << QJsonDocument(object).toJson().toStdString();
    if (result)
        return Error::Kind::Internal;
    EXPECT_FALSE(result.error().message.isEmpty());
    return result.error().kind;
}

QJsonObject edited(const std::function<void(QJsonObject&)>& edit) {
    QJsonObject object = manifest({config(), disk(10), nvram()});
    edit(object);
    return object;
}

constexpr const char* fileDigest = "org.cirruslabs.tart.disk-file-content-digest";
constexpr const char* chunkCount = "org.cirruslabs.tart.disk-file-chunk-count";

} // namespace

TEST(ImageManifest, GoldenVectorKeepsItsBytesAndDigest) {
    const auto result = ImageManifest::fromBytes(goldenManifest);
    ASSERT_TRUE(result) << result.error().message.toStdString();
    EXPECT_EQ(result->bytes().size(), 1043);
    EXPECT_EQ(result->bytes(), goldenManifest);
    EXPECT_EQ(
        result->digest().toText(),
        QStringLiteral("sha256:3ef841394cc7e7533ceeabbfb9b3bf994403db808a6a48f16b9cc6c1743c28ce"));
    EXPECT_EQ(result->config().size, 211U);
    EXPECT_EQ(result->nvram().size, 5U);
    ASSERT_EQ(result->disk().size(), 1);
    EXPECT_EQ(result->disk().first().plainSize, 13U);
    EXPECT_EQ(result->disk().first().plainOffset, 0U);
    EXPECT_EQ(result->disk().first().plainDigest, Sha256::ofBytes("hello world!!"));
    EXPECT_EQ(result->diskSize(), 13U);
    EXPECT_EQ(result->fetchSize(), 99U + 211 + 25 + 5);
    EXPECT_EQ(result->uploadTime(), QStringLiteral("2026-05-12T21:45:18Z"));
    ASSERT_TRUE(result->ociConfig());
    EXPECT_EQ(result->ociConfig()->size, 99U);
}

TEST(ImageManifest, TheSameManifestWithPlainSlashesHasAnotherDigest) {
    QByteArray plain = goldenManifest;
    plain.replace("\\/", "/");
    const auto result = ImageManifest::fromBytes(plain);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->bytes().size(), 1038);
    EXPECT_EQ(
        result->digest().toText(),
        QStringLiteral("sha256:c48c9ce5f39a19b67a0363c3597fbdc928da60a576c696754f0ecfc5344d679e"));
}

TEST(ImageManifest, OffsetsAreTheSumOfTheSizesBefore) {
    const auto result = parse(manifest({config(),
                                        disk(10, QStringLiteral("536870912")),
                                        disk(11, QStringLiteral("100")),
                                        disk(10, QStringLiteral("536870912")),
                                        nvram()}));
    ASSERT_TRUE(result) << result.error().message.toStdString();
    EXPECT_EQ(result->disk().at(1).plainOffset, 536870912U);
    EXPECT_EQ(result->disk().at(2).plainOffset, 536871012U);
    EXPECT_EQ(result->diskSize(), 1073741924U);
    EXPECT_EQ(result->fetchSize(), 99U + 211 + 5 + 100 + 100); // one blob is listed twice
}

TEST(ImageManifest, DockerTypeAndMissingTypeAreAccepted) {
    EXPECT_TRUE(parse(edited([](QJsonObject& o) {
        o[QLatin1String("mediaType")] =
            QStringLiteral("application/vnd.docker.distribution.manifest.v2+json");
    })));
    EXPECT_TRUE(parse(edited([](QJsonObject& o) { o.remove(QLatin1String("mediaType")); })));
    EXPECT_TRUE(parse(edited([](QJsonObject& o) {
        o[QLatin1String("artifactType")] = QStringLiteral("x/y");
        o[QLatin1String("subject")] = QJsonObject();
        o.remove(QLatin1String("config"));
    })));
}

TEST(ImageManifest, IndexesAndOtherKindsAreRefusedAsUnsupported) {
    const QStringList types{
        QStringLiteral("application/vnd.oci.image.index.v1+json"),
        QStringLiteral("application/vnd.docker.distribution.manifest.list.v2+json"),
        QStringLiteral("application/vnd.docker.distribution.manifest.v1+prettyjws"),
        QStringLiteral("text/html")};
    for (const QString& type : types) {
        EXPECT_EQ(kindOf(edited([&](QJsonObject& o) { o[QLatin1String("mediaType")] = type; })),
                  Error::Kind::Unsupported);
    }
    const auto index =
        parse({{QStringLiteral("schemaVersion"), 2}, {QStringLiteral("manifests"), QJsonArray()}});
    ASSERT_FALSE(index);
    EXPECT_EQ(index.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(index.error().message.contains(QLatin1String("index")));
    EXPECT_EQ(kindOf(edited([](QJsonObject& o) { o[QLatin1String("schemaVersion")] = 1; })),
              Error::Kind::Unsupported);
    // An ordinary container image.
    EXPECT_EQ(kindOf(manifest(
                  {blob(QStringLiteral("application/vnd.oci.image.layer.v1.tar+gzip"), 5, 10)})),
              Error::Kind::Unsupported);
    EXPECT_EQ(kindOf(manifest({})), Error::Kind::Unsupported);
}

TEST(ImageManifest, OldDiskFormatIsRefusedWithAHintToPushAgain) {
    const auto result =
        parse(manifest({config(),
                        disk(10),
                        blob(QStringLiteral("application/vnd.cirruslabs.tart.disk.v1"), 11, 100),
                        nvram()}));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(result.error().message.contains(QLatin1String("push it again")));
}

// The table of specification 8.1, with our rule that overlays are recognised and refused.
TEST(ImageManifest, NewerTartsLayoutsAreJudgedAsItsTableSays) {
    const QString digest = digestOf(77);
    EXPECT_TRUE(parse(manifest({config(), disk(10), nvram()})));
    EXPECT_TRUE(parse(manifest({config(), annotated(disk(10), fileDigest, digest), nvram()})));
    const auto stacked = parse(manifest(
        {config(),
         annotated(disk(10), fileDigest, digest),
         annotated(annotated(overlay(11), fileDigest, digest), chunkCount, QStringLiteral("2")),
         overlay(12),
         nvram()}));
    ASSERT_FALSE(stacked);
    EXPECT_EQ(stacked.error().kind, Error::Kind::Unsupported);
    EXPECT_TRUE(stacked.error().message.contains(QLatin1String("macOS 27")));
    kindOf(manifest({config(), disk(10), overlay(11), nvram()}));
    kindOf(manifest({config(),
                     annotated(disk(10), fileDigest, digest),
                     annotated(disk(11), fileDigest, digest),
                     nvram()}));
    kindOf(manifest({config(), annotated(disk(10), chunkCount, QStringLiteral("1")), nvram()}));
    kindOf(manifest({config(), annotated(disk(10), fileDigest, QStringLiteral("abc")), nvram()}));
    kindOf(manifest({config(),
                     annotated(disk(10), fileDigest, digest),
                     annotated(overlay(11), chunkCount, QStringLiteral("2")),
                     disk(12),
                     nvram()}));
    QJsonObject bare = disk(10);
    bare.remove(QLatin1String("annotations"));
    EXPECT_EQ(kindOf(manifest({config(), bare, nvram()})), Error::Kind::Integrity);
    EXPECT_EQ(kindOf(manifest({disk(10), config(), nvram()})), Error::Kind::Integrity);
    EXPECT_EQ(kindOf(manifest({config(), nvram(), disk(10)})), Error::Kind::Integrity);
    EXPECT_EQ(kindOf(manifest({config(), nvram()})), Error::Kind::Integrity);
    EXPECT_EQ(kindOf(manifest({config(), config(), disk(10), nvram()})), Error::Kind::Integrity);
    EXPECT_EQ(kindOf(manifest({config(), disk(10), nvram(), nvram()})), Error::Kind::Integrity);
}

TEST(ImageManifest, BlockCountExistsOnlyWhenTheBlockSizeDivides) {
    const auto blocks = [](const QString& diskSize) {
        QJsonObject object = manifest({config(), disk(10, diskSize), nvram()});
        object[QLatin1String("annotations")] = QJsonObject{
            {QStringLiteral("org.cirruslabs.tart.disk.block-size"), QStringLiteral("512")}};
        const auto result = parse(object);
        return result ? result->blockCount() : std::nullopt;
    };
    EXPECT_EQ(blocks(QStringLiteral("100000000000")), 195312500U);
    EXPECT_EQ(blocks(QStringLiteral("513")), std::nullopt);
}

TEST(ImageManifest, DeclaredDiskSizeMustBeTheSumOfTheLayers) {
    const auto declared = [](const QJsonValue& size) {
        return edited([&](QJsonObject& o) {
            o[QLatin1String("annotations")] =
                QJsonObject{{QStringLiteral("org.cirruslabs.tart.uncompressed-disk-size"), size}};
        });
    };
    EXPECT_TRUE(parse(declared(QStringLiteral("512"))));
    EXPECT_EQ(kindOf(declared(QStringLiteral("513"))), Error::Kind::Integrity);
    EXPECT_EQ(kindOf(declared(QStringLiteral("x"))), Error::Kind::Integrity);
    EXPECT_EQ(kindOf(declared(512)), Error::Kind::Integrity);
}

TEST(ImageManifest, HostileNumbersAreRefused) {
    const QStringList sizes{QStringLiteral("18446744073709551615"),
                            QStringLiteral("-1"),
                            QStringLiteral("1e3"),
                            QStringLiteral(" 512"),
                            QString(),
                            QStringLiteral("70368744177665")};
    for (const QString& size : sizes)
        EXPECT_EQ(kindOf(manifest({config(), disk(10, size), nvram()})), Error::Kind::Integrity);
    // Two layers that pass the limit only together.
    EXPECT_EQ(kindOf(manifest({config(),
                               disk(10, QStringLiteral("70368744177664")),
                               disk(11, QStringLiteral("1")),
                               nvram()})),
              Error::Kind::Integrity);
    const QList<QJsonValue> blobSizes{-1, 1.5, 1e300, QStringLiteral("5"), QJsonValue()};
    for (const QJsonValue& size : blobSizes) {
        QJsonObject layer = disk(10);
        layer[QLatin1String("size")] = size;
        EXPECT_EQ(kindOf(manifest({config(), layer, nvram()})), Error::Kind::Integrity);
    }
    QJsonObject large = config();
    large[QLatin1String("size")] = 2 * 1024 * 1024;
    EXPECT_EQ(kindOf(manifest({large, disk(10), nvram()})), Error::Kind::Integrity);
    QJsonObject bomb = disk(10);
    bomb[QLatin1String("size")] = 1000000;
    EXPECT_EQ(kindOf(manifest({config(), bomb, nvram()})), Error::Kind::Integrity);
    EXPECT_EQ(kindOf(manifest({config(), disk(10, QStringLiteral("0")), nvram()})),
              Error::Kind::Integrity);
}

TEST(ImageManifest, TooManyLayersAreRefused) {
    QJsonArray layers{config()};
    for (int i = 0; i < 16384; ++i)
        layers.append(disk(10));
    layers.append(nvram());
    EXPECT_EQ(kindOf(manifest(layers)), Error::Kind::Integrity);
}

TEST(ImageManifest, OneDigestCannotStandForTwoContents) {
    QJsonObject other = disk(10);
    other[QLatin1String("size")] = 101;
    EXPECT_EQ(kindOf(manifest({config(), disk(10), other, nvram()})), Error::Kind::Integrity);
    EXPECT_EQ(kindOf(manifest({config(), disk(10), disk(10, QStringLiteral("600")), nvram()})),
              Error::Kind::Integrity);
}

TEST(ImageManifest, AnythingThatIsNoManifestIsRefused) {
    const QList<QByteArray> inputs{QByteArray(),
                                   "[]",
                                   "null",
                                   "{",
                                   "<html>",
                                   "{}",
                                   R"({"schemaVersion":2,"layers":{}})",
                                   goldenManifest.left(500),
                                   QByteArray(5000, '['),
                                   QByteArray(17 * 1024 * 1024, ' ')};
    for (const QByteArray& input : inputs) {
        const auto result = ImageManifest::fromBytes(input);
        ASSERT_FALSE(result);
        EXPECT_FALSE(result.error().message.isEmpty());
    }
}

TEST(ImageManifest, DiskFormatLabelIsReadFromTheOciConfig) {
    EXPECT_EQ(
        diskFormatLabel(
            R"({"architecture":"arm64","config":{"Labels":{"org.cirruslabs.tart.disk.format":"raw"}},"os":"linux"})"),
        QStringLiteral("raw"));
    EXPECT_TRUE(diskFormatLabel("{}").isEmpty());
    EXPECT_TRUE(diskFormatLabel("no json").isEmpty());
}

} // namespace vitrine
