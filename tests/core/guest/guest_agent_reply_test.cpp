// SPDX-License-Identifier: Apache-2.0
#include "core/guest/guest_agent_reply.h"

#include <QJsonArray>

#include <gtest/gtest.h>

#include <optional>

using namespace vitrine;

namespace {

QJsonObject interface(const char* name, const char* mac, const QStringList& addresses) {
    QJsonArray list;
    for (const QString& address : addresses) {
        list.append(QJsonObject{{QStringLiteral("ip-address"), address}});
    }
    return {{QStringLiteral("name"), QLatin1String(name)},
            {QStringLiteral("hardware-address"), QLatin1String(mac)},
            {QStringLiteral("ip-addresses"), list}};
}

} // namespace

TEST(GuestAddress, IsTheFirstIPv4AddressThatLeadsSomewhere) {
    const auto list = agentInterfaces(QJsonArray{
        interface("lo", "00:00:00:00:00:00", {QStringLiteral("127.0.0.1"), QStringLiteral("::1")}),
        interface("eth0",
                  "52:54:00:AA:bb:cc",
                  {QStringLiteral("fe80::1"),
                   QStringLiteral("fec0::5"),
                   QStringLiteral("169.254.7.7"),
                   QStringLiteral("10.0.2.15")}),
        interface("docker0", "02:42:00:00:00:01", {QStringLiteral("172.17.0.1")})});
    EXPECT_EQ(guestAddress(list).toString(), QStringLiteral("10.0.2.15"));
    EXPECT_EQ(guestAddress(list, QStringLiteral("52:54:00:aa:BB:cc")).toString(),
              QStringLiteral("10.0.2.15"));
    EXPECT_EQ(guestAddress(list, QStringLiteral("02:42:00:00:00:01")).toString(),
              QStringLiteral("172.17.0.1"));
    EXPECT_TRUE(guestAddress(list, QStringLiteral("00:11:22:33:44:55")).isNull());
}

TEST(GuestAddress, IsIPv6WhereThereIsNothingElse) {
    const auto list = agentInterfaces(QJsonArray{interface(
        "eth0", "52:54:00:aa:bb:cc", {QStringLiteral("fe80::1"), QStringLiteral("2001:db8::5")})});
    EXPECT_EQ(guestAddress(list).toString(), QStringLiteral("2001:db8::5"));
    EXPECT_TRUE(guestAddress({}).isNull());
}

TEST(AgentResult, TellsAProgramThatIsMissingFromOneThatFails) {
    const auto kindOf = [](const char* reason, const char* command) {
        const QJsonObject error{{QStringLiteral("class"), QStringLiteral("GenericError")},
                                {QStringLiteral("desc"), QLatin1String(reason)}};
        return agentResult(QJsonDocument(QJsonObject{{QStringLiteral("error"), error}}),
                           QLatin1String(command))
            .error()
            .kind;
    };
    const char* const missing =
        "Guest agent command failed, error was 'Failed to execute child process “nosuch” (No such "
        "file or directory)'";
    EXPECT_EQ(kindOf(missing, "guest-exec"), Error::Kind::NotFound);
    EXPECT_EQ(kindOf(missing, "guest-file-open"), Error::Kind::Internal);
    EXPECT_EQ(kindOf("Permission denied", "guest-exec"), Error::Kind::Internal);
}

TEST(AgentInterfaces, AreBoundedAndPlain) {
    QJsonArray many;
    for (int i = 0; i < 1000; ++i) {
        many.append(interface("a\nb\x1b[31m", "m", QStringList(1000, QStringLiteral("10.0.0.1"))));
    }
    const auto list = agentInterfaces(many);
    ASSERT_EQ(list.size(), 64);
    EXPECT_EQ(list.first().addresses.size(), 64);
    EXPECT_EQ(list.first().name, QStringLiteral("a b [31m"));
}

TEST(AgentInterfaces, IgnoreWhatTheyCannotUnderstand) {
    EXPECT_TRUE(agentInterfaces(QJsonValue()).isEmpty());
    EXPECT_TRUE(agentInterfaces(QStringLiteral("text")).isEmpty());
    const auto list = agentInterfaces(QJsonArray{
        QJsonValue(7),
        interface("eth0", "m", {QStringLiteral("not an address"), QStringLiteral("10.0.0.2")})});
    ASSERT_EQ(list.size(), 1);
    EXPECT_EQ(list.first().addresses.size(), 1);
}

TEST(AgentExecResult, SaysWhetherTheProcessStillRuns) {
    EXPECT_FALSE(agentExecResult(QJsonObject{{QStringLiteral("exited"), false}})->has_value());
    EXPECT_FALSE(agentExecResult(QJsonObject{}));
    EXPECT_FALSE(agentExecResult(QStringLiteral("x")));
}

TEST(AgentExecResult, TellsThatOutputWasCutAlsoWhereTheAgentSaysFalse) {
    const auto isCut = [](qsizetype bytes, const char* stream, std::optional<bool> said) {
        const QString key = QLatin1String(stream);
        QJsonObject status{{QStringLiteral("exited"), true},
                           {key + QStringLiteral("-data"),
                            QString::fromLatin1(QByteArray(bytes, 'x').toBase64())}};
        if (said) {
            status.insert(key + QStringLiteral("-truncated"), *said);
        }
        const auto result = agentExecResult(status);
        return result && result->has_value() && (*result)->truncated;
    };
    constexpr qsizetype limit = 16 << 20;
    EXPECT_TRUE(isCut(limit, "out", false));
    EXPECT_TRUE(isCut(limit, "err", false));
    EXPECT_TRUE(isCut(10, "out", true));
    EXPECT_FALSE(isCut(limit - 1, "out", false));
    EXPECT_FALSE(isCut(limit, "out", std::nullopt)) << "it fits";
}
