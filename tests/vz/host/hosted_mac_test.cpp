// SPDX-License-Identifier: Apache-2.0
// What is particular about macOS machines and about this Mac, seen from the machine's process.
#include "core/hypervisor/hypervisor.h"
#include "tests/vz/host/hosted_machine_fixture.h"

using namespace vitrine;
using namespace vitrine::vz;
using namespace vitrine::vz::test;
using vitrine::test::HeldMachine;
using vitrine::test::waitUntil;

namespace {

class HostedMacTest : public HostedMachineTest {
protected:
    HostedMacTest() { directory = addMac(); }
};

} // namespace

TEST_F(HostedMacTest, WhereConsolesCannotBeSavedItIsSuspendableWithoutThem) {
    factory->refusesConsoles = true;
    auto wish = request(QStringLiteral("mac"));
    wish.options = suspendable();
    run(wish);
    EXPECT_FALSE(factory->plan.clipboard);
    EXPECT_TRUE(factory->plan.versionPort.isEmpty());
    EXPECT_TRUE(
        waitUntil([this] { return eventsOf(directory).contains(QStringLiteral("remark")); }));
    ASSERT_TRUE(call("suspend"));
    ASSERT_TRUE(ends());
    // The state fits what it was saved with, also on a macOS that could do more.
    factory->refusesConsoles = false;
    run(wish);
    EXPECT_EQ(asked(), "restore resume");
    EXPECT_TRUE(factory->plan.versionPort.isEmpty());
    // A refusal for another reason is that one's.
    ASSERT_TRUE(call("forceOff"));
    ASSERT_TRUE(ends());
    factory->refusal = Error{Error::Kind::Integrity, QStringLiteral("The model is unknown."), {}};
    make(wish);
    ASSERT_TRUE(ends());
    EXPECT_EQ(failure->message, QStringLiteral("The model is unknown."));
}

TEST_F(HostedMacTest, ATwinThatRunsGetsThisOneANewAddressAndAWordOnItsIdentifier) {
    auto config = MachineConfig::fromJson(*ConfigFile::read(path("config.json")));
    const MacAddress before = config->macAddress;
    const auto twin = HeldMachine::take(small.library, add(QStringLiteral("twin"), *config));
    ASSERT_TRUE(twin);
    run(request(QStringLiteral("mac")));
    config = MachineConfig::fromJson(*ConfigFile::read(path("config.json")));
    EXPECT_NE(config->macAddress, before);
    EXPECT_EQ(factory->plan.cards.constFirst().macAddress, config->macAddress);
    QStringList remarks;
    const auto areTold = [&] {
        remarks.clear();
        const auto sidecar = Sidecar::read(directory);
        if (sidecar)
            for (const QJsonValue& event : sidecar->events)
                if (event[QLatin1String("kind")].toString() == QLatin1String("remark"))
                    remarks << event[QLatin1String("text")].toString();
        return remarks.size() == 2;
    };
    EXPECT_TRUE(waitUntil(areTold)) << remarks.join(QLatin1Char('\n')).toStdString();
    EXPECT_TRUE(remarks.join(QLatin1Char(' ')).contains(QLatin1String("--random-serial")));
}

TEST_F(HostedMacTest, TheAddressOfItsScreenSharingIsToldOnWish) {
    std::function<void(const QString&, const QString&)> setAddress;
    services.openServices = [&setAddress](const OpenedMachine& opened) {
        setAddress = opened.setAddress;
        return std::make_unique<QObject>();
    };
    for (const bool wished : {false, true}) {
        viewers.clear();
        auto wish = request(QStringLiteral("mac"));
        wish.options.vncServer = wished;
        run(wish);
        EXPECT_TRUE(call("viewers")->toObject().isEmpty());
        setAddress(QStringLiteral("192.168.64.3"), QStringLiteral("lease"));
        setAddress(QString(), QStringLiteral("agent"));
        setAddress(QStringLiteral("192.168.64.4"), QStringLiteral("lease")); // it got another one
        const QJsonValue vnc = call("viewers")->toObject().value(QLatin1String("vnc"));
        EXPECT_EQ(vnc[QLatin1String("url")].toString(),
                  wished ? QStringLiteral("vnc://192.168.64.4") : QString());
        EXPECT_EQ(vnc[QLatin1String("port")].toInt(), wished ? 5900 : 0);
        EXPECT_EQ(viewers,
                  wished ? QStringList({QStringLiteral("vnc://192.168.64.3"),
                                        QStringLiteral("vnc://192.168.64.4")})
                         : QStringList());
        ASSERT_TRUE(call("forceOff"));
        ASSERT_TRUE(ends());
    }
}
