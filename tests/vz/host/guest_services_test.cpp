// SPDX-License-Identifier: Apache-2.0
#include "vz/host/guest_services.h"

#include "core/disk/file_descriptor.h"
#include "tests/support/event_wait.h"
#include "tests/vz/plan/fake_vz_machine.h"

#include <QDateTime>
#include <QFile>
#include <QLocalSocket>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <unistd.h>

namespace vitrine::vz::test {

using vitrine::test::waitUntil;

namespace {

// A guest on whose port something listens, or nothing does.
class ListeningMachine final : public FakeVzMachine {
public:
    void connectVsock(quint32 port, Connection done) override {
        asked << QStringLiteral("vsock %1").arg(port);
        int ends[2];
        if (!listens || ::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
            done(fail(Error::Kind::Network, QStringLiteral("Nobody listens.")));
            return;
        }
        guest.emplace_back(ends[0]);
        done(ends[1]);
    }
    bool listens = false;
    std::vector<FileDescriptor> guest;
};

class GuestServicesTest : public testing::Test {
protected:
    GuestServicesTest() {
        opened.machine = &machine;
        opened.name = QStringLiteral("mac");
        opened.directory = folder.path();
        opened.macAddress = MacAddress::fromText(QStringLiteral("5e:01:0a:0b:0c:0d"));
        opened.tell = [this](const QString& kind, const QString&) { told << kind; };
        opened.setAddress = [this](const QString& address, const QString& source) {
            addresses << source + QLatin1Char(' ') + address;
        };
        opened.setAgent = [this](bool isOpened, bool answers) {
            agent.emplace_back(answers ? "answers" : isOpened ? "opened" : "nobody");
        };
        neighbours.leases = folder.filePath(QStringLiteral("dhcpd_leases"));
        neighbours.arp = [](const MacAddress&) { return QString(); };
    }
    void writeLease(const char* client) const {
        QFile file(neighbours.leases);
        ASSERT_TRUE(file.open(QIODevice::WriteOnly));
        file.write("{\n\tip_address=192.168.64.5\n\thw_address=" + QByteArray(client) +
                   "\n\tlease=0x" +
                   QByteArray::number(QDateTime::currentSecsSinceEpoch() + 600, 16) + "\n}\n");
    }

    QTemporaryDir folder;
    ListeningMachine machine;
    OpenedMachine opened;
    GuestServices::Neighbours neighbours;
    QStringList told;
    QStringList addresses;
    std::vector<std::string> agent;
};

} // namespace

TEST_F(GuestServicesTest, TheAddressIsThatOfTheLease) {
    writeLease("1,5e:1:a:b:c:d");
    const GuestServices services(opened, neighbours);
    EXPECT_TRUE(waitUntil([this] { return !addresses.isEmpty(); }));
    EXPECT_EQ(addresses, QStringList{QStringLiteral("lease 192.168.64.5")});
    EXPECT_TRUE(machine.asked.contains(QStringLiteral("vsock 8080")));
}

TEST_F(GuestServicesTest, AClientThatIsKnownByItsDuidIsFoundByArp) {
    writeLease("ff,f1:f5:dd:7f:0:2:0:1:2f:aa:5e:1:a:b:c:d");
    neighbours.arp = [](const MacAddress& mac) {
        return mac.toText() == QLatin1String("5e:01:0a:0b:0c:0d") ? QStringLiteral("192.168.64.9")
                                                                  : QString();
    };
    const GuestServices services(opened, neighbours);
    EXPECT_TRUE(waitUntil([this] { return !addresses.isEmpty(); }));
    EXPECT_EQ(addresses, QStringList{QStringLiteral("arp 192.168.64.9")});
}

TEST_F(GuestServicesTest, AnAgentThatSaysNothingDoesNotHoldUpTheRest) {
    machine.listens = true;
    writeLease("1,5e:1:a:b:c:d");
    const GuestServices services(opened, neighbours);
    EXPECT_TRUE(waitUntil([this] { return !addresses.isEmpty(); }));
    EXPECT_EQ(addresses, QStringList{QStringLiteral("lease 192.168.64.5")});
    EXPECT_TRUE(waitUntil([this] { return !agent.empty(); }));
    EXPECT_EQ(agent.front(), "opened");
}

TEST_F(GuestServicesTest, AGuestWithoutAnAgentIsToldSo) {
    const GuestServices services(opened, neighbours);
    EXPECT_TRUE(waitUntil([this] { return !agent.empty(); }));
    EXPECT_EQ(agent.front(), "nobody");
}

TEST_F(GuestServicesTest, APausedGuestIsNotAsked) {
    machine.current = VmState::Paused;
    writeLease("1,5e:1:a:b:c:d");
    const GuestServices services(opened, neighbours);
    EXPECT_TRUE(waitUntil([this] { return !addresses.isEmpty(); }));
    EXPECT_TRUE(machine.asked.isEmpty());
    EXPECT_TRUE(agent.empty()) << "its silence is no news";
}

TEST_F(GuestServicesTest, ControlSockLeadsToTheAgentAndGoesWithTheServices) {
    machine.listens = true;
    const QString path = folder.filePath(QStringLiteral("control.sock"));
    {
        const GuestServices services(opened, neighbours);
        // The first connection is the services' own question.
        ASSERT_TRUE(waitUntil([this] { return machine.guest.size() == 1; }));
        QLocalSocket client;
        client.connectToServer(path);
        ASSERT_TRUE(waitUntil([this] { return machine.guest.size() == 2; }));
        ASSERT_EQ(::write(machine.guest.back().get(), "hello", 5), 5);
        EXPECT_TRUE(waitUntil([&client] { return client.bytesAvailable() == 5; }));
        EXPECT_EQ(client.readAll(), QByteArray("hello"));
    }
    EXPECT_FALSE(QFile::exists(path));
    EXPECT_TRUE(told.isEmpty());
}

TEST_F(GuestServicesTest, WithoutControlSockTheRestGoesOnAndItIsTold) {
    opened.directory = folder.filePath(QStringLiteral("gone"));
    writeLease("1,5e:1:a:b:c:d");
    const GuestServices services(opened, neighbours);
    EXPECT_EQ(told, QStringList{QStringLiteral("remark")});
    EXPECT_TRUE(waitUntil([this] { return !addresses.isEmpty(); }));
}

} // namespace vitrine::vz::test
