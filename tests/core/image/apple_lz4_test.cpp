// SPDX-License-Identifier: Apache-2.0
#include "core/image/apple_lz4_decoder.h"
#include "core/image/apple_lz4_encoder.h"
#include "core/image/lz4_block.h"
#include "core/value/sha256.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QtEndian>

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace vitrine {

namespace {

using Fault = AppleLz4Decoder::Fault;

struct Outcome {
    Fault fault = Fault::None;
    QByteArray plain;
    bool failed = false;
};

// Feeds `frame` in pieces of `step` bytes (0: whole), then finishes.
Outcome decode(const QByteArray& frame, qsizetype step = 0, quint64 maximum = quint64{1} << 40) {
    Outcome outcome;
    AppleLz4Decoder decoder(maximum, [&outcome](QByteArrayView plain) {
        EXPECT_LE(plain.size(), 65536);
        outcome.plain.append(plain);
        return true;
    });
    Result<> result;
    if (step == 0) {
        result = decoder.feed(frame);
    } else {
        for (qsizetype i = 0; i < frame.size() && result; i += step)
            result =
                decoder.feed(QByteArrayView(frame).sliced(i, std::min(step, frame.size() - i)));
    }
    if (result)
        result = decoder.finish();
    outcome.fault = decoder.fault();
    outcome.failed = !result.has_value();
    EXPECT_EQ(outcome.failed, outcome.fault != Fault::None);
    if (outcome.failed) {
        EXPECT_EQ(result.error().kind, Error::Kind::Integrity);
    } else {
        EXPECT_EQ(decoder.plainBytes(), static_cast<quint64>(outcome.plain.size()));
    }
    return outcome;
}

QByteArray number(quint32 value) {
    QByteArray bytes(4, Qt::Uninitialized);
    qToLittleEndian(value, bytes.data());
    return bytes;
}

QByteArray stored(const QByteArray& plain) {
    return QByteArrayLiteral("bv4-") + number(static_cast<quint32>(plain.size())) + plain;
}

QByteArray compressed(quint32 decoded, const QByteArray& payload) {
    return QByteArrayLiteral("bv41") + number(decoded) +
           number(static_cast<quint32>(payload.size())) + payload;
}

QByteArray pattern(int count) {
    QByteArray bytes(count, Qt::Uninitialized);
    for (int i = 0; i < count; ++i)
        bytes[i] = static_cast<char>((i * 131 + (i >> 8) * 17) & 0xFF);
    return bytes;
}

QByteArray noise(int count, unsigned seed) {
    std::mt19937 random(seed);
    QByteArray bytes(count, Qt::Uninitialized);
    for (char& byte : bytes)
        byte = static_cast<char>(random());
    return bytes;
}

QJsonObject vectors() {
    QFile file(QStringLiteral(VITRINE_TEST_DATA "/apple_lz4_vectors.json"));
    EXPECT_TRUE(file.open(QIODevice::ReadOnly));
    return QJsonDocument::fromJson(file.readAll()).object();
}

Fault faultOf(const QString& word) {
    static const std::map<QString, Fault> faults{
        {QStringLiteral("truncated"), Fault::Truncated},
        {QStringLiteral("bad-magic"), Fault::BadMagic},
        {QStringLiteral("block-too-large"), Fault::BlockTooLarge},
        {QStringLiteral("bad-offset"), Fault::BadOffset},
        {QStringLiteral("literal-overrun"), Fault::LiteralsPastPayload},
        {QStringLiteral("output-overrun"), Fault::OutputOverrun},
        {QStringLiteral("size-mismatch"), Fault::SizeMismatch},
        {QStringLiteral("trailing-data"), Fault::TrailingData}};
    return faults.at(word);
}

const QList<qsizetype> steps{0, 1, 2, 3, 7, 11, 13, 17, 251, 4093, 65521, 65537};

QByteArray diskLike(int count, unsigned seed) {
    std::mt19937 random(seed);
    QByteArray bytes;
    while (bytes.size() < count) {
        switch (random() % 4) {
        case 0:
            bytes.append(QByteArray(static_cast<qsizetype>(random() % 9000), '\0'));
            break;
        case 1:
            bytes.append(noise(static_cast<int>(random() % 3000), static_cast<unsigned>(random())));
            break;
        case 2:
            if (bytes.size() > 60000)
                bytes.append(bytes.sliced(bytes.size() - 60000, 4000));
            break;
        default:
            bytes.append("The quick brown fox jumps over the lazy dog. ");
        }
    }
    bytes.truncate(count);
    return bytes;
}

} // namespace

TEST(AppleLz4Decoder, ViewsFollowOneAnotherUntilTheMemoryIsReused) {
    QByteArray plain;
    for (unsigned i = 0; i < 40; ++i)
        plain += pattern(30000) + noise(20000, i);
    const QByteArray frame = encodeAppleLz4(plain);
    QByteArray out;
    QByteArrayView run;
    int reuses = 0;
    const auto flush = [&] {
        out.append(run);
        run = QByteArrayView();
        ++reuses;
        return true;
    };
    const auto gather = [&run](QByteArrayView piece) {
        if (!run.isEmpty()) {
            EXPECT_EQ(run.data() + run.size(), piece.data());
        }
        run = QByteArrayView(run.isEmpty() ? piece.data() : run.data(), run.size() + piece.size());
        return true;
    };
    AppleLz4Decoder decoder(1 << 30, gather, {512 * 1024, 777, flush});
    ASSERT_TRUE(decoder.feed(QByteArrayView(frame).first(100000)));
    ASSERT_FALSE(run.isEmpty());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(run.data()) % 4096, 777U);
    ASSERT_TRUE(decoder.feed(QByteArrayView(frame).sliced(100000)));
    ASSERT_TRUE(decoder.finish());
    EXPECT_EQ((reinterpret_cast<std::uintptr_t>(run.data()) - 777 -
               static_cast<std::uintptr_t>(out.size())) %
                  4096,
              0U);
    flush();
    EXPECT_TRUE(out == plain);
    EXPECT_GE(reuses, 4);

    AppleLz4Decoder stopped(1 << 30, gather, {0, 0, [] { return false; }});
    EXPECT_FALSE(stopped.feed(frame));
    EXPECT_EQ(stopped.fault(), Fault::SinkFailed);
}

TEST(AppleLz4Decoder, AnotherDecoderGoesOnAtAnyBlock) {
    QByteArray plain;
    for (unsigned i = 0; i < 5; ++i)
        plain += pattern(65536) + noise(20000, i);
    const QByteArray frame = encodeAppleLz4(plain);
    for (const qsizetype cut :
         {qsizetype{1}, qsizetype{70000}, frame.size() / 2, frame.size() - 5}) {
        QByteArray out;
        const auto append = [&out](QByteArrayView piece) {
            out.append(piece);
            return true;
        };
        AppleLz4Decoder first(1 << 30, append);
        ASSERT_TRUE(first.feed(QByteArrayView(frame).first(cut)));
        const auto offset = first.blockOffset();
        ASSERT_LE(offset, static_cast<quint64>(cut));
        AppleLz4Decoder second(1 << 30, append);
        second.resume(offset,
                      first.plainBytes(),
                      QByteArrayView(out).last(std::min<qsizetype>(out.size(), 65536)));
        ASSERT_TRUE(second.feed(QByteArrayView(frame).sliced(static_cast<qsizetype>(offset))));
        ASSERT_TRUE(second.finish());
        EXPECT_EQ(out, plain);
        EXPECT_EQ(second.compressedBytes(), static_cast<quint64>(frame.size()));
        EXPECT_EQ(second.plainBytes(), static_cast<quint64>(plain.size()));
    }
}

TEST(AppleLz4Decoder, GoodVectorsDecodeHoweverTheyAreCut) {
    const QJsonArray good = vectors()[QLatin1String("good")].toArray();
    ASSERT_EQ(good.size(), 11);
    for (const QJsonValue& vector : good) {
        const QString name = vector[QLatin1String("name")].toString();
        QByteArray frame =
            QByteArray::fromHex(vector[QLatin1String("frame_hex")].toString().toLatin1());
        if (name == QLatin1String("far-match-65535"))
            frame = stored(pattern(65536)) +
                    compressed(1024, QByteArray::fromHex("0fffffffffffeb50") + "END!!") + "bv4$";
        ASSERT_EQ(frame.size(), vector[QLatin1String("frame_size")].toInteger())
            << name.toStdString();
        ASSERT_EQ(Sha256::ofBytes(frame).toHex(), vector[QLatin1String("frame_sha256")].toString());
        for (const qsizetype step : steps) {
            const Outcome outcome = decode(frame, step);
            EXPECT_EQ(outcome.fault, Fault::None) << name.toStdString() << " in steps of " << step;
            EXPECT_EQ(outcome.plain.size(), vector[QLatin1String("plain_size")].toInteger());
            EXPECT_EQ(Sha256::ofBytes(outcome.plain).toHex(),
                      vector[QLatin1String("plain_sha256")].toString());
        }
    }
}

TEST(AppleLz4Decoder, BadVectorsGiveTheirFaultHoweverTheyAreCut) {
    const QJsonArray bad = vectors()[QLatin1String("bad")].toArray();
    ASSERT_EQ(bad.size(), 32);
    for (const QJsonValue& vector : bad) {
        const QByteArray frame =
            QByteArray::fromHex(vector[QLatin1String("frame_hex")].toString().toLatin1());
        for (const qsizetype step : steps) {
            EXPECT_EQ(decode(frame, step).fault, faultOf(vector[QLatin1String("error")].toString()))
                << vector[QLatin1String("name")].toString().toStdString() << " in steps of "
                << step;
        }
    }
}

TEST(AppleLz4Decoder, EveryPrefixIsTruncated) {
    const QByteArray frame = encodeAppleLz4(diskLike(3000, 5));
    for (qsizetype i = 0; i < frame.size(); ++i)
        ASSERT_EQ(decode(frame.first(i)).fault, Fault::Truncated) << i;
}

TEST(AppleLz4Decoder, DeclaredSizeIsNeverPassed) {
    const QByteArray frame = encodeAppleLz4(QByteArray(200000, 'x'));
    EXPECT_EQ(decode(frame, 0, 200000).fault, Fault::None);
    const Outcome outcome = decode(frame, 0, 199999);
    EXPECT_EQ(outcome.fault, Fault::TotalTooLarge);
    EXPECT_LE(outcome.plain.size(), 199999);
    EXPECT_EQ(decode(stored("x") + "bv4$", 1, 0).fault, Fault::TotalTooLarge);
}

TEST(AppleLz4Decoder, SizeLimitsAreCheckedBeforeThePayloadArrives) {
    AppleLz4Decoder decoder(1 << 20, [](QByteArrayView) { return true; });
    EXPECT_FALSE(decoder.feed(QByteArrayLiteral("bv4-") + number(65537)));
    EXPECT_EQ(decoder.fault(), Fault::BlockTooLarge);
    AppleLz4Decoder second(100, [](QByteArrayView) { return true; });
    EXPECT_FALSE(second.feed(QByteArrayLiteral("bv41") + number(101) + number(20)));
    EXPECT_EQ(second.fault(), Fault::TotalTooLarge);
}

TEST(AppleLz4Decoder, AfterAFaultEveryCallFails) {
    AppleLz4Decoder decoder(100, [](QByteArrayView) { return true; });
    EXPECT_FALSE(decoder.feed("nonsense"));
    EXPECT_FALSE(decoder.feed("bv4$"));
    EXPECT_FALSE(decoder.feed({}));
    EXPECT_FALSE(decoder.finish());
    EXPECT_EQ(decoder.fault(), Fault::BadMagic);
}

TEST(AppleLz4Decoder, ARefusingSinkStopsIt) {
    int calls = 0;
    AppleLz4Decoder decoder(1000, [&calls](QByteArrayView) {
        ++calls;
        return false;
    });
    EXPECT_FALSE(decoder.feed(stored("one") + stored("two") + "bv4$"));
    EXPECT_EQ(decoder.fault(), Fault::SinkFailed);
    EXPECT_EQ(calls, 1);
}

TEST(AppleLz4Decoder, DistanceZeroIsFoundBehindAnyShapeOfSequence) {
    // The second match of the block has distance 0; liblz4 1.9.4 may accept such a block.
    const QByteArray longLiterals = QByteArray::fromHex("f000") + "0123456789abcde";
    const QByteArray sequence = longLiterals + QByteArray::fromHex("0100") +
                                QByteArray::fromHex("1f78") + QByteArray::fromHex("0000ff01") +
                                QByteArray::fromHex("c0") + "0123456789ab";
    const quint32 decoded = 15 + 4 + 1 + (15 + 255 + 1 + 4) + 12;
    EXPECT_EQ(decode(compressed(decoded, sequence) + "bv4$").fault, Fault::BadOffset);
    EXPECT_TRUE(hasZeroDistance(sequence.constData(), static_cast<std::size_t>(sequence.size())));
    // Two zero bytes among the literals are no distance.
    const QByteArray zeros = QByteArray::fromHex("50") + QByteArray(5, '\0');
    EXPECT_FALSE(hasZeroDistance(zeros.constData(), static_cast<std::size_t>(zeros.size())));
    EXPECT_EQ(decode(compressed(5, zeros) + "bv4$").plain, QByteArray(5, '\0'));
}

TEST(AppleLz4Decoder, BlocksThatBreakOnlyTheEndRulesAreRead) {
    // One literal behind the last match: liblz4 refuses it, the format's readers do not have to.
    const QByteArray payload = QByteArray::fromHex("10") + "a" + QByteArray::fromHex("0100") +
                               QByteArray::fromHex("10") + "b";
    EXPECT_EQ(decode(compressed(6, payload) + "bv4$").plain, QByteArrayLiteral("aaaaab"));
}

TEST(AppleLz4Encoder, WhatItWritesIsReadBackAtEveryBorder) {
    const QList<int> sizes{0,
                           1,
                           5,
                           12,
                           13,
                           100,
                           65535,
                           65536,
                           65537,
                           131072,
                           131073,
                           200000,
                           262144,
                           262145,
                           327680,
                           1000003};
    for (const int size : sizes) {
        const QList<QByteArray> corpora{
            QByteArray(size, '\0'), noise(size, 7), diskLike(size, 11), pattern(size)};
        for (const QByteArray& plain : corpora) {
            const QByteArray frame = encodeAppleLz4(plain);
            EXPECT_TRUE(frame.endsWith("bv4$"));
            for (const qsizetype step : {qsizetype{0}, qsizetype{4099}, qsizetype{65537}}) {
                const Outcome outcome = decode(frame, step);
                ASSERT_EQ(outcome.fault, Fault::None) << size;
                ASSERT_TRUE(outcome.plain == plain) << size;
            }
        }
    }
}

TEST(AppleLz4Encoder, BlocksAreFullAndSmallerThanTheirPlainBytes) {
    const QByteArray frame = encodeAppleLz4(noise(65536, 3) + diskLike(300000, 4));
    qsizetype position = 0;
    quint32 lastSize = 65536;
    while (frame.sliced(position, 4) != "bv4$") {
        EXPECT_EQ(lastSize, 65536U); // only the last block may be shorter
        lastSize = qFromLittleEndian<quint32>(frame.constData() + position + 4);
        if (frame.sliced(position, 4) == "bv41") {
            const auto encoded = qFromLittleEndian<quint32>(frame.constData() + position + 8);
            EXPECT_LT(encoded, lastSize);
            position += 12 + encoded;
        } else {
            position += 8 + lastSize;
        }
    }
    EXPECT_EQ(position + 4, frame.size());
}

TEST(AppleLz4Encoder, BlocksReferToTheBlockBefore) {
    // Compressible only through history: the same noise twice.
    const QByteArray once = noise(60000, 9);
    EXPECT_LT(encodeAppleLz4(once + once).size(), 60000 + 2000);
}

TEST(AppleLz4Decoder, DamagedFramesEndInAFaultOrInBytesOfTheRightSize) {
    const QByteArray plain = diskLike(150000, 21);
    const QByteArray frame = encodeAppleLz4(plain);
    std::mt19937 random(1);
    for (int i = 0; i < 400; ++i) {
        QByteArray damaged = frame;
        for (unsigned flips = 1 + random() % 3; flips > 0; --flips) {
            const auto at = static_cast<qsizetype>(random() % static_cast<unsigned>(frame.size()));
            damaged[at] = static_cast<char>(damaged.at(at) ^ (1 << (random() % 8)));
        }
        const Outcome outcome =
            decode(damaged, 1 + static_cast<qsizetype>(random() % 70000), 150000);
        EXPECT_LE(outcome.plain.size(), 150000);
    }
}

// liblz4 and the strict decoder must judge a block alike, but for the end rules and distance 0.
TEST(AppleLz4Decoder, StrictDecodingAgreesWithTheFastOne) {
    const QByteArray plain = diskLike(65536, 33);
    const QByteArray frame = encodeAppleLz4(plain);
    ASSERT_TRUE(frame.startsWith("bv41"));
    const auto encoded = static_cast<qsizetype>(qFromLittleEndian<quint32>(frame.constData() + 8));
    QByteArray output(65536, Qt::Uninitialized);
    ASSERT_EQ(
        decodeLz4BlockStrictly(
            frame.constData() + 12, static_cast<std::size_t>(encoded), output.data(), 65536, 0),
        Fault::None);
    EXPECT_TRUE(output == plain);
}

} // namespace vitrine
