// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/install_flow.h"

#include "tests/vz/plan/pretended_mac.h"

#include <QFileInfo>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace vitrine;
using namespace vitrine::vz;
using vitrine::vz::test::pretendedMac;
using vitrine::vz::test::PretendedMachine;

namespace {

RestoreImage image() {
    RestoreImage i;
    i.location = QStringLiteral("/UniversalMac.ipsw");
    i.build = QStringLiteral("24F74");
    i.version = {15, 5, 0};
    i.supported = true;
    i.requirements = MacRequirements{"model", true, 2, ByteCount::fromMiB(4096)};
    return i;
}

std::string wordsOf(const InstallFlow::Actions& actions) {
    using Kind = InstallFlow::Action::Kind;
    std::string words;
    for (const InstallFlow::Action& action : actions) {
        words += words.empty() ? "" : " ";
        switch (action.kind) {
        case Kind::LoadImage:
            words += "load";
            break;
        case Kind::MakeFiles:
            words += "files";
            break;
        case Kind::Install:
            words += "install";
            break;
        case Kind::CancelInstall:
            words += "cancel";
            break;
        case Kind::TellProgress:
            words += std::to_string(action.permille);
            break;
        case Kind::Publish:
            words += "publish";
            break;
        case Kind::Discard:
            words += "discard";
            break;
        case Kind::Finish:
            words += !action.error ? "done" : action.error->isCancelled() ? "cancelled" : "failed";
            break;
        }
    }
    return words;
}

InstallFlow flow() {
    return {QStringLiteral("mac"), pretendedMac(), "identifier"};
}

VzFailure failed(int code) {
    return {QLatin1String(vzErrorDomain), code, {}, {}};
}

} // namespace

TEST(RestoreImageSource, IsLatestAnAddressOrAFileWithoutLinks) {
    using Kind = RestoreImageSource::Kind;
    const PretendedMachine machine(GuestSystem::Darwin);
    const QString file = machine.outside("real.ipsw");
    PretendedMachine::write(file, "ipsw");
    const QString folder = machine.outside("linked");
    ASSERT_TRUE(QFile::link(machine.outside("."), folder));
    ASSERT_TRUE(QFile::link(file, machine.outside("link.ipsw")));
    const auto from = [&machine](const QString& text) {
        return RestoreImageSource::fromText(text, machine.outside("."));
    };
    EXPECT_EQ(from(QStringLiteral("latest")), (RestoreImageSource{Kind::Latest, {}}));
    const QString address = QStringLiteral("https://updates.example/a.ipsw");
    EXPECT_EQ(from(address), (RestoreImageSource{Kind::Address, address}));
    const RestoreImageSource real{Kind::File, QFileInfo(file).canonicalFilePath()};
    for (const QString& text : {file,
                                QStringLiteral("real.ipsw"),
                                QStringLiteral("link.ipsw"),
                                QStringLiteral("linked/link.ipsw")})
        EXPECT_EQ(from(text), real) << text.toStdString();
}

TEST(RestoreImageSource, WhatIsNoneIsRefused) {
    const PretendedMachine machine(GuestSystem::Darwin);
    PretendedMachine::write(machine.outside("empty.ipsw"), {});
    ASSERT_TRUE(QFile::link(machine.outside("nowhere"), machine.outside("dangling.ipsw")));
    const std::pair<const char*, Error::Kind> cases[]{
        {"", Error::Kind::InvalidInput},
        {"http://updates.example/a.ipsw", Error::Kind::InvalidInput},
        {"file:///a.ipsw", Error::Kind::InvalidInput},
        {"https://", Error::Kind::InvalidInput},
        {"https://me:secret@updates.example/a.ipsw", Error::Kind::InvalidInput},
        {"none.ipsw", Error::Kind::NotFound},
        {"dangling.ipsw", Error::Kind::NotFound},
        {"library", Error::Kind::Unsupported},
        {"empty.ipsw", Error::Kind::Integrity},
    };
    for (const auto& [text, kind] : cases) {
        const auto source = RestoreImageSource::fromText(QLatin1String(text), machine.outside("."));
        ASSERT_FALSE(source) << text;
        EXPECT_EQ(source.error().kind, kind) << text << source.error().message.toStdString();
    }
}

TEST(InstallFlow, ANewMacHasWhatItsImageAsksFor) {
    const auto config = planMacMachine(image(), pretendedMac(), "identifier");
    ASSERT_TRUE(config);
    EXPECT_EQ(config->system, GuestSystem::Darwin);
    EXPECT_EQ(config->ecid, "identifier");
    EXPECT_EQ(config->hardwareModel, "model");
    EXPECT_EQ(config->cpuCountMinimum, 2);
    EXPECT_EQ(config->cpuCount, 4);
    EXPECT_EQ(config->memory, ByteCount::fromMiB(4096));
    EXPECT_EQ(config->memoryMinimum, ByteCount::fromMiB(4096));
    EXPECT_TRUE(MachineConfig::fromJson(config->toJson()));
}

TEST(InstallFlow, ProcessorsAndMemoryFollowTheRequirements) {
    struct Case {
        int asked;
        int most; // of the host
        int expected;
    };
    for (const Case& c : {Case{1, 8, 4}, Case{4, 8, 4}, Case{6, 8, 6}, Case{2, 2, 2}}) {
        RestoreImage i = image();
        i.requirements->minimumProcessors = c.asked;
        i.requirements->minimumMemory = ByteCount::fromBytes((quint64(4096) << 20) + 1);
        HostCaps host = pretendedMac();
        host.maximumProcessors = c.most;
        const auto config = planMacMachine(i, host, "identifier");
        ASSERT_TRUE(config);
        EXPECT_EQ(config->cpuCount, c.expected);
        EXPECT_EQ(config->memory, ByteCount::fromMiB(4097)); // whole MiB, never below
    }
}

TEST(InstallFlow, AnImageThatThisMacCannotInstallSaysWhy) {
    struct Case {
        std::function<void(RestoreImage&, HostCaps&)> change;
        const char* says;
    };
    for (const Case& c :
         {Case{[](RestoreImage&i, HostCaps&) { i.supported = false; },
               "macOS 15.5 (24F74) cannot be installed on this Mac, which has macOS 15.5"},
          Case{[](RestoreImage&i, HostCaps&) { i.requirements.reset(); }, "Update macOS"},
          Case{[](RestoreImage&i, HostCaps&) { i.requirements->modelSupported = false; },
               "Update macOS"},
          Case{[](RestoreImage&i, HostCaps&) { i.requirements->hardwareModel.clear(); },
               "Update macOS"},
          Case{[](RestoreImage&i, HostCaps&) { i.requirements->minimumProcessors = 9; },
               "needs 9 processors"},
          Case{[](RestoreImage&i, HostCaps&) {
                   i.requirements->minimumMemory = ByteCount::fromMiB(65536);
               },
               "of memory"},
          Case{[](RestoreImage&, HostCaps&h) { h.architecture = Architecture::Amd64; },
               "Apple silicon"},
          Case{[](RestoreImage&, HostCaps&h) { h.virtualizationEntitled = false; },
               "not signed"}}) {
        RestoreImage i = image();
        HostCaps host = pretendedMac();
        ASSERT_TRUE(checkRestoreImage(i, host));
        c.change(i, host);
        const auto checked = checkRestoreImage(i, host);
        ASSERT_FALSE(checked) << c.says;
        EXPECT_TRUE(checked.error().message.contains(QLatin1String(c.says)))
            << checked.error().message.toStdString();
    }
}

TEST(InstallFlow, GoesFromTheImageToTheLibrary) {
    InstallFlow f = flow();
    EXPECT_EQ(wordsOf(f.begin()), "load");
    const auto files = f.imageLoaded(image());
    EXPECT_EQ(wordsOf(files), "files");
    EXPECT_EQ(files.constFirst().config.hardwareModel, "model");
    const auto install = f.filesMade();
    EXPECT_EQ(wordsOf(install), "install");
    EXPECT_EQ(install.constFirst().config, files.constFirst().config);
    EXPECT_EQ(wordsOf(f.installed()), "publish");
    EXPECT_EQ(wordsOf(f.published()), "done");
    EXPECT_TRUE(f.isFinished());
    EXPECT_EQ(wordsOf(f.begin()), "");
    EXPECT_EQ(wordsOf(f.cancel()), "");
}

TEST(InstallFlow, ProgressOnlyGrows) {
    InstallFlow f = flow();
    EXPECT_EQ(wordsOf(f.progressed(0.5)), ""); // before it installs
    (void)f.begin();
    (void)f.imageLoaded(image());
    (void)f.filesMade();
    const std::pair<double, const char*> cases[]{{0, "0"},
                                                 {0.0004, ""},
                                                 {0.25, "250"},
                                                 {0.2, ""},
                                                 {std::nan(""), ""},
                                                 {-1, ""},
                                                 {0.25, ""},
                                                 {7, "1000"},
                                                 {1, ""}};
    for (const auto& [fraction, words] : cases)
        EXPECT_EQ(wordsOf(f.progressed(fraction)), words) << fraction;
}

TEST(InstallFlow, EveryFailureEndsItAndLeavesNothing) {
    InstallFlow noImage = flow();
    (void)noImage.begin();
    EXPECT_EQ(wordsOf(noImage.imageFailed(failed(VzInvalidRestoreImage))), "failed");

    InstallFlow tooOld = flow();
    (void)tooOld.begin();
    RestoreImage newer = image();
    newer.supported = false;
    EXPECT_EQ(wordsOf(tooOld.imageLoaded(newer)), "failed");

    InstallFlow full = flow();
    (void)full.begin();
    (void)full.imageLoaded(image());
    EXPECT_EQ(wordsOf(full.filesMade(Error{Error::Kind::DiskFull, {}, {}})), "discard failed");

    InstallFlow update = flow();
    (void)update.begin();
    (void)update.imageLoaded(image());
    (void)update.filesMade();
    const auto actions = update.installed(failed(VzInstallationRequiresUpdate));
    EXPECT_EQ(wordsOf(actions), "discard failed");
    EXPECT_TRUE(actions.constLast().error->message.contains(QLatin1String("device support")));

    InstallFlow taken = flow();
    (void)taken.begin();
    (void)taken.imageLoaded(image());
    (void)taken.filesMade();
    (void)taken.installed();
    EXPECT_EQ(wordsOf(taken.published(Error{Error::Kind::AlreadyExists, {}, {}})),
              "discard failed");
}

TEST(InstallFlow, ACancelIsHeededWhereverItIs) {
    InstallFlow before = flow();
    EXPECT_EQ(wordsOf(before.cancel()), "cancelled");

    InstallFlow loading = flow();
    (void)loading.begin();
    EXPECT_EQ(wordsOf(loading.cancel()), "");
    EXPECT_EQ(wordsOf(loading.imageLoaded(image())), "cancelled");

    InstallFlow making = flow();
    (void)making.begin();
    (void)making.imageLoaded(image());
    EXPECT_EQ(wordsOf(making.cancel()), ""); // the framework would raise an exception
    EXPECT_EQ(wordsOf(making.filesMade()), "discard cancelled");

    InstallFlow installing = flow();
    (void)installing.begin();
    (void)installing.imageLoaded(image());
    (void)installing.filesMade();
    EXPECT_EQ(wordsOf(installing.cancel()), "cancel");
    EXPECT_EQ(wordsOf(installing.cancel()), "");
    EXPECT_EQ(wordsOf(installing.installed(failed(VzCancelled))), "discard cancelled");

    InstallFlow publishing = flow();
    (void)publishing.begin();
    (void)publishing.imageLoaded(image());
    (void)publishing.filesMade();
    (void)publishing.installed();
    EXPECT_EQ(wordsOf(publishing.cancel()), "");
    EXPECT_EQ(wordsOf(publishing.published()), "done");
}
