// SPDX-License-Identifier: Apache-2.0
// A guest behind Softnet and one behind plain NAT, each booted once, in a network of this test's
// own with stand-ins for hosts of the local network, of the Internet and on this computer's
// loopback. The order of the tests is that of a working day.
#include "core/machine/sidecar.h"
#include "core/softnet/softnet_values.h"
#include "private_network.h"
#include "running_guest.h"
#include "support/event_wait.h"
#include "tests/support/send_signal.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTcpServer>
#include <QTcpSocket>
#include <QUdpSocket>

#include <gtest/gtest.h>

#include <csignal>

using namespace vitrine;
using namespace vitrine::test;

namespace {

constexpr const char* local = "192.168.7.7";
constexpr const char* documentation = "198.51.100.7";
constexpr const char* global = "8.8.8.8";
constexpr const char* gateway = "10.0.2.2";
constexpr quint16 greeting = 5555;
constexpr quint16 stream = 5557;

QString s(const char* text) {
    return QString::fromLatin1(text);
}

// Before the first thread: namespaces of users want that.
class PrivateNetwork final : public testing::Environment {
public:
    void SetUp() override {
        ASSERT_EQ(enterPrivateNetwork({s(local), s(documentation), s(global)}), QString());
    }
};
const auto* const network = testing::AddGlobalTestEnvironment(new PrivateNetwork);

// All hosts at once: says hello, sends without end, and answers every name with one address.
class Hosts final {
public:
    Hosts() {
        EXPECT_TRUE(m_greeting.listen(QHostAddress::AnyIPv4, greeting));
        QObject::connect(&m_greeting, &QTcpServer::newConnection, &m_greeting, [this] {
            QTcpSocket* const client = m_greeting.nextPendingConnection();
            client->write("hello\n");
            client->disconnectFromHost();
        });
        EXPECT_TRUE(m_stream.listen(QHostAddress::AnyIPv4, stream));
        QObject::connect(&m_stream, &QTcpServer::newConnection, &m_stream, [this] {
            QTcpSocket* const client = m_stream.nextPendingConnection();
            const auto more = [this, client](qint64 written) {
                streamed += written;
                if (client->bytesToWrite() < 65536)
                    client->write(QByteArray(65536, 'x'));
            };
            QObject::connect(client, &QTcpSocket::bytesWritten, client, more);
            more(0);
        });
        EXPECT_TRUE(m_names.bind(QHostAddress(QHostAddress::LocalHost), 53));
        QObject::connect(&m_names, &QUdpSocket::readyRead, &m_names, [this] {
            while (m_names.hasPendingDatagrams()) {
                QByteArray question(512, '\0');
                QHostAddress from;
                quint16 port = 0;
                question.resize(
                    m_names.readDatagram(question.data(), question.size(), &from, &port));
                // The question again, then 192.0.2.55 for what it asked.
                QByteArray answer = question;
                answer[2] = char(0x81);
                answer[3] = char(0x80);
                answer[7] = 1;
                answer[9] = answer[11] = 0;
                answer.append(QByteArray::fromHex("c00c000100010000003c0004c0000237"));
                m_names.writeDatagram(answer, from, port);
            }
        });
    }
    qint64 streamed = 0; // bytes that the system took

private:
    QTcpServer m_greeting;
    QTcpServer m_stream;
    QUdpSocket m_names;
};

std::unique_ptr<Hosts> hosts;
std::unique_ptr<RunningGuest> guest;

// "ok" for each host that says hello, all at once; and for the name server.
QStringList reached() {
    const QString text = guest->shell(
        QStringLiteral("for a in %1 %2 %3 %4; do (test \"$(nc -w 4 $a %5 </dev/null "
                       "2>/dev/null)\" = hello && echo $a) & done; (busybox nslookup "
                       "-type=a vitrine.test 10.0.2.3 2>/dev/null | grep -q 192.0.2.55 && "
                       "echo name) & wait")
            .arg(s(gateway), s(local), s(documentation), s(global))
            .arg(greeting));
    QStringList lines = text.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    lines.sort();
    return lines;
}
bool saysHelloToMe(quint16 port) {
    // A helper that was just started again may not listen yet.
    QTcpSocket socket;
    return waitUntil(
        [&socket, port] {
            if (socket.state() == QTcpSocket::UnconnectedState)
                socket.connectToHost(QHostAddress(QHostAddress::LocalHost), port);
            return socket.peek(4) == "SSH-";
        },
        20000);
}
qint64 helper() {
    const QStringList processes = QDir(s("/proc")).entryList(QDir::Dirs);
    const QByteArray parent = QByteArray::number(guest->processId());
    for (const QString& name : processes) {
        QFile file(QStringLiteral("/proc/%1/stat").arg(name));
        if (!file.open(QIODevice::ReadOnly))
            continue;
        const QByteArray text = file.readAll();
        const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        if (text.contains("(vitrine-softnet") && fields.value(1) == parent)
            return name.toLongLong();
    }
    return 0;
}

class SoftnetGuest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        hosts = std::make_unique<Hosts>();
        RunningGuest::Setup setup;
        setup.architecture = hostArchitecture();
        setup.byKernel = true;
        setup.change = [](RunOptions& run, const QString&) {
            run.network.mode = NetworkMode::Softnet;
        };
        guest = std::make_unique<RunningGuest>(setup);
        guest->start();
        ASSERT_TRUE(guest->waitUntilReady());
        // Its services answer before it has asked for an address.
        ASSERT_TRUE(waitUntil([] { return guest->status().address == s("10.0.2.15"); }, longWait));
    }
    static void TearDownTestSuite() {
        guest.reset();
        hosts.reset();
    }
    void SetUp() override {
        if (!guest || !guest->client().isConnected())
            FAIL() << "the guest did not start";
    }
    static RunningGuest::Ran net(const QStringList& words) {
        const auto ran = guest->vitrinectl(QStringList{s("net"), s("guest")} + words);
        return ran;
    }
    static void setRules(const QStringList& allow, const QStringList& block) {
        const auto set = guest->call("net.policy.set", SoftnetPolicy{allow, block}.toJson());
        ASSERT_TRUE(set) << qPrintable(set.error().message);
    }
    static bool waitUntilNothingStreams() {
        qint64 last = -1;
        QElapsedTimer still;
        return waitUntil(
            [&] {
                if (hosts->streamed != last) {
                    last = hosts->streamed;
                    still.start();
                }
                return still.elapsed() > 2500;
            },
            30000);
    }
    static bool waitUntilMoreStreams() {
        const qint64 now = hosts->streamed;
        return waitUntil([now] { return hosts->streamed > now + (1 << 20); }, 90000);
    }
};

} // namespace

TEST_F(SoftnetGuest, PublicAddressesAndNamesPassAndNothingElseDoes) {
    EXPECT_EQ(reached(), (QStringList{s(global), s("name")}));
    EXPECT_TRUE(waitUntil([] { return guest->status().sshPort != 0; }, 20000));
    EXPECT_TRUE(saysHelloToMe(guest->status().sshPort));
    EXPECT_EQ(guest->status().address, s("10.0.2.15"));
    EXPECT_EQ(guest->shell(s("ping -c 1 -W 5 10.0.2.2 >/dev/null 2>&1 && echo ok")), s("ok"));
}

TEST_F(SoftnetGuest, RulesDecideByTheLongestPrefix) {
    setRules({s("192.168.7.0/24")}, {s("8.8.8.0/24")});
    EXPECT_EQ(reached(), (QStringList{s(local), s("name")}));
    EXPECT_TRUE(saysHelloToMe(guest->status().sshPort)) << "its answers pass";
    setRules({s("@host")}, {s("0.0.0.0/0")});
    EXPECT_EQ(reached(), (QStringList{s(gateway), s("name")}));
}

TEST_F(SoftnetGuest, ThisComputersLoopbackStaysClosedWhenAllIsAllowed) {
    setRules({s("0.0.0.0/0")}, {});
    EXPECT_EQ(reached(), (QStringList{s(local), s(documentation), s(global), s("name")}));
    const auto sidecar = Sidecar::read(guest->machineDirectory());
    ASSERT_TRUE(sidecar);
    EXPECT_EQ(sidecar->run.network.allow, s("0.0.0.0/0"));
    EXPECT_TRUE(saysHelloToMe(guest->status().sshPort));
}

TEST_F(SoftnetGuest, TheCommandLineShowsAndTestsAndRefusesWhatIsWrong) {
    setRules({}, {});
    EXPECT_EQ(reached(), (QStringList{s(global), s("name")}));
    const auto log = net({s("log"), s("--format"), s("json")});
    EXPECT_EQ(log.exitCode, 0) << qPrintable(log.errors);
    QHash<QString, SoftnetDestination> seen;
    for (const QJsonValue& one : QJsonDocument::fromJson(log.output.toUtf8()).array()) {
        const auto destination = SoftnetDestination::fromJson(one.toObject());
        if (destination.port == greeting)
            seen.insert(destination.address, destination);
    }
    EXPECT_TRUE(seen.value(s(global)).allowed);
    EXPECT_FALSE(seen.value(s(local)).allowed);
    EXPECT_GT(seen.value(s(global)).bytesIn, 0);
    EXPECT_EQ(net({s("test"), s("8.8.8.8:443")}).exitCode, 0);
    const auto blocked = net({s("test"), s("192.168.7.7:80")});
    EXPECT_EQ(blocked.exitCode, 1);
    EXPECT_TRUE(blocked.output.contains(s("Private address"))) << qPrintable(blocked.output);
    EXPECT_EQ(net({s("allow"), s("192.168.7.7/33")}).exitCode, 64);
    EXPECT_EQ(net({s("allow"), s("192.168.7.7/32")}).exitCode, 0);
    EXPECT_EQ(net({s("test"), s("192.168.7.7:80")}).exitCode, 0);
    const auto rules = net({s("rules")});
    EXPECT_TRUE(rules.output.contains(s("192.168.7.7/32"))) << qPrintable(rules.output);
    EXPECT_EQ(net({s("allow"), s("192.168.7.7/32"), s("--remove")}).exitCode, 0);
}

TEST_F(SoftnetGuest, ANewRuleCutsATransferAndItsRemovalLetsItGoOn) {
    // Its end of the connection stays open, so that only the rule ends the transfer.
    guest->shell(QStringLiteral("(sleep 600 | nc %1 %2 >/dev/null 2>&1) >/dev/null 2>&1 &")
                     .arg(s(global))
                     .arg(stream));
    ASSERT_TRUE(waitUntilMoreStreams());
    ASSERT_EQ(net({s("block"), s("8.8.8.8/32")}).exitCode, 0);
    EXPECT_TRUE(waitUntilNothingStreams());
    ASSERT_EQ(net({s("block"), s("8.8.8.8/32"), s("--remove")}).exitCode, 0);
    EXPECT_TRUE(waitUntilMoreStreams());
    guest->shell(s("busybox killall nc sleep"));
}

TEST_F(SoftnetGuest, PortsAreExposedAndConcealedWhileItRuns) {
    ASSERT_EQ(net({s("expose"), s("127.0.0.1:2222:22")}).exitCode, 0);
    EXPECT_TRUE(saysHelloToMe(2222));
    const auto taken = net({s("expose"), QStringLiteral("%1:22").arg(greeting)});
    EXPECT_NE(taken.exitCode, 0);
    EXPECT_TRUE(taken.errors.contains(QString::number(greeting))) << qPrintable(taken.errors);
    ASSERT_EQ(net({s("expose"), s("127.0.0.1:2222:22"), s("--remove")}).exitCode, 0);
    QTcpSocket socket;
    socket.connectToHost(QHostAddress(QHostAddress::LocalHost), 2222);
    EXPECT_TRUE(waitUntil([&] { return socket.error() == QTcpSocket::ConnectionRefusedError; }));
}

TEST_F(SoftnetGuest, AHelperThatIsKilledComesBackWithTheRulesInForce) {
    setRules({s("192.168.7.0/24")}, {s("8.8.8.0/24")});
    const qint64 before = helper();
    ASSERT_GT(before, 1);
    vitrine::test::sendSignal(static_cast<pid_t>(before), SIGKILL);
    ASSERT_TRUE(waitUntil([before] { return helper() != before && helper() != 0; }, 20000));
    EXPECT_EQ(reached(), (QStringList{s(local), s("name")}));
    EXPECT_TRUE(saysHelloToMe(guest->status().sshPort));
    EXPECT_TRUE(guest->said().contains(s("started again"))) << qPrintable(guest->said());
}

TEST_F(SoftnetGuest, SuspendedAndResumedItHasItsRulesAndPorts) {
    setRules({s("192.168.7.0/24")}, {});
    ASSERT_EQ(net({s("block"), s("8.8.8.0/24"), s("--once")}).exitCode, 0);
    ASSERT_EQ(net({s("expose"), s("127.0.0.1:2222:22")}).exitCode, 0);
    ASSERT_TRUE(guest->call("suspend"));
    ASSERT_EQ(guest->waitUntilEnded(), 0) << qPrintable(guest->said());
    // What is stored meanwhile counts, beside what held when it was suspended.
    ASSERT_EQ(net({s("allow"), s("198.51.100.0/24")}).exitCode, 0);
    guest->start();
    ASSERT_TRUE(guest->waitUntilState(MachineState::Running)) << qPrintable(guest->said());
    ASSERT_TRUE(waitUntil([] { return guest->status().agentAnswers; }, longWait));
    EXPECT_EQ(reached(), (QStringList{s(local), s(documentation), s("name")}));
    EXPECT_TRUE(saysHelloToMe(2222));
    ASSERT_TRUE(waitUntil([] { return guest->status().sshPort != 0; }, longWait));
    EXPECT_TRUE(saysHelloToMe(guest->status().sshPort));
}

TEST_F(SoftnetGuest, TheHelperEndsWithTheMachine) {
    const qint64 last = helper();
    ASSERT_GT(last, 1);
    vitrine::test::sendSignal(static_cast<pid_t>(guest->qemuProcessId()), SIGKILL);
    EXPECT_EQ(guest->waitUntilEnded(), 1);
    EXPECT_TRUE(waitUntil([last] { return !QFile::exists(QStringLiteral("/proc/%1").arg(last)); }));
}

// Plain NAT is the same program without rules.
class NatGuest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        hosts = std::make_unique<Hosts>();
        RunningGuest::Setup setup;
        setup.architecture = hostArchitecture();
        setup.byKernel = true;
        guest = std::make_unique<RunningGuest>(setup);
        guest->start();
        ASSERT_TRUE(guest->waitUntilReady());
    }
    static void TearDownTestSuite() {
        guest.reset();
        hosts.reset();
    }
    void SetUp() override {
        if (!guest || !guest->client().isConnected())
            FAIL() << "the guest did not start";
    }
};

TEST_F(NatGuest, ReachesEverythingButThisComputersLoopback) {
    EXPECT_EQ(guest->status().network, s("nat"));
    EXPECT_EQ(reached(), (QStringList{s(local), s(documentation), s(global), s("name")}));
    EXPECT_EQ(guest->status().address, s("10.0.2.15"));
    const auto rules = guest->call("net.policy.set", SoftnetPolicy{{s("@host")}, {}}.toJson());
    ASSERT_FALSE(rules);
    EXPECT_EQ(rules.error().kind, Error::Kind::Unsupported);
}

TEST_F(NatGuest, IsReachedThroughForwardsThatComeAndGoAndOutliveTheHelper) {
    ASSERT_TRUE(waitUntil([] { return guest->status().sshPort != 0; }, longWait));
    EXPECT_TRUE(saysHelloToMe(guest->status().sshPort));
    const auto added = guest->call("forward.add", {{s("hostPort"), 2222}, {s("guestPort"), 22}});
    ASSERT_TRUE(added) << qPrintable(added.error().message);
    EXPECT_TRUE(saysHelloToMe(2222));
    const auto taken =
        guest->call("forward.add", {{s("hostPort"), greeting}, {s("guestPort"), 22}});
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().kind, Error::Kind::AlreadyExists);
    EXPECT_TRUE(taken.error().message.contains(QString::number(greeting)));
    const qint64 before = helper();
    ASSERT_GT(before, 1);
    vitrine::test::sendSignal(static_cast<pid_t>(before), SIGKILL);
    ASSERT_TRUE(waitUntil([before] { return helper() != before && helper() != 0; }, 20000));
    EXPECT_TRUE(saysHelloToMe(2222));
    EXPECT_EQ(reached(), (QStringList{s(local), s(documentation), s(global), s("name")}));
    ASSERT_TRUE(guest->call("forward.remove", {{s("hostPort"), 2222}}));
    QTcpSocket socket;
    socket.connectToHost(QHostAddress(QHostAddress::LocalHost), 2222);
    EXPECT_TRUE(waitUntil([&] { return socket.error() == QTcpSocket::ConnectionRefusedError; }));
}
