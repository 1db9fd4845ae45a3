// SPDX-License-Identifier: Apache-2.0
#include "qemu/accelerator_probe.h"

#include "pretended_host.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include <gtest/gtest.h>

#include <unistd.h>

using namespace vitrine;
using namespace vitrine::qemu;
using Cause = AcceleratorVerdict::Cause;
using Refresh = Hypervisor::Refresh;

namespace {

// Counts its runs in the file "runs".
QByteArray counting(const PretendedHost& host, const QByteArray& body) {
    return "echo x >> '" + host.path("runs").toUtf8() + "'\n" + body;
}

qint64 runs(const PretendedHost& host) {
    return QFileInfo(host.path("runs")).size() / 2;
}

QString emulator() {
    return emulatorName(hostArchitecture());
}

PretendedHost* hostWith(const QByteArray& body) {
    auto* host = new PretendedHost;
    host->addKvm();
    host->addProgram(emulator().toLatin1().constData(), "7.2.22", counting(*host, body));
    return host;
}

} // namespace

TEST(AcceleratorProbe, ATestGuestThatComesToItsEndMeansUsable) {
    const std::unique_ptr<PretendedHost> host(hostWith(PretendedHost::goodEnd()));
    const AcceleratorVerdict verdict = acceleratorVerdict(host->paths());
    EXPECT_EQ(verdict.cause, Cause::Usable);
    EXPECT_TRUE(verdict.reason().isEmpty());
}

TEST(AcceleratorProbe, AnyOtherEndMeansEmulation) {
    const std::unique_ptr<PretendedHost> host(hostWith("printf RPLFC; exit 0"));
    const AcceleratorVerdict verdict = acceleratorVerdict(host->paths());
    EXPECT_EQ(verdict.cause, Cause::TestFailed);
    EXPECT_TRUE(verdict.reason().contains(QLatin1String("exit code 0, got as far as RPLFC")))
        << qPrintable(verdict.reason());
}

TEST(AcceleratorProbe, AnAbortShowsTheLineThatNamesTheError) {
    const std::unique_ptr<PretendedHost> host(hostWith(
        "echo 'qemu: error: failed to set MSR' >&2; echo 'Assertion failed' >&2; kill -ABRT $$"));
    const AcceleratorVerdict verdict = acceleratorVerdict(host->paths());
    EXPECT_EQ(verdict.cause, Cause::TestFailed);
    EXPECT_TRUE(verdict.detail.endsWith(QLatin1String("signal 6: qemu: error: failed to set MSR")))
        << qPrintable(verdict.detail);
}

TEST(AcceleratorProbe, AHangEndsWithinTwoSeconds) {
    const std::unique_ptr<PretendedHost> host(hostWith("exec sleep 60"));
    QElapsedTimer clock;
    clock.start();
    const AcceleratorVerdict verdict = acceleratorVerdict(host->paths());
    EXPECT_EQ(verdict.cause, Cause::TestTimedOut);
    EXPECT_LT(clock.elapsed(), 2500) << "two seconds and what a busy computer adds";
    EXPECT_TRUE(verdict.reason().contains(QLatin1String("emulated")));
}

TEST(AcceleratorProbe, AMissingDeviceIsSaidWithoutATest) {
    const std::unique_ptr<PretendedHost> host(hostWith(PretendedHost::goodEnd()));
    QFile::remove(host->path("kvm"));
    EXPECT_EQ(acceleratorVerdict(host->paths()).cause, Cause::NoDevice);
    EXPECT_EQ(runs(*host), 0);
}

TEST(AcceleratorProbe, ADeviceThatMayNotBeOpenedNamesTheGroup) {
    const std::unique_ptr<PretendedHost> host(hostWith(PretendedHost::goodEnd()));
    QFile::setPermissions(host->path("kvm"), {});
    const AcceleratorVerdict verdict = acceleratorVerdict(host->paths());
    if (geteuid() == 0) { // root opens everything: the test guest decides
        EXPECT_EQ(verdict.cause, Cause::Usable);
        return;
    }
    EXPECT_EQ(verdict.cause, Cause::NoPermission);
    EXPECT_TRUE(verdict.reason().contains(QLatin1String("group \"kvm\"")));
    EXPECT_EQ(runs(*host), 0);
}

TEST(AcceleratorProbe, AMissingEmulatorNamesThePackage) {
    const PretendedHost host;
    host.addKvm();
    const AcceleratorVerdict verdict = acceleratorVerdict(host.paths());
    EXPECT_EQ(verdict.cause, Cause::NoEmulator);
    EXPECT_TRUE(verdict.reason().contains(emulatorPackage(hostArchitecture())));
}

TEST(AcceleratorProbe, TheVerdictIsKeptUntilItIsTestedAgain) {
    const std::unique_ptr<PretendedHost> host(hostWith("exit 1"));
    const AcceleratorVerdict first = acceleratorVerdict(host->paths());
    EXPECT_EQ(acceleratorVerdict(host->paths()), first);
    EXPECT_EQ(runs(*host), 1);
    EXPECT_EQ(acceleratorVerdict(host->paths(), Refresh::TestAgain), first);
    EXPECT_EQ(runs(*host), 2);
}

TEST(AcceleratorProbe, AnotherQemuOrAnotherModeOfTheDeviceIsTestedAgain) {
    const std::unique_ptr<PretendedHost> host(hostWith("exit 1"));
    EXPECT_FALSE(acceleratorVerdict(host->paths()).usable());
    host->addProgram(
        emulator().toLatin1().constData(), "8.0.1", counting(*host, PretendedHost::goodEnd()));
    EXPECT_TRUE(acceleratorVerdict(host->paths()).usable());
    EXPECT_EQ(runs(*host), 2);
    QFile::setPermissions(host->path("kvm"),
                          QFile::ReadOwner | QFile::WriteOwner | QFile::ReadOther);
    EXPECT_TRUE(acceleratorVerdict(host->paths()).usable());
    EXPECT_EQ(runs(*host), 3);
}

TEST(AcceleratorProbe, ATimeoutIsForgottenAfterTenMinutes) {
    const std::unique_ptr<PretendedHost> host(hostWith(PretendedHost::goodEnd()));
    EXPECT_TRUE(acceleratorVerdict(host->paths()).usable());
    // Make the kept verdict a time-out, first a fresh one and then an old one.
    for (const int age : {60, 601}) {
        QFile cache(host->path("cache/host.json"));
        ASSERT_TRUE(cache.open(QIODevice::ReadOnly));
        QJsonObject all = QJsonDocument::fromJson(cache.readAll()).object();
        cache.close();
        QJsonObject entry = all.value(QStringLiteral("kvm")).toObject();
        entry.insert(
            QStringLiteral("value"),
            QJsonObject{{QStringLiteral("verdict"), QStringLiteral("timeout")},
                        {QStringLiteral("time"), QDateTime::currentSecsSinceEpoch() - age}});
        all.insert(QStringLiteral("kvm"), entry);
        host->write("cache/host.json", QJsonDocument(all).toJson());
        EXPECT_EQ(acceleratorVerdict(host->paths()).usable(), age > 600);
    }
}

TEST(AcceleratorProbe, ADamagedCacheIsNoCache) {
    const std::unique_ptr<PretendedHost> host(hostWith(PretendedHost::goodEnd()));
    EXPECT_TRUE(acceleratorVerdict(host->paths()).usable());
    for (const QByteArray& content : {QByteArray(),
                                      QByteArray("{"),
                                      QByteArray("[1]"),
                                      QByteArray("{\"kvm\":7}"),
                                      QByteArray("{\"kvm\":{\"fingerprint\":\"x\",\"value\":[]}}"),
                                      QByteArray(3 << 20, '{')}) {
        host->write("cache/host.json", content);
        EXPECT_TRUE(acceleratorVerdict(host->paths()).usable());
    }
}

TEST(AcceleratorProbe, AnUnwritableCacheCostsOnlyTime) {
    const std::unique_ptr<PretendedHost> host(hostWith(PretendedHost::goodEnd()));
    ProgramPaths paths = host->paths();
    paths.cacheFile = QStringLiteral("/proc/no/such/host.json");
    EXPECT_TRUE(acceleratorVerdict(paths).usable());
    EXPECT_TRUE(acceleratorVerdict(paths).usable());
    EXPECT_EQ(runs(*host), 2);
}

TEST(AcceleratorProbe, TheTestGuestIsAWholeRom) {
    EXPECT_EQ(probeRom().size(), 65536);
}

TEST(AcceleratorProbe, TheProgramGetsNoSecrets) {
    qputenv("TART_REGISTRY_PASSWORD", "secret");
    const std::unique_ptr<PretendedHost> host(
        hostWith("if env | grep -q secret; then exit 1; fi\n" + PretendedHost::goodEnd()));
    EXPECT_TRUE(acceleratorVerdict(host->paths()).usable());
    qunsetenv("TART_REGISTRY_PASSWORD");
}

TEST(AcceleratorChoice, AutomaticFollowsTheVerdict) {
    AcceleratorVerdict verdict;
    verdict.cause = Cause::Usable;
    const auto choose = [&] {
        return *chooseAccelerator(
            AcceleratorChoice::Automatic, Architecture::Amd64, Architecture::Amd64, verdict);
    };
    EXPECT_EQ(choose(), (AcceleratorDecision{Accelerator::Kvm, QString()}));
    verdict.cause = Cause::TestFailed;
    EXPECT_EQ(choose(), (AcceleratorDecision{Accelerator::Tcg, verdict.reason()}));
}

TEST(AcceleratorChoice, AnotherArchitectureIsAlwaysEmulated) {
    AcceleratorVerdict verdict;
    verdict.cause = Cause::Usable;
    const auto automatic = chooseAccelerator(
        AcceleratorChoice::Automatic, Architecture::Arm64, Architecture::Amd64, verdict);
    ASSERT_TRUE(automatic);
    EXPECT_EQ(automatic->accelerator, Accelerator::Tcg);
    EXPECT_TRUE(automatic->note.startsWith(QLatin1String("Emulated, slow")));
    const auto forced = chooseAccelerator(
        AcceleratorChoice::Kvm, Architecture::Arm64, Architecture::Amd64, verdict);
    ASSERT_FALSE(forced);
    EXPECT_EQ(forced.error().kind, Error::Kind::Unsupported);
}

TEST(AcceleratorChoice, KvmByHandOverridesAFailedTestButNotAMissingDevice) {
    AcceleratorVerdict verdict;
    const auto choose = [&] {
        return chooseAccelerator(
            AcceleratorChoice::Kvm, Architecture::Amd64, Architecture::Amd64, verdict);
    };
    for (const Cause cause : {Cause::TestFailed, Cause::TestTimedOut}) {
        verdict.cause = cause;
        ASSERT_TRUE(choose());
        EXPECT_EQ(choose()->accelerator, Accelerator::Kvm);
        EXPECT_FALSE(choose()->note.isEmpty());
    }
    verdict.cause = Cause::NoDevice;
    ASSERT_FALSE(choose());
    EXPECT_EQ(choose().error().kind, Error::Kind::Unsupported);
    verdict.cause = Cause::NoPermission;
    ASSERT_FALSE(choose());
    EXPECT_EQ(choose().error().kind, Error::Kind::Permission);
}

TEST(AcceleratorChoice, EmulationByHandNeedsNoVerdict) {
    const auto decision = chooseAccelerator(
        AcceleratorChoice::Tcg, Architecture::Amd64, Architecture::Amd64, AcceleratorVerdict{});
    ASSERT_TRUE(decision);
    EXPECT_EQ(decision->accelerator, Accelerator::Tcg);
    EXPECT_FALSE(decision->note.isEmpty());
}
