// SPDX-License-Identifier: Apache-2.0
#include "qemu/network_planner.h"

#include "pretended_host.h"
#include "qemu/nested_virtualization.h"

#include <QDir>

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace vitrine::qemu {
namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

class Bridges : public testing::Test {
protected:
    Bridges() {
        m_paths = m_pretended.paths();
        m_paths.networkClass = m_pretended.path("net");
        m_paths.bridgeConfiguration = m_pretended.path("bridge.conf");
        m_paths.bridgeHelper = {m_pretended.path("helper")};
        QDir().mkpath(m_pretended.path("net/br0/bridge"));
        QDir().mkpath(m_pretended.path("net/br1/bridge"));
        QDir().mkpath(m_pretended.path("net/eth0"));
        QDir().mkpath(m_pretended.path("net/eth1"));
        QFile::link(m_pretended.path("net/br0"), m_pretended.path("net/eth0/master"));
        m_pretended.write("bridge.conf", "allow br0\n");
        // Takes the place of QEMU's: hands over a descriptor as it does.
        m_pretended.addProgram("helper", "7.2.22", "exit 1");
        ::chmod(QFile::encodeName(m_pretended.path("helper")).constData(), 04755);
        m_options.network.mode = NetworkMode::Bridged;
        m_options.network.interfaces = {s("br0")};
        m_plan.macAddress = *MacAddress::fromText(u"7e:11:22:33:44:55");
    }
    std::string refusal() {
        m_plan.bridgedCards.clear();
        const auto planned = planNetwork(m_options, m_paths, m_plan);
        return planned ? std::string() : planned.error().message.toStdString();
    }
    bool refusalHas(const char* part) { return refusal().find(part) != std::string::npos; }

    PretendedHost m_pretended;
    ProgramPaths m_paths;
    RunOptions m_options;
    LaunchPlan m_plan;
};

} // namespace

TEST_F(Bridges, ABridgeOrAnInterfaceInOneCanBeNamed_NeedsRoot) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "only a helper of root's is believed";
    EXPECT_EQ(whyNotBridge(m_paths, s("br0")), QString());
    EXPECT_TRUE(whyNotBridge(m_paths, s("br1")).contains(s("allow br1")));
    EXPECT_EQ(refusal(), "");
    ASSERT_EQ(m_plan.bridgedCards.size(), 1);
    EXPECT_EQ(m_plan.bridgedCards.first().bridge, s("br0"));
    m_options.network.interfaces = {s("eth0")};
    EXPECT_EQ(refusal(), "");
    EXPECT_EQ(m_plan.bridgedCards.first().bridge, s("br0"));
}

TEST_F(Bridges, AnUnknownInterfaceListsTheChoices) {
    for (const char* name : {"list", "en0", "eth1", "../br0", ""}) {
        m_options.network.interfaces = {s(name)};
        EXPECT_TRUE(refusalHas("br0, br1")) << name << ": " << refusal();
    }
}

TEST_F(Bridges, WhatTheAdministratorHasToDoIsSaid) {
    m_options.network.interfaces = {s("br1")};
    if (::geteuid() == 0) {
        EXPECT_TRUE(refusalHas("allow br1")) << refusal();
    }
    m_pretended.write("bridge.conf", "allow all\ndeny br1\n");
    EXPECT_FALSE(refusal().empty());
    QFile::remove(m_paths.bridgeConfiguration);
    EXPECT_TRUE(refusalHas("bridge.conf"));
    QFile::remove(m_paths.bridgeHelper.first());
    EXPECT_TRUE(refusalHas("qemu-system-common"));
}

TEST_F(Bridges, EveryCardHasAnAddressOfItsOwn_NeedsRoot) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "only a helper of root's is believed";
    m_pretended.write("bridge.conf", "allow all\n");
    m_options.network.interfaces = {s("br0"), s("br1"), s("eth0")};
    ASSERT_EQ(refusal(), "");
    ASSERT_EQ(m_plan.bridgedCards.size(), 3);
    EXPECT_EQ(m_plan.bridgedCards.at(0).macAddress, m_plan.macAddress);
    EXPECT_NE(m_plan.bridgedCards.at(1).macAddress, m_plan.macAddress);
    EXPECT_NE(m_plan.bridgedCards.at(1).macAddress, m_plan.bridgedCards.at(2).macAddress);
}

TEST_F(Bridges, ForwardsBelongToNat) {
    m_options.forwards = {{8080, 80}};
    EXPECT_TRUE(refusalHas("NAT"));
}

TEST_F(Bridges, AHelperThatFailsIsQuoted) {
    m_pretended.addProgram("helper", "7.2.22", "echo 'access denied by acl file' >&2; exit 1");
    m_plan.bridgedCards = {{m_plan.macAddress, s("br0"), -1}};
    const auto taps = openTaps(m_paths, m_plan);
    ASSERT_FALSE(taps);
    EXPECT_TRUE(taps.error().message.contains(s("access denied by acl file")));
}

TEST_F(Bridges, SoftnetAndPlainNatNeedTheirProgram) {
    for (const NetworkMode mode : {NetworkMode::Softnet, NetworkMode::Nat}) {
        m_options.network = {};
        m_options.network.mode = mode;
        EXPECT_EQ(refusal(), "");
        EXPECT_EQ(m_plan.network, mode);
        EXPECT_TRUE(m_plan.usesSoftnet());
    }
    QFile::remove(m_paths.softnet);
    EXPECT_TRUE(refusalHas("vitrine-softnet"));
    EXPECT_TRUE(refusalHas("--net-host"));
    m_options.network.mode = NetworkMode::Softnet;
    EXPECT_TRUE(refusalHas("vitrine-softnet"));
    // Nothing of it is needed to go on with QEMU's NAT, nor without a network.
    m_options.network.mode = NetworkMode::HostOnly;
    EXPECT_EQ(refusal(), "");
    m_options.network.mode = NetworkMode::Nat;
    m_plan.qemuNat = true;
    EXPECT_EQ(refusal(), "");
}

TEST(Nested, EachHindranceIsNamed) {
    const PretendedHost pretended;
    ProgramPaths paths = pretended.paths();
    paths.cpuInfo = pretended.path("cpuinfo");
    paths.moduleFolder = pretended.path("module");
    HostInfo host;
    host.architecture = Architecture::Amd64;
    const auto why = [&](Architecture guest, Accelerator accelerator) {
        return whyNotNested(guest, accelerator, paths, host);
    };
    EXPECT_TRUE(why(Architecture::Arm64, Accelerator::Tcg).contains(s("emulated")));
    EXPECT_TRUE(why(Architecture::Amd64, Accelerator::Tcg).contains(s("KVM")));
    pretended.write("cpuinfo", "processor : 0\nflags\t\t: fpu sse2\nbugs\t: vmxish\n");
    EXPECT_TRUE(why(Architecture::Amd64, Accelerator::Kvm).contains(s("vmx")));
    pretended.write("cpuinfo", "processor : 0\nflags\t\t: fpu vmx sse2\n");
    EXPECT_TRUE(why(Architecture::Amd64, Accelerator::Kvm).contains(s("kvm_intel")));
    QDir().mkpath(pretended.path("module/kvm_intel/parameters"));
    pretended.write("module/kvm_intel/parameters/nested", "N\n");
    EXPECT_TRUE(why(Architecture::Amd64, Accelerator::Kvm).contains(s("nested=1")));
    pretended.write("module/kvm_intel/parameters/nested", "Y\n");
    EXPECT_EQ(why(Architecture::Amd64, Accelerator::Kvm), QString());
    pretended.write("cpuinfo", "processor : 0\nflags\t\t: svm\n");
    QDir().mkpath(pretended.path("module/kvm_amd/parameters"));
    pretended.write("module/kvm_amd/parameters/nested", "1\n");
    EXPECT_EQ(why(Architecture::Amd64, Accelerator::Kvm), QString());
}

} // namespace vitrine::qemu
