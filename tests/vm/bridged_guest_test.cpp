// SPDX-License-Identifier: Apache-2.0
// A guest on two bridges of a network of this test's own, with QEMU's real helper. Needs root: an
// ordinary user cannot make a bridge. The last test ends the guest.
#include "private_network.h"
#include "running_guest.h"
#include "support/event_wait.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTcpSocket>

#include <gtest/gtest.h>

#include <sys/mount.h>
#include <unistd.h>

using namespace vitrine;
using namespace vitrine::test;

namespace {

constexpr const char* guestAddress = "192.168.77.2";

QString s(const char* text) {
    return QString::fromLatin1(text);
}

void ip(const char* arguments) {
    QProcess process;
    process.start(s("ip"), s(arguments).split(u' '));
    ASSERT_TRUE(process.waitForFinished(60000) && process.exitCode() == 0)
        << arguments << ": " << process.readAllStandardError().constData();
}

// This computer's /etc with an /etc/qemu/bridge.conf, and a /sys that shows this network. Only this
// process and its children see it.
void allowBridges(const QByteArray& rules) {
    ASSERT_EQ(::mount("sysfs", "/sys", "sysfs", 0, nullptr), 0);
    const QString above = s("/mnt/above");
    ASSERT_EQ(::mount("tmpfs", "/mnt", "tmpfs", 0, nullptr), 0);
    ASSERT_TRUE(QDir().mkpath(above + s("/qemu")) && QDir().mkpath(s("/mnt/work")));
    QFile file(above + s("/qemu/bridge.conf"));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly) && file.write(rules) == rules.size());
    file.close();
    ASSERT_EQ(
        ::mount(
            "overlay", "/etc", "overlay", 0, "lowerdir=/etc,upperdir=/mnt/above,workdir=/mnt/work"),
        0)
        << ::strerror(errno);
}

// Before the first thread: namespaces want that.
class PrivateNetwork final : public testing::Environment {
public:
    void SetUp() override {
        if (::geteuid() == 0) {
            ASSERT_EQ(enterPrivateNetwork({}), QString());
        }
    }
};
const auto* const network = testing::AddGlobalTestEnvironment(new PrivateNetwork);

std::unique_ptr<RunningGuest> guest;

class BridgedGuest_NeedsRoot : public testing::Test {
protected:
    static void SetUpTestSuite() {
        if (::geteuid() != 0)
            return;
        ASSERT_NO_FATAL_FAILURE(allowBridges("allow outside\nallow inside\n"));
        for (const char* name : {"outside", "inside", "forbidden"}) {
            const QByteArray bridge = name;
            ASSERT_NO_FATAL_FAILURE(ip(("link add " + bridge + " type bridge").constData()));
            ASSERT_NO_FATAL_FAILURE(ip(("link set " + bridge + " up").constData()));
        }
        ASSERT_NO_FATAL_FAILURE(ip("address add 192.168.77.1/24 dev outside"));
        RunningGuest::Setup setup;
        setup.architecture = hostArchitecture();
        setup.byKernel = true;
        setup.change = [](RunOptions& run, const QString&) {
            run.network.mode = NetworkMode::Bridged;
            run.network.interfaces = {s("outside"), s("inside")};
        };
        guest = std::make_unique<RunningGuest>(setup);
        guest->start();
        m_ready = guest->waitUntilReady();
    }
    static void TearDownTestSuite() { guest.reset(); }
    void SetUp() override {
        if (::geteuid() != 0)
            GTEST_SKIP() << "only root can make a bridge";
        ASSERT_TRUE(m_ready) << "the guest did not become ready";
    }
    static inline bool m_ready = false;
};

} // namespace

TEST_F(BridgedGuest_NeedsRoot, HasACardOnEachBridge) {
    for (const char* bridge : {"outside", "inside"})
        EXPECT_EQ(QDir(s("/sys/class/net/%1/brif").arg(s(bridge)))
                      .entryList(QDir::AllEntries | QDir::NoDotAndDotDot)
                      .size(),
                  1)
            << bridge;
    EXPECT_EQ(guest->shell(s("ls -d /sys/class/net/eth* | wc -l")), s("2"));
    EXPECT_EQ(
        guest->shell(s("cat /sys/class/net/eth0/address")),
        guest->library().machine(*MachineName::fromText(s("guest")))->config->macAddress.toText());
}

TEST_F(BridgedGuest_NeedsRoot, ItsAddressIsFoundAmongTheNeighboursOnceItHasSpoken) {
    const QStringList question{s("ip"), s("guest"), s("--resolver"), s("arp")};
    const auto early = guest->vitrinectl(question);
    EXPECT_NE(early.exitCode, 0);
    EXPECT_TRUE(early.errors.contains(s("MAC address"))) << early.errors.toStdString();
    // It speaks while somebody waits.
    guest->shell(s("ip address add %1/24 dev eth0; setsid sh -c 'sleep 2; ping -c 1 192.168.77.1' "
                   "> /dev/null 2>&1 < /dev/null &")
                     .arg(s(guestAddress)));
    const auto found = guest->vitrinectl(question + QStringList{s("--wait"), s("60")}, longWait);
    EXPECT_EQ(found.exitCode, 0) << found.errors.toStdString();
    EXPECT_EQ(found.output, s(guestAddress));
}

TEST_F(BridgedGuest_NeedsRoot, ItIsReachedAtAnAddressOfItsOwn) {
    EXPECT_TRUE(waitUntil([] { return guest->status().address == s(guestAddress); }, longWait));
    EXPECT_EQ(guest->status().sshPort, 0);
    QTcpSocket socket;
    socket.connectToHost(s(guestAddress), 22);
    EXPECT_TRUE(waitUntil([&] { return socket.bytesAvailable() > 4; }, 30000));
    EXPECT_TRUE(socket.readAll().startsWith("SSH-"));
    const auto forwarded = guest->vitrinectl({s("forward"), s("guest"), s("add"), s("22")});
    EXPECT_NE(forwarded.exitCode, 0);
    EXPECT_TRUE(forwarded.errors.contains(s("bridge"))) << forwarded.errors.toStdString();
}

TEST_F(BridgedGuest_NeedsRoot, LeavesTheBridgesWhenItEnds) {
    ASSERT_TRUE(guest->call("forceOff"));
    EXPECT_EQ(guest->waitUntilEnded(), 0);
    EXPECT_TRUE(waitUntil([] {
        return QDir(s("/sys/class/net/outside/brif"))
            .entryList(QDir::AllEntries | QDir::NoDotAndDotDot)
            .isEmpty();
    }));
}

TEST_F(BridgedGuest_NeedsRoot, ABridgeThatIsNotAllowedIsRefused) {
    const auto refused =
        guest->vitrinectl({s("run"), s("guest"), s("--no-graphics"), s("--net-bridged=forbidden")});
    EXPECT_EQ(refused.exitCode, 1);
    EXPECT_TRUE(refused.errors.contains(s("allow forbidden"))) << refused.errors.toStdString();
    const auto unknown =
        guest->vitrinectl({s("run"), s("guest"), s("--no-graphics"), s("--net-bridged=nowhere")});
    EXPECT_EQ(unknown.exitCode, 64);
    EXPECT_TRUE(unknown.errors.contains(s("outside"))) << unknown.errors.toStdString();
}
