// SPDX-License-Identifier: Apache-2.0
#include "core/machine/run_options.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>

#include <gtest/gtest.h>

namespace vitrine {
namespace {

struct DiskRow {
    const char* text;
    const char* path;
    bool readOnly;
    Synchronisation synchronisation;
    Caching caching;
};

// Table of the specification, 5.1.
const DiskRow diskTable[] = {
    {"disk.bin", "disk.bin", false, Synchronisation::Full, Caching::Automatic},
    {"ubuntu.iso:ro", "ubuntu.iso", true, Synchronisation::Full, Caching::Automatic},
    {"/dev/disk0", "/dev/disk0", false, Synchronisation::Full, Caching::Automatic},
    {"ghcr.io/cirruslabs/xcode:16.0:ro",
     "ghcr.io/cirruslabs/xcode:16.0",
     true,
     Synchronisation::Full,
     Caching::Automatic},
    {"nbd://localhost:10809/myDisk:sync=none",
     "nbd://localhost:10809/myDisk",
     false,
     Synchronisation::None,
     Caching::Automatic},
    {"disk.img:ro,sync=fsync,caching=cached",
     "disk.img",
     true,
     Synchronisation::Fsync,
     Caching::Cached},
    {"disk.img:ro,sync=none,sync=full",
     "disk.img",
     true,
     Synchronisation::Full,
     Caching::Automatic},
    {"disk.img:sync=", "disk.img", false, Synchronisation::Full, Caching::Automatic},
    {"disk.img:foo", "disk.img:foo", false, Synchronisation::Full, Caching::Automatic},
    {"disk.img:foo,ro", "disk.img", true, Synchronisation::Full, Caching::Automatic},
    {"disk.img:RO", "disk.img:RO", false, Synchronisation::Full, Caching::Automatic},
    {"nbd+unix:///vol?socket=/tmp/s.sock:ro",
     "nbd+unix:///vol?socket=/tmp/s.sock",
     true,
     Synchronisation::Full,
     Caching::Automatic},
    {"a::b", "a:b", false, Synchronisation::Full, Caching::Automatic},
    {"disk.img:caching=uncached", "disk.img", false, Synchronisation::Full, Caching::Uncached},
};

TEST(ExtraDisk, EveryRowOfTheTableIsRead) {
    for (const DiskRow& row : diskTable) {
        const auto disk = ExtraDisk::fromText(QLatin1String(row.text));
        ASSERT_TRUE(disk) << row.text;
        EXPECT_EQ(disk->path, QLatin1String(row.path)) << row.text;
        EXPECT_EQ(disk->options.readOnly, row.readOnly) << row.text;
        EXPECT_EQ(disk->options.synchronisation, row.synchronisation) << row.text;
        EXPECT_EQ(disk->options.caching, row.caching) << row.text;
        const auto again = ExtraDisk::fromText(disk->toText());
        ASSERT_TRUE(again) << disk->toText().toStdString();
        EXPECT_EQ(*again, *disk) << disk->toText().toStdString();
    }
}

TEST(ExtraDisk, WhatCrashesTartIsAnError) {
    for (const char* text : {"",
                             ":",
                             ":::",
                             "ro",
                             ":ro",
                             "sync=none",
                             "a:sync=maybe",
                             "a:caching=always",
                             "a:ro,sync=FULL"}) {
        const auto disk = ExtraDisk::fromText(QLatin1String(text));
        ASSERT_FALSE(disk) << text;
        EXPECT_EQ(disk.error().kind, Error::Kind::InvalidInput);
    }
    const auto bad = ExtraDisk::fromText(QStringLiteral("a:sync=maybe"));
    EXPECT_TRUE(bad.error().message.contains(QStringLiteral("full, fsync, none")));
}

TEST(ExtraDisk, APathThatLooksLikeOptionsSurvivesItsText) {
    const ExtraDisk disk{QStringLiteral("odd:ro"), {}};
    const auto again = ExtraDisk::fromText(disk.toText());
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, disk);
}

TEST(ExtraDisk, KindsAreToldApartAndAnExistingFileIsNoImage) {
    const QTemporaryDir folder;
    const auto kind = [&folder](const char* path) {
        return ExtraDisk{QLatin1String(path), {}}.kind(folder.path());
    };
    using Kind = ExtraDisk::Kind;
    for (const char* path :
         {"nbd://h/x", "nbds://h/x", "nbd+unix:///v?socket=/s", "nbds+unix:///v?socket=/s"})
        EXPECT_EQ(kind(path), Kind::NetworkDisk) << path;
    EXPECT_EQ(kind("images/disk.img"), Kind::CachedImage);
    EXPECT_EQ(kind("./images/disk.img"), Kind::File);
    EXPECT_EQ(kind("ghcr.io/a/b:latest"), Kind::CachedImage);
    EXPECT_EQ(kind("disk.img"), Kind::File);
    ASSERT_TRUE(QDir(folder.path()).mkpath(QStringLiteral("images")));
    QFile file(folder.filePath(QStringLiteral("images/disk.img")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    EXPECT_EQ(kind("images/disk.img"), Kind::File);
}

TEST(ExtraDisk, ALeadingTildeIsTheHomeFolder) {
    const ExtraDisk disk{QStringLiteral("~/data.img"), {}};
    EXPECT_EQ(disk.filePath(QStringLiteral("/x")), QDir::homePath() + QStringLiteral("/data.img"));
    EXPECT_EQ((ExtraDisk{QStringLiteral("d/../a.img"), {}}.filePath(QStringLiteral("/x"))),
              QStringLiteral("/x/a.img"));
    EXPECT_EQ((ExtraDisk{QStringLiteral("~other"), {}}.filePath(QStringLiteral("/x"))),
              QStringLiteral("/x/~other"));
}

TEST(DiskOptions, TheRootDiskCanBeReadOnly) {
    const auto options = DiskOptions::fromText(QStringLiteral("ro,sync=none,caching=cached"));
    ASSERT_TRUE(options);
    EXPECT_TRUE(options->readOnly);
    EXPECT_EQ(options->synchronisation, Synchronisation::None);
    EXPECT_EQ(options->caching, Caching::Cached);
    EXPECT_EQ(options->toText(), QStringLiteral("ro,sync=none,caching=cached"));
}

TEST(DiskOptions, EmptyPiecesAndValuesAreDefaults) {
    for (const char* text : {"", ",", "sync=", "caching=", "sync=,caching=,", "sync=full"}) {
        const auto options = DiskOptions::fromText(QLatin1String(text));
        ASSERT_TRUE(options) << text;
        EXPECT_EQ(*options, DiskOptions()) << text;
        EXPECT_TRUE(options->toText().isEmpty());
    }
}

TEST(DiskOptions, UnknownWordsAreErrorsThatListWhatIsAccepted) {
    for (const char* text : {"rw", "RO", "ro,foo", "sync=always", "caching", "sync"}) {
        const auto options = DiskOptions::fromText(QLatin1String(text));
        ASSERT_FALSE(options) << text;
        EXPECT_TRUE(options.error().message.contains(QStringLiteral("full, fsync, none")))
            << options.error().message.toStdString();
    }
}

TEST(RunOptions, RoundTripsEveryField) {
    RunOptions options;
    options.rootDisk = *DiskOptions::fromText(QStringLiteral("ro,caching=uncached"));
    options.disks = {*ExtraDisk::fromText(QStringLiteral("a.img:ro")),
                     ExtraDisk{QStringLiteral("b:ro"), {}}};
    options.forwards = {{0, 22}, {65535, 1}};
    options.kernel = KernelBoot{
        QStringLiteral("vmlinuz"), QStringLiteral("initrd"), QStringLiteral("console=ttyS0 \"x\"")};
    options.accelerator = AcceleratorChoice::Tcg;
    options.audio = options.clipboard = options.pointer = options.keyboard = false;
    options.unknown[QStringLiteral("later")] = QJsonArray{1};
    const auto bytes = QJsonDocument(options.toJson()).toJson();
    const auto again = RunOptions::fromJson(QJsonDocument::fromJson(bytes).object());
    ASSERT_TRUE(again) << again.error().message.toStdString();
    EXPECT_EQ(*again, options);
}

TEST(RunOptions, DefaultsWriteNothing) {
    EXPECT_TRUE(RunOptions().toJson().isEmpty());
    EXPECT_EQ(*RunOptions::fromJson({}), RunOptions());
}

TEST(RunOptions, WrongValuesNameTheirKey) {
    const std::pair<const char*, const char*> rows[] = {
        {R"({"rootDisk":5})", "rootDisk"},
        {R"({"rootDisk":"rw"})", "rw"},
        {R"({"disks":{}})", "disks"},
        {R"({"disks":["a"]})", "disks"},
        {R"({"disks":[{"path":""}]})", "disks.path"},
        {R"({"disks":[{"path":5}]})", "disks.path"},
        {R"({"disks":[{"path":"a","options":"x"}]})", "x"},
        {R"({"forwards":5})", "forwards"},
        {R"({"forwards":[{"hostPort":1}]})", "guestPort"},
        {R"({"forwards":[{"hostPort":70000,"guestPort":22}]})", "hostPort"},
        {R"({"forwards":[{"hostPort":-1,"guestPort":22}]})", "hostPort"},
        {R"({"forwards":[{"hostPort":1,"guestPort":0}]})", "guestPort"},
        {R"({"forwards":[{"hostPort":4294967297,"guestPort":22}]})", "hostPort"},
        {R"({"kernel":"vmlinuz"})", "kernel"},
        {R"({"kernel":{}})", "kernel.kernel"},
        {R"({"kernel":{"kernel":"a","initrd":5}})", "kernel.initrd"},
        {R"({"accelerator":"hvf"})", "accelerator"},
        {R"({"audio":"no"})", "audio"},
        {R"({"keyboard":0})", "keyboard"},
    };
    for (const auto& [json, word] : rows) {
        const auto options = RunOptions::fromJson(QJsonDocument::fromJson(json).object());
        ASSERT_FALSE(options) << json;
        EXPECT_EQ(options.error().kind, Error::Kind::InvalidInput);
        EXPECT_TRUE(options.error().message.contains(QLatin1String(word)))
            << options.error().message.toStdString();
    }
}

} // namespace
} // namespace vitrine
