// SPDX-License-Identifier: Apache-2.0
#include "cli/help_formatter.h"
#include "cli/listing.h"
#include "cli/output.h"
#include "cli/work_reporter.h"

#include <gtest/gtest.h>

namespace vitrine::cli {

namespace {

QString s(const char* text) {
    return QString::fromUtf8(text);
}

MachineInfo machine(const char* name) {
    MachineInfo info;
    info.name = s(name);
    info.config.emplace();
    info.config->system = GuestSystem::Linux;
    info.config->architecture = Architecture::Amd64;
    info.config->cpuCount = 4;
    info.config->memory = ByteCount::fromMiB(2048);
    info.diskSize = ByteCount::fromBytes(50'999'999'999);
    info.allocated = ByteCount::fromBytes(1'234'567'890);
    info.accessed = QDateTime::fromString(s("2023-11-28T12:18:38Z"), Qt::ISODate);
    return info;
}

} // namespace

TEST(Plain, ControlCharactersAndTurnedTextCannotReachTheTerminal) {
    EXPECT_EQ(plain(s("a\x1b[31mb\nc\x7f")), s("a\\x1b[31mb\\x0ac\\x7f"));
    EXPECT_EQ(plain(QString(QChar(0x9B)) + QChar(0x202E)), s("\\x9b\\u202e"));
    EXPECT_EQ(plain(s("a\u200bb\u061c\U000e0041")), s("a\\u200bb\\u061c\\ue0041"));
    EXPECT_EQ(plain(s("\u00fc\u6f22\U0001F600")), s("\u00fc\u6f22\U0001F600"));
    EXPECT_EQ(plain(QString(QChar(0xD800)) + QLatin1Char('x')),
              QString(QChar(0xFFFD)) + QLatin1Char('x'));
}

TEST(Table, ColumnsAreAlignedAlsoWithWideAndCombiningCharacters) {
    EXPECT_EQ(table({s("A"), s("B")},
                    {{s("longer"), s("1")}, {s("\u6f22"), s("2")}, {s("e\u0301"), s("")}}),
              s("A       B\n"
                "longer  1\n"
                "\u6f22      2\n"
                "e\u0301\n"));
}

TEST(RelativeTime, ReadsLikeSpeech) {
    const QDateTime now = QDateTime::fromString(s("2024-03-10T12:00:00Z"), Qt::ISODate);
    EXPECT_EQ(relativeTime(now, now), s("now"));
    EXPECT_EQ(relativeTime(now.addSecs(-1), now), s("1 second ago"));
    EXPECT_EQ(relativeTime(now.addSecs(-59), now), s("59 seconds ago"));
    EXPECT_EQ(relativeTime(now.addSecs(-3600), now), s("1 hour ago"));
    EXPECT_EQ(relativeTime(now.addDays(-2), now), s("2 days ago"));
    EXPECT_EQ(relativeTime(now.addDays(-15), now), s("2 weeks ago"));
    EXPECT_EQ(relativeTime(now.addDays(-800), now), s("2 years ago"));
    EXPECT_EQ(relativeTime(now.addSecs(120), now), s("in 2 minutes"));
    EXPECT_EQ(relativeTime({}, now), s("never"));
}

TEST(DurationText, HoursAppearWhenThereAreSome) {
    EXPECT_EQ(durationText(7), s("0:07"));
    EXPECT_EQ(durationText(750), s("12:30"));
    EXPECT_EQ(durationText(3723), s("1:02:03"));
}

// Specification 1.12.
TEST(Listing, JsonHasTartsKeysAndTypes) {
    MachineInfo broken = machine("bad");
    broken.state = MachineState::Broken;
    broken.brokenReason = s("config.json is missing.");
    MachineInfo image = machine("ghcr.io/a/b:latest");
    image.isImage = true;
    MachineInfo running = machine("web");
    running.state = MachineState::Running;
    const QJsonArray list = listJson({broken, running, image});
    ASSERT_EQ(list.size(), 3);
    EXPECT_EQ(list.at(1).toObject(),
              (QJsonObject{{s("Source"), s("local")},
                           {s("Name"), s("web")},
                           {s("Disk"), 50},
                           {s("Size"), 1},
                           {s("Accessed"), s("2023-11-28T12:18:38Z")},
                           {s("Running"), true},
                           {s("State"), s("running")}}));
    EXPECT_EQ(list.at(0)[s("State")].toString(), s("broken"));
    EXPECT_EQ(list.at(0)[s("Reason")].toString(), broken.brokenReason);
    EXPECT_EQ(list.at(0)[s("Running")].toBool(true), false);
    EXPECT_EQ(list.at(2)[s("Source")].toString(), s("OCI"));
    EXPECT_EQ(list.at(2)[s("State")].toString(), s("stopped"));
}

TEST(Listing, TextHasTheSameColumnsWithoutRunning) {
    const MachineInfo info = machine("web");
    EXPECT_EQ(listText({info}, info.accessed.addDays(3)),
              s("Source  Name  Disk  Size  Accessed    State\n"
                "local   web   50    1     3 days ago  stopped\n"));
}

// A script reads whole GB as Tart prints them; for somebody at a terminal 31 MB are not 0.
TEST(Listing, ATerminalIsToldSizesThatFit) {
    MachineInfo small = machine("web");
    small.allocated = ByteCount::fromBytes(31'000'000);
    EXPECT_TRUE(listText({small}, small.accessed).contains(s("web   50    0  ")));
    QString text = listText({small}, small.accessed, SizeStyle::Fitting);
    text.replace(QChar(0x00A0), QLatin1Char(' '));
    EXPECT_TRUE(text.contains(s("31 MB"))) << text.toStdString();
    EXPECT_TRUE(text.contains(s("51.0 GB"))) << text.toStdString();
}

TEST(Listing, GetTellsTheSizeWithThreeDecimals) {
    EXPECT_EQ(getJson(machine("web")),
              (QJsonObject{{s("OS"), s("linux")},
                           {s("CPU"), 4},
                           {s("Memory"), 2048},
                           {s("Disk"), 50},
                           {s("DiskFormat"), s("raw")},
                           {s("Size"), s("1.235")},
                           {s("Display"), s("1024x768")},
                           {s("Running"), false},
                           {s("State"), s("stopped")},
                           {s("DisplayRefit"), s("automatic")},
                           {s("DisplayScale"), s("automatic")},
                           {s("RunOptions"), QJsonObject()}}));
    EXPECT_EQ(getText(machine("web")),
              s("OS     CPU  Memory  Disk  DiskFormat  Size   Display   State\n"
                "linux  4    2048    50    raw         1.235  1024x768  stopped\n"));
}

TEST(Wrapped, LinesBreakAtBlanksAndAreIndented) {
    EXPECT_EQ(wrapped("one two three", 2, 9), "one two\n  three");
    EXPECT_EQ(wrapped("averylongword x", 0, 5), "averylongword\nx");
    EXPECT_EQ(wrapped("a\nb", 1, 80), "a\n b");
}

TEST(ProgressText, ShowsShareAmountSpeedTimeLeftAndStep) {
    Progress progress;
    progress.done = 1'000'000'000;
    progress.total = 4'000'000'000;
    progress.step = s("Fetching");
    QString text = progressText(progress, 100e6);
    text.replace(QChar(0x00A0), QLatin1Char(' '));
    EXPECT_EQ(text, s("25 %  1.0 GB of 4.0 GB  100 MB/s  0:31 left  Fetching"));
    progress.total.reset();
    text = progressText(progress, 0);
    text.replace(QChar(0x00A0), QLatin1Char(' '));
    EXPECT_EQ(text, s("1.0 GB  Fetching"));
    EXPECT_EQ(progressText({}, 0), QString());
}

} // namespace vitrine::cli
