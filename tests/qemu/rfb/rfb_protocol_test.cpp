// SPDX-License-Identifier: Apache-2.0
#include "qemu/rfb/rfb_protocol.h"

#include "tests/qemu/rfb/rfb_bytes.h"
#include "tests/qemu/rfb/rfb_recorder.h"

#include <gtest/gtest.h>

#include <random>

namespace vitrine::qemu {

using test::RfbRecorder;
using test::ServerBytes;

namespace {

Result<> feedInPieces(RfbProtocol& protocol, const QByteArray& bytes, qsizetype piece) {
    for (qsizetype at = 0; at < bytes.size(); at += piece) {
        const auto size = std::min(piece, bytes.size() - at);
        auto result = protocol.feed(reinterpret_cast<const uchar*>(bytes.constData()) + at, size);
        if (!result) {
            return result;
        }
    }
    return {};
}

Result<> feedAll(RfbProtocol& protocol, const QByteArray& bytes) {
    return protocol.feed(reinterpret_cast<const uchar*>(bytes.constData()), bytes.size());
}

// One of everything a server may say after the greeting.
QByteArray wholeSession() {
    ServerBytes bytes;
    bytes.greeting({32, 16});
    bytes.update(2).fill({0, 0, 32, 16}, 0x112233).fill({3, 5, 7, 2}, 0x445566);
    bytes.update(1).rectangle(0, 0, 0, 0, -258);
    bytes.update(1).rectangle(0, 0, 0, 0, -261).u8(4);
    bytes.update(1).rectangle(1, 0, 32, 16, -257);
    bytes.u8(2); // bell
    bytes.u8(1).u8(0).u16(0).u16(2).raw(QByteArray(12, 'c'));
    bytes.u8(3).raw(QByteArray(3, '\0')).u32(5).text("Hello");
    bytes.u8(3).raw(QByteArray(3, '\0')).u32(static_cast<quint32>(-6)).text("UTF-8!");
    bytes.update(1).rectangle(1, 2, 2, 1, -239).u32(0x33221100).u32(0x77665544).u8(0x80);
    bytes.update(1).rectangle(0, 1, 1, 1, -314).u32(0).u8(100).u8(50).u8(0).u8(128);
    bytes.update(1).rectangle(0, 0, 0, 0, -307).u32(3).text("new");
    bytes.update(1).rectangle(1, 4, 32, 16, -308).u8(1).raw(QByteArray(3, '\0'));
    bytes.u32(7).raw(QByteArray(12, '\0'));
    bytes.update(1).rectangle(0, 0, 48, 24, -308).u8(1).raw(QByteArray(3, '\0'));
    bytes.u32(7).raw(QByteArray(12, '\0'));
    bytes.update(0xffff).fill({46, 22, 2, 2}, 0x778899).rectangle(0, 0, 0, 0, -224);
    bytes.update(1).rectangle(0, 0, 16, 8, -223);
    return bytes.bytes();
}

void expectWholeSession(const RfbRecorder& seen) {
    EXPECT_TRUE(seen.isEstablished);
    EXPECT_EQ(seen.sizes, (QList<QSize>{{32, 16}, {48, 24}, {16, 8}}));
    EXPECT_EQ(seen.rectangles, (QList<QRect>{{0, 0, 32, 16}, {3, 5, 7, 2}, {46, 22, 2, 2}}));
    EXPECT_EQ(seen.updates, 11);
    EXPECT_TRUE(seen.extendedKeys);
    EXPECT_EQ(seen.leds, QList<int>{4});
    EXPECT_EQ(seen.modes, QList<bool>{true});
    EXPECT_EQ(seen.screens, (QList<quint32>{7, 7}));
    EXPECT_EQ(seen.resizeStatuses, QList<int>{4});
    ASSERT_EQ(seen.shapes.size(), 2);
    EXPECT_EQ(seen.shapes.at(0).width, 2);
    EXPECT_EQ(seen.shapes.at(0).hotSpot, QPoint(1, 2));
    EXPECT_EQ(seen.shapes.at(0).pixels, QByteArray::fromHex("332211ff00000000"));
    EXPECT_EQ(seen.shapes.at(1).pixels, QByteArray::fromHex("0064c780"));
    EXPECT_EQ(seen.outside, 0);
}

} // namespace

TEST(RfbProtocol, TheGreetingIsAnsweredAndThePixelFormatAskedFor) {
    RfbRecorder seen;
    RfbProtocol protocol(seen);
    ASSERT_TRUE(feedAll(protocol, ServerBytes().greeting({640, 480}).bytes()));
    EXPECT_TRUE(protocol.isEstablished());
    EXPECT_EQ(seen.sizes, (QList<QSize>{{640, 480}}));
    const QByteArray expected = QByteArrayLiteral("RFB 003.008\n\x01\x01") +
                                QByteArray::fromHex("0000000020180001") +
                                QByteArray::fromHex("00ff00ff00ff100800000000");
    EXPECT_EQ(seen.answers.left(expected.size()), expected);
}

TEST(RfbProtocol, AWholeSessionIsUnderstoodHoweverItIsCut) {
    const QByteArray bytes = wholeSession();
    for (qsizetype piece = 1; piece < 130; ++piece) {
        SCOPED_TRACE(piece);
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        const auto result = feedInPieces(protocol, bytes, piece);
        ASSERT_TRUE(result) << result.error().detail.toStdString();
        expectWholeSession(seen);
    }
    RfbRecorder seen;
    RfbProtocol protocol(seen);
    ASSERT_TRUE(feedAll(protocol, bytes));
    expectWholeSession(seen);
}

TEST(RfbProtocol, PixelsLandWhereTheyBelong) {
    const QByteArray bytes = ServerBytes()
                                 .greeting({20, 10})
                                 .update(3)
                                 .fill({0, 0, 20, 10}, 0x101010)
                                 .fill({2, 3, 4, 5}, 0xabcdef)
                                 .fill({19, 9, 1, 1}, 0x00ff00)
                                 .bytes();
    for (const qsizetype piece : {qsizetype{1}, qsizetype{7}, bytes.size()}) {
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        ASSERT_TRUE(feedInPieces(protocol, bytes, piece));
        for (int y = 0; y < 10; ++y) {
            for (int x = 0; x < 20; ++x) {
                const bool inner = QRect(2, 3, 4, 5).contains(x, y);
                const bool corner = x == 19 && y == 9;
                EXPECT_EQ(seen.pixel(x, y), corner ? 0x00ff00U : inner ? 0xabcdefU : 0x101010U);
            }
        }
    }
}

TEST(RfbProtocol, RowsOfWholeWidthMayBeReadStraightIntoTheFrame) {
    RfbRecorder seen;
    RfbProtocol protocol(seen);
    QByteArray bytes =
        ServerBytes().greeting({16, 8}).update(1).fill({0, 2, 16, 4}, 0x123456).bytes();
    const qsizetype pixelBytes = qsizetype{4} * 16 * 4;
    const QByteArray pixels = bytes.right(pixelBytes);
    bytes.chop(pixelBytes);
    ASSERT_TRUE(feedAll(protocol, bytes));
    EXPECT_EQ(protocol.directRead().offset, 4 * 16 * 2);
    EXPECT_EQ(protocol.directRead().bytes, pixelBytes);
    // 5 bytes straight, 3 fed, the rest straight.
    const auto straight = [&](qsizetype from, qsizetype count) {
        const auto direct = protocol.directRead();
        EXPECT_EQ(seen.frame.fill(direct.offset,
                                  count,
                                  [&](char* out, qint64 most) {
                                      memcpy(out, pixels.constData() + from, size_t(most));
                                      return most;
                                  }),
                  count);
        EXPECT_TRUE(protocol.skipPixels(count));
    };
    straight(0, 5);
    ASSERT_TRUE(feedAll(protocol, pixels.mid(5, 3)));
    straight(8, pixelBytes - 8);
    EXPECT_EQ(seen.rectangles, (QList<QRect>{{0, 2, 16, 4}}));
    EXPECT_EQ(seen.updates, 1);
    EXPECT_EQ(seen.pixel(0, 1), 0U);
    for (int x = 0; x < 16; ++x) {
        EXPECT_EQ(seen.pixel(x, 2), 0x123456U);
        EXPECT_EQ(seen.pixel(x, 5), 0x123456U);
    }
    EXPECT_EQ(protocol.directRead().bytes, 0);
    EXPECT_FALSE(protocol.skipPixels(4));
}

TEST(RfbProtocol, ARectangleOutsideOfTheScreenEndsTheSession) {
    for (const QRect& area : {QRect(0, 0, 33, 1), QRect(0, 16, 1, 1), QRect(31, 0, 2, 1)}) {
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        const auto result = feedAll(
            protocol, ServerBytes().greeting({32, 16}).update(1).fill(area, 0xffffff).bytes());
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().kind, Error::Kind::Integrity);
        EXPECT_EQ(seen.outside, 0);
    }
}

TEST(RfbProtocol, AScreenThatIsTooLargeOrEmptyIsRefusedBeforeMemoryIsTaken) {
    for (const QSize& size :
         {QSize(0, 480), QSize(640, 0), QSize(8193, 1), QSize(1, 65535), QSize(65535, 65535)}) {
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        EXPECT_FALSE(feedAll(protocol, ServerBytes().greeting(size).bytes()));
        EXPECT_TRUE(seen.sizes.isEmpty());

        RfbRecorder later;
        RfbProtocol established(later);
        ASSERT_TRUE(feedAll(established, ServerBytes().greeting({640, 480}).bytes()));
        EXPECT_FALSE(feedAll(
            established,
            ServerBytes().update(1).rectangle(0, 0, size.width(), size.height(), -223).bytes()));
        EXPECT_EQ(later.sizes.size(), 1);
    }
}

TEST(RfbProtocol, AScreenForWhichThereIsNoMemoryIsAnErrorWithItsSize) {
    RfbRecorder seen;
    seen.memoryLeft = false;
    RfbProtocol protocol(seen);
    const auto result = feedAll(protocol, ServerBytes().greeting({800, 600}).bytes());
    ASSERT_FALSE(result);
    EXPECT_TRUE(result.error().message.contains(QStringLiteral("800 x 600")));
}

TEST(RfbProtocol, AHugePointerIsRefused) {
    for (const int encoding : {-239, -314}) {
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        EXPECT_FALSE(feedAll(
            protocol,
            ServerBytes().greeting({32, 16}).update(1).rectangle(0, 0, 513, 1, encoding).bytes()));
    }
}

TEST(RfbProtocol, AnEmptyPointerHidesIt) {
    for (const int encoding : {-239, -314}) {
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        ServerBytes bytes;
        bytes.greeting({32, 16}).update(1).rectangle(0, 0, 0, 0, encoding);
        if (encoding == -314) {
            bytes.u32(0);
        }
        ASSERT_TRUE(feedAll(protocol, bytes.bytes()));
        ASSERT_EQ(seen.shapes.size(), 1);
        EXPECT_TRUE(seen.shapes.at(0).pixels.isEmpty());
        EXPECT_EQ(seen.updates, 1);
    }
}

TEST(RfbProtocol, LongTextIsPassedOverWithoutBeingKeptAndAbsurdTextRefused) {
    RfbRecorder seen;
    RfbProtocol protocol(seen);
    ASSERT_TRUE(feedAll(
        protocol,
        ServerBytes().greeting({32, 16}).u8(3).raw(QByteArray(3, '\0')).u32(1 << 24).bytes()));
    const QByteArray piece(1 << 20, 'x');
    for (int i = 0; i < 16; ++i) {
        ASSERT_TRUE(feedAll(protocol, piece));
    }
    ASSERT_TRUE(feedAll(protocol, ServerBytes().update(0).bytes()));
    EXPECT_EQ(seen.updates, 1);
    for (const quint32 length : {0x7fffffffU, 0x80000000U, 0x04000001U}) {
        RfbRecorder other;
        RfbProtocol refusing(other);
        EXPECT_FALSE(feedAll(
            refusing,
            ServerBytes().greeting({32, 16}).u8(3).raw(QByteArray(3, '\0')).u32(length).bytes()));
    }
}

TEST(RfbProtocol, ServersThatWantAPasswordOrRefuseAreToldWithTheirReason) {
    {
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        const auto result =
            feedAll(protocol, ServerBytes().text("RFB 003.008\n").u8(1).u8(2).bytes());
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().kind, Error::Kind::Unauthorized);
    }
    {
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        const auto result = feedAll(
            protocol, ServerBytes().text("RFB 003.008\n").u8(0).u32(8).text("too many").bytes());
        ASSERT_FALSE(result);
        EXPECT_TRUE(result.error().message.contains(QStringLiteral("too many")));
    }
    {
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        const auto result = feedAll(
            protocol,
            ServerBytes().text("RFB 003.008\n").u8(1).u8(1).u32(1).u32(2).text("no").bytes());
        ASSERT_FALSE(result);
        EXPECT_TRUE(result.error().message.contains(QStringLiteral("\"no\"")));
    }
    {
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        ServerBytes endless;
        endless.text("RFB 003.008\n").u8(0).u32(0xffffffffU).raw(QByteArray(5000, 'a'));
        const auto result = feedAll(protocol, endless.bytes());
        ASSERT_FALSE(result);
        EXPECT_LT(result.error().message.size(), 5000);
    }
}

TEST(RfbProtocol, OtherProtocolsAreRefused) {
    for (const char* text :
         {"SSH-2.0-OpenS", "RFB 003.003\n", "RFB 003.007\n", "HTTP/1.1 400", "RFB 003.008x"}) {
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        EXPECT_FALSE(feedAll(protocol, QByteArray(text).left(12))) << text;
        EXPECT_TRUE(seen.answers.isEmpty());
    }
    RfbRecorder seen;
    RfbProtocol protocol(seen);
    EXPECT_TRUE(feedAll(protocol, QByteArrayLiteral("RFB 003.889\n")));
}

TEST(RfbProtocol, UnknownMessagesAndEncodingsEndTheSession) {
    RfbRecorder seen;
    RfbProtocol message(seen);
    EXPECT_FALSE(feedAll(message, ServerBytes().greeting({32, 16}).u8(77).bytes()));
    RfbProtocol encoding(seen);
    EXPECT_FALSE(feedAll(
        encoding, ServerBytes().greeting({32, 16}).update(1).rectangle(0, 0, 1, 1, 16).bytes()));
}

TEST(RfbProtocol, ARefusedResizeKeepsTheSize) {
    RfbRecorder seen;
    RfbProtocol protocol(seen);
    ServerBytes bytes;
    bytes.greeting({32, 16}).update(1).rectangle(1, 3, 640, 480, -308).u8(0);
    bytes.raw(QByteArray(3, '\0'));
    ASSERT_TRUE(feedAll(protocol, bytes.bytes()));
    EXPECT_EQ(seen.resizeStatuses, QList<int>{3});
    EXPECT_EQ(seen.sizes.size(), 1);
}

TEST(RfbProtocol, SizesAskedForAreClampedToWhatQemuCanDo) {
    const auto sizeIn = [](const QByteArray& message) {
        return QSize(quint8(message[2]) * 256 + quint8(message[3]),
                     quint8(message[4]) * 256 + quint8(message[5]));
    };
    EXPECT_EQ(sizeIn(rfb::setDesktopSize({8, 8}, 0)), QSize(640, 480));
    EXPECT_EQ(sizeIn(rfb::setDesktopSize({3840, 2160}, 0)), QSize(2560, 2048));
    EXPECT_EQ(sizeIn(rfb::setDesktopSize({1001, 701}, 0)), QSize(1001, 701));
    EXPECT_EQ(rfb::setDesktopSize({1600, 1000}, 0x01020304).toHex(),
              QByteArrayLiteral("fb00064003e80100010203040000000006"
                                "4003e800000000"));
}

TEST(RfbProtocol, KeysAndPointerAreEncodedAsTheServerReadsThem) {
    EXPECT_EQ(rfb::extendedKey(0x61, 0x1e, true).toHex(),
              QByteArrayLiteral("ff00000100000061") + "0000001e");
    EXPECT_EQ(rfb::plainKey(0xff0d, false).toHex(), QByteArrayLiteral("040000000000ff0d"));
    EXPECT_EQ(rfb::pointer(0x102, 0x304, 5).toHex(), QByteArrayLiteral("050501020304"));
    EXPECT_EQ(rfb::updateRequest(true, {1280, 800}).toHex(),
              QByteArrayLiteral("03010000000005000320"));
}

// The fuzzer's little brother: runs with every test, always the same.
TEST(RfbProtocol, MutatedSessionsNeverWriteOutsideOfTheFrame) {
    const QByteArray original = wholeSession();
    std::mt19937 random(20240611); // NOLINT: always the same
    int refused = 0;
    for (int round = 0; round < 20000; ++round) {
        QByteArray bytes = original;
        const int changes = 1 + static_cast<int>(random() % 4);
        for (int i = 0; i < changes; ++i) {
            const auto at = static_cast<qsizetype>(random() % static_cast<unsigned>(bytes.size()));
            switch (random() % 4) {
            case 0:
                bytes[at] = static_cast<char>(random());
                break;
            case 1:
                bytes.remove(at, 1 + static_cast<qsizetype>(random() % 8));
                break;
            case 2:
                bytes.insert(at, QByteArray(static_cast<int>(random() % 9), '\xff'));
                break;
            default:
                bytes.truncate(at + 1);
                break;
            }
            if (bytes.isEmpty()) {
                bytes.append('R');
            }
        }
        RfbRecorder seen;
        RfbProtocol protocol(seen);
        const auto piece = 1 + static_cast<qsizetype>(random() % 64);
        refused += feedInPieces(protocol, bytes, piece) ? 0 : 1;
        ASSERT_EQ(seen.outside, 0) << "round " << round;
        for (const QSize& size : seen.sizes) {
            ASSERT_LE(qint64{4} * size.width() * size.height(), rfb::maximumFrameBytes);
        }
    }
    EXPECT_GT(refused, 1000);
}

} // namespace vitrine::qemu
