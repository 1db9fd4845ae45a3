// SPDX-License-Identifier: Apache-2.0
#include "core/value/sha256.h"

#include <gtest/gtest.h>

namespace vitrine {
namespace {

const QString emptyHex =
    QStringLiteral("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
const QByteArray pangram = "The quick brown fox jumps over the lazy dog";
const QString pangramHex =
    QStringLiteral("d7a8fbb307d7809469ca9abcb0082e4f8d5651e46d3cdb762d02d0bf37c9e592");

TEST(Sha256, KnownDigests) {
    EXPECT_EQ(Sha256::ofBytes(QByteArray()).toHex(), emptyHex);
    EXPECT_EQ(Sha256::ofBytes(pangram).toHex(), pangramHex);
    EXPECT_EQ(Sha256::ofBytes(pangram).toText(), QStringLiteral("sha256:") + pangramHex);
    EXPECT_EQ(Sha256::ofBytes(pangram).shortText(), QStringLiteral("sha256:d7a8fb"));
}

TEST(Sha256, AnyCutGivesTheSameDigest) {
    for (qsizetype cut = 0; cut <= pangram.size(); ++cut) {
        Sha256Hasher hasher;
        hasher.add(pangram.constData(), static_cast<size_t>(cut));
        hasher.add(pangram.constData() + cut, static_cast<size_t>(pangram.size() - cut));
        EXPECT_EQ(hasher.finish().toHex(), pangramHex);
        EXPECT_EQ(hasher.finish().toHex(), emptyHex) << "starts over";
    }
}

TEST(Sha256, ZerosCountAsBytes) {
    for (const int count : {0, 1, 65535, 65536, 65537, 300000}) {
        Sha256Hasher hasher;
        hasher.addZeros(static_cast<quint64>(count));
        EXPECT_EQ(hasher.finish(), Sha256::ofBytes(QByteArray(count, '\0'))) << count;
    }
}

TEST(Sha256, ACloneGoesItsOwnWay) {
    Sha256Hasher hasher;
    hasher.add(pangram.constData(), 10);
    Sha256Hasher other = hasher.clone();
    other.add("x", 1);
    hasher.add(pangram.constData() + 10, static_cast<size_t>(pangram.size() - 10));
    EXPECT_EQ(hasher.finish().toHex(), pangramHex);
    EXPECT_EQ(other.finish(), Sha256::ofBytes(pangram.left(10) + 'x'));
    Sha256Hasher moved = std::move(other);
    EXPECT_EQ(moved.finish().toHex(), emptyHex);
}

TEST(Sha256, OnlyWholeLowerCaseTextIsADigest) {
    EXPECT_EQ(Sha256::fromText(QStringLiteral("sha256:") + pangramHex), Sha256::ofBytes(pangram));
    EXPECT_EQ(Sha256::fromHex(pangramHex), Sha256::ofBytes(pangram));
    for (const QString& text : {QString(),
                                QStringLiteral("sha256:"),
                                pangramHex,
                                QStringLiteral("SHA256:") + pangramHex,
                                QStringLiteral("sha512:") + pangramHex,
                                QStringLiteral("sha256:") + pangramHex.toUpper(),
                                QStringLiteral("sha256:") + pangramHex.chopped(1),
                                QStringLiteral("sha256:") + pangramHex + u'0',
                                QStringLiteral("sha256:") + pangramHex.chopped(1) + u'g',
                                QStringLiteral("sha256: ") + pangramHex.chopped(1)})
        EXPECT_FALSE(Sha256::fromText(text)) << text.toStdString();
    EXPECT_EQ(Sha256::fromHex(emptyHex)->raw()[0], 0xE3);
}

} // namespace
} // namespace vitrine
