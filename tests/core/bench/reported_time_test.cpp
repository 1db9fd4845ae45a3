// SPDX-License-Identifier: Apache-2.0
#include "core/bench/reported_time.h"

#include "tests/core/bench/bench_support.h"

namespace vitrine::bench {

namespace {

// What XcodeBenchmark prints at the end, with a terminal's sequences of `clear` at the start.
QByteArray xcode(const char* started, const char* ended, const char* build = "SUCCEEDED") {
    return QByteArray("\x1b[3J\x1b[H\x1b[2JPreparing environment\n"
                      "Running XcodeBenchmark...\n"
                      "CompileC Started.o (in target 'Started' from project 'Pods')\n"
                      "** BUILD ") +
           build + " ** [138.532 sec]\n\nSystem Version: 15.3.2\nXcode 16.2\n" +
           "Hardware Overview\n      Total Number of Cores: 12 (8 performance and 4 efficiency)\n"
           "\n\xe2\x9c\x85 XcodeBenchmark has completed\n"
           "\t- Build Time (See ** BUILD SUCCEEDED ** [XYZ sec])\n\t- Started " +
           started + "\n\t- Ended   " + ended +
           "\n\t- Date Sun Mar 23 10:20:30 CET 2025\n\n2. Share your results\n";
}

double secondsOf(const QByteArray& output) {
    const auto time = ReportedTime::fromOutput(output);
    EXPECT_TRUE(time) << output.toStdString() << time.error().message.toStdString();
    return time ? time->seconds : 0;
}

QString refusal(const QByteArray& output) {
    const auto time = ReportedTime::fromOutput(output);
    EXPECT_FALSE(time) << output.toStdString();
    return time ? QString() : time.error().message;
}

} // namespace

TEST(ReportedTime, XcodesIsEndedLessStarted) {
    const auto time = ReportedTime::fromOutput(xcode("10:18:11", "10:20:30"));
    ASSERT_TRUE(time) << time.error().message.toStdString();
    EXPECT_EQ(time->seconds, 139); // 2m19s
    EXPECT_EQ(time->tool, s("Xcode 16.2"));
    EXPECT_EQ(secondsOf(xcode("23:59:01", "00:01:20")), 139);
    EXPECT_EQ(secondsOf(xcode("9:00:00", "10:00:00").replace('\n', "\r\n")), 3600);
    // Where echo does not understand "\t".
    EXPECT_EQ(secondsOf("** BUILD SUCCEEDED **\n\\t- Started 10:00:00\n\\t- Ended   10:00:05\n"),
              5);
}

TEST(ReportedTime, ABuildThatFailedIsAFailureThoughItHasItsTimes) {
    EXPECT_TRUE(refusal(xcode("10:18:11", "10:18:30", "FAILED")).contains(s("BUILD FAILED")));
    EXPECT_TRUE(refusal(xcode("10:18:11", "10:18:30", "INTERRUPTED")).contains(s("no \"**")));
    EXPECT_TRUE(refusal("** BUILD FAILED **\nTime: 2m19s\n").contains(s("BUILD FAILED")));
}

TEST(ReportedTime, HalfATimeIsNone) {
    EXPECT_TRUE(refusal(xcode("10:18:11", "later")).contains(s("no end")));
    EXPECT_TRUE(refusal(xcode("", "10:18:11")).contains(s("no start")));
    EXPECT_TRUE(refusal(xcode("24:00:00", "10:18:11")).contains(s("no start")));
    EXPECT_TRUE(refusal(xcode("10:18:11", "10:60:00")).contains(s("no end")));
    EXPECT_TRUE(refusal(xcode("10:18:11", "10:18:11")).contains(s("same second")));
}

TEST(ReportedTime, ALineThatIsADurationIsOne) {
    EXPECT_EQ(secondsOf("2m19s"), 139);
    EXPECT_EQ(secondsOf("compiling 7 files\nTime: 2 m 19 s\ndone\n"), 139);
    EXPECT_EQ(secondsOf("\nreal\t2m19.004s\nuser\t9m1.5s\nsys\t0m3s\n"), 139.004);
    EXPECT_EQ(secondsOf("Build took 90 s\nElapsed time: 139.5 seconds\n"), 139.5);
    EXPECT_EQ(secondsOf("total = 1:02:19\n"), 3739);
    EXPECT_EQ(secondsOf("\x1b[32mDuration: 250ms\x1b[0m\n"), 0.25);
}

TEST(ReportedTime, WhatIsNoneIsToldWithWhatToDo) {
    EXPECT_TRUE(refusal({}).contains(s("Let it print")));
    EXPECT_TRUE(refusal("compiled 139 files in no time\n").contains(s("none")));
    EXPECT_TRUE(refusal("139\n").contains(s("none"))); // of what?
    EXPECT_TRUE(refusal("Time: 0s\n").contains(s("0 is no time")));
    EXPECT_TRUE(refusal("Time: -3 s\n").contains(s("none")));
    EXPECT_TRUE(refusal("Time: 99999999h\n").contains(s("none")));
    EXPECT_TRUE(refusal("Time: 99999999999999999999 s\n").contains(s("none")));
    EXPECT_TRUE(refusal("Time: 1e400 s\nTime: nan s\n").contains(s("none")));
    EXPECT_TRUE(refusal(QByteArray("\0\xff\xfe\x80", 4)).contains(s("none")));
    EXPECT_TRUE(refusal("Time: " + QByteArray(1 << 20, '9') + " s").contains(s("none")));
    EXPECT_TRUE(refusal(QByteArray(1 << 20, ' ') + "2m19s x").contains(s("none")));
    EXPECT_TRUE(refusal(QByteArray(200000, '\n')).contains(s("none")));
}

TEST(ReportedTime, DurationsAreReadStrictly) {
    const std::pair<const char*, double> good[]{{"2m19s", 139},
                                                {"1h", 3600},
                                                {"1 h 5 min", 3900},
                                                {"1h0m0.5s", 3600.5},
                                                {"3 minutes 2 seconds", 182},
                                                {"0:05", 5},
                                                {"75:00", 4500},
                                                {"1 s 500 ms", 1.5}};
    for (const auto& [text, seconds] : good)
        EXPECT_EQ(secondsFromText(s(text)), seconds) << text;
    for (const char* text : {"",
                             " ",
                             "s",
                             "19s2m",
                             "2m19",
                             "2m 19s later",
                             "1:60",
                             "1:75:00",
                             "1:2",
                             ":30",
                             "2..5s",
                             "-2s",
                             "+2s",
                             "0x10s",
                             "1,5 s",
                             "9000h"})
        EXPECT_FALSE(secondsFromText(s(text))) << text;
}

} // namespace vitrine::bench
