// SPDX-License-Identifier: Apache-2.0
// What vitrine.sock changes of the firewall: what holds now and what is stored.
#include "qemu/softnet/softnet_requests.h"

#include "core/channel/json_channel.h"
#include "core/hypervisor/control_message.h"
#include "core/machine/sidecar.h"
#include "qemu/softnet/softnet_host.h"
#include "qemu/softnet/softnet_network.h"
#include "tests/support/event_wait.h"
#include "tests/support/held_machine.h"

#include <QJsonArray>
#include <QTemporaryDir>

#include <gtest/gtest.h>

using namespace vitrine;
using namespace vitrine::qemu;
using vitrine::test::SmallLibrary;
using vitrine::test::waitUntil;

namespace {

QString s(const char* text) {
    return QString::fromLatin1(text);
}

class SoftnetRequestsTest : public testing::Test {
protected:
    void SetUp() override {
        directory = library.add(s("web"));
        ASSERT_TRUE(Sidecar::update(directory, [](Sidecar& sidecar) {
            sidecar.run.network.mode = NetworkMode::Softnet;
            sidecar.run.network.allow = s("10.0.0.0/8");
        }));
        auto wire = openSoftnetWire();
        ASSERT_TRUE(wire);
        machine = std::move(wire->machine);
        NetworkOptions options; // this run was typed with other rules
        options.allow = s("11.0.0.0/8,12.0.0.0/8");
        network = std::make_unique<SoftnetNetwork>(
            SoftnetNetwork::Setup{s(VITRINE_SOFTNET_STAND_IN),
                                  *MacAddress::fromText(u"7e:11:22:33:44:55"),
                                  options,
                                  folder.filePath(s("log")),
                                  std::move(wire->helper)});
        requests = std::make_unique<SoftnetRequests>(&server, directory);
        requests->setNetwork(network.get());
        ASSERT_TRUE(server.listen(folder.filePath(s("vitrine.sock"))));
        auto connecting = std::make_unique<QLocalSocket>();
        connecting->connectToServer(folder.filePath(s("vitrine.sock")));
        ASSERT_TRUE(connecting->waitForConnected(20000));
        channel = std::make_unique<JsonChannel>(std::move(connecting), JsonChannel::Limits{});
        QObject::connect(channel.get(),
                         &JsonChannel::received,
                         channel.get(),
                         [this](const QJsonObject& message) { received.append(message); });
        ASSERT_TRUE(network->start());
        ASSERT_TRUE(waitUntil([this] { return network->supervisor().isReady(); }));
    }
    void send(const NetworkEdit& edit, bool keep) {
        QJsonObject parameters = edit.toJson();
        parameters.insert(s("keep"), keep);
        channel->send(control::request(++lastId, s("net.policy.edit"), parameters));
    }
    // The answer to the request sent last.
    QJsonObject answer() {
        EXPECT_TRUE(waitUntil([this] {
            return !received.isEmpty() && received.last().value(s("id")).toInteger() == lastId;
        }));
        return received.isEmpty() ? QJsonObject() : received.last();
    }
    QString stored() {
        const auto sidecar = Sidecar::read(directory);
        return sidecar ? sidecar->run.network.allow + QLatin1Char('|') + sidecar->run.network.block
                       : QString();
    }
    QString running() {
        return network->policy().allow.join(QLatin1Char(',')) + QLatin1Char('|') +
               network->policy().block.join(QLatin1Char(','));
    }

    SmallLibrary library;
    QTemporaryDir folder;
    QString directory;
    FileDescriptor machine;
    ControlServer server;
    std::unique_ptr<SoftnetNetwork> network;
    std::unique_ptr<SoftnetRequests> requests;
    std::unique_ptr<JsonChannel> channel;
    QList<QJsonObject> received;
    qint64 lastId = 0;
};

} // namespace

TEST_F(SoftnetRequestsTest, RulesForThisRunAreNotStoredByALaterChange) {
    NetworkEdit once;
    once.addAllow = {s("@host")};
    send(once, false);
    EXPECT_TRUE(answer().contains(s("result")));
    EXPECT_EQ(stored(), s("10.0.0.0/8|"));
    NetworkEdit kept;
    kept.addBlock = {s("203.0.113.7/32")};
    send(kept, true);
    EXPECT_TRUE(answer().contains(s("result")));
    EXPECT_EQ(running(), s("11.0.0.0/8,12.0.0.0/8,@host|203.0.113.7/32"));
    EXPECT_EQ(stored(), s("10.0.0.0/8|203.0.113.7/32"));
}

TEST_F(SoftnetRequestsTest, ARuleIsTakenOutWhereItIs) {
    NetworkEdit remove;
    remove.removeAllow = {s("10.9.9.9/8")};
    send(remove, false);
    EXPECT_TRUE(answer().contains(s("error"))) << "this run does not have it";
    EXPECT_EQ(stored(), s("10.0.0.0/8|"));
    send(remove, true);
    EXPECT_TRUE(answer().contains(s("result")));
    EXPECT_EQ(stored(), s("|"));
    EXPECT_EQ(running(), s("11.0.0.0/8,12.0.0.0/8|"));
    send(remove, true);
    EXPECT_TRUE(answer().contains(s("error")));
}

TEST_F(SoftnetRequestsTest, TwoChangesAtOnceAreBothMadeAndStored) {
    NetworkEdit first;
    first.addAllow = {s("13.0.0.0/8")};
    NetworkEdit second;
    second.addBlock = {s("11.0.0.0/8")};
    send(first, true);
    send(second, true);
    EXPECT_TRUE(answer().contains(s("result")));
    EXPECT_EQ(running(), s("12.0.0.0/8,13.0.0.0/8|11.0.0.0/8"));
    EXPECT_EQ(stored(), s("10.0.0.0/8,13.0.0.0/8|11.0.0.0/8"));
}
