// SPDX-License-Identifier: Apache-2.0
#include "qemu/clipboard_port.h"

#include "core/channel/json_channel.h"
#include "core/hypervisor/control_message.h"
#include "core/machine/sidecar.h"
#include "qemu/clipboard_requests.h"
#include "tests/support/event_wait.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QLocalServer>
#include <QTemporaryDir>
#include <QtEndian>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;
using vitrine::test::waitUntil;

namespace {

QByteArray word(quint32 value) {
    QByteArray bytes(4, '\0');
    qToLittleEndian(value, bytes.data());
    return bytes;
}
QByteArray chunk(quint32 type, const QByteArray& body) {
    const QByteArray message =
        word(1) + word(type) + QByteArray(8, '\0') + word(static_cast<quint32>(body.size())) + body;
    return word(1) + word(static_cast<quint32>(message.size())) + message;
}
const QByteArray capabilities = chunk(6, word(0) + word(1U << 5)); // without selections
QByteArray copied(const QByteArray& text) {
    return chunk(7, word(1)) + chunk(4, word(1) + text);
}

class ClipboardPortTest : public testing::Test {
protected:
    ClipboardPortTest() {
        EXPECT_TRUE(qemu.listen(path));
        QObject::connect(&qemu, &QLocalServer::newConnection, &qemu, [this] {
            guest = qemu.nextPendingConnection();
            QObject::connect(
                guest, &QLocalSocket::readyRead, guest, [this] { received += guest->readAll(); });
            QObject::connect(
                guest, &QLocalSocket::disconnected, guest, [this] { guest = nullptr; });
        });
        port.open();
        EXPECT_TRUE(waitUntil([this] { return guest != nullptr; }));
    }
    void startAgent() {
        port.setGuestOpened(true);
        guest->write(capabilities);
        ASSERT_TRUE(waitUntil([this] { return port.state() == ClipboardPort::State::Ready; }));
        received.clear();
    }

    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("spice.sock"));
    QLocalServer qemu;
    QLocalSocket* guest = nullptr;
    QByteArray received;
    ClipboardPort port{path};
};

} // namespace

TEST_F(ClipboardPortTest, IsReadyWhenAnAgentSpeaksEvenBeforeQemuSaysSo) {
    EXPECT_EQ(port.state(), ClipboardPort::State::NoAgent);
    guest->write(capabilities);
    EXPECT_TRUE(waitUntil([this] { return port.state() == ClipboardPort::State::Ready; }));
    port.setGuestOpened(true);
    EXPECT_EQ(port.state(), ClipboardPort::State::Ready);
    port.setGuestOpened(false);
    EXPECT_EQ(port.state(), ClipboardPort::State::NoAgent);
}

TEST_F(ClipboardPortTest, KeepsWhatTheGuestCopied) {
    startAgent();
    guest->write(copied("from the guest"));
    ASSERT_TRUE(waitUntil([this] { return port.guestSerial() == 1; }));
    EXPECT_EQ(port.guestText(), "from the guest");
}

TEST_F(ClipboardPortTest, NothingPassesWhileItIsSwitchedOff) {
    startAgent();
    guest->write(copied("secret"));
    ASSERT_TRUE(waitUntil([this] { return port.guestSerial() == 1; }));
    port.setEnabled(false);
    EXPECT_EQ(port.state(), ClipboardPort::State::Off);
    EXPECT_TRUE(port.guestText().isEmpty());
    ASSERT_TRUE(waitUntil([this] { return guest == nullptr; }))
        << "the guest sees that nobody listens";
    port.offer(QStringLiteral("not for the guest"));
    received.clear();
    port.setEnabled(true);
    ASSERT_TRUE(waitUntil([this] { return guest != nullptr; }));
    guest->write(capabilities);
    ASSERT_TRUE(waitUntil([this] { return port.state() == ClipboardPort::State::Ready; }));
    guest->write(chunk(8, word(1)));
    ASSERT_TRUE(waitUntil([this] { return received.endsWith(chunk(4, word(0))); }));
    EXPECT_FALSE(received.contains("not for the guest"));
}

TEST_F(ClipboardPortTest, NonsenseEndsSharingUntilTheAgentStartsAnew) {
    startAgent();
    guest->write(QByteArray(64, '\xff'));
    ASSERT_TRUE(waitUntil([this] { return port.state() == ClipboardPort::State::NoAgent; }));
    port.setGuestOpened(false);
    startAgent();
}

TEST_F(ClipboardPortTest, AGuestThatAsksAndNeverReadsDoesNotMakeItGrow) {
    startAgent();
    port.offer(QString(1 << 19, QLatin1Char('x')));
    QObject::disconnect(guest, &QLocalSocket::readyRead, guest, nullptr);
    guest->setReadBufferSize(1);
    for (int i = 0; i < 200; ++i) {
        guest->write(chunk(8, word(1)));
    }
    ASSERT_TRUE(waitUntil([this] { return guest->bytesToWrite() == 0; }));
    guest->write(copied("goes on"));
    ASSERT_TRUE(waitUntil([this] { return port.guestText() == "goes on"; }));

    port.offer(QStringLiteral("the last"));
    guest->setReadBufferSize(0);
    QObject::connect(
        guest, &QLocalSocket::readyRead, guest, [this] { received += guest->readAll(); });
    received += guest->readAll();
    ASSERT_TRUE(waitUntil([this] { return received.endsWith(chunk(7, word(1))); }));
    EXPECT_GT(received.size(), 1 << 20);
    EXPECT_LT(received.size(), 6 << 20) << "not all 200 of half a MiB were kept for it";
}

TEST_F(ClipboardPortTest, TheRequestsOfferFetchAndSwitchInParts) {
    ControlServer server;
    QTemporaryDir machine;
    ClipboardRequests requests(server, machine.path());
    requests.setPort(&port);
    const QString control = folder.filePath(QStringLiteral("vitrine.sock"));
    ASSERT_TRUE(server.listen(control));
    auto socket = std::make_unique<QLocalSocket>();
    socket->connectToServer(control);
    ASSERT_TRUE(socket->waitForConnected());
    JsonChannel channel(std::move(socket), {8 << 20, 8 << 20});
    QList<QJsonObject> answers;
    QObject::connect(&channel, &JsonChannel::received, &channel, [&](const QJsonObject& message) {
        answers.append(message);
    });
    const auto call = [&](const char* method, const QJsonObject& parameters) {
        answers.clear();
        channel.send(control::request(1, QLatin1String(method), parameters));
        EXPECT_TRUE(waitUntil([&] { return !answers.isEmpty(); }));
        return control::resultOf(answers.value(0));
    };
    const auto part = [](const QByteArray& text, qint64 offset, qint64 size) {
        return QJsonObject{{QStringLiteral("text"), QString::fromLatin1(text.toBase64())},
                           {QStringLiteral("offset"), offset},
                           {QStringLiteral("size"), size}};
    };
    startAgent();
    EXPECT_TRUE(call("clipboard.offer", part("first ", 0, 12)));
    EXPECT_TRUE(received.isEmpty());
    EXPECT_TRUE(call("clipboard.offer", part("second", 6, 12)));
    ASSERT_TRUE(waitUntil([this] { return received == chunk(7, word(1)); }));
    guest->write(chunk(8, word(1)));
    ASSERT_TRUE(waitUntil([this] { return received.endsWith(word(1) + "first second"); }));
    EXPECT_FALSE(call("clipboard.offer", part("late", 3, 12)));
    EXPECT_FALSE(call("clipboard.offer", part("x", 0, 2 << 20)));
    EXPECT_FALSE(call("clipboard.offer", part("longer than told", 0, 3)));

    guest->write(copied("back"));
    ASSERT_TRUE(waitUntil([this] { return port.guestSerial() == 1; }));
    const auto fetched = call("clipboard.get", {});
    ASSERT_TRUE(fetched);
    EXPECT_EQ(QByteArray::fromBase64((*fetched)[QLatin1String("text")].toString().toLatin1()),
              "back");
    EXPECT_EQ((*fetched)[QLatin1String("size")].toInt(), 4);

    EXPECT_FALSE(call("clipboard.enable", {}));
    EXPECT_TRUE(call("clipboard.enable",
                     {{QStringLiteral("enabled"), false}, {QStringLiteral("keep"), true}}));
    EXPECT_EQ(port.state(), ClipboardPort::State::Off);
    EXPECT_FALSE(Sidecar::read(machine.path())->run.clipboard);
}
