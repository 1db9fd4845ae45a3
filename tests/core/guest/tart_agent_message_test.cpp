// SPDX-License-Identifier: Apache-2.0
#include "core/guest/tart_agent_message.h"

#include "core/guest/grpc_frames.h"

#include <gtest/gtest.h>

namespace vitrine {

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

QByteArray hex(const char* digits) {
    return QByteArray::fromHex(digits);
}

// Every decoder at every length and with every byte changed: an answer or an error, never more.
void mistreat(const QByteArray& message) {
    for (qsizetype length = 0; length < message.size(); ++length) {
        const QByteArray part = message.left(length);
        (void)decodeExecEvent(part);
        (void)decodeAddress(part);
        for (const char byte : {'\x00', '\x07', '\x7f', '\x80', '\xff'}) {
            QByteArray changed = message;
            changed[length] = byte;
            (void)decodeExecEvent(changed);
            (void)decodeAddress(changed);
        }
    }
}

} // namespace

TEST(TartAgentMessage, ACommandHasItsGoldenBytes) {
    TartAgentCommand command;
    command.name = s("echo");
    command.arguments = {s("a"), QString(), s("ü")};
    EXPECT_EQ(encodeCommand(command).toHex(), QByteArray("0a0f0a046563686f12016112001202c3bc"));
    command.arguments.clear();
    command.interactive = command.terminal = true;
    command.size = {24, 300};
    command.detach = true;
    command.environment = {{s("A"), s("1")}, {s("B"), QString()}};
    command.workingDirectory = s("/tmp");
    EXPECT_EQ(encodeCommand(command).toHex(),
              QByteArray("0a260a046563686f180120012a05081810ac02"
                         "30013a060a01411201313a030a014242042f746d70"));
}

TEST(TartAgentMessage, InputAndSizesHaveTheirGoldenBytes) {
    EXPECT_EQ(encodeInput("hi").toHex(), QByteArray("12040a026869"));
    EXPECT_EQ(encodeInput({}).toHex(), QByteArray("1200")) << "the end of input is a message too";
    EXPECT_EQ(encodeResize({50, 132}).toHex(),
              QByteArray("1a0508321084"
                         "01"));
    EXPECT_EQ(encodeResize({0, 0}).toHex(), QByteArray("1a00"));
}

TEST(TartAgentMessage, OutputErrorsAndExitAreRead) {
    const auto output = decodeExecEvent(hex("12050a03616200"));
    ASSERT_TRUE(output);
    EXPECT_EQ(output->kind, TartAgentEvent::Kind::Output);
    EXPECT_EQ(output->bytes, QByteArray("ab\0", 3));
    EXPECT_EQ(decodeExecEvent(hex("1a030a0165"))->kind, TartAgentEvent::Kind::Errors);
    const auto exit = decodeExecEvent(hex("0a02082a"));
    ASSERT_TRUE(exit);
    EXPECT_EQ(exit->kind, TartAgentEvent::Kind::Exit);
    EXPECT_EQ(exit->exitCode, 42);
    EXPECT_EQ(decodeExecEvent(hex("0a00"))->kind, TartAgentEvent::Kind::Exit);
    EXPECT_EQ(decodeExecEvent(hex("0a00"))->exitCode, 0);
    EXPECT_EQ(decodeExecEvent(hex("0a0b08ffffffffffffffffff01"))->exitCode, -1) << "ten bytes";
    EXPECT_EQ(decodeExecEvent(hex("0a0608ffffffff0f"))->exitCode, -1) << "five bytes";
    EXPECT_EQ(*decodeAddress(hex("0a0831302e302e302e35")), s("10.0.0.5"));
}

TEST(TartAgentMessage, WhatANewerAgentAddsIsPassedOver) {
    // 9: varint, 10: eight bytes, 11: four bytes, 12: text; then output, with a field of its own.
    const QByteArray strange = hex("48ff01"
                                   "510000000000000000"
                                   "5d00000000"
                                   "6203616263");
    const auto event = decodeExecEvent(strange + hex("12050a01611001"));
    ASSERT_TRUE(event);
    EXPECT_EQ(event->bytes, QByteArray("a"));
    EXPECT_EQ(decodeExecEvent(strange)->kind, TartAgentEvent::Kind::Nothing);
    EXPECT_EQ(decodeExecEvent({})->kind, TartAgentEvent::Kind::Nothing);
    EXPECT_EQ(decodeExecEvent(hex("0805"))->kind, TartAgentEvent::Kind::Nothing)
        << "a number where a message belongs";
    EXPECT_EQ(*decodeAddress(strange + hex("0a0131")), s("1"));
}

TEST(TartAgentMessage, WhatIsCutOffIsAnErrorAtEveryLength) {
    for (const QByteArray& whole : {hex("12050a03616200"), hex("0a02082a"), hex("1a030a0165")})
        for (qsizetype length = 1; length < whole.size(); ++length) {
            const auto event = decodeExecEvent(whole.left(length));
            ASSERT_FALSE(event) << whole.toHex().toStdString() << ' ' << length;
            EXPECT_EQ(event.error().kind, Error::Kind::Integrity);
        }
    const QByteArray address = hex("0a0831302e302e302e35");
    for (qsizetype length = 1; length < address.size(); ++length)
        EXPECT_FALSE(decodeAddress(address.left(length))) << length;
}

TEST(TartAgentMessage, HostileMessagesAreErrors) {
    const auto refused = [](const char* digits) { return !decodeExecEvent(hex(digits)); };
    EXPECT_TRUE(refused("12ffffffffffffffffff01")) << "a length of 2^64 - 1";
    EXPECT_TRUE(refused("12ffffffff0f61")) << "a length of 2^32 - 1";
    EXPECT_TRUE(refused("08ffffffffffffffffffff01")) << "a number of eleven bytes";
    EXPECT_TRUE(refused("0001")) << "field 0";
    EXPECT_TRUE(refused("13")) << "a group";
    EXPECT_TRUE(refused("16")) << "no such type";
    EXPECT_TRUE(refused("120212ff")) << "broken inside";
    EXPECT_TRUE(refused("ffffffffffffffffff0100")) << "a tag of 64 bits";
    EXPECT_FALSE(decodeAddress(hex("0a50") + QByteArray(80, '1'))) << "no address is that long";
    mistreat(hex("12050a0361620048ff01510000000000000000"));
    mistreat(hex("0a0831302e302e302e35"));
}

TEST(GrpcFrames, AreCutAnywhere) {
    const QByteArray bytes =
        GrpcFrames::frame("one") + GrpcFrames::frame({}) + GrpcFrames::frame("three");
    EXPECT_EQ(bytes.left(8).toHex(), QByteArray("00000000036f6e65"));
    for (qsizetype step = 1; step <= bytes.size(); ++step) {
        GrpcFrames frames;
        QByteArrayList taken;
        for (qsizetype at = 0; at < bytes.size(); at += step) {
            frames.append(bytes.mid(at, step));
            for (auto message = frames.take(); message && *message; message = frames.take())
                taken << **message;
        }
        EXPECT_EQ(taken, (QByteArrayList{"one", {}, "three"})) << step;
        EXPECT_TRUE(frames.isEmpty());
    }
    GrpcFrames frames;
    frames.append(bytes.left(4));
    EXPECT_FALSE(*frames.take());
    EXPECT_FALSE(frames.isEmpty());
}

TEST(GrpcFrames, CompressedAndEndlessMessagesAreRefused) {
    for (const char flag : {'\1', '\2', '\xff'}) {
        GrpcFrames frames;
        frames.append(QByteArray(1, flag));
        const auto message = frames.take();
        ASSERT_FALSE(message);
        EXPECT_EQ(message.error().kind, Error::Kind::Integrity);
        EXPECT_TRUE(message.error().message.contains(s("compressed")));
    }
    GrpcFrames frames;
    frames.append(hex("00ffffffff"));
    EXPECT_FALSE(frames.take()) << "before four GiB are waited for";
    GrpcFrames largest;
    largest.append(hex("0000400000") + QByteArray(GrpcFrames::maximumMessage, 'x'));
    EXPECT_EQ((*largest.take())->size(), GrpcFrames::maximumMessage);
    GrpcFrames larger;
    larger.append(hex("0000400001"));
    EXPECT_FALSE(larger.take());
}

} // namespace vitrine
