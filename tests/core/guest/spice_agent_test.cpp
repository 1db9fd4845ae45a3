// SPDX-License-Identifier: Apache-2.0
#include "core/guest/spice_agent.h"

#include <QStringList>
#include <QtEndian>

#include <gtest/gtest.h>

#include <limits>

using namespace vitrine;

namespace {

enum : quint32 { Clipboard = 4, Capabilities = 6, Grab = 7, Request = 8 };

QByteArray word(quint32 value) {
    QByteArray bytes(4, '\0');
    qToLittleEndian(value, bytes.data());
    return bytes;
}

QByteArray message(quint32 type, const QByteArray& body, quint32 claimedSize) {
    return word(1) + word(type) + QByteArray(8, '\0') + word(claimedSize) + body;
}
QByteArray message(quint32 type, const QByteArray& body) {
    return message(type, body, static_cast<quint32>(body.size()));
}

QByteArray chunks(const QByteArray& payload, qsizetype size = 2048) {
    QByteArray bytes;
    for (qsizetype at = 0; at < payload.size(); at += size) {
        const QByteArray part = payload.mid(at, size);
        bytes += word(1) + word(static_cast<quint32>(part.size())) + part;
    }
    return bytes;
}

// Selections known, clipboard by demand.
QByteArray capabilities(quint32 ask = 0) {
    return chunks(message(Capabilities, word(ask) + word((1U << 5) | (1U << 6))));
}
QByteArray clipboard(const QByteArray& body) {
    return QByteArray(4, '\0') + body;
}

struct SpiceAgentTest : testing::Test {
    struct Sent {
        quint32 type;
        QByteArray body;
    };
    // Takes what was sent apart; every chunk must keep the protocol's limit.
    QList<Sent> takeSent() {
        QByteArray payload;
        while (bytes.size() >= 8) {
            const auto size = qFromLittleEndian<quint32>(bytes.constData() + 4);
            EXPECT_LE(size, 2048U);
            EXPECT_EQ(qFromLittleEndian<quint32>(bytes.constData()), 1U);
            payload += bytes.mid(8, size);
            bytes = bytes.mid(8 + static_cast<qsizetype>(size));
        }
        QList<Sent> messages;
        while (payload.size() >= 20) {
            const auto size = qFromLittleEndian<quint32>(payload.constData() + 16);
            messages.append(
                {qFromLittleEndian<quint32>(payload.constData() + 4), payload.mid(20, size)});
            payload = payload.mid(20 + static_cast<qsizetype>(size));
        }
        return messages;
    }
    void becomeReady() {
        agent.begin();
        ASSERT_TRUE(agent.feed(capabilities()));
        ASSERT_TRUE(agent.isReady());
        takeSent();
    }

    QByteArray bytes;
    int ready = 0;
    int tooLong = 0;
    QStringList texts;
    SpiceAgent agent{{[this](const QByteArray& more) { bytes += more; },
                      [this] { ++ready; },
                      [this](const QString& text) { texts.append(text); },
                      [this] { ++tooLong; }}};
};

} // namespace

TEST_F(SpiceAgentTest, AnnouncesItselfAndWaitsForTheGuest) {
    agent.begin();
    const auto first = takeSent();
    ASSERT_EQ(first.size(), 1);
    EXPECT_EQ(first.at(0).type, Capabilities);
    EXPECT_EQ(first.at(0).body, word(1) + word((1U << 5) | (1U << 6)));
    EXPECT_FALSE(agent.isReady());
    ASSERT_TRUE(agent.feed(capabilities(1)));
    EXPECT_TRUE(agent.isReady());
    EXPECT_EQ(ready, 1);
    const auto answer = takeSent();
    ASSERT_EQ(answer.size(), 1);
    EXPECT_EQ(answer.at(0).body.first(4), word(0)) << "an answer asks for none";
}

TEST_F(SpiceAgentTest, TextOfTheHostGoesWhenTheGuestAsksForIt) {
    becomeReady();
    const QString text = QStringLiteral("grüße 😀 ").repeated(2000);
    agent.offer(text);
    auto sent = takeSent();
    ASSERT_EQ(sent.size(), 1);
    EXPECT_EQ(sent.at(0).type, Grab);
    EXPECT_EQ(sent.at(0).body, clipboard(word(1)));
    ASSERT_TRUE(agent.feed(chunks(message(Request, clipboard(word(1))))));
    sent = takeSent();
    ASSERT_EQ(sent.size(), 1);
    EXPECT_EQ(sent.at(0).type, Clipboard);
    EXPECT_EQ(sent.at(0).body, clipboard(word(1) + text.toUtf8())) << "no NUL at its end";
}

TEST_F(SpiceAgentTest, AnOfferMadeBeforeTheGuestIsReadyIsToldLater) {
    agent.offer(QStringLiteral("early"));
    EXPECT_TRUE(takeSent().isEmpty());
    agent.begin();
    takeSent();
    ASSERT_TRUE(agent.feed(capabilities()));
    const auto sent = takeSent();
    ASSERT_EQ(sent.size(), 1);
    EXPECT_EQ(sent.at(0).type, Grab);
}

TEST_F(SpiceAgentTest, TextOfTheGuestIsAskedForAndTakenWithoutItsNul) {
    becomeReady();
    ASSERT_TRUE(agent.feed(chunks(message(Grab, clipboard(word(3) + word(1))))));
    const auto sent = takeSent();
    ASSERT_EQ(sent.size(), 1);
    EXPECT_EQ(sent.at(0).type, Request);
    EXPECT_TRUE(texts.isEmpty());
    const QByteArray text("h\xc3\xa9llo\0", 7);
    ASSERT_TRUE(agent.feed(chunks(message(Clipboard, clipboard(word(1) + text)), 7)));
    EXPECT_EQ(texts, QStringList{QStringLiteral("héllo")});
}

TEST_F(SpiceAgentTest, BytesMayBeCutAnywhere) {
    becomeReady();
    const QByteArray stream =
        chunks(message(Grab, clipboard(word(1)))) +
        chunks(message(Clipboard, clipboard(word(1) + QByteArray("text"))), 5);
    for (qsizetype cut = 0; cut <= stream.size(); ++cut) {
        texts.clear();
        ASSERT_TRUE(agent.feed(QByteArrayView(stream).first(cut)));
        ASSERT_TRUE(agent.feed(QByteArrayView(stream).sliced(cut)));
        ASSERT_EQ(texts, QStringList{QStringLiteral("text")}) << "cut at " << cut;
    }
}

TEST_F(SpiceAgentTest, TextThatNobodyAskedForIsPassedOver) {
    becomeReady();
    ASSERT_TRUE(agent.feed(chunks(message(Clipboard, clipboard(word(1) + QByteArray("pushed"))))));
    EXPECT_TRUE(texts.isEmpty());
    // The primary selection and pictures are not the clipboard's text.
    ASSERT_TRUE(agent.feed(chunks(message(Grab, QByteArray("\1\0\0\0", 4) + word(1)))));
    ASSERT_TRUE(agent.feed(chunks(message(Grab, clipboard(word(2))))));
    EXPECT_TRUE(takeSent().isEmpty());
}

TEST_F(SpiceAgentTest, ARequestWithoutAnOfferIsAnsweredWithNothing) {
    becomeReady();
    ASSERT_TRUE(agent.feed(chunks(message(Request, clipboard(word(1))))));
    auto sent = takeSent();
    ASSERT_EQ(sent.size(), 1);
    EXPECT_EQ(sent.at(0).body, clipboard(word(0)));
    // What the guest copied is newer than what was offered.
    agent.offer(QStringLiteral("old"));
    ASSERT_TRUE(agent.feed(chunks(message(Grab, clipboard(word(1))))));
    takeSent();
    ASSERT_TRUE(agent.feed(chunks(message(Request, clipboard(word(1))))));
    EXPECT_EQ(takeSent().at(0).body, clipboard(word(0)));
}

TEST_F(SpiceAgentTest, TooLongTextIsSkippedAndTold) {
    becomeReady();
    ASSERT_TRUE(agent.feed(chunks(message(Grab, clipboard(word(1))))));
    const QByteArray large(SpiceAgent::maximumText + 10, 'x');
    ASSERT_TRUE(agent.feed(chunks(message(Clipboard, clipboard(word(1) + large)))));
    EXPECT_EQ(tooLong, 1);
    EXPECT_TRUE(texts.isEmpty());
    // The next is whole again, and just as long as it may be.
    ASSERT_TRUE(agent.feed(chunks(message(Grab, clipboard(word(1))))));
    const QByteArray fits(SpiceAgent::maximumText, 'y');
    ASSERT_TRUE(agent.feed(chunks(message(Clipboard, clipboard(word(1) + fits)))));
    ASSERT_EQ(texts.size(), 1);
    EXPECT_EQ(texts.at(0).size(), SpiceAgent::maximumText);
    takeSent();
    agent.offer(QString::fromLatin1(large));
    EXPECT_TRUE(takeSent().isEmpty());
}

TEST_F(SpiceAgentTest, HostileLengthsEndTheSessionOrAreHarmless) {
    const QList<QByteArray> broken{
        word(1) + word(std::numeric_limits<quint32>::max()),
        word(1) + word((64 << 10) + 1),
        chunks(message(Clipboard, {}, std::numeric_limits<quint32>::max())),
        chunks(message(99, {}, (256 << 20) + 1)),
        chunks(QByteArray(20, '\xff')),
        chunks(QByteArray(20, '\0'))};
    for (const QByteArray& stream : broken) {
        becomeReady();
        EXPECT_FALSE(agent.feed(stream)) << stream.toHex().constData();
    }
    const QList<QByteArray> harmless{word(1) + word(0),
                                     chunks(message(Capabilities, {})),
                                     chunks(message(Capabilities, word(1))),
                                     chunks(message(Grab, {})),
                                     chunks(message(Grab, QByteArray(3, '\0'))),
                                     chunks(message(Request, clipboard({}))),
                                     chunks(message(Clipboard, {})),
                                     chunks(message(Clipboard, clipboard(QByteArray(2, '\0')))),
                                     chunks(message(77, QByteArray(60000, 'z')))};
    for (const QByteArray& stream : harmless) {
        becomeReady();
        EXPECT_TRUE(agent.feed(stream)) << stream.left(40).toHex().constData();
        EXPECT_TRUE(texts.isEmpty());
    }
}

TEST_F(SpiceAgentTest, AnyBytesLeaveItSound) {
    quint32 seed = 99;
    for (int round = 0; round < 3000; ++round) {
        agent.begin();
        QByteArray stream = capabilities() + chunks(message(Grab, clipboard(word(1)))) +
                            chunks(message(Clipboard, clipboard(word(1) + QByteArray("text"))));
        for (int change = 0; change < 4; ++change) {
            seed = seed * 1664525U + 1013904223U;
            stream[static_cast<int>((seed >> 8) % static_cast<quint32>(stream.size()))] =
                static_cast<char>(seed >> 24);
        }
        const Result<> fed = agent.feed(stream);
        Q_UNUSED(fed)
        bytes.clear();
    }
    becomeReady();
}

TEST_F(SpiceAgentTest, AGuestWithOtherLineEndsGetsThem) {
    agent.begin();
    ASSERT_TRUE(agent.feed(
        chunks(message(Capabilities, word(0) + word((1U << 5) | (1U << 6) | (1U << 9))))));
    takeSent();
    agent.offer(QStringLiteral("a\nb"));
    takeSent();
    ASSERT_TRUE(agent.feed(chunks(message(Request, clipboard(word(1))))));
    EXPECT_EQ(takeSent().at(0).body, clipboard(word(1) + QByteArray("a\r\nb")));
    ASSERT_TRUE(agent.feed(chunks(message(Grab, clipboard(word(1)))) +
                           chunks(message(Clipboard, clipboard(word(1) + QByteArray("c\r\nd"))))));
    EXPECT_EQ(texts, QStringList{QStringLiteral("c\nd")});
}
