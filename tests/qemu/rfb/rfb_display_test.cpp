// SPDX-License-Identifier: Apache-2.0
#include "qemu/rfb/rfb_display.h"

#include "tests/qemu/rfb/fake_rfb_server.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QDir>
#include <QFile>

#include <gtest/gtest.h>

namespace vitrine::qemu {

using test::FakeRfbServer;
using test::ServerBytes;

namespace {

template <class Condition>
bool waitFor(Condition condition, int milliseconds = 60000) {
    QDeadlineTimer deadline(milliseconds);
    while (!condition()) {
        if (deadline.hasExpired()) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
    }
    return true;
}

// A display, what it told, and the server it talks to.
struct RfbDisplayTest : testing::Test {
    RfbDisplayTest() {
        EXPECT_TRUE(server.listen());
        open(server.path());
    }

    void open(const QString& path) {
        display = makeRfbDisplay(path);
        QObject::connect(display.get(), &Display::damaged, &context, [this] { ++damaged; });
        QObject::connect(display.get(), &Display::sizeChanged, &context, [this] { ++sizeChanges; });
        QObject::connect(display.get(), &Display::failed, &context, [this](const QString& text) {
            failures.append(text);
        });
        QObject::connect(display.get(),
                         &Display::pointerShapeChanged,
                         &context,
                         [this](const PointerShape& shape) { shapes.append(shape); });
        QObject::connect(display.get(), &Display::resizeAnswered, &context, [this](int status) {
            resizeStatuses.append(status);
        });
    }

    bool connectAndDrawFirst() {
        display->connectToGuest();
        if (!waitFor([this] { return server.wholeRequests == 1; })) {
            return false;
        }
        server.send(ServerBytes().update(1).fill({QPoint(0, 0), server.size}, 0x102030));
        return waitFor([this] { return damaged == 1; });
    }

    quint32 pixel(int x, int y) const {
        quint32 value = 0;
        display->withFrame([&](const FrameView& view) {
            if (x < view.width && y < view.height) {
                memcpy(&value, view.data + qsizetype{y} * view.stride + qsizetype{4} * x, 4);
            }
        });
        return value & 0xffffffU;
    }

    QObject context;
    FakeRfbServer server;
    std::unique_ptr<Display> display;
    int damaged = 0;
    int sizeChanges = 0;
    QStringList failures;
    QList<PointerShape> shapes;
    QList<int> resizeStatuses;
};

} // namespace

TEST_F(RfbDisplayTest, TheFirstFrameComesByItself) {
    EXPECT_EQ(display->state(), Display::State::Disconnected);
    EXPECT_TRUE(display->size().isEmpty());
    ASSERT_TRUE(connectAndDrawFirst());
    EXPECT_EQ(display->state(), Display::State::Connected);
    EXPECT_EQ(display->size(), QSize(640, 480));
    EXPECT_EQ(sizeChanges, 1);
    EXPECT_EQ(pixel(0, 0), 0x102030U);
    EXPECT_EQ(pixel(639, 479), 0x102030U);
    EXPECT_EQ(display->takeDamage(), (QList<QRect>{{0, 0, 640, 480}}));
    EXPECT_TRUE(failures.isEmpty());
    for (const int encoding : {0, -308, -223, -258, -261, -257, -314, -239}) {
        EXPECT_TRUE(server.encodings.contains(encoding)) << encoding;
    }
}

TEST_F(RfbDisplayTest, TheNextUpdateIsAskedForOnlyWhenDamageWasTaken) {
    ASSERT_TRUE(connectAndDrawFirst());
    // A key goes out after everything that was asked before, so what has not come by then never
    // was sent.
    display->sendKey(0x61, 0x1e, true);
    ASSERT_TRUE(waitFor([this] { return server.keys.size() == 1; }));
    EXPECT_EQ(server.requests, 1);

    server.send(ServerBytes().update(1).fill({10, 20, 4, 4}, 0xff0000));
    server.send(ServerBytes().update(1).rectangle(0, 0, 0, 0, -261).u8(1));
    ASSERT_TRUE(waitFor([this] { return display->ledState() == 1; }));
    EXPECT_EQ(pixel(13, 23), 0xff0000U);
    EXPECT_EQ(damaged, 1) << "told once until it is taken";
    EXPECT_EQ(display->takeDamage(), (QList<QRect>{{0, 0, 640, 480}}));
    ASSERT_TRUE(waitFor([this] { return server.requests == 2; }));
    EXPECT_EQ(server.wholeRequests, 1) << "the second one is for changes only";
    server.send(ServerBytes().update(1).fill({1, 2, 3, 4}, 0x00ff00));
    ASSERT_TRUE(waitFor([this] { return damaged == 2; }));
    EXPECT_EQ(display->takeDamage(), (QList<QRect>{{1, 2, 3, 4}}));
}

TEST_F(RfbDisplayTest, AnUpdateWithoutPixelsDoesNotStopThePicture) {
    ASSERT_TRUE(connectAndDrawFirst());
    display->takeDamage();
    ASSERT_TRUE(waitFor([this] { return server.requests == 2; }));
    server.send(ServerBytes().update(1).rectangle(0, 0, 0, 0, -261).u8(2));
    EXPECT_TRUE(waitFor([this] { return server.requests == 3; }));
    EXPECT_EQ(display->ledState(), 2);
    EXPECT_EQ(damaged, 1);
}

TEST_F(RfbDisplayTest, KeysGoByScanCodeWhenTheServerOffersIt) {
    ASSERT_TRUE(connectAndDrawFirst());
    display->sendKey(0x61, 0x1e, true);
    ASSERT_TRUE(waitFor([this] { return server.keys.size() == 1; }));
    EXPECT_EQ(server.keys.at(0), (FakeRfbServer::Key{false, 0x61, 0, true}));
    display->takeDamage();
    ASSERT_TRUE(waitFor([this] { return server.requests == 2; }));
    server.send(ServerBytes().update(1).rectangle(0, 0, 0, 0, -258));
    ASSERT_TRUE(waitFor([this] { return server.requests == 3; }));
    display->sendKey(0xffe4, 0x9d, true);
    display->sendKey(0xffe4, 0x9d, false);
    ASSERT_TRUE(waitFor([this] { return server.keys.size() == 3; }));
    EXPECT_EQ(server.keys.at(1), (FakeRfbServer::Key{true, 0xffe4, 0x9d, true}));
    EXPECT_EQ(server.keys.at(2), (FakeRfbServer::Key{true, 0xffe4, 0x9d, false}));
}

TEST_F(RfbDisplayTest, ThePointerIsAbsoluteOrRelativeAsTheServerSays) {
    ASSERT_TRUE(connectAndDrawFirst());
    EXPECT_TRUE(display->pointerIsAbsolute());
    display->sendPointer({100, 200}, 1);
    ASSERT_TRUE(waitFor([this] { return server.pointers.size() == 1; }));
    EXPECT_EQ(server.pointers.at(0), (FakeRfbServer::Pointer{100, 200, 1}));
    server.send(ServerBytes().update(1).rectangle(0, 0, 640, 480, -257));
    ASSERT_TRUE(waitFor([this] { return !display->pointerIsAbsolute(); }));
    display->sendPointer({100, 200}, 0);
    display->sendPointer({103, 195}, 0);
    ASSERT_TRUE(waitFor([this] { return server.pointers.size() == 3; }));
    EXPECT_EQ(server.pointers.at(1), (FakeRfbServer::Pointer{0x7fff, 0x7fff, 0}));
    EXPECT_EQ(server.pointers.at(2), (FakeRfbServer::Pointer{0x7fff + 3, 0x7fff - 5, 0}));
}

TEST_F(RfbDisplayTest, TheGuestFollowsARequestedSize) {
    ASSERT_TRUE(connectAndDrawFirst());
    display->requestSize({1600, 1000}); // the server has not said yet that it can
    server.send(ServerBytes()
                    .update(1)
                    .rectangle(0, 0, 640, 480, -308)
                    .u8(1)
                    .raw(QByteArray(3, '\0'))
                    .raw(QByteArray(16, '\0')));
    ASSERT_TRUE(waitFor([this] { return server.wantedSizes.size() == 1; }));
    EXPECT_EQ(server.wantedSizes.at(0), QSize(1600, 1000));
    server.send(ServerBytes()
                    .update(1)
                    .rectangle(1, 4, 640, 480, -308)
                    .u8(1)
                    .raw(QByteArray(3, '\0'))
                    .raw(QByteArray(16, '\0')));
    ASSERT_TRUE(waitFor([this] { return resizeStatuses == QList<int>{4}; }));
    EXPECT_EQ(display->size(), QSize(640, 480));
    server.send(ServerBytes()
                    .update(1)
                    .rectangle(0, 0, 1600, 1000, -308)
                    .u8(1)
                    .raw(QByteArray(3, '\0'))
                    .raw(QByteArray(16, '\0')));
    ASSERT_TRUE(waitFor([this] { return display->size() == QSize(1600, 1000); }));
    EXPECT_TRUE(waitFor([this] { return server.wholeRequests == 2; }))
        << "the new screen is asked for as a whole";
}

TEST_F(RfbDisplayTest, ConnectsAgainAfterTheServerCameBack) {
    ASSERT_TRUE(connectAndDrawFirst());
    server.stopListening();
    server.hangUp();
    ASSERT_TRUE(waitFor([this] { return display->state() == Display::State::Connecting; }));
    ASSERT_TRUE(waitFor([this] { return !failures.isEmpty(); }));
    EXPECT_EQ(display->size(), QSize(640, 480)) << "the last picture stays";
    server.size = QSize(800, 600);
    ASSERT_TRUE(server.listen());
    ASSERT_TRUE(waitFor([this] { return display->state() == Display::State::Connected; }));
    EXPECT_TRUE(waitFor([this] { return display->size() == QSize(800, 600); }));
    EXPECT_EQ(failures.size(), 1) << "one outage, one message";
}

TEST_F(RfbDisplayTest, ThePictureGoesOnAfterDamageThatNobodyTook) {
    ASSERT_TRUE(connectAndDrawFirst());
    display->disconnectFromGuest();
    ASSERT_TRUE(waitFor([this] { return !server.hasClient(); }));
    display->connectToGuest();
    ASSERT_TRUE(waitFor([this] { return server.wholeRequests == 2; }));
    server.send(ServerBytes().update(1).fill({QPoint(0, 0), server.size}, 0x405060));
    ASSERT_TRUE(waitFor([this] { return damaged == 2; }));
    EXPECT_FALSE(display->takeDamage().isEmpty());
    EXPECT_TRUE(waitFor([this] { return server.requests == 3; }));
}

TEST_F(RfbDisplayTest, ConnectsOnceTheSocketIsThere) {
    FakeRfbServer later;
    open(later.path());
    display->connectToGuest();
    ASSERT_TRUE(waitFor([this] { return failures.size() == 1; }));
    ASSERT_TRUE(later.listen());
    EXPECT_TRUE(waitFor([this] { return display->state() == Display::State::Connected; }));
}

TEST_F(RfbDisplayTest, DisconnectingEndsTheConnectionAndStaysSo) {
    ASSERT_TRUE(connectAndDrawFirst());
    display->disconnectFromGuest();
    ASSERT_TRUE(waitFor([this] { return !server.hasClient(); }));
    ASSERT_TRUE(waitFor([this] { return display->state() == Display::State::Disconnected; }));
    EXPECT_EQ(server.connections, 1);
    display->connectToGuest();
    EXPECT_TRUE(waitFor([this] { return server.connections == 2; }));
}

TEST_F(RfbDisplayTest, NonsenseClosesTheConnectionAndItIsTriedAgain) {
    ASSERT_TRUE(connectAndDrawFirst());
    server.send(ServerBytes().u8(99));
    EXPECT_TRUE(waitFor([this] { return server.connections == 2; }));
    EXPECT_EQ(failures.size(), 1);
}

TEST_F(RfbDisplayTest, AFloodOfUpdatesWaitsAsOneEvent) {
    ASSERT_TRUE(connectAndDrawFirst());
    ServerBytes pointer;
    pointer.update(1).rectangle(0, 0, 64, 64, -314).u32(0).raw(QByteArray(64 * 64 * 4, '\x7f'));
    for (int i = 0; i < 200; ++i) {
        server.send(pointer);
        server.send(ServerBytes().update(1).fill({i, 0, 1, 1}, 0xffffff));
    }
    ASSERT_TRUE(waitFor([this] { return pixel(199, 0) == 0xffffffU; }));
    EXPECT_EQ(damaged, 1);
    EXPECT_FALSE(shapes.isEmpty());
    EXPECT_LE(shapes.size(), 200);
}

TEST_F(RfbDisplayTest, AServerThatTakesNoInputIsLeftAndNothingGrows) {
    ASSERT_TRUE(connectAndDrawFirst());
    server.reads = false;
    for (int i = 0; i < 200000 && server.connections == 1; ++i) {
        display->sendKey(0x61, 0x1e, (i & 1) == 0);
        if (i % 1000 == 0) {
            QCoreApplication::processEvents();
        }
    }
    EXPECT_TRUE(waitFor([this] { return server.connections == 2; }));
}

TEST_F(RfbDisplayTest, AListenerThatSaysNothingIsToldAndNotWaitedFor) {
    server.greets = false;
    display->connectToGuest();
    ASSERT_TRUE(waitFor([this] { return failures.size() == 1; }));
    EXPECT_TRUE(failures.at(0).contains(QStringLiteral("does not answer")));
}

TEST_F(RfbDisplayTest, APathOfAnyLengthCanBeOpened) {
    QTemporaryDir directory;
    QString path = directory.path();
    for (int i = 0; i < 6; ++i) {
        path += QLatin1Char('/') + QString(40, QLatin1Char('d'));
    }
    ASSERT_TRUE(QDir().mkpath(path));
    ASSERT_TRUE(QFile::link(server.path(), path + QStringLiteral("/vnc.sock")));
    open(path + QStringLiteral("/vnc.sock"));
    EXPECT_TRUE(connectAndDrawFirst()) << failures.join(QLatin1Char('\n')).toStdString();
}

TEST_F(RfbDisplayTest, MayBeDestroyedAtAnyMoment) {
    for (int i = 0; i < 30; ++i) {
        open(server.path());
        display->connectToGuest();
        if (i % 3 == 1) {
            ASSERT_TRUE(waitFor([this] { return server.hasClient(); }));
        }
        if (i % 3 == 2) {
            display->disconnectFromGuest();
        }
        display.reset();
    }
}

} // namespace vitrine::qemu
