// SPDX-License-Identifier: Apache-2.0
#include "core/library/last_used.h"
#include "core/library/library.h"
#include "core/library/unnamed_folders.h"

#include "../disk/other_process.h"
#include "library_fixture.h"

#include <QDateTime>

#include <fcntl.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

namespace vitrine {
namespace {

class LibraryListing : public test::LibraryTest {};

// Files are reached as an ordinary user reaches them, also when the tests run as root.
struct WithoutRootsRights {
    WithoutRootsRights() {
        if (::geteuid() == 0)
            ::setfsuid(65534);
    }
    ~WithoutRootsRights() { ::setfsuid(::geteuid()); }
};

TEST_F(LibraryListing, OpeningMakesTheFoldersThatEveryCommandNeeds) {
    EXPECT_TRUE(QFileInfo(m_library.home() + QStringLiteral("/cache")).isDir());
    EXPECT_TRUE(QFileInfo(m_library.temporaryPath()).isDir());
    EXPECT_FALSE(QFileInfo::exists(m_library.machinesPath()));
    EXPECT_TRUE(m_library.machines()->isEmpty());
    EXPECT_TRUE(m_library.images()->isEmpty());
}

TEST(LibraryHome, AFailureNamesTheFirstLevelThatCannotBeMade) {
    const QTemporaryDir folder;
    test::put(folder.filePath(QStringLiteral("file")), "x");
    const auto library = Library::open(folder.filePath(QStringLiteral("file/a/b/c")));
    ASSERT_FALSE(library);
    EXPECT_TRUE(library.error().message.contains(folder.filePath(QStringLiteral("file"))));
    EXPECT_FALSE(library.error().message.contains(QStringLiteral("/b")));
    EXPECT_FALSE(Library::open(QString()));
}

TEST(LibraryHome, AFolderThatMayOnlyBeReadIsListedAndWhatWritesSaysWhy) {
    const QTemporaryDir folder;
    ::chmod(QFile::encodeName(folder.path()).constData(), 0755);
    const QString home = folder.filePath(QStringLiteral("home"));
    test::fillMachine(home + QStringLiteral("/vms/web"));
    ::chmod(QFile::encodeName(home).constData(), 0555);
    {
        const WithoutRootsRights ordinary;
        const auto library = Library::open(home);
        ASSERT_TRUE(library) << library.error().message.toStdString();
        const auto machines = library->machines();
        ASSERT_TRUE(machines);
        ASSERT_EQ(machines->size(), 1);
        EXPECT_EQ(machines->first().state, MachineState::Stopped);
        EXPECT_TRUE(library->machine(*MachineName::fromText(QStringLiteral("web"))));
        EXPECT_TRUE(library->images()->isEmpty());
        EXPECT_TRUE(library->collectTemporary().isEmpty());
        const auto temporary = library->makeTemporary();
        ASSERT_FALSE(temporary);
        EXPECT_EQ(temporary.error().kind, Error::Kind::Permission);
        EXPECT_TRUE(temporary.error().message.contains(home + QStringLiteral("/tmp")));
        EXPECT_FALSE(library->hostLock(QStringLiteral("h")));
        EXPECT_FALSE(Library::open(home + QStringLiteral("/new")));
    }
    ::chmod(QFile::encodeName(home).constData(), 0755);
}

TEST(LibraryHome, TheEnvironmentNamesIt) {
    const auto with = [](const char* own, const char* tart) {
        own ? qputenv("VITRINE_HOME", own) : qunsetenv("VITRINE_HOME");
        tart ? qputenv("TART_HOME", tart) : qunsetenv("TART_HOME");
        const QString home = Library::defaultHome();
        qunsetenv("VITRINE_HOME");
        qunsetenv("TART_HOME");
        return home;
    };
    EXPECT_EQ(with("/a", "/b"), QStringLiteral("/a"));
    EXPECT_EQ(with(nullptr, "/b"), QStringLiteral("/b"));
    EXPECT_EQ(with(nullptr, ""), QString());
    EXPECT_TRUE(with(nullptr, nullptr).endsWith(QStringLiteral("/vitrine")));
    EXPECT_TRUE(with("", nullptr).endsWith(QStringLiteral("/vitrine")));
}

TEST_F(LibraryListing, MachinesAreSortedAndComplete) {
    addMachine(QStringLiteral("ubuntu"));
    addMachine(QStringLiteral("debian"), test::configText(7));
    test::put(m_library.machinesPath() + QStringLiteral("/.DS_Store"), "x");
    const auto machines = m_library.machines();
    ASSERT_TRUE(machines);
    EXPECT_EQ(names(*machines), QStringList({QStringLiteral("debian"), QStringLiteral("ubuntu")}));
    const MachineInfo& debian = machines->first();
    EXPECT_EQ(debian.state, MachineState::Stopped);
    ASSERT_TRUE(debian.config);
    EXPECT_EQ(debian.config->cpuCount, 7);
    EXPECT_EQ(debian.diskSize.bytes(), 1000000U);
    EXPECT_EQ(debian.size.bytes(), 1000000U + 9 + test::configText(7).size());
    EXPECT_LT(debian.allocated.bytes(), 100000U);
    EXPECT_GT(debian.allocated.bytes(), 8191U);
    EXPECT_LT(debian.accessed.secsTo(QDateTime::currentDateTimeUtc()), 600);
    EXPECT_FALSE(debian.isImage);
    EXPECT_EQ(debian.directory, m_library.machinePath(name("debian")));
    EXPECT_EQ(*m_library.machine(name("debian")), debian);
    EXPECT_EQ(*m_library.find(QStringLiteral("debian")), debian);
}

TEST_F(LibraryListing, ABrokenMachineIsShownWithItsReason) {
    addMachine(QStringLiteral("good"));
    addMachine(QStringLiteral("damaged"), "{\"version\":1,");
    addMachine(QStringLiteral("strange"), test::configText().replace("\"raw\"", "\"qcow2\""));
    const QString incomplete = addMachine(QStringLiteral("incomplete"));
    QFile::remove(incomplete + QStringLiteral("/nvram.bin"));
    QFile::remove(incomplete + QStringLiteral("/disk.img"));
    QDir(m_library.machinesPath()).mkdir(QStringLiteral("empty"));
    const QString folder = addMachine(QStringLiteral("folder"));
    QFile::remove(folder + QStringLiteral("/config.json"));
    QDir(folder).mkdir(QStringLiteral("config.json"));
    ASSERT_TRUE(QFile::link(QStringLiteral("/nowhere"),
                            m_library.machinesPath() + QStringLiteral("/unplugged")));
    const auto machines = m_library.machines();
    ASSERT_TRUE(machines);
    EXPECT_EQ(machines->size(), 7);
    QHash<QString, QString> reasons;
    for (const MachineInfo& info : *machines) {
        EXPECT_EQ(info.state == MachineState::Broken, info.name != QLatin1String("good"));
        EXPECT_EQ(info.brokenReason.isEmpty(), info.name == QLatin1String("good"));
        EXPECT_EQ(info.config.has_value(), info.name == QLatin1String("good"));
        reasons.insert(info.name, info.brokenReason);
    }
    EXPECT_TRUE(reasons[QStringLiteral("strange")].contains(QStringLiteral("diskFormat")));
    EXPECT_TRUE(
        reasons[QStringLiteral("incomplete")].contains(QStringLiteral("disk.img, nvram.bin")));
    EXPECT_TRUE(reasons[QStringLiteral("empty")].contains(QStringLiteral("config.json, disk.img")));
    EXPECT_EQ(toTartText(MachineState::Broken), QStringLiteral("broken"));
}

TEST_F(LibraryListing, AMachineWhoseNameNoCommandTakesIsShownWithTheReason) {
    addMachine(QStringLiteral("-rf"));
    addMachine(QStringLiteral("two\nlines"));
    const auto machines = m_library.machines();
    ASSERT_TRUE(machines);
    ASSERT_EQ(machines->size(), 2);
    for (const MachineInfo& info : *machines) {
        EXPECT_EQ(info.state, MachineState::Broken);
        EXPECT_FALSE(info.brokenReason.isEmpty());
    }
    EXPECT_TRUE(unnamedFolders(m_library).isEmpty());
}

TEST_F(LibraryListing, AFolderWhoseNameIsNotTextIsNoMachineAndIsTold) {
    // Where every such folder was looked for when its name was read as text.
    addMachine(QString::fromUtf8("caf\xef\xbf\xbd"));
    for (const char* name : {"/caf\xe9", "/half\xed\xa0\x80", "/.vitrine-\xff", "/back\\\xe9"}) {
        test::fillMachine(m_folder.filePath(QStringLiteral("latin")));
        ASSERT_EQ(
            ::rename(QFile::encodeName(m_folder.filePath(QStringLiteral("latin"))).constData(),
                     (QFile::encodeName(m_library.machinesPath()) + name).constData()),
            0);
    }
    const auto machines = m_library.machines();
    ASSERT_TRUE(machines);
    ASSERT_EQ(machines->size(), 1);
    EXPECT_EQ(machines->first().name, QString::fromUtf8("caf\xef\xbf\xbd"));
    EXPECT_EQ(machines->first().state, MachineState::Stopped);
    EXPECT_EQ(unnamedFolders(m_library),
              QStringList({QStringLiteral(".vitrine-\\xff"),
                           QStringLiteral("back\\\\\\xe9"),
                           QStringLiteral("caf\\xe9"),
                           QStringLiteral("half\\xed\\xa0\\x80")}));
}

TEST_F(LibraryListing, AnImageWhoseFolderHasNoTextForANameIsLeftOut) {
    const QString good = addImage(QStringLiteral("h/a"), u'1', {});
    ASSERT_TRUE(m_library.images());
    ASSERT_EQ(m_library.images()->size(), 1);
    test::fillMachine(m_folder.filePath(QStringLiteral("latin")));
    ASSERT_EQ(::rename(QFile::encodeName(m_folder.filePath(QStringLiteral("latin"))).constData(),
                       (QFile::encodeName(QFileInfo(good).path()) + "/sha256:\xe9").constData()),
              0);
    ASSERT_TRUE(m_library.images());
    EXPECT_EQ(m_library.images()->size(), 1);
}

TEST_F(LibraryListing, PartsThatAreNoFilesBreakAMachine) {
    const auto replaced = [this](const char* name, const char* part, const auto& make) {
        const QString path =
            addMachine(QLatin1String(name)) + QLatin1Char('/') + QLatin1String(part);
        QFile::remove(path);
        EXPECT_EQ(make(QFile::encodeName(path).constData()), 0);
    };
    const auto pipe = [](const char* path) { return ::mkfifo(path, 0600); };
    const auto folder = [](const char* path) { return ::mkdir(path, 0700); };
    const auto nowhere = [](const char* path) { return ::symlink("/nowhere/disk", path); };
    const auto device = [](const char* path) { return ::symlink("/dev/null", path); };
    const auto round = [](const char* path) { return ::symlink("disk.img", path); };
    replaced("pipe", "disk.img", pipe);
    replaced("folder", "disk.img", folder);
    replaced("nowhere", "disk.img", nowhere);
    replaced("device", "disk.img", device);
    replaced("round", "disk.img", round);
    replaced("variables", "nvram.bin", pipe);
    const QString elsewhere = m_folder.filePath(QStringLiteral("elsewhere.img"));
    test::put(elsewhere, "disk");
    replaced("linked", "disk.img", [&](const char* path) {
        return ::symlink(QFile::encodeName(elsewhere).constData(), path);
    });
    const auto machines = m_library.machines();
    ASSERT_TRUE(machines);
    ASSERT_EQ(machines->size(), 7);
    for (const MachineInfo& info : *machines) {
        const bool good = info.name == QLatin1String("linked");
        EXPECT_EQ(info.state, good ? MachineState::Stopped : MachineState::Broken)
            << info.name.toStdString();
        EXPECT_EQ(info.config.has_value(), good);
        const QString part = info.name == QLatin1String("variables") ? QStringLiteral("nvram.bin")
                                                                     : QStringLiteral("disk.img");
        EXPECT_EQ(info.brokenReason.contains(part), !good) << info.brokenReason.toStdString();
        EXPECT_TRUE(good || info.brokenReason.endsWith(QLatin1Char('.')));
    }
    EXPECT_TRUE(
        m_library.machine(name("nowhere"))->brokenReason.contains(QStringLiteral("/nowhere/disk")));
}

TEST_F(LibraryListing, ADamagedSidecarBreaksAMachine) {
    for (const char* text : {"", "{", "[]", R"({"run":5})", R"({"run":{"bootOrder":"x"}})"}) {
        const QString directory = addMachine(QStringLiteral("vm"));
        test::put(directory + QStringLiteral("/vitrine.json"), text);
        const auto machine = m_library.machine(name("vm"));
        ASSERT_TRUE(machine);
        EXPECT_EQ(machine->state, MachineState::Broken) << text;
        EXPECT_TRUE(machine->brokenReason.contains(QStringLiteral("vitrine.json"))) << text;
        EXPECT_FALSE(machine->config);
        test::put(directory + QStringLiteral("/vitrine.json"), R"({"notes":"x"})");
        EXPECT_EQ(m_library.machine(name("vm"))->state, MachineState::Stopped);
    }
    const QString piped = addMachine(QStringLiteral("piped"));
    ASSERT_EQ(
        ::mkfifo(QFile::encodeName(piped + QStringLiteral("/vitrine.json")).constData(), 0600), 0);
    EXPECT_EQ(m_library.machine(name("piped"))->state, MachineState::Broken);
}

TEST_F(LibraryListing, AMachineThatCannotBeReadIsBrokenAndTheOthersStay_NeedsOrdinaryUser) {
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may read everything";
    addMachine(QStringLiteral("open"));
    const QString closed = addMachine(QStringLiteral("closed"));
    ::chmod(QFile::encodeName(closed).constData(), 0);
    const auto machines = m_library.machines();
    ::chmod(QFile::encodeName(closed).constData(), 0700);
    ASSERT_TRUE(machines);
    ASSERT_EQ(machines->size(), 2);
    EXPECT_EQ(machines->first().state, MachineState::Broken);
    EXPECT_TRUE(machines->first().brokenReason.contains(QStringLiteral("Permission")));
    EXPECT_EQ(machines->last().state, MachineState::Stopped);
}

TEST_F(LibraryListing, StatesComeFromLockThenSavedState) {
    const QString directory = addMachine(QStringLiteral("vm"));
    EXPECT_EQ(m_library.stateOf(directory), MachineState::Stopped);
    test::put(directory + QStringLiteral("/state.vzvmsave"), "");
    EXPECT_EQ(m_library.stateOf(directory), MachineState::Suspended);
    EXPECT_EQ(m_library.machine(name("vm"))->state, MachineState::Suspended);
    QFile::remove(directory + QStringLiteral("/state.vzvmsave"));
    test::put(directory + QStringLiteral("/state.qemu"), "");
    EXPECT_EQ(m_library.stateOf(directory), MachineState::Suspended);
    {
        test::OtherProcess holder(
            {QStringLiteral("hold"), directory + QStringLiteral("/config.json")});
        ASSERT_EQ(holder.word(), "held");
        qint64 pid = 0;
        EXPECT_EQ(m_library.stateOf(directory, &pid), MachineState::Running);
        EXPECT_EQ(pid, holder.pid());
        const auto info = m_library.machine(name("vm"));
        EXPECT_EQ(info->state, MachineState::Running);
        EXPECT_EQ(info->holderPid, holder.pid());
    }
    test::OtherProcess elsewhere(
        {QStringLiteral("ofd"), directory + QStringLiteral("/config.json")});
    ASSERT_EQ(elsewhere.word(), "held");
    EXPECT_EQ(m_library.stateOf(directory), MachineState::RunningElsewhere);
    EXPECT_EQ(m_library.machine(name("vm"))->state, MachineState::RunningElsewhere);
}

TEST_F(LibraryListing, AnUnknownNameIsNotFound) {
    for (const char* text : {"none", "ghcr.io/a/b:c"}) {
        const auto found = m_library.find(QLatin1String(text));
        ASSERT_FALSE(found);
        EXPECT_EQ(found.error().kind, Error::Kind::NotFound);
        EXPECT_TRUE(found.error().message.contains(QLatin1String(text)));
        EXPECT_EQ(exitCode(found.error()), 2);
    }
    EXPECT_EQ(m_library.find(QStringLiteral("../x")).error().kind, Error::Kind::InvalidInput);
}

TEST_F(LibraryListing, ImagesAppearOncePerTagAndOnceByDigest) {
    const QString digest =
        addImage(QStringLiteral("ghcr.io/cirruslabs/ubuntu"), u'a', QStringLiteral("latest"));
    const QString folder = QFileInfo(digest).path();
    ASSERT_TRUE(QFile::link(QFileInfo(digest).fileName(), folder + QStringLiteral("/22.04")))
        << "a relative link";
    const auto images = m_library.images();
    ASSERT_TRUE(images);
    EXPECT_EQ(
        names(*images),
        QStringList({QStringLiteral("ghcr.io/cirruslabs/ubuntu:22.04"),
                     QStringLiteral("ghcr.io/cirruslabs/ubuntu:latest"),
                     QStringLiteral("ghcr.io/cirruslabs/ubuntu@sha256:") + QString(64, u'a')}));
    for (const MachineInfo& image : *images) {
        EXPECT_TRUE(image.isImage);
        EXPECT_EQ(image.byDigest, image.name.contains(u'@'));
        EXPECT_EQ(image.directory, digest);
        EXPECT_TRUE(image.config);
        EXPECT_EQ(*m_library.find(image.name), image);
    }
}

TEST_F(LibraryListing, APortIsPercentEncodedOnDisk) {
    const auto reference = ImageReference::fromText(QStringLiteral("127.0.0.1:8080/a/b"));
    EXPECT_EQ(m_library.imagePath(*reference),
              m_library.imagesPath() + QStringLiteral("/127.0.0.1%3A8080/a/b/latest"));
    addImage(QStringLiteral("127.0.0.1%3A8080/a/b"), u'1', QStringLiteral("latest"));
    EXPECT_EQ(m_library.images()->first().name, QStringLiteral("127.0.0.1:8080/a/b:latest"));
    EXPECT_TRUE(m_library.image(*reference));
}

TEST_F(LibraryListing, ImagePathsFollowTheTable) {
    const QString digest = QString(64, u'0');
    const std::pair<QString, QString> rows[] = {
        {QStringLiteral("ghcr.io/cirruslabs/ubuntu:latest"),
         QStringLiteral("ghcr.io/cirruslabs/ubuntu/latest")},
        {QStringLiteral("ghcr.io/a/b@sha256:") + digest,
         QStringLiteral("ghcr.io/a/b/sha256:") + digest}};
    for (const auto& [text, path] : rows)
        EXPECT_EQ(m_library.imagePath(*ImageReference::fromText(text)),
                  m_library.imagesPath() + QLatin1Char('/') + path);
}

TEST_F(LibraryListing, DanglingTagsAreHiddenAndNamespaceFoldersAreNoImages) {
    addImage(QStringLiteral("h.io/a/b"), u'1', QStringLiteral("t"));
    ASSERT_TRUE(QFile::link(QStringLiteral("/nowhere/sha256:00"),
                            m_library.imagesPath() + QStringLiteral("/h.io/a/b/gone")));
    EXPECT_EQ(m_library.images()->size(), 2);
    EXPECT_FALSE(m_library.find(QStringLiteral("h.io/a/b:gone")));
    EXPECT_FALSE(m_library.find(QStringLiteral("h.io/a:b"))) << "a folder is no tag";
}

TEST_F(LibraryListing, TagsOfAMovedHomeAreStillFound) {
    addImage(QStringLiteral("h.io/a/b"), u'1', QStringLiteral("t"));
    const QString moved = m_folder.filePath(QStringLiteral("moved"));
    ASSERT_TRUE(QDir().rename(m_library.home(), moved));
    const auto library = Library::open(moved);
    EXPECT_EQ(library->images()->size(), 2);
    EXPECT_TRUE(library->find(QStringLiteral("h.io/a/b:t")));
}

TEST_F(LibraryListing, ACacheThatIsALinkToAnotherHomesCacheWorks) {
    addImage(QStringLiteral("h.io/a/b"), u'1', QStringLiteral("t"));
    const QString second = m_folder.filePath(QStringLiteral("second"));
    ASSERT_TRUE(QDir().mkpath(second));
    ASSERT_TRUE(QFile::link(m_library.home() + QStringLiteral("/cache"),
                            second + QStringLiteral("/cache")));
    const auto library = Library::open(second);
    ASSERT_TRUE(library);
    EXPECT_EQ(library->images()->size(), 2);
    EXPECT_TRUE(library->find(QStringLiteral("h.io/a/b:t")));
    EXPECT_TRUE(library->collectImages());
    EXPECT_EQ(library->images()->size(), 2);
    EXPECT_FALSE(library->foldersToWatch().isEmpty());
}

TEST_F(LibraryListing, IncompleteImagesAreBroken) {
    const QString digest = addImage(QStringLiteral("h.io/a/b"), u'1', QStringLiteral("t"));
    QFile::remove(digest + QStringLiteral("/nvram.bin"));
    const auto images = m_library.images();
    ASSERT_EQ(images->size(), 2);
    for (const MachineInfo& image : *images)
        EXPECT_EQ(image.state, MachineState::Broken);
}

TEST_F(LibraryListing, TouchingSetsTheAccessTimeAndKeepsTheModificationTime) {
    const QString directory = addMachine(QStringLiteral("vm"));
    const timespec old[2] = {{1000000000, 0}, {1222643700, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, QFile::encodeName(directory).constData(), old, 0), 0);
    EXPECT_EQ(m_library.machine(name("vm"))->accessed.toSecsSinceEpoch(), 1000000000);
    ASSERT_TRUE(Library::touch(directory));
    EXPECT_EQ(QFileInfo(directory).lastModified().toSecsSinceEpoch(), 1222643700);
    EXPECT_LT(m_library.machine(name("vm"))->accessed.secsTo(QDateTime::currentDateTimeUtc()), 600);
    EXPECT_EQ(Library::touch(QStringLiteral("/nowhere")).error().kind, Error::Kind::NotFound);
}

// A backup or an index of files looks into every folder; "noatime" keeps the time for ever.
TEST_F(LibraryListing, WhenItWasUsedIsKeptWhateverBecomesOfTheAccessTime) {
    const QString directory = addMachine(QStringLiteral("vm"));
    const QString other = addMachine(QStringLiteral("unused"));
    ASSERT_TRUE(recordUse(directory, QDateTime::fromSecsSinceEpoch(1500000000)));
    const timespec times[2] = {{1700000000, 0}, {0, UTIME_OMIT}};
    for (const QString& each : {directory, other})
        ASSERT_EQ(::utimensat(AT_FDCWD, QFile::encodeName(each).constData(), times, 0), 0);
    // Where the file system can keep a record.
    if (recordedUse(directory)) {
        EXPECT_EQ(m_library.machine(name("vm"))->accessed.toSecsSinceEpoch(), 1500000000);
    }
    EXPECT_FALSE(recordedUse(other));
    EXPECT_EQ(m_library.machine(name("unused"))->accessed.toSecsSinceEpoch(), 1700000000);
}

TEST_F(LibraryListing, TouchingThroughATagMarksTheImage) {
    const QString digest = addImage(QStringLiteral("h.io/a/b"), u'1', QStringLiteral("t"));
    const timespec old[2] = {{1000000000, 0}, {1000000000, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, QFile::encodeName(digest).constData(), old, 0), 0);
    ASSERT_TRUE(Library::touch(QFileInfo(digest).path() + QStringLiteral("/t")));
    EXPECT_GT(m_library.images()->first().accessed.toSecsSinceEpoch(), 1000000000);
}

TEST_F(LibraryListing, TheGlobalLockIsAFlockOnTheHome) {
    const auto lock = m_library.globalLock();
    ASSERT_TRUE(lock);
    EXPECT_EQ(test::ask({QStringLiteral("flock"), m_library.home()}), "failed");
    EXPECT_EQ(m_library.globalLock(0).error().kind, Error::Kind::Busy);
}

} // namespace
} // namespace vitrine
