// SPDX-License-Identifier: Apache-2.0
#include "ui/console/clipboard_bridge.h"

#include "tests/support/fake_machine.h"
#include "tests/support/gui_support.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMimeData>

#include <gtest/gtest.h>

namespace vitrine::ui {

using test::FakeMachine;
using test::SmallLibrary;
using test::waitUntil;

namespace {

// A machine that keeps what is offered and tells what its guest copied.
struct ClipboardBridgeTest : testing::Test {
    ClipboardBridgeTest() {
        QGuiApplication::clipboard()->clear();
        const QString directory = small.add(QStringLiteral("box"));
        machine = std::make_unique<FakeMachine>(small.library, QStringLiteral("box"));
        EXPECT_TRUE(machine->start());
        using Respond = ControlServer::Respond;
        machine->server().on(QStringLiteral("clipboard.offer"),
                             [this](const QJsonObject& parameters, const Respond& respond) {
                                 const QByteArray part = QByteArray::fromBase64(
                                     parameters.value(QLatin1String("text")).toString().toLatin1());
                                 if (parameters.value(QLatin1String("offset")).toInt() == 0) {
                                     offered.clear();
                                 }
                                 offered += part;
                                 ++parts;
                                 respond(QJsonObject{});
                             });
        machine->server().on(
            QStringLiteral("clipboard.get"),
            [this](const QJsonObject& parameters, const Respond& respond) {
                const int offset = parameters.value(QLatin1String("offset")).toInt();
                respond(QJsonObject{{QStringLiteral("text"),
                                     QString::fromLatin1(copied.mid(offset, 512 << 10).toBase64())},
                                    {QStringLiteral("size"), static_cast<qint64>(copied.size())},
                                    {QStringLiteral("serial"), serial}});
            });
        machine->server().on(
            QStringLiteral("clipboard.enable"),
            [this](const QJsonObject& parameters, const Respond& respond) {
                setState(parameters.value(QLatin1String("enabled")).toBool() ? "ready" : "off");
                respond(QJsonObject{});
            });
        setState("ready");
        client = std::make_unique<MachineClient>(small.library.home(), directory);
        client->attach();
        EXPECT_TRUE(waitUntil([this] { return client->isConnected(); }));
        bridge.setClient(client.get());
    }
    void setState(const char* word) {
        MachineStatus status = machine->status();
        status.clipboard = QLatin1String(word);
        machine->setStatus(status);
    }
    void copyInGuest(const QByteArray& text) {
        copied = text;
        machine->server().notify(QStringLiteral("clipboard"),
                                 {{QStringLiteral("serial"), ++serial}});
    }

    test::SmallLibrary small;
    std::unique_ptr<FakeMachine> machine;
    std::unique_ptr<MachineClient> client;
    QByteArray offered;
    int parts = 0;
    QByteArray copied;
    qint64 serial = 0;
    ClipboardBridge bridge;
};

QClipboard& desktop() {
    return *QGuiApplication::clipboard();
}

} // namespace

TEST_F(ClipboardBridgeTest, OffersTextWhenTheKeyboardGoesToTheGuestAndNotBefore) {
    desktop().setText(QStringLiteral("hällo"));
    EXPECT_FALSE(waitUntil([this] { return parts > 0; }, 300));
    bridge.setActive(true);
    ASSERT_TRUE(waitUntil([this] { return offered == "h\xc3\xa4llo"; }));
    desktop().setText(QStringLiteral("next"));
    ASSERT_TRUE(waitUntil([this] { return offered == "next"; }));
    bridge.setActive(false);
    desktop().setText(QStringLiteral("private"));
    EXPECT_FALSE(waitUntil([this] { return offered != "next"; }, 300));
}

TEST_F(ClipboardBridgeTest, LongTextTravelsInPartsAndTooLongTextNotAtAll) {
    bridge.setActive(true);
    desktop().setText(QString(1 << 20, QLatin1Char('a')));
    ASSERT_TRUE(waitUntil([this] { return offered.size() == 1 << 20; }));
    EXPECT_EQ(parts, 2);
    desktop().setText(QString((1 << 20) + 1, QLatin1Char('b')));
    EXPECT_FALSE(waitUntil([this] { return offered.contains('b'); }, 300));
}

TEST_F(ClipboardBridgeTest, TakesTextOfTheGuestOnlyWithTheKeyboardAndDoesNotSendItBack) {
    copyInGuest("unseen");
    EXPECT_FALSE(waitUntil([] { return desktop().text() == QStringLiteral("unseen"); }, 300));
    bridge.setActive(true);
    copyInGuest("from \xe2\x82\xac the guest");
    ASSERT_TRUE(waitUntil([] { return desktop().text() == QStringLiteral("from € the guest"); }));
    copyInGuest(QByteArray(1 << 20, 'z'));
    ASSERT_TRUE(waitUntil([] { return desktop().text().size() == 1 << 20; }));
    EXPECT_EQ(parts, 0);
}

TEST_F(ClipboardBridgeTest, SecretsOfPasswordManagersAndPicturesStayHere) {
    bridge.setActive(true);
    auto* secret = new QMimeData;
    secret->setText(QStringLiteral("hunter2"));
    secret->setData(QStringLiteral("x-kde-passwordManagerHint"), "secret");
    desktop().setMimeData(secret);
    auto* picture = new QMimeData;
    picture->setImageData(QImage(2, 2, QImage::Format_RGB32));
    desktop().setMimeData(picture);
    EXPECT_FALSE(waitUntil([this] { return parts > 0; }, 300));
}

TEST_F(ClipboardBridgeTest, SaysItsStateAndIsSwitched) {
    EXPECT_TRUE(waitUntil([this] { return bridge.isShared(); }));
    EXPECT_EQ(bridge.stateText(), QStringLiteral("Clipboard shared, text only"));
    EXPECT_TRUE(bridge.unavailableReason().isEmpty());
    bridge.setEnabled(false);
    ASSERT_TRUE(waitUntil([this] { return !bridge.isEnabled(); }));
    EXPECT_EQ(bridge.stateText(), QStringLiteral("Clipboard not shared"));
    bridge.setActive(true);
    desktop().setText(QStringLiteral("kept"));
    EXPECT_FALSE(waitUntil([this] { return parts > 0; }, 300));
    bridge.setEnabled(true);
    ASSERT_TRUE(waitUntil([this] { return offered == "kept"; })) << "as soon as it is shared";
    setState("waiting");
    ASSERT_TRUE(waitUntil([this] { return !bridge.isShared(); }));
    EXPECT_TRUE(bridge.stateText().contains(QStringLiteral("spice-vdagent")));
    machine->end("stopped", QStringLiteral("It has shut down."));
    ASSERT_TRUE(waitUntil([this] { return !bridge.unavailableReason().isEmpty(); }));
    EXPECT_TRUE(bridge.stateText().isEmpty());
}

TEST_F(ClipboardBridgeTest, ABackendThatSharesItItselfSaysSo) {
    SmallLibrary other;
    const QString directory = other.add(QStringLiteral("mac"));
    FakeMachine hosted(other.library, QStringLiteral("mac"));
    const QString reason = QStringLiteral("The system itself shares the clipboard.");
    hosted.unavailable = {{QStringLiteral("clipboard.enable"), reason}};
    ASSERT_TRUE(hosted.start());
    MachineClient its(other.library.home(), directory);
    its.attach();
    ASSERT_TRUE(waitUntil([&] { return its.isConnected(); }));
    bridge.setClient(&its);
    EXPECT_EQ(bridge.unavailableReason(), reason);
    bridge.setClient(client.get());
    EXPECT_TRUE(bridge.unavailableReason().isEmpty());
}

} // namespace vitrine::ui
