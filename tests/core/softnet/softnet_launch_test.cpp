// SPDX-License-Identifier: Apache-2.0
// Softnet as a Mac has it, with a stand-in for the program.
#include "core/softnet/softnet_launch.h"

#include "tests/support/event_wait.h"

#include <QFile>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <array>
#include <sys/socket.h>

using namespace vitrine;
using vitrine::test::waitUntil;

namespace {

QString s(const char* text) {
    return QString::fromLatin1(text);
}

class SoftnetLaunchTest : public testing::Test {
protected:
    SoftnetLaunchTest() {
        EXPECT_TRUE(QFile::copy(s(VITRINE_SOFTNET_STAND_IN), m_folder.filePath(s("softnet"))));
        m_options.mode = NetworkMode::Softnet;
    }
    ~SoftnetLaunchTest() override { qunsetenv("VITRINE_STAND_IN_IS_OLD"); }
    // As after its chown and chmod, which only root can do.
    SoftnetProgram raised() {
        const auto found = findSoftnet({m_folder.path()});
        EXPECT_TRUE(found);
        SoftnetProgram program = found.value_or(SoftnetProgram());
        program.isRaised = true;
        return program;
    }
    Result<SoftnetSupervisor::Setup> plan(const SoftnetProgram& program) {
        std::array<int, 2> ends{};
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        m_machine = FileDescriptor(ends[1]);
        return planSoftnet(program,
                           *MacAddress::fromText(u"02:00:00:00:00:01"),
                           m_options,
                           FileDescriptor(ends[0]));
    }
    void start(const SoftnetProgram& program) {
        auto setup = plan(program);
        ASSERT_TRUE(setup) << qPrintable(setup.error().message);
        setup->pace.first = 1;
        setup->pace.attempts = 2;
        supervisor = std::make_unique<SoftnetSupervisor>(std::move(*setup));
        SoftnetSupervisor* const one = supervisor.get();
        QObject::connect(one, &SoftnetSupervisor::ready, one, [this] { ++ready; });
        QObject::connect(
            one, &SoftnetSupervisor::ended, one, [this](const QString& how) { ended << how; });
        QObject::connect(
            one, &SoftnetSupervisor::gaveUp, one, [this](const Error& e) { gaveUp << e; });
        ASSERT_TRUE(supervisor->start());
    }
    // Whether a frame of the machine goes to the child and comes back.
    [[nodiscard]] bool carries(const QByteArray& frame) const {
        QByteArray back(100, '\0');
        ::send(m_machine.get(), frame.constData(), static_cast<size_t>(frame.size()), 0);
        return waitUntil([&] {
            return ::recv(m_machine.get(), back.data(), 100, MSG_DONTWAIT) == frame.size();
        });
    }

    QTemporaryDir m_folder;
    NetworkOptions m_options;
    FileDescriptor m_machine;
    std::unique_ptr<SoftnetSupervisor> supervisor;
    int ready = 0;
    QStringList ended;
    QList<Error> gaveUp;
};

} // namespace

TEST_F(SoftnetLaunchTest, OneWithControlTakesRulesWhileItRuns) {
    m_options.allow = s("in 10.0.0.0/8,@host");
    m_options.block = s("0.0.0.0/0");
    m_options.expose = s("2222:22");
    const SoftnetProgram program = raised();
    ASSERT_TRUE(program.hasControl);
    EXPECT_EQ(plan(program)->arguments,
              (QStringList{s("--vm-mac-address=02:00:00:00:00:01"), s("--expose=2222:22")}));
    start(program);
    ASSERT_TRUE(waitUntil([this] { return ready == 1; }));
    const SoftnetPolicy other{{s("192.168.7.0/24")}, {}};
    std::optional<SoftnetPolicy> before;
    std::optional<SoftnetPolicy> after;
    SoftnetClient& client = *supervisor->client();
    client.call(s("softnet.policy.get"), {}, [&](const Result<QJsonObject>& answer) {
        before = SoftnetPolicy::fromJson(answer.value_or(QJsonObject()));
    });
    client.setPolicy(other, [&](const Result<QJsonObject>& answer) {
        after = SoftnetPolicy::fromJson(answer.value_or(QJsonObject()));
    });
    ASSERT_TRUE(waitUntil([&] { return before.has_value() && after.has_value(); }));
    EXPECT_EQ(*before, (SoftnetPolicy{{s("in 10.0.0.0/8"), s("@host")}, {s("0.0.0.0/0")}}));
    EXPECT_EQ(*after, other);
    EXPECT_TRUE(carries("frame"));
}

TEST_F(SoftnetLaunchTest, AnOldOneRunsWithoutControlAndIsNotGivenRulesItDoesNotKnow) {
    qputenv("VITRINE_STAND_IN_IS_OLD", "1");
    const SoftnetProgram program = raised();
    EXPECT_FALSE(program.hasControl);
    m_options.allow = s("10.0.0.0/8");
    start(program);
    ASSERT_TRUE(waitUntil([this] { return ready == 1; }));
    EXPECT_EQ(supervisor->client(), nullptr);
    EXPECT_TRUE(carries("frame"));
    for (const char* rule : {"in 10.0.0.0/8", "10.0.0.0/8:443"}) {
        m_options.block = s(rule);
        const auto refused = plan(program);
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().kind, Error::Kind::Unsupported);
        EXPECT_TRUE(refused.error().message.contains(s(rule)));
    }
}

// What a control channel means to a version that has none: exit status 2 and a line.
TEST_F(SoftnetLaunchTest, AProgramThatRefusesIsNotRepeatedAndItsLastLineIsTold) {
    SoftnetProgram program = raised();
    qputenv("VITRINE_STAND_IN_IS_OLD", "1");
    start(program);
    ASSERT_TRUE(waitUntil([this] { return gaveUp.size() == 1; }));
    EXPECT_EQ(ready, 0);
    EXPECT_TRUE(ended.isEmpty());
    EXPECT_EQ(supervisor->exitCode(), 2);
    EXPECT_TRUE(gaveUp.first().message.contains(s("unexpected argument '--control-fd'")))
        << qPrintable(gaveUp.first().message);
}

TEST_F(SoftnetLaunchTest, ANetworkOfTheHostAloneHasNoRules) {
    m_options.mode = NetworkMode::HostOnly;
    m_options.allow = s("10.0.0.0/8"); // of another choice
    const auto setup = plan(raised());
    ASSERT_TRUE(setup);
    EXPECT_EQ(setup->arguments,
              (QStringList{s("--vm-mac-address=02:00:00:00:00:01"), s("--vm-net-type=host")}));
    EXPECT_EQ(setup->policy, SoftnetPolicy());
}

TEST_F(SoftnetLaunchTest, WithoutPrivilegesTheCommandIsToldUnlessSudoNeedsNoPassword) {
    const auto found = findSoftnet({m_folder.path()});
    ASSERT_TRUE(found);
    ASSERT_FALSE(found->isRaised);
    const auto refused = plan(*found);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::Permission);
    EXPECT_TRUE(refused.error().message.contains(found->remedy()));
    EXPECT_TRUE(found->remedy().contains(s("chmod u+s")));
    // A sudo that asks for a password, and one that does not.
    QFile sudo(m_folder.filePath(s("sudo")));
    const auto write = [&sudo](const char* script) {
        ASSERT_TRUE(sudo.open(QIODevice::WriteOnly | QIODevice::Truncate));
        sudo.write(script);
        sudo.close();
        ASSERT_TRUE(sudo.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    };
    write("#!/bin/sh\necho 'sudo: a password is required' >&2\nexit 1\n");
    EXPECT_FALSE(plan(*findSoftnet({m_folder.path()})));
    write("#!/bin/sh\ntest \"$1\" = --non-interactive || exit 1\nshift\nexec \"$@\"\n");
    EXPECT_TRUE(plan(*findSoftnet({m_folder.path()})));
}
