// SPDX-License-Identifier: Apache-2.0
#include "core/softnet/softnet_rules.h"

#include "core/machine/network_options.h"
#include "core/softnet/softnet_export.h"
#include "core/softnet/softnet_presets.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>

#include <gtest/gtest.h>

using namespace vitrine;

namespace {

QString s(const char* text) {
    return QString::fromLatin1(text);
}

SoftnetDestination seen(const char* address, int port, const char* protocol = "tcp") {
    SoftnetDestination one;
    one.address = s(address);
    one.port = port;
    one.protocol = s(protocol);
    one.reason = s("not-global");
    return one;
}

} // namespace

TEST(SoftnetRules, TheLastWordCounts) {
    SoftnetPolicy policy{{s("10.0.0.0/8")}, {s("10.1.2.3/16")}};
    putSoftnetRule(policy, SoftnetList::Allow, s("10.1.0.0/16"));
    EXPECT_EQ(policy, (SoftnetPolicy{{s("10.0.0.0/8"), s("10.1.0.0/16")}, {}}));
    EXPECT_TRUE(takeSoftnetRule(policy, SoftnetList::Allow, s("10.255.0.1/8")));
    EXPECT_FALSE(takeSoftnetRule(policy, SoftnetList::Allow, s("10.0.0.0/8")));
    EXPECT_EQ(policy.allow, QStringList{s("10.1.0.0/16")});
}

TEST(SoftnetRules, ARuleForADestinationIsAsTightAsItCanBe) {
    const SoftnetPolicy plain{{s("10.0.0.0/8")}, {}};
    const SoftnetPolicy directed{{}, {s("out 0.0.0.0/0")}};
    const SoftnetDestination web = seen("10.8.0.12", 443);
    EXPECT_EQ(softnetRuleFor(web, plain, SoftnetScope::Port), s("10.8.0.12/32:443"));
    EXPECT_EQ(softnetRuleFor(web, plain, SoftnetScope::Address), s("10.8.0.12/32"));
    EXPECT_EQ(softnetRuleFor(web, directed, SoftnetScope::Port), s("out 10.8.0.12/32:443"));
    EXPECT_EQ(softnetRuleFor(seen("10.8.0.12", 0, "icmp"), plain, SoftnetScope::Port),
              s("10.8.0.12/32"));
    SoftnetDestination incoming = seen("10.0.2.2", 22);
    incoming.incoming = true;
    EXPECT_EQ(softnetRuleFor(incoming, plain, SoftnetScope::Port), s("in 10.0.2.2/32:22"));
    EXPECT_EQ(whyNoSoftnetRule(web), QString());
    SoftnetDestination loopback = seen("127.0.0.1", 631);
    loopback.reason = s("martian");
    EXPECT_FALSE(whyNoSoftnetRule(loopback).isEmpty());
}

TEST(SoftnetRules, WhatIsTestedIsAnAddressWithOrWithoutAPort) {
    EXPECT_EQ(*SoftnetEndpoint::fromText(s(" 10.0.0.5:443 ")),
              (SoftnetEndpoint{s("10.0.0.5"), 443}));
    EXPECT_EQ(*SoftnetEndpoint::fromText(s("10.0.0.5")), (SoftnetEndpoint{s("10.0.0.5"), 0}));
    for (const char* wrong : {"",
                              "example.org",
                              "10.0.0.5:",
                              "10.0.0.5:0",
                              "10.0.0.5:65536",
                              "10.0.0",
                              "10.0.0.5:1:2",
                              "@host",
                              "in 10.0.0.5",
                              "10.0.0.5/32"})
        EXPECT_FALSE(SoftnetEndpoint::fromText(s(wrong))) << wrong;
}

TEST(SoftnetRules, TheLineToTypeIsQuoted) {
    EXPECT_EQ(netCommandLine(s("web"), {s("allow"), s("out 10.0.0.5/32:443"), s("--once")}),
              s("vitrinectl net web allow 'out 10.0.0.5/32:443' --once"));
}

TEST(SoftnetPresets, AreListsThatSoftnetTakes) {
    const QStringList networks{s("192.168.1.0/24"), s("10.1.0.0/16")};
    const QList<SoftnetPreset> presets = softnetPresets(networks);
    ASSERT_EQ(presets.size(), 4);
    QSet<QString> names;
    for (const SoftnetPreset& preset : presets) {
        names.insert(preset.name);
        EXPECT_FALSE(preset.what.isEmpty());
        EXPECT_TRUE(preset.whyNot.isEmpty());
        for (const QStringList& list : {preset.policy.allow, preset.policy.block}) {
            EXPECT_TRUE(list.isEmpty() || checkNetworkList(list.join(u',')))
                << qPrintable(preset.name);
        }
    }
    EXPECT_EQ(names.size(), 4);
    EXPECT_EQ(presets.at(0).policy, SoftnetPolicy());
    EXPECT_EQ(presets.at(1).policy.allow, networks);
    EXPECT_TRUE(presets.at(1).what.contains(s("192.168.1.0/24")));
    EXPECT_EQ(presets.at(2).policy.allow, QStringList{s("@host")});
    EXPECT_EQ(presets.at(3).policy.block, QStringList{s("out 0.0.0.0/0")});
    EXPECT_FALSE(softnetPresets({}).at(1).whyNot.isEmpty()) << "no network to allow";
}

TEST(SoftnetPresets, TheNetworksOfThisComputerAreRules) {
    for (const QString& network : hostNetworks())
        EXPECT_TRUE(checkNetworkList(network)) << qPrintable(network);
}

TEST(SoftnetExport, HoldsEveryFieldAndNoFormula) {
    SoftnetDestination one = seen("10.8.0.12", 5432);
    one.name = s("=HYPERLINK(\"http://x\"),a");
    one.bytesIn = 7;
    one.lastMs = 1000;
    const QDateTime began(QDate(2026, 1, 2), QTime(3, 4, 5), Qt::UTC);
    const QByteArray csv = softnetCsv({one}, began);
    EXPECT_EQ(csv,
              QByteArray("lastSeen,verdict,direction,name,address,port,protocol,packets,bytesOut,"
                         "bytesIn,rule,reason\r\n"
                         "2026-01-02T03:04:06.000Z,block,out,\"'=HYPERLINK(\"\"http://x\"\"),a\","
                         "10.8.0.12,5432,tcp,0,0,7,,not-global\r\n"));
    const QJsonObject object =
        QJsonDocument::fromJson(softnetJson(s("web"), {one}, began, began)).object();
    const QJsonObject row = object.value(QLatin1String("destinations"))[0].toObject();
    EXPECT_EQ(SoftnetDestination::fromJson(row), one);
    EXPECT_EQ(row.value(QLatin1String("lastSeen")).toString(), s("2026-01-02T03:04:06.000Z"));
}
