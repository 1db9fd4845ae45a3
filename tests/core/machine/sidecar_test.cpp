// SPDX-License-Identifier: Apache-2.0
#include "core/machine/sidecar.h"

#include "core/machine/display_scale.h"
#include "core/machine/mac_options.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace vitrine {
namespace {

class SidecarTest : public testing::Test {
protected:
    void put(const QByteArray& bytes) const {
        QFile file(path());
        ASSERT_TRUE(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(bytes);
    }
    [[nodiscard]] QByteArray get() const {
        QFile file(path());
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("missing");
    }
    [[nodiscard]] QString path() const { return m_folder.filePath(QStringLiteral("vitrine.json")); }
    [[nodiscard]] Result<> note(const QString& text) const {
        return Sidecar::update(m_folder.path(),
                               [&text](Sidecar& sidecar) { sidecar.notes = text; });
    }
    QTemporaryDir m_folder;
};

TEST_F(SidecarTest, AMissingFileIsTheDefault) {
    EXPECT_EQ(*Sidecar::read(m_folder.path()), Sidecar());
}

TEST_F(SidecarTest, RoundTripsEveryField) {
    Sidecar sidecar;
    sidecar.run.audio = false;
    sidecar.pending = {{QStringLiteral("cpuCount"), 2, 4},
                       {QStringLiteral("displayRefit"), QJsonValue(QJsonValue::Null), true}};
    sidecar.notes = QStringLiteral("two\nlines é");
    sidecar.sourceImage = QStringLiteral("ghcr.io/a/b:c");
    sidecar.efivars = QStringLiteral("nvram");
    sidecar.deviceSlots = {{QStringLiteral("disk0"), 3}};
    sidecar.events = {QJsonObject{{QStringLiteral("kind"), QStringLiteral("started")}}};
    sidecar.unknown = {{QStringLiteral("later"), QJsonObject{{QStringLiteral("x"), 1.5}}}};
    ASSERT_TRUE(Sidecar::update(m_folder.path(), [&](Sidecar& target) { target = sidecar; }));
    const auto again = Sidecar::read(m_folder.path());
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, sidecar);
    struct stat info {};
    ASSERT_EQ(::stat(QFile::encodeName(path()).constData(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0600U);
}

TEST_F(SidecarTest, UnknownKeysSurviveAnEdit) {
    put(R"({"shares":[{"tag":"x"}],"run":{"rosetta":"tag","audio":false}})");
    ASSERT_TRUE(note(QStringLiteral("hello")));
    const QJsonObject object = QJsonDocument::fromJson(get()).object();
    EXPECT_EQ(object.value(QStringLiteral("shares")).toArray().size(), 1);
    EXPECT_EQ(object.value(QStringLiteral("run")).toObject().value(QStringLiteral("rosetta")),
              QJsonValue(QStringLiteral("tag")));
    EXPECT_EQ(object.value(QStringLiteral("notes")).toString(), QStringLiteral("hello"));
}

TEST_F(SidecarTest, TheScaleOfTheWindowIsKeptAndAWrongOneIsAutomatic) {
    ASSERT_TRUE(
        Sidecar::update(m_folder.path(), [](Sidecar& sidecar) { setDisplayScale(sidecar, 150); }));
    EXPECT_EQ(displayScaleOf(*Sidecar::read(m_folder.path())), 150);
    ASSERT_TRUE(Sidecar::update(m_folder.path(), [](Sidecar& sidecar) {
        setDisplayScale(sidecar, automaticDisplayScale);
    }));
    EXPECT_FALSE(get().contains("displayScale"));
    for (const char* scale : {"49", "401", "-100", "\"2\"", "true", "150.5"}) {
        put(QByteArray("{\"displayScale\":") + scale + '}');
        EXPECT_EQ(displayScaleOf(*Sidecar::read(m_folder.path())), automaticDisplayScale) << scale;
    }
}

TEST(DisplayScaleText, IsAutomaticOrANumberOfPixelsForAPoint) {
    for (const auto& [text, scale] : {std::pair("automatic", automaticDisplayScale),
                                      std::pair("1", 100),
                                      std::pair("0.5", 50),
                                      std::pair("1.5", 150),
                                      std::pair("1.25", 125),
                                      std::pair("4", 400)}) {
        const auto read = displayScaleFromText(QLatin1String(text));
        ASSERT_TRUE(read) << text;
        EXPECT_EQ(*read, scale) << text;
        EXPECT_EQ(displayScaleToText(scale), QLatin1String(text));
    }
    for (const char* text : {"", "0", "0.49", "4.01", "10", "2x", "-1", "1.", "1,5", "1.555", " 1"})
        EXPECT_FALSE(displayScaleFromText(QLatin1String(text))) << text;
}

TEST_F(SidecarTest, WhatOnlyAMacCanIsKept) {
    ASSERT_TRUE(Sidecar::update(m_folder.path(), [](Sidecar& sidecar) {
        MacOptions{QStringLiteral("intel"), false}.storeIn(sidecar.run);
    }));
    const auto sidecar = Sidecar::read(m_folder.path());
    ASSERT_TRUE(sidecar);
    EXPECT_EQ(MacOptions::of(sidecar->run), (MacOptions{QStringLiteral("intel"), false}));
    ASSERT_TRUE(Sidecar::update(m_folder.path(),
                                [](Sidecar& changed) { MacOptions().storeIn(changed.run); }));
    EXPECT_EQ(Sidecar::read(m_folder.path())->run, RunOptions());
}

TEST_F(SidecarTest, DamagedFilesAreErrorsAndStayAsTheyAre) {
    const QByteArray whole =
        R"({"notes":"a","run":{"audio":false},"pending":[{"key":"cpuCount"}]})";
    for (qsizetype length = 0; length < whole.size(); ++length) {
        put(whole.left(length));
        const auto sidecar = Sidecar::read(m_folder.path());
        ASSERT_FALSE(sidecar) << length;
        EXPECT_EQ(sidecar.error().kind, Error::Kind::Integrity);
        EXPECT_FALSE(note(QStringLiteral("x")));
        EXPECT_EQ(get(), whole.left(length)) << "an edit must not destroy what could be repaired";
    }
}

TEST_F(SidecarTest, WrongTypesNameTheirKey) {
    const std::pair<const char*, const char*> rows[] = {
        {R"({"notes":5})", "notes"},
        {R"({"events":{}})", "events"},
        {R"({"pending":[5]})", "pending"},
        {R"({"pending":{}})", "pending"},
        {R"({"deviceSlots":[]})", "deviceSlots"},
        {R"({"run":[]})", "run"},
        {R"({"run":{"audio":5}})", "audio"},
        {R"({"efivars":true})", "efivars"},
        {R"([])", "vitrine.json"},
    };
    for (const auto& [json, key] : rows) {
        put(json);
        const auto sidecar = Sidecar::read(m_folder.path());
        ASSERT_FALSE(sidecar) << json;
        EXPECT_EQ(sidecar.error().kind, Error::Kind::Integrity) << json;
        EXPECT_TRUE(sidecar.error().message.contains(QLatin1String(key)));
    }
}

TEST_F(SidecarTest, AHugeFileIsRefused) {
    put(QByteArray("{}") + QByteArray(1 << 20, ' '));
    EXPECT_EQ(Sidecar::read(m_folder.path()).error().kind, Error::Kind::Integrity);
}

TEST_F(SidecarTest, AnEmptyFileIsDamagedForReadersAndWriters) {
    for (const char* text : {"", "\n", "  "}) {
        put(text);
        const auto sidecar = Sidecar::read(m_folder.path());
        ASSERT_FALSE(sidecar);
        EXPECT_EQ(sidecar.error().kind, Error::Kind::Integrity);
        EXPECT_TRUE(sidecar.error().message.contains(QLatin1String("is empty")));
        const auto written = note(QStringLiteral("x"));
        ASSERT_FALSE(written);
        EXPECT_EQ(written.error().kind, Error::Kind::Integrity);
        EXPECT_EQ(get(), text);
    }
}

TEST_F(SidecarTest, AnEditThatWouldMakeItTooLargeIsRefused) {
    ASSERT_TRUE(note(QStringLiteral("short")));
    const QByteArray before = get();
    const auto written = note(QString(1 << 20, QLatin1Char('x')));
    ASSERT_FALSE(written);
    EXPECT_EQ(get(), before);
}

TEST_F(SidecarTest, OnlyTheLastFiftyEventsAreKept) {
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(Sidecar::update(m_folder.path(), [i](Sidecar& sidecar) {
            for (int j = 0; j < 20; ++j)
                sidecar.events.append(i * 20 + j);
        }));
    const auto sidecar = Sidecar::read(m_folder.path());
    ASSERT_EQ(sidecar->events.size(), 50);
    EXPECT_EQ(sidecar->events.first().toInt(), 10);
    EXPECT_EQ(sidecar->events.last().toInt(), 59);
}

TEST_F(SidecarTest, EditsOfManyThreadsAllCount) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([this, i] {
            for (int j = 0; j < 5; ++j)
                EXPECT_TRUE(Sidecar::update(m_folder.path(), [&](Sidecar& sidecar) {
                    sidecar.unknown[QStringLiteral("%1.%2").arg(i).arg(j)] = true;
                }));
        });
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(Sidecar::read(m_folder.path())->unknown.size(), 20);
}

TEST_F(SidecarTest, AnEditThatChangesNothingWritesNothing) {
    ASSERT_TRUE(note(QString()));
    EXPECT_EQ(get(), "missing");
}

TEST_F(SidecarTest, AFolderWithoutWriteRightSaysSo_NeedsOrdinaryUser) {
    if (::geteuid() == 0)
        GTEST_SKIP() << "root may write everywhere";
    ::chmod(QFile::encodeName(m_folder.path()).constData(), 0500);
    const auto written = note(QStringLiteral("x"));
    ::chmod(QFile::encodeName(m_folder.path()).constData(), 0700);
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().kind, Error::Kind::Permission);
}

} // namespace
} // namespace vitrine
