// SPDX-License-Identifier: Apache-2.0
// The page and the program that is the network, without a guest: its frames are made here, and all
// of them go to an address that is blocked when they are sent.
#include "qemu/softnet/softnet_host.h"
#include "qemu/softnet/softnet_network.h"
#include "qemu/softnet/softnet_requests.h"
#include "tests/support/send_signal.h"
#include "tests/ui/network/network_fixture.h"

#include <QtEndian>

#include <csignal>
#include <sys/socket.h>

namespace vitrine::test {
namespace {

constexpr QStringView guestMac = u"7e:11:22:33:44:55";

void put16(QByteArray& bytes, qsizetype at, quint16 value) {
    qToBigEndian(value, bytes.data() + at);
}

// UDP from 10.0.2.15 to port 8443 of 192.168.77.7.
QByteArray frame() {
    QByteArray bytes = QByteArray::fromHex("525500000202"
                                           "7e1122334455"
                                           "0800"
                                           "4500002000004000401100000a00020fc0a84d07"
                                           "9c4020fb000c0000"
                                           "64617461");
    quint32 sum = 0;
    for (int at = 14; at < 34; at += 2)
        sum += qFromBigEndian<quint16>(bytes.constData() + at);
    sum = (sum & 0xffff) + (sum >> 16);
    put16(bytes, 24, static_cast<quint16>(~(sum + (sum >> 16))));
    return bytes;
}

class RealFirewallTest : public NetworkTest {
protected:
    void runReal() {
        add();
        fake = std::make_unique<FakeMachine>(small.library, QStringLiteral("web"));
        ASSERT_TRUE(fake->start());
        requests = std::make_unique<qemu::SoftnetRequests>(&fake->server(), directory);
        auto wire = qemu::openSoftnetWire();
        ASSERT_TRUE(wire);
        guest = std::move(wire->machine);
        qemu::SoftnetNetwork::Setup setup{QStringLiteral(VITRINE_SOFTNET),
                                          *MacAddress::fromText(guestMac),
                                          {},
                                          small.library.home() + QStringLiteral("/softnet.log"),
                                          std::move(wire->helper)};
        setup.pace.first = 1;
        network = std::make_unique<qemu::SoftnetNetwork>(std::move(setup));
        requests->setNetwork(network.get());
        QObject::connect(network.get(),
                         &qemu::SoftnetNetwork::happened,
                         network.get(),
                         [this](const QString& kind, const QString& text) {
                             fake->tellEvent(qPrintable(kind), text);
                         });
        ASSERT_TRUE(network->start());
        ASSERT_TRUE(waitUntil([this] { return network->supervisor().isReady(); }, 30000));
        MachineStatus status = fake->status();
        status.network = QStringLiteral("softnet");
        fake->setStatus(status);
        showPage();
        ASSERT_TRUE(waitUntil(
            [this] { return page->link()->state() == ui::FirewallLink::State::Live; }, 30000));
    }
    void guestSends() {
        const QByteArray bytes = frame();
        ASSERT_EQ(::send(guest.get(), bytes.constData(), size_t(bytes.size()), MSG_NOSIGNAL),
                  bytes.size());
    }
    void TearDown() override {
        WindowTest::TearDown();
        fake.reset();
        requests.reset();
        network.reset();
    }
    FileDescriptor guest;
    std::unique_ptr<qemu::SoftnetRequests> requests;
    std::unique_ptr<qemu::SoftnetNetwork> network;
};

TEST_F(RealFirewallTest, WhatTheGuestSendsIsShownAllowedByOneClickAndTested) {
    runReal();
    guestSends();
    ASSERT_TRUE(waitForRows(1));
    EXPECT_EQ(cell(0, ui::DestinationModel::Address), QStringLiteral("192.168.77.7"));
    EXPECT_EQ(cell(0, ui::DestinationModel::Port), QStringLiteral("8443 UDP"));
    EXPECT_EQ(cell(0, ui::DestinationModel::Verdict), QStringLiteral("Blocked"));
    EXPECT_EQ(cell(0, ui::DestinationModel::Because), QStringLiteral("Private address, no rule"));
    EXPECT_TRUE(waitUntil([this] { return !cell(0, ui::DestinationModel::Seen).isEmpty(); }));
    chooseRow("192.168.77.7");
    pressKey(table(), Qt::Key_Return);
    ASSERT_TRUE(waitUntil(
        [this] { return cell(0, ui::DestinationModel::Action) == QStringLiteral("Block"); }));
    EXPECT_EQ(cell(0, ui::DestinationModel::Verdict), QStringLiteral("Blocked")) << "so it was";
    EXPECT_EQ(cell(0, ui::DestinationModel::Because),
              QStringLiteral("Private address, no rule (now allowed)"));
    ui::PassTester* tester = page->traffic()->tester();
    tester->field()->setText(QStringLiteral("192.168.77.7:8443"));
    ASSERT_TRUE(waitUntil([tester] {
        return tester->answer().contains(QStringLiteral("allows 192.168.77.7/32:8443"));
    }));
    click(page->message(), "Undo");
    ASSERT_TRUE(waitUntil(
        [this] { return cell(0, ui::DestinationModel::Action) == QStringLiteral("Allow"); }));
    EXPECT_EQ(cell(0, ui::DestinationModel::Because), QStringLiteral("Private address, no rule"));
    ASSERT_TRUE(waitUntil([tester] { return tester->answer().startsWith(QStringLiteral("No,")); }));
    EXPECT_EQ(network->policy(), SoftnetPolicy());
}

TEST_F(RealFirewallTest, AKilledHelperComesBackAndTheListBeginsAnew) {
    runReal();
    guestSends();
    ASSERT_TRUE(waitForRows(1));
    vitrine::test::sendSignal(static_cast<pid_t>(network->supervisor().processId()), SIGKILL);
    ASSERT_TRUE(waitForRows(0));
    ASSERT_TRUE(waitUntil(
        [this] {
            return network->supervisor().isReady() && network->supervisor().restarts() > 0 &&
                   page->link()->state() == ui::FirewallLink::State::Live;
        },
        30000));
    guestSends();
    ASSERT_TRUE(waitForRows(1));
}

} // namespace
} // namespace vitrine::test
