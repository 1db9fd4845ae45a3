// SPDX-License-Identifier: Apache-2.0
// Probe, restore images, installer, Rosetta.
#include "tests/vz/shell_run.h"

#include <QCoreApplication>

namespace vitrine::vz {

namespace {

using ServicesTest = ShellTest;

// Everything that waits in the event loop now has been delivered.
void settle() {
    bool passed = false;
    bool* const seen = &passed;
    QMetaObject::invokeMethod(
        qApp, [seen] { *seen = true; }, Qt::QueuedConnection);
    ASSERT_TRUE(test::waitUntil([&] { return passed; }));
}

} // namespace

TEST_F(ServicesTest, TheProbeReadsTheMac) {
    fake::entitle("com.apple.security.virtualization");
    const HostCaps caps = makeHostProbe()->read();
    EXPECT_EQ(caps.system, (SystemVersion{15, 5, 1}));
    EXPECT_EQ(caps.processor, QStringLiteral("Apple M3 Pro"));
    EXPECT_EQ(caps.architecture, Architecture::Arm64);
    EXPECT_GT(caps.processors, 0);
    EXPECT_GT(caps.memory.bytes(), 0U);
    EXPECT_TRUE(caps.virtualization);
    EXPECT_TRUE(caps.nested);
    EXPECT_EQ(caps.minimumProcessors, 1);
    EXPECT_EQ(caps.maximumProcessors, 11);
    EXPECT_EQ(caps.minimumMemory, ByteCount::fromMiB(128));
    EXPECT_EQ(caps.maximumMemory, ByteCount::fromMiB(32 << 10));
    EXPECT_EQ(caps.rosetta, RosettaState::NotInstalled);
    EXPECT_TRUE(caps.virtualizationEntitled);
    EXPECT_FALSE(caps.networkingEntitled);
    EXPECT_TRUE(caps.interfaces.isEmpty());
    EXPECT_EQ(caps.screens, (QList<HostScreen>{{1512, 982, 2}, {1920, 1080, 1}}));
}

TEST_F(ServicesTest, InterfacesAreListedOnlyWithTheEntitlement) {
    fake::entitle("com.apple.vm.networking");
    const HostCaps caps = makeHostProbe()->read();
    EXPECT_TRUE(caps.networkingEntitled);
    EXPECT_EQ(caps.interfaces,
              (QList<HostInterface>{{QStringLiteral("en0"), QStringLiteral("Wi-Fi")}}));
}

TEST_F(ServicesTest, TheMicrophoneNeedsTextAndEntitlement) {
    EXPECT_FALSE(makeHostProbe()->read().microphone);
    fake::setUsageText(true);
    EXPECT_FALSE(makeHostProbe()->read().microphone);
    fake::entitle("com.apple.security.device.audio-input");
    EXPECT_TRUE(makeHostProbe()->read().microphone);
    fake::setUsageText(false);
    EXPECT_FALSE(makeHostProbe()->read().microphone);
}

TEST_F(ServicesTest, ARestoreImageTellsWhatItNeeds) {
    const auto images = makeRestoreImages();
    std::optional<tl::expected<RestoreImage, VzFailure>> found;
    images->load(QStringLiteral("/tmp/a.ipsw"), [&](const auto& answer) { found = answer; });
    EXPECT_FALSE(found); // from the event loop only
    ASSERT_TRUE(test::waitUntil([&] { return found.has_value(); }));
    ASSERT_TRUE(*found);
    const RestoreImage& image = **found;
    EXPECT_EQ(image.location, QStringLiteral("/tmp/a.ipsw"));
    EXPECT_EQ(image.build, QStringLiteral("24F74"));
    EXPECT_EQ(image.version, (SystemVersion{15, 5, 1}));
    EXPECT_TRUE(image.supported);
    ASSERT_TRUE(image.requirements);
    EXPECT_EQ(*image.requirements, (MacRequirements{"model", true, 2, ByteCount::fromMiB(4096)}));
}

TEST_F(ServicesTest, ANewerRestoreImageHasNoRequirements) {
    const auto images = makeRestoreImages();
    std::optional<tl::expected<RestoreImage, VzFailure>> found;
    images->load(QStringLiteral("/tmp/newer.ipsw"), [&](const auto& answer) { found = answer; });
    ASSERT_TRUE(test::waitUntil([&] { return found.has_value(); }));
    ASSERT_TRUE(*found);
    EXPECT_FALSE((*found)->supported);
    EXPECT_FALSE((*found)->requirements);
}

TEST_F(ServicesTest, TheLatestRestoreImageHasAnAddress) {
    const auto images = makeRestoreImages();
    std::optional<tl::expected<RestoreImage, VzFailure>> found;
    images->latest([&](const auto& answer) { found = answer; });
    ASSERT_TRUE(test::waitUntil([&] { return found.has_value(); }));
    EXPECT_EQ((*found)->location, QStringLiteral("https://example.com/a.ipsw"));
    found.reset();
    fake::failNext("latest", VzRestoreImageCatalogLoad, "no network");
    images->latest([&](const auto& answer) { found = answer; });
    ASSERT_TRUE(test::waitUntil([&] { return found.has_value(); }));
    ASSERT_FALSE(*found);
    EXPECT_EQ(found->error(),
              (VzFailure{QLatin1String(vzErrorDomain),
                         VzRestoreImageCatalogLoad,
                         QStringLiteral("no network"),
                         {}}));
}

TEST_F(ServicesTest, AnAnswerForNobodyIsDropped) {
    auto images = makeRestoreImages();
    bool answered = false;
    images->latest([&](const auto&) { answered = true; });
    images.reset();
    settle();
    settle();
    EXPECT_FALSE(answered);
}

TEST_F(ServicesTest, FilesOfAMac) {
    const auto files = makeMacFiles();
    EXPECT_FALSE(files->newMachineIdentifier().isEmpty());
    EXPECT_TRUE(files->createAuxiliaryStorage(folder.filePath(QStringLiteral("n")), "model"));
    EXPECT_FALSE(files->createAuxiliaryStorage(folder.filePath(QStringLiteral("n")), "old"));
    fake::failNext("auxiliary", VzOutOfDiskSpace, "full");
    const auto full = files->createAuxiliaryStorage(folder.filePath(QStringLiteral("n")), "model");
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().kind, vitrine::Error::Kind::DiskFull);
    EXPECT_TRUE(files->createVariableStore(folder.filePath(QStringLiteral("efi"))));
    fake::failNext("efi", VzOutOfDiskSpace, "full");
    const auto noRoom = files->createVariableStore(folder.filePath(QStringLiteral("efi")));
    ASSERT_FALSE(noRoom);
    EXPECT_EQ(noRoom.error().kind, vitrine::Error::Kind::DiskFull);
}

namespace {

struct Installation {
    QList<double> progress;
    std::optional<std::optional<VzFailure>> done;
    std::unique_ptr<Installer> installer = makeInstaller();
    void start(const MachinePlan& plan) {
        installer->start(
            plan,
            QStringLiteral("/tmp/a.ipsw"),
            [this](double fraction) { progress.append(fraction); },
            [this](const std::optional<VzFailure>& failure) { done = failure; });
    }
};

} // namespace

TEST_F(ServicesTest, AnInstallationTellsItsProgressAndItsEnd) {
    fake::hold("install");
    Installation run;
    run.start(macPlan());
    for (const double fraction : {0.1, 0.5, 1.0})
        fake::installProgress(fraction);
    ASSERT_TRUE(test::waitUntil([&] { return run.progress.size() == 3; }));
    EXPECT_EQ(run.progress, (QList<double>{0.1, 0.5, 1.0}));
    EXPECT_FALSE(run.done);
    fake::release("install");
    ASSERT_TRUE(test::waitUntil([&] { return run.done.has_value(); }));
    EXPECT_FALSE(*run.done);
}

TEST_F(ServicesTest, AnInstallationThatFailsSaysWhy) {
    fake::failNext("install", VzInstallationRequiresUpdate, "update this Mac");
    Installation run;
    run.start(macPlan());
    ASSERT_TRUE(test::waitUntil([&] { return run.done.has_value(); }));
    ASSERT_TRUE(*run.done);
    EXPECT_TRUE((*run.done)->is(VzInstallationRequiresUpdate));
}

TEST_F(ServicesTest, AMachineThatCannotBeMadeIsNotInstalled) {
    Installation run;
    run.start(linuxPlan());
    ASSERT_TRUE(test::waitUntil([&] { return run.done.has_value(); }));
    EXPECT_TRUE((*run.done)->is(VzInvalidConfiguration));
    MachinePlan plan = macPlan();
    plan.disks[0].source = ImageDisk{QStringLiteral("/nonexistent")};
    Installation second;
    second.start(plan);
    ASSERT_TRUE(test::waitUntil([&] { return second.done.has_value(); }));
    EXPECT_TRUE((*second.done)->is(VzInvalidDiskImage));
    EXPECT_EQ(fake::calls("install"), 0);
}

TEST_F(ServicesTest, ACancelledInstallationEndsOnce) {
    fake::hold("install");
    Installation run;
    run.installer->cancel(); // before the start the framework would raise
    EXPECT_EQ(fake::calls("cancel"), 0);
    run.start(macPlan());
    run.installer->cancel();
    ASSERT_TRUE(test::waitUntil([&] { return run.done.has_value(); }));
    EXPECT_TRUE((*run.done)->is(VzCancelled));
    run.done.reset();
    run.installer->cancel();
    fake::release("install");
    settle();
    settle();
    EXPECT_FALSE(run.done);
    EXPECT_EQ(fake::calls("cancel"), 1);
}

TEST_F(ServicesTest, AnInstallationThatIsDroppedIsCancelled) {
    fake::hold("install");
    Installation run;
    run.start(macPlan());
    run.installer.reset();
    EXPECT_EQ(fake::calls("cancel"), 1);
    fake::installProgress(0.5);
    settle();
    settle();
    EXPECT_FALSE(run.done);
    EXPECT_TRUE(run.progress.isEmpty());
}

TEST_F(ServicesTest, RosettaIsInstalledOrSaysWhyNot) {
    const auto rosetta = makeRosetta();
    EXPECT_EQ(rosetta->state(), RosettaState::NotInstalled);
    std::optional<std::optional<VzFailure>> done;
    rosetta->install([&](const std::optional<VzFailure>& failure) { done = failure; });
    ASSERT_TRUE(test::waitUntil([&] { return done.has_value(); }));
    EXPECT_FALSE(*done);
    done.reset();
    fake::failNext("rosetta", VzCancelled, "the user said no");
    rosetta->install([&](const std::optional<VzFailure>& failure) { done = failure; });
    ASSERT_TRUE(test::waitUntil([&] { return done.has_value(); }));
    EXPECT_TRUE((*done)->is(VzCancelled));
}

} // namespace vitrine::vz
