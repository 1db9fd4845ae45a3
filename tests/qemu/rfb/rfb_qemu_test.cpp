// SPDX-License-Identifier: Apache-2.0
// A real QEMU without a guest: the firmware's text on the screen is enough to see that both sides
// understand each other.
#include "qemu/rfb/rfb_display.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QProcess>
#include <QSet>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine::qemu {

namespace {

template <class Condition>
bool waitFor(Condition condition, int milliseconds = 30000) {
    QDeadlineTimer deadline(milliseconds);
    while (!condition()) {
        if (deadline.hasExpired()) {
            return false;
        }
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
    }
    return true;
}

struct RfbAgainstQemu : testing::Test {
    void start(const QStringList& devices) {
        process.setProcessChannelMode(QProcess::MergedChannels);
        process.start(QStringLiteral("qemu-system-x86_64"),
                      QStringList{QStringLiteral("-nodefaults"),
                                  QStringLiteral("-no-user-config"),
                                  QStringLiteral("-accel"),
                                  QStringLiteral("tcg"),
                                  QStringLiteral("-machine"),
                                  QStringLiteral("q35"),
                                  QStringLiteral("-m"),
                                  QStringLiteral("64"),
                                  QStringLiteral("-display"),
                                  QStringLiteral("none"),
                                  QStringLiteral("-vnc"),
                                  QStringLiteral("unix:") + path()} +
                          devices);
        ASSERT_TRUE(process.waitForStarted()) << process.errorString().toStdString();
        display = makeRfbDisplay(path());
        QObject::connect(display.get(), &Display::damaged, &context, [this] {
            ++updates;
            display->takeDamage();
        });
        QObject::connect(display.get(), &Display::resizeAnswered, &context, [this](int status) {
            resizeStatuses.append(status);
        });
        display->connectToGuest();
        ASSERT_TRUE(waitFor([this] {
            return display->state() == Display::State::Connected && updates > 0;
        })) << process.readAll().toStdString();
    }

    ~RfbAgainstQemu() override {
        display.reset();
        process.kill();
        process.waitForFinished();
    }

    Q_DISABLE_COPY_MOVE(RfbAgainstQemu)
    RfbAgainstQemu() = default;

    [[nodiscard]] QString path() const { return directory.filePath(QStringLiteral("vnc.sock")); }

    [[nodiscard]] int colours() const {
        QSet<quint32> seen;
        display->withFrame([&](const FrameView& view) {
            for (int y = 0; y < view.height; ++y) {
                for (int x = 0; x < view.width; ++x) {
                    quint32 pixel = 0;
                    memcpy(&pixel, view.data + qsizetype{y} * view.stride + qsizetype{4} * x, 4);
                    seen.insert(pixel & 0xffffffU);
                }
            }
        });
        return static_cast<int>(seen.size());
    }

    QObject context;
    QTemporaryDir directory;
    QProcess process;
    std::unique_ptr<Display> display;
    int updates = 0;
    QList<int> resizeStatuses;
};

} // namespace

TEST_F(RfbAgainstQemu, ShowsTheFirmwaresText) {
    start({QStringLiteral("-device"), QStringLiteral("VGA")});
    EXPECT_TRUE(waitFor([this] { return colours() >= 2; })) << "text on black";
    EXPECT_GE(display->size().width(), 640);
    EXPECT_LE(display->size().height(), 600);
}

TEST_F(RfbAgainstQemu, UnderstandsKeysPointerAndSizes) {
    start({QStringLiteral("-device"), QStringLiteral("VGA")});
    // The kind of pointer is told after the size, whose arrival already damages the picture.
    EXPECT_TRUE(waitFor([this] { return !display->pointerIsAbsolute(); })) << "a PS/2 mouse is not";
    // Everything that can be sent is taken without an end of the connection.
    display->sendKey(0x61, 0x1e, true);
    display->sendKey(0x61, 0x1e, false);
    display->sendKey(0xff0d, 0x9c, true);
    display->sendKey(0xff0d, 0x9c, false);
    display->sendPointer({10, 10}, 0x08);
    display->sendPointer({10, 10}, 0);
    display->requestSize({800, 600});
    EXPECT_TRUE(waitFor([this] { return !resizeStatuses.isEmpty(); }));
    EXPECT_EQ(resizeStatuses.value(0), 3) << "plain VGA cannot follow";
    EXPECT_EQ(display->state(), Display::State::Connected);
}

TEST_F(RfbAgainstQemu, ConnectsAgainWhenQemuWasKilledAndStartedAgain) {
    start({QStringLiteral("-device"), QStringLiteral("VGA")});
    process.kill();
    ASSERT_TRUE(process.waitForFinished());
    ASSERT_TRUE(waitFor([this] { return display->state() == Display::State::Connecting; }));
    updates = 0;
    process.start();
    ASSERT_TRUE(process.waitForStarted());
    EXPECT_TRUE(
        waitFor([this] { return display->state() == Display::State::Connected && updates > 0; }));
}

} // namespace vitrine::qemu
