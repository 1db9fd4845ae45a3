// SPDX-License-Identifier: Apache-2.0
#include "core/image/image_reference.h"

#include <gtest/gtest.h>

namespace vitrine {

namespace {

constexpr const char* emptyDigest =
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

struct Accepted {
    QString text;
    QString host;
    QString repository;
    QString reference;
};

} // namespace

TEST(ImageReference, EveryAcceptedExampleOfTheSpecificationParses) {
    const QString digest = QLatin1String(emptyDigest);
    const QList<Accepted> examples{
        {QStringLiteral("ghcr.io/a/b:latest"),
         QStringLiteral("ghcr.io"),
         QStringLiteral("a/b"),
         QStringLiteral("latest")},
        {QStringLiteral("ghcr.io/a/b"),
         QStringLiteral("ghcr.io"),
         QStringLiteral("a/b"),
         QStringLiteral("latest")},
        {QStringLiteral("ghcr.io/a/b:1.2.3-RC-1"),
         QStringLiteral("ghcr.io"),
         QStringLiteral("a/b"),
         QStringLiteral("1.2.3-RC-1")},
        {QStringLiteral("ghcr.io/a/b@") + digest,
         QStringLiteral("ghcr.io"),
         QStringLiteral("a/b"),
         digest},
        {QStringLiteral("127.0.0.1:8080/a/b"),
         QStringLiteral("127.0.0.1:8080"),
         QStringLiteral("a/b"),
         QStringLiteral("latest")},
        {QStringLiteral("localhost/x"),
         QStringLiteral("localhost"),
         QStringLiteral("x"),
         QStringLiteral("latest")},
        {QStringLiteral("GHCR.io/A/B:C"),
         QStringLiteral("GHCR.io"),
         QStringLiteral("A/B"),
         QStringLiteral("C")},
        {QStringLiteral("ghcr.io/a:1.0.0_rc.1"),
         QStringLiteral("ghcr.io"),
         QStringLiteral("a"),
         QStringLiteral("1.0.0_rc.1")},
        {QStringLiteral("ghcr.io/a_/b"),
         QStringLiteral("ghcr.io"),
         QStringLiteral("a_/b"),
         QStringLiteral("latest")},
        {QStringLiteral("ghcr.io/a./b-"),
         QStringLiteral("ghcr.io"),
         QStringLiteral("a./b-"),
         QStringLiteral("latest")},
        {QStringLiteral("debian/latest"),
         QStringLiteral("debian"),
         QStringLiteral("latest"),
         QStringLiteral("latest")},
    };
    for (const Accepted& example : examples) {
        const auto reference = ImageReference::fromText(example.text);
        ASSERT_TRUE(reference) << example.text.toStdString() << ": "
                               << reference.error().message.toStdString();
        EXPECT_EQ(reference->host(), example.host);
        EXPECT_EQ(reference->repository(), example.repository);
        EXPECT_EQ(reference->reference(), example.reference);
        EXPECT_TRUE(ImageReference::isReference(example.text));
    }
}

TEST(ImageReference, EveryRefusedExampleOfTheSpecificationIsRefused) {
    const QStringList examples{
        QString::fromUtf8("touch\u00e9.fr/a/b:latest"),
        QString::fromUtf8("ghcr.io/tou/ch\u00e9:latest"),
        QString::fromUtf8("ghcr.io/a/b:touch\u00e9"),
        QStringLiteral("debian:latest"),
        QStringLiteral("debian"),
        QStringLiteral("127.0.0.1:/a/b"),
        QStringLiteral("ghcr.io/a/../b/c:latest"),
        QStringLiteral("ghcr.io/a//b"),
        QStringLiteral("ghcr.io/a_b/c__d"),
        QStringLiteral("ghcr.io/-a/b"),
        QStringLiteral("ghcr.io/a:_tag"),
        QStringLiteral("ghcr.io/a:t--g"),
        QStringLiteral("ghcr.io/a:t-"),
        QStringLiteral("ghcr.io/a@sha512:00"),
        QStringLiteral("ghcr.io/a@sha256:"),
        QStringLiteral("ghcr.io/a@sha256:xyz"),
        QStringLiteral("ghcr.io/a:tag@sha256:00"),
        QStringLiteral("ghcr.io/"),
        QStringLiteral("ghcr.io/a:"),
        QStringLiteral("-a.io/b"),
        QStringLiteral("a-.io/b"),
        QStringLiteral("a--b.io/c"),
        QStringLiteral("a..b/c"),
        QStringLiteral("a_b.io/c"),
        QStringLiteral("[::1]:5000/a"),
        QStringLiteral("https://ghcr.io/a/b"),
        QStringLiteral("ghcr.io/a/b/"),
        QStringLiteral("/a/b"),
        QStringLiteral("./images/disk.img"),
        QStringLiteral("~/disk.img"),
        QStringLiteral("a b/c"),
        QString(),
        QStringLiteral("/"),
        QStringLiteral(":/a"),
        QStringLiteral("h:1:2/a"),
        QStringLiteral("h:0/a"),
        QStringLiteral("h:65536/a"),
        QStringLiteral("h/a@"),
        QStringLiteral("h/a:b:c"),
        QStringLiteral("h/a:t@") + QLatin1String(emptyDigest),
        QStringLiteral("h/a@") + QString::fromLatin1(emptyDigest).toUpper(),
        QStringLiteral("h/") + QString(256, QLatin1Char('a')),
        QStringLiteral("h/a:") + QString(256, QLatin1Char('a')),
        QString(256, QLatin1Char('a')) + QStringLiteral("/a"),
    };
    for (const QString& example : examples) {
        const auto reference = ImageReference::fromText(example);
        ASSERT_FALSE(reference) << example.toStdString();
        EXPECT_EQ(reference.error().kind, Error::Kind::InvalidInput);
        EXPECT_FALSE(reference.error().message.isEmpty());
        EXPECT_FALSE(ImageReference::isReference(example));
    }
}

TEST(ImageReference, TextIsWrittenBackWithTheImpliedTag) {
    EXPECT_EQ(ImageReference::fromText(u"127.0.0.1:8080/a/b")->toText(),
              QStringLiteral("127.0.0.1:8080/a/b:latest"));
    const QString byDigest = QStringLiteral("ghcr.io/a@") + QLatin1String(emptyDigest);
    EXPECT_EQ(ImageReference::fromText(byDigest)->toText(), byDigest);
}

TEST(ImageReference, TagAndDigestReplaceEachOther) {
    const auto base = ImageReference::fromText(u"ghcr.io/a/b:one");
    ASSERT_TRUE(base);
    const Sha256 digest = Sha256::ofBytes({});
    const ImageReference byDigest = ImageReference::withDigest(*base, digest);
    EXPECT_TRUE(byDigest.isByDigest());
    EXPECT_TRUE(byDigest.tag().isEmpty());
    EXPECT_EQ(byDigest.toText(), QStringLiteral("ghcr.io/a/b@") + digest.toText());
    const ImageReference byTag = ImageReference::withTag(byDigest, QStringLiteral("two"));
    EXPECT_EQ(byTag.toText(), QStringLiteral("ghcr.io/a/b:two"));
    EXPECT_FALSE(byTag.isByDigest());
}

} // namespace vitrine
