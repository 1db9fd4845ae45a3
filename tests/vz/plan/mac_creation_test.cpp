// SPDX-License-Identifier: Apache-2.0
#include "vz/plan/mac_creation.h"

#include "core/archive/restore_image_fetch.h"
#include "core/value/sha256.h"
#include "tests/support/http_stub.h"
#include "tests/vz/plan/fake_creation_services.h"
#include "tests/vz/plan/pretended_mac.h"
#include "vz/plan/machine_creation.h"

#include <QDir>
#include <QFileInfo>

#include <gtest/gtest.h>

#include <sys/mount.h>

using namespace vitrine;
using namespace vitrine::vz;
using namespace vitrine::vz::test;

namespace {

const QByteArray imageBytes(3000, 'i');

class MacCreationTest : public testing::Test {
protected:
    MacCreationTest() {
        PretendedMachine::write(m_file, imageBytes);
        m_wanted.restoreImage = m_file;
        m_context.stop = m_stop.get_token();
        m_context.report = [this](const Progress& progress) {
            const std::lock_guard lock(m_mutex);
            m_progress.append(progress);
            if (!m_stopsAt.isEmpty() && progress.step.contains(m_stopsAt))
                m_stop.request_stop();
        };
    }
    [[nodiscard]] CreationServices services() {
        CreationServices services;
        services.host = m_host;
        services.images = &m_images;
        services.files = &m_files;
        services.makeInstaller = [this] { return std::make_unique<FakeInstaller>(m_installation); };
        services.fetch = m_fetch;
        return services;
    }
    Result<> create() {
        return createMachine(services(),
                             {m_library, *MachineName::fromText(QStringLiteral("mac")), m_wanted},
                             m_context);
    }
    // Why it was refused; nothing is left of it.
    vitrine::Error refusal() {
        const auto made = create();
        EXPECT_FALSE(made);
        expectNothing();
        return made ? vitrine::Error() : made.error();
    }
    void expectCancelled() {
        const vitrine::Error error = refusal();
        EXPECT_TRUE(error.isCancelled()) << error.message.toStdString();
    }
    void expectNothing() const {
        EXPECT_TRUE(m_library.machines()->isEmpty());
        EXPECT_TRUE(QDir(m_library.temporaryPath()).isEmpty());
        EXPECT_EQ(m_installation.alive, 0);
    }
    [[nodiscard]] QString cached(const QByteArray& bytes) const {
        return m_library.home() + QStringLiteral("/cache/IPSWs/") +
               Sha256::ofBytes(bytes).toText() + QStringLiteral(".ipsw");
    }
    // Puts the image into the cache, as fetchRestoreImage() does.
    void fetchWell() {
        m_fetch = [this](const QUrl& url, const JobContext& context) -> Result<QString> {
            m_fetched.append(url.toString());
            for (const quint64 done : {quint64{1000}, quint64{3000}}) {
                Progress progress;
                progress.done = done;
                progress.total = 3000;
                progress.step = QStringLiteral("Fetching it");
                context.report(progress);
            }
            if (context.cancelled())
                return fail(vitrine::Error::cancelled());
            PretendedMachine::write(cached(imageBytes), imageBytes);
            return cached(imageBytes);
        };
    }

    QTemporaryDir m_folder;
    Library m_library = *Library::open(m_folder.filePath(QStringLiteral("home")));
    QString m_file = m_folder.filePath(QStringLiteral("real/mac.ipsw"));
    HostCaps m_host = pretendedMac();
    FakeRestoreImages m_images;
    FakeMacFiles m_files;
    FakeInstallation m_installation;
    std::function<Result<QString>(const QUrl&, const JobContext&)> m_fetch =
        [](const QUrl&, const JobContext&) -> Result<QString> {
        return fail(vitrine::Error::Kind::Network, QStringLiteral("No network."));
    };
    NewMacMachine m_wanted;
    std::stop_source m_stop;
    JobContext m_context;
    QString m_stopsAt; // the step that is told when somebody cancels
    std::mutex m_mutex;
    QList<Progress> m_progress;
    QStringList m_fetched;
};

} // namespace

TEST_F(MacCreationTest, AFileBehindALinkBecomesAMachine) {
    const QString linked = m_folder.filePath(QStringLiteral("linked"));
    ASSERT_TRUE(QFile::link(m_folder.filePath(QStringLiteral("real")), linked));
    m_wanted.restoreImage = linked + QStringLiteral("/mac.ipsw");
    const auto made = create();
    ASSERT_TRUE(made) << made.error().message.toStdString();
    // The framework fails on paths through links.
    EXPECT_EQ(m_images.loaded, QStringList(QFileInfo(m_file).canonicalFilePath()));
    EXPECT_EQ(m_installation.image, QFileInfo(m_file).canonicalFilePath());
    EXPECT_TRUE(m_installation.plan.isMac());

    const auto machine = m_library.machine(*MachineName::fromText(QStringLiteral("mac")));
    ASSERT_TRUE(machine);
    EXPECT_EQ(machine->state, MachineState::Stopped) << machine->brokenReason.toStdString();
    EXPECT_EQ(machine->config->system, GuestSystem::Darwin);
    EXPECT_EQ(machine->config->ecid, "identifier 1");
    EXPECT_EQ(machine->config->hardwareModel, "model");
    EXPECT_EQ(machine->config->cpuCount, 4);
    EXPECT_EQ(machine->config->memory, ByteCount::fromMiB(4096));
    EXPECT_EQ(machine->diskSize, ByteCount::fromGB(50));
    EXPECT_EQ(m_files.model, "model");
    const auto sidecar = Sidecar::read(machine->directory);
    ASSERT_EQ(sidecar->events.size(), 1);
    EXPECT_TRUE(sidecar->run.audio); // that of the installation is not that of its runs
    EXPECT_TRUE(QDir(m_library.temporaryPath()).isEmpty());
    EXPECT_EQ(m_installation.alive, 0);
}

TEST_F(MacCreationTest, TheLatestImageIsFoundFetchedAndInstalled) {
    m_wanted.restoreImage = QStringLiteral("latest");
    fetchWell();
    const auto made = create();
    ASSERT_TRUE(made) << made.error().message.toStdString();
    EXPECT_EQ(m_fetched, QStringList(m_images.found.location));
    EXPECT_EQ(m_installation.image, QFileInfo(cached(imageBytes)).canonicalFilePath());
    EXPECT_TRUE(QFile::exists(cached(imageBytes))); // for the next machine
    quint64 done = 0;
    for (const Progress& progress : m_progress) {
        EXPECT_GE(progress.done, done) << progress.step.toStdString();
        done = progress.done;
        if (progress.total) {
            EXPECT_EQ(*progress.total, 6000U) << progress.step.toStdString();
        }
    }
    EXPECT_EQ(done, 6000U);
    EXPECT_EQ(m_progress.last().items.size(), 2);
}

TEST_F(MacCreationTest, AnImageBehindALinkedLibraryIsInstalledFromItsRealPlace) {
    const QString linked = m_folder.filePath(QStringLiteral("linked"));
    ASSERT_TRUE(QFile::link(m_library.home(), linked));
    m_library = *Library::open(linked);
    m_wanted.restoreImage = QStringLiteral("https://example.com/mac.ipsw");
    fetchWell();
    ASSERT_TRUE(create());
    EXPECT_EQ(m_fetched, QStringList(m_wanted.restoreImage));
    EXPECT_EQ(m_installation.image, QFileInfo(cached(imageBytes)).canonicalFilePath());
    EXPECT_FALSE(m_installation.image.contains(QLatin1String("linked")));
}

TEST_F(MacCreationTest, WhatTheHostCannotDoIsRefusedBeforeAnythingIsFetched) {
    m_wanted.restoreImage = QStringLiteral("latest");
    fetchWell();
    m_images.found.requirements->minimumProcessors = 99;
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::Unsupported);
    m_images.found = FakeRestoreImages::image();
    m_images.found.location = QStringLiteral("http://example.com/mac.ipsw");
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::Integrity);
    m_images.found = FakeRestoreImages::image();
    m_wanted.diskSize = ByteCount::fromGB(29);
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::InvalidInput);
    m_wanted.diskSize = ByteCount::fromGB(50);
    m_host.architecture = Architecture::Amd64;
    EXPECT_TRUE(refusal().message.contains(QLatin1String("Apple silicon")));
    EXPECT_TRUE(m_fetched.isEmpty());
}

TEST_F(MacCreationTest, AFileThatThisMacCannotInstallIsRefused) {
    m_images.found.requirements->minimumMemory = ByteCount::fromMiB(1 << 20);
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::Unsupported);
    m_images.found = FakeRestoreImages::image();
    m_images.found.supported = false;
    EXPECT_TRUE(refusal().message.contains(QLatin1String("Update macOS")));
    m_images.found = FakeRestoreImages::image();
    m_wanted.cpuCount = 1; // the image asks for two
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::InvalidInput);
    m_wanted.cpuCount = 9; // and the host has eight
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::InvalidInput);
    m_wanted.cpuCount = 6;
    m_wanted.memory = ByteCount::fromMiB(1024);
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::InvalidInput);
    m_wanted.memory = ByteCount::fromMiB(8192);
    ASSERT_TRUE(create());
    const auto machine = m_library.machines()->first();
    EXPECT_EQ(machine.config->cpuCount, 6);
    EXPECT_EQ(machine.config->cpuCountMinimum, 2);
    EXPECT_EQ(machine.config->memory, ByteCount::fromMiB(8192));
}

TEST_F(MacCreationTest, EachFailureOfTheFrameworkIsToldAndLeavesNothing) {
    struct Case {
        int latest, load, install;
        vitrine::Error::Kind kind;
        const char* told;
    };
    using Kind = vitrine::Error::Kind;
    for (const Case& one : {Case{10001, 0, 0, Kind::Network, "connection"},
                            Case{10002, 0, 0, Kind::Integrity, "list"},
                            Case{10003, 0, 0, Kind::Unsupported, "Update"},
                            Case{0, 10004, 0, Kind::NotFound, "loaded"},
                            Case{0, 10005, 0, Kind::Integrity, "damaged"},
                            Case{0, 0, 10006, Kind::Unsupported, "device support"},
                            Case{0, 0, 10007, Kind::Internal, "cannot be installed"},
                            Case{0, 0, VzOutOfDiskSpace, Kind::DiskFull, "space"}}) {
        m_wanted.restoreImage = QStringLiteral("latest");
        fetchWell();
        m_images.latestFails = one.latest;
        m_images.loadFails = one.load;
        m_installation.fails = one.install;
        const vitrine::Error error = refusal();
        EXPECT_EQ(error.kind, one.kind) << one.told << error.message.toStdString();
        EXPECT_TRUE(error.message.contains(QLatin1String(one.told))) << error.message.toStdString();
        EXPECT_EQ(QFile::exists(cached(imageBytes)), one.latest == 0); // fetched for the next time
        QFile::remove(cached(imageBytes));
    }
}

TEST_F(MacCreationTest, AFailedFetchOrFileOfTheMachineLeavesNothing) {
    m_wanted.restoreImage = QStringLiteral("https://example.com/mac.ipsw");
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::Network);
    m_wanted.restoreImage = m_file;
    m_files.failure = vitrine::Error{vitrine::Error::Kind::DiskFull, QStringLiteral("Full."), {}};
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::DiskFull);
    m_files.failure.reset();
    m_files.leavesEmpty = true; // a plan with it is refused
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::Integrity);
    m_wanted.restoreImage = m_folder.filePath(QStringLiteral("none.ipsw"));
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::NotFound);
}

TEST_F(MacCreationTest, AnotherDigestIsRefused) {
    m_wanted.digest = Sha256::ofBytes("another");
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::Integrity);
    m_wanted.restoreImage = QStringLiteral("https://example.com/mac.ipsw");
    fetchWell();
    const vitrine::Error error = refusal();
    EXPECT_EQ(error.kind, vitrine::Error::Kind::Integrity);
    EXPECT_TRUE(error.message.contains(Sha256::ofBytes(imageBytes).toHex()));
    EXPECT_TRUE(error.message.contains(m_wanted.digest->toHex()));
    EXPECT_TRUE(m_images.loaded.isEmpty());
}

TEST_F(MacCreationTest, TheRightDigestIsTakenAndNeedsNoNetworkWhenItIsHere) {
    m_wanted.digest = Sha256::ofBytes(imageBytes);
    ASSERT_TRUE(create()); // a file is hashed
    ASSERT_TRUE(QDir(m_library.machinesPath() + QStringLiteral("/mac")).removeRecursively());
    m_wanted.restoreImage = QStringLiteral("latest");
    PretendedMachine::write(cached(imageBytes), imageBytes);
    m_images.latestFails = 10001;
    const auto made = create();
    ASSERT_TRUE(made) << made.error().message.toStdString();
    EXPECT_TRUE(m_fetched.isEmpty());
    // What lies in the cache under a name is not believed to be it.
    ASSERT_TRUE(QDir(m_library.machinesPath() + QStringLiteral("/mac")).removeRecursively());
    PretendedMachine::write(cached(imageBytes), "broken");
    EXPECT_EQ(refusal().kind, vitrine::Error::Kind::Integrity);
}

TEST_F(MacCreationTest, ACancelIsHeededInEachPart) {
    m_stop.request_stop();
    expectCancelled(); // before it began
    m_wanted.restoreImage = QStringLiteral("latest");
    fetchWell();
    for (const char* step : {"Asking Apple", "Fetching it", "Reading", "Making", "Installing"}) {
        m_stop = {};
        m_context.stop = m_stop.get_token();
        m_stopsAt = QLatin1String(step);
        expectCancelled();
        EXPECT_TRUE(m_stop.stop_requested()) << step;
    }
    EXPECT_TRUE(m_installation.cancelled);
    m_wanted.restoreImage = m_file;
    m_wanted.digest = Sha256::ofBytes(imageBytes);
    m_stop = {};
    m_context.stop = m_stop.get_token();
    m_stopsAt = QStringLiteral("Checking");
    expectCancelled();
    // Too late.
    m_stop = {};
    m_context.stop = m_stop.get_token();
    m_stopsAt = QStringLiteral("Finishing");
    EXPECT_TRUE(create());
}

TEST_F(MacCreationTest, ACancelDoesNotWaitForAnAnswerThatNeverComes) {
    m_wanted.restoreImage = QStringLiteral("latest");
    m_images.neverAnswers = true;
    m_stopsAt = QStringLiteral("Asking Apple");
    expectCancelled();
}

TEST_F(MacCreationTest, ACancelledDownloadGoesOnWhereItWas) {
    const QByteArray bytes(3'000'000, 'm');
    std::atomic<int> ranges = 0;
    vitrine::test::HttpStub server(
        [&](const vitrine::test::StubRequest& request, vitrine::test::StubConnection& connection) {
            const QByteArray range = request.header("Range");
            const qsizetype from =
                range.startsWith("bytes=") ? range.mid(6).chopped(1).toLongLong() : 0;
            QByteArray head = from > 0 ? "HTTP/1.1 206 Partial\r\n" : "HTTP/1.1 200 OK\r\n";
            if (from > 0) {
                ++ranges;
                head += "Content-Range: bytes " + QByteArray::number(from) + '-' +
                        QByteArray::number(bytes.size() - 1) + '/' +
                        QByteArray::number(bytes.size()) + "\r\n";
            }
            connection.write(head + "ETag: \"a\"\r\nConnection: close\r\nContent-Length: " +
                             QByteArray::number(bytes.size() - from) + "\r\n\r\n");
            if (request.method != "HEAD")
                connection.write(bytes.mid(from));
        });
    const QUrl address(QStringLiteral("http://") + server.host() + QStringLiteral("/mac.ipsw"));
    m_fetch = [&](const QUrl&, const JobContext& context) {
        RestoreImageFetchOptions options;
        options.plainHttp = true;
        return fetchRestoreImage(m_library, address, context, options);
    };
    m_wanted.restoreImage = QStringLiteral("https://example.com/mac.ipsw");
    m_stopsAt = QStringLiteral("Fetching");
    expectCancelled();
    EXPECT_FALSE(QDir(m_library.home() + QStringLiteral("/cache/IPSWs"))
                     .entryList(QDir::Dirs | QDir::Hidden | QDir::NoDotAndDotDot)
                     .isEmpty());
    m_stop = {};
    m_context.stop = m_stop.get_token();
    m_stopsAt.clear();
    const auto made = create();
    ASSERT_TRUE(made) << made.error().message.toStdString();
    EXPECT_EQ(ranges, 1);
    EXPECT_TRUE(QFile::exists(cached(bytes)));
}

TEST_F(MacCreationTest, ANameThatIsTakenMeanwhileIsNotReplaced) {
    const QString taken = m_library.machinesPath() + QStringLiteral("/mac");
    m_installation.atStart = [&] {
        QDir().mkpath(taken);
        PretendedMachine::write(taken + QStringLiteral("/mine"), "mine");
    };
    const auto made = create();
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().kind, vitrine::Error::Kind::AlreadyExists);
    EXPECT_EQ(QDir(taken).entryList(QDir::Files), QStringList(QStringLiteral("mine")));
    EXPECT_TRUE(QDir(m_library.temporaryPath()).isEmpty());
    m_images.loaded.clear();
    const auto again = create(); // and it is told at once
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().kind, vitrine::Error::Kind::AlreadyExists);
    EXPECT_TRUE(m_images.loaded.isEmpty());
}

TEST_F(MacCreationTest, AVolumeThatIsTooSmallIsToldBeforeTheInstallation_NeedsRootForATmpfs) {
    const QString small = m_folder.filePath(QStringLiteral("small"));
    ASSERT_TRUE(QDir().mkpath(small));
    if (::mount("vitrine-test", QFile::encodeName(small).constData(), "tmpfs", 0, "size=1m") != 0)
        GTEST_SKIP() << "mounting needs root";
    PretendedMachine::write(m_file, QByteArray(2 << 20, 'i'));
    m_library = *Library::open(small + QStringLiteral("/home"));
    const vitrine::Error error = refusal();
    ::umount2(QFile::encodeName(small).constData(), MNT_DETACH);
    EXPECT_EQ(error.kind, vitrine::Error::Kind::DiskFull);
    EXPECT_FALSE(m_installation.started);
}

TEST_F(MacCreationTest, ALinuxMachineGetsAVariableStoreOfTheFramework) {
    const auto make = [this](const NewLinuxMachine& guest) {
        return createMachine(services(),
                             {m_library, *MachineName::fromText(QStringLiteral("linux")), guest},
                             m_context);
    };
    NewLinuxMachine guest;
    guest.architecture = Architecture::Amd64; // not the pretended Mac's
    const auto refused = make(guest);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, vitrine::Error::Kind::Unsupported);
    guest.architecture = Architecture::Arm64;
    ASSERT_TRUE(make(guest));
    QFile store(m_library.machinesPath() + QStringLiteral("/linux/nvram.bin"));
    ASSERT_TRUE(store.open(QIODevice::ReadOnly));
    EXPECT_EQ(store.readAll(), "variable store");
}
