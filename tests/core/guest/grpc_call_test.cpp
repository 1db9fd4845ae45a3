// SPDX-License-Identifier: Apache-2.0
// Calls against a peer that sends bytes of HTTP/2 which were made by hand.
#include "core/guest/grpc_call.h"

#include "core/guest/grpc_frames.h"
#include "core/guest/tart_agent.h"
#include "tests/support/event_wait.h"

#include <QSocketNotifier>
#include <QtEndian>

#include <array>
#include <gtest/gtest.h>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>

namespace vitrine::test {

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

enum Type : quint8 {
    Data = 0,
    Headers = 1,
    Reset = 3,
    Settings = 4,
    Ping = 6,
    GoAway = 7,
    Window = 8
};
constexpr quint8 endStream = 1;
constexpr quint8 endHeaders = 4;

QByteArray frame(quint8 type, quint8 flags, quint32 stream, const QByteArray& payload) {
    QByteArray bytes(9, '\0');
    qToBigEndian(static_cast<quint32>(payload.size()) << 8, bytes.data());
    bytes[3] = static_cast<char>(type);
    bytes[4] = static_cast<char>(flags);
    qToBigEndian(stream, bytes.data() + 5);
    return bytes + payload;
}

QByteArray number(quint32 value) {
    QByteArray bytes(4, '\0');
    qToBigEndian(value, bytes.data());
    return bytes;
}

// HPACK, "literal header field without indexing, new name" (RFC 7541, 6.2.2).
QByteArray field(const QByteArray& name, const QByteArray& value) {
    return QByteArray(1, '\0') + static_cast<char>(name.size()) + name +
           static_cast<char>(value.size()) + value;
}

const QByteArray greeting = frame(Settings, 0, 0, {});
const QByteArray responseHeaders =
    frame(Headers, endHeaders, 1, "\x88" + field("content-type", "application/grpc"));

QByteArray trailers(const QByteArray& status, const QByteArray& message = {}) {
    QByteArray fields = field("grpc-status", status);
    if (!message.isEmpty())
        fields += field("grpc-message", message);
    return frame(Headers, endHeaders | endStream, 1, fields);
}

TartAgentCommand command(const char* name) {
    TartAgentCommand command;
    command.name = s(name);
    return command;
}

QByteArray data(const QByteArray& message, quint8 flags = 0) {
    return frame(Data, flags, 1, GrpcFrames::frame(message));
}

class GrpcCallTest : public testing::Test {
protected:
    GrpcCallTest() { connectAnew(); }
    ~GrpcCallTest() override { closePeer(); }

    void connectAnew() {
        closePeer();
        m_call.reset();
        m_prefaceSeen = false;
        m_bytes.clear();
        m_end.reset();
        std::array<int, 2> ends{-1, -1};
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        m_ours = ends[0];
        m_peer = ends[1];
        m_notifier = std::make_unique<QSocketNotifier>(m_peer, QSocketNotifier::Read);
        QObject::connect(m_notifier.get(), &QSocketNotifier::activated, [this] { readPeer(); });
    }

    void closePeer() {
        if (m_notifier) { // this may be in a call of its
            m_notifier->setEnabled(false);
            m_notifier.release()->deleteLater();
        }
        if (m_peer >= 0)
            ::close(m_peer);
        m_peer = -1;
    }
    void say(const QByteArray& bytes) const {
        EXPECT_EQ(
            ::send(m_peer, bytes.constData(), static_cast<size_t>(bytes.size()), MSG_NOSIGNAL),
            bytes.size());
    }
    void readPeer() {
        std::array<char, 65536> buffer{};
        const ssize_t size = ::recv(m_peer, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (size <= 0) {
            m_peerSawEnd = true;
            m_notifier->setEnabled(false);
            return;
        }
        m_bytes.append(buffer.data(), size);
        if (!m_prefaceSeen && m_bytes.size() >= 24) {
            EXPECT_EQ(m_bytes.left(24), QByteArray("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
            m_bytes.remove(0, 24);
            m_prefaceSeen = true;
            say(m_greeting);
        }
        while (m_prefaceSeen && m_bytes.size() >= 9) {
            const auto length =
                static_cast<qsizetype>(qFromBigEndian<quint32>(m_bytes.constData()) >> 8);
            if (m_bytes.size() < 9 + length)
                return;
            const auto type = static_cast<quint8>(m_bytes.at(3));
            const QByteArray payload = m_bytes.mid(9, length);
            m_bytes.remove(0, 9 + length);
            m_seen.append(type);
            if (type == Headers && !m_answer.isEmpty())
                say(m_answer);
            if (type == Headers && m_closeAfterAnswer) {
                closePeer();
                return;
            }
            if (type == Reset)
                m_reset = qFromBigEndian<quint32>(payload.constData());
            if (type == Data)
                m_received += payload;
        }
    }
    void call(int openingTime = 10000) {
        GrpcCall::Listener listener;
        listener.message = [this](const QByteArray& message) { m_messages.append(message); };
        listener.finished = [this](const Result<>& end) {
            ++m_ends;
            m_end = end;
        };
        m_call = std::make_unique<GrpcCall>(
            std::exchange(m_ours, -1), "/Agent/Exec", std::move(listener), openingTime);
        m_call->send("hello");
    }
    // The error of a call that the peer answers with these bytes.
    Error errorAfter(const QByteArray& answer) {
        m_answer = answer;
        call();
        EXPECT_TRUE(waitUntil([this] { return m_end.has_value(); }));
        EXPECT_EQ(m_ends, 1);
        EXPECT_FALSE(*m_end);
        return *m_end ? Error{} : m_end->error();
    }

    int m_ours = -1;
    int m_peer = -1;
    std::unique_ptr<QSocketNotifier> m_notifier;
    bool m_prefaceSeen = false;
    bool m_peerSawEnd = false;
    bool m_closeAfterAnswer = false;
    QByteArray m_greeting = greeting;
    QByteArray m_answer; // to the request
    QByteArray m_bytes;
    QList<quint8> m_seen;
    std::optional<quint32> m_reset;
    QByteArray m_received;
    std::unique_ptr<GrpcCall> m_call;
    QByteArrayList m_messages;
    std::optional<Result<>> m_end;
    int m_ends = 0;
};

} // namespace

TEST_F(GrpcCallTest, MessagesGoBothWaysAndTheStatusEndsIt) {
    m_answer = responseHeaders + data("one") + data("two");
    call();
    ASSERT_TRUE(waitUntil([this] { return m_messages.size() == 2 && !m_received.isEmpty(); }));
    EXPECT_EQ(m_messages, (QByteArrayList{"one", "two"}));
    EXPECT_EQ(m_received, GrpcFrames::frame("hello"));
    EXPECT_FALSE(m_end);
    say(trailers("0"));
    ASSERT_TRUE(waitUntil([this] { return m_end.has_value(); }));
    EXPECT_TRUE(*m_end);
    EXPECT_TRUE(waitUntil([this] { return m_peerSawEnd; })) << "the connection is closed";
}

TEST_F(GrpcCallTest, NothingIsAskedBeforeThePeerHasAnswered) {
    m_greeting.clear();
    call(50);
    ASSERT_TRUE(waitUntil([this] { return m_end.has_value(); }));
    EXPECT_EQ(m_end->error().kind, Error::Kind::Timeout);
    EXPECT_TRUE(m_end->error().message.contains(s("said nothing")));
    ASSERT_TRUE(waitUntil([this] { return m_peerSawEnd; }));
    EXPECT_FALSE(m_seen.contains(Headers)) << "a late agent must not run what was given up";
}

TEST_F(GrpcCallTest, APeerThatTakesNoStreamsOrNoBytesIsGivenUp) {
    m_greeting = frame(Settings, 0, 0, QByteArray::fromHex("000300000000")); // no streams
    call(50);
    ASSERT_TRUE(waitUntil([this] { return m_end.has_value(); }));
    EXPECT_EQ(m_end->error().kind, Error::Kind::Timeout);
}

TEST_F(GrpcCallTest, AClosedConnectionMeansThatThereIsNoAgent) {
    closePeer();
    call();
    ASSERT_TRUE(waitUntil([this] { return m_end.has_value(); }));
    EXPECT_EQ(m_end->error().kind, Error::Kind::Timeout);
    EXPECT_TRUE(m_end->error().message.contains(s("install")))
        << m_end->error().message.toStdString();
}

TEST_F(GrpcCallTest, APeerThatGoesAwayDuringTheCallIsAnErrorBehindItsLastWords) {
    m_answer = responseHeaders + data("last words");
    m_closeAfterAnswer = true;
    call();
    ASSERT_TRUE(waitUntil([this] { return m_end.has_value(); }));
    EXPECT_EQ(m_messages, QByteArrayList{"last words"});
    ASSERT_FALSE(*m_end);
    EXPECT_EQ(m_end->error().kind, Error::Kind::Network);
}

TEST_F(GrpcCallTest, AMethodThatIsNotKnownIsUnsupported) {
    const Error error = errorAfter(
        frame(Headers,
              endHeaders | endStream,
              1,
              "\x88" + field("content-type", "application/grpc") + field("grpc-status", "12")));
    EXPECT_EQ(error.kind, Error::Kind::Unsupported);
    EXPECT_TRUE(error.message.contains(s("/Agent/Exec")));
}

TEST_F(GrpcCallTest, TheMessageOfAStatusIsShownAsPlainText) {
    const Error error =
        errorAfter(responseHeaders + trailers("2", "no%20such%20file%1b[31m%e2%80%aeevil"));
    EXPECT_EQ(error.kind, Error::Kind::Internal);
    EXPECT_TRUE(error.message.contains(s("no such file\\x1b[31m\\u202eevil")))
        << error.message.toStdString();
}

TEST_F(GrpcCallTest, WhatIsNoGrpcIsSaidToBeNone) {
    const Error error = errorAfter(frame(Headers, endHeaders | endStream, 1, "\x8d")); // 404
    EXPECT_EQ(error.kind, Error::Kind::Integrity);
    EXPECT_TRUE(error.message.contains(s("404"))) << error.message.toStdString();
}

TEST_F(GrpcCallTest, AnEndWithoutAStatusIsAnError) {
    EXPECT_EQ(errorAfter(responseHeaders + data("one", endStream)).kind, Error::Kind::Integrity);
    EXPECT_EQ(m_messages, QByteArrayList{"one"});
}

TEST_F(GrpcCallTest, AStatusInTheMiddleOfAMessageIsAnError) {
    EXPECT_EQ(errorAfter(responseHeaders + frame(Data, 0, 1, QByteArray::fromHex("0000000005aa")) +
                         trailers("0"))
                  .kind,
              Error::Kind::Network);
    EXPECT_TRUE(m_messages.isEmpty());
}

TEST_F(GrpcCallTest, ACompressedMessageResetsTheStream) {
    const Error error =
        errorAfter(responseHeaders + frame(Data, 0, 1, QByteArray::fromHex("010000000161")));
    EXPECT_EQ(error.kind, Error::Kind::Integrity);
    EXPECT_TRUE(error.message.contains(s("compressed")));
    EXPECT_TRUE(waitUntil([this] { return m_reset.has_value(); }));
    EXPECT_TRUE(m_messages.isEmpty());
}

TEST_F(GrpcCallTest, AResetAndAGoodbyeAreErrors) {
    EXPECT_EQ(errorAfter(frame(Reset, 0, 1, number(11))).kind, Error::Kind::Network);
    EXPECT_TRUE(m_end->error().message.contains(s("11")));
}

TEST_F(GrpcCallTest, AGoodbyeThatLeavesTheStreamOutEndsIt) {
    EXPECT_EQ(errorAfter(frame(GoAway, 0, 0, number(0) + number(2))).kind, Error::Kind::Network);
}

TEST_F(GrpcCallTest, AnotherProtocolIsToldFromGrpc) {
    m_greeting = "HTTP/1.1 400 Bad Request\r\n\r\n";
    call();
    ASSERT_TRUE(waitUntil([this] { return m_end.has_value(); }));
    EXPECT_EQ(m_end->error().kind, Error::Kind::Integrity);
    EXPECT_TRUE(m_end->error().message.contains(s("does not speak gRPC")));
}

TEST_F(GrpcCallTest, EveryCutOfAnAnswerIsAnError) {
    const QByteArray whole = responseHeaders + data("message") + trailers("0");
    for (qsizetype length = 0; length < whole.size(); ++length) {
        connectAnew();
        m_answer = whole.left(length);
        m_closeAfterAnswer = true;
        call();
        ASSERT_TRUE(waitUntil([this] { return m_end.has_value(); })) << length;
        ASSERT_FALSE(*m_end) << length;
    }
}

TEST_F(GrpcCallTest, EveryChangedByteEndsTheCallOnce) {
    const QByteArray whole = responseHeaders + data("message") + trailers("0");
    for (qsizetype at = 0; at < whole.size(); ++at)
        for (const char byte : {'\x00', '\x01', '\x7f', '\xff'}) {
            connectAnew();
            m_ends = 0;
            m_answer = whole;
            m_answer[at] = byte;
            m_closeAfterAnswer = true;
            call();
            ASSERT_TRUE(waitUntil([this] { return m_end.has_value(); })) << at;
            ASSERT_EQ(m_ends, 1) << at;
        }
}

TEST_F(GrpcCallTest, CancellingResetsTheStream) {
    m_answer = responseHeaders;
    call();
    ASSERT_TRUE(waitUntil([this] { return !m_received.isEmpty(); }));
    m_call->cancel();
    EXPECT_FALSE(m_end) << "told from the event loop";
    ASSERT_TRUE(waitUntil([this] { return m_end.has_value() && m_reset.has_value(); }));
    EXPECT_TRUE(m_end->error().isCancelled());
    EXPECT_EQ(*m_reset, 8U) << "CANCEL";
}

TEST_F(GrpcCallTest, DestroyingCancelsWithoutAWord) {
    m_answer = responseHeaders;
    call();
    ASSERT_TRUE(waitUntil([this] { return !m_received.isEmpty(); }));
    m_call.reset();
    ASSERT_TRUE(waitUntil([this] { return m_peerSawEnd; }));
    EXPECT_EQ(m_reset, 8U);
    EXPECT_EQ(m_ends, 0);
}

TEST_F(GrpcCallTest, WhilePausedThePeerHasToWaitAndNothingIsLost) {
    m_answer = responseHeaders;
    call();
    ASSERT_TRUE(waitUntil([this] { return !m_received.isEmpty(); }));
    m_call->setPaused(true);
    say(data("one") + data("two") + trailers("0"));
    closePeer();
    // The listener is called from the event loop: what was said has certainly been read by then.
    int turns = 0;
    ASSERT_TRUE(waitUntil([&turns] { return ++turns > 5; }));
    EXPECT_TRUE(m_messages.isEmpty());
    EXPECT_FALSE(m_end);
    m_call->setPaused(false);
    ASSERT_TRUE(waitUntil([this] { return m_end.has_value(); }));
    EXPECT_TRUE(*m_end);
    EXPECT_EQ(m_messages, (QByteArrayList{"one", "two"}));
}

TEST_F(GrpcCallTest, TheListenerMayDestroyTheCallInTheMiddleOfAMessage) {
    m_answer = responseHeaders + data("one") + data("two");
    GrpcCall::Listener listener;
    listener.message = [this](const QByteArray& message) {
        m_messages.append(message);
        m_call.reset();
    };
    m_call = std::make_unique<GrpcCall>(
        std::exchange(m_ours, -1), "/Agent/Exec", std::move(listener), 10000);
    m_call->send("hello");
    ASSERT_TRUE(waitUntil([this] { return m_peerSawEnd; }));
    EXPECT_EQ(m_messages, QByteArrayList{"one"});
}

TEST_F(GrpcCallTest, ACommandWithoutAnExitCodeIsAnError) {
    m_answer = responseHeaders + data(QByteArray::fromHex("12040a026869")) + trailers("0");
    TartAgent agent(std::exchange(m_ours, -1));
    QByteArray output;
    std::optional<Result<int>> end;
    agent.exec(command("true"),
               {.output = [&](const QByteArray& bytes) { output += bytes; },
                .errors = {},
                .inputWanted = {},
                .finished = [&](const Result<int>& result) { end = result; }});
    ASSERT_TRUE(waitUntil([&] { return end.has_value(); }));
    EXPECT_EQ(output, QByteArray("hi"));
    ASSERT_FALSE(*end);
    EXPECT_EQ(end->error().kind, Error::Kind::Network);
}

TEST_F(GrpcCallTest, InputIsWantedOnceTheAgentHasTakenTheCommand) {
    m_greeting.clear();
    TartAgent agent(std::exchange(m_ours, -1));
    int wanted = 0;
    TartAgent::ExecListener listener;
    listener.inputWanted = [&wanted] { ++wanted; };
    agent.exec(command("cat"), std::move(listener));
    ASSERT_TRUE(waitUntil([this] { return m_prefaceSeen; }));
    EXPECT_FALSE(agent.isInputWanted());
    say(greeting);
    ASSERT_TRUE(waitUntil([&wanted] { return wanted == 1; }));
    EXPECT_TRUE(agent.isInputWanted());
    agent.writeInput(QByteArray(GrpcCall::lowWater, 'x'));
    EXPECT_FALSE(agent.isInputWanted());
}

TEST_F(GrpcCallTest, ASignalIs255AndWhatComesBehindTheExitCodeIsPassedOver) {
    m_answer = responseHeaders + data(QByteArray::fromHex("0a0b08ffffffffffffffffff01")) +
               data(QByteArray::fromHex("12040a026869"));
    TartAgent agent(std::exchange(m_ours, -1));
    int ends = 0;
    std::optional<Result<int>> end;
    agent.exec(command("true"),
               {.output = [](const QByteArray&) { ADD_FAILURE(); },
                .errors = {},
                .inputWanted = {},
                .finished =
                    [&](const Result<int>& result) {
                        ++ends;
                        end = result;
                    }});
    ASSERT_TRUE(waitUntil([&] { return end.has_value(); }));
    say(trailers("0"));
    ASSERT_TRUE(waitUntil([this] { return m_peerSawEnd; }));
    EXPECT_EQ(**end, 255);
    EXPECT_EQ(ends, 1);
}

TEST_F(GrpcCallTest, AnAddressThatIsNoneIsRefused) {
    m_answer = responseHeaders +
               data("\x0a\x05"
                    "rm -f") +
               trailers("0");
    TartAgent agent(std::exchange(m_ours, -1));
    std::optional<Result<QString>> address;
    agent.resolveIp(5000, [&](const Result<QString>& result) { address = result; });
    ASSERT_TRUE(waitUntil([&] { return address.has_value(); }));
    ASSERT_FALSE(*address);
    EXPECT_EQ(address->error().kind, Error::Kind::Integrity);
}

} // namespace vitrine::test
